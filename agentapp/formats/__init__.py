"""How the product writes dates where a language alone does not say: English is read in many countries."""
