"""Queuing the work on vectors."""

from procrastinate.contrib.django import app

EMBED = "activities.embed_cards"


def defer_embedding() -> None:
    """Queue the job that makes the vectors that are due, in the current transaction."""
    app.configure_task(EMBED).defer()
