"""What workers do for the catalogue."""

from django.db import close_old_connections
from procrastinate.contrib.django import app

from activities.discovery.index import vectors


@app.task(name=vectors.TASK, lock=vectors.TASK)
def embed_cards() -> None:
    """Make the vectors that are due."""
    close_old_connections()
    try:
        vectors.embed_due()
    finally:
        close_old_connections()
