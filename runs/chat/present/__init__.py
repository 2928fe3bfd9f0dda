"""Rows as the screens show them: frozen views, in the reader's language. Templates hold no rule."""
