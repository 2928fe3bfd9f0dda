"""Which embedder the catalogue uses, the endpoint as one of them, and what can be wrong with it."""
