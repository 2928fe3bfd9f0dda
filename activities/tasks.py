"""What workers do for the catalogue."""

from django.db import close_old_connections
from procrastinate.contrib.django import app

from activities.discovery.index import vectors
from activities.likeness import vectors as likeness


@app.task(name=vectors.TASK, lock=vectors.TASK)
def embed_cards() -> None:
    """Make the vectors that are due."""
    close_old_connections()
    try:
        vectors.embed_due()
    finally:
        close_old_connections()


@app.task(name=likeness.TASK, lock=likeness.TASK)
def embed_texts() -> None:
    """Make the vectors by which cards are likened."""
    close_old_connections()
    try:
        likeness.make_due()
    finally:
        close_old_connections()
