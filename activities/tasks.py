"""What workers do for the catalogue."""

from collections.abc import Callable

from django.db import close_old_connections
from procrastinate.contrib.django import app

from activities.discovery.index.jobs import EMBED
from activities.likeness import vectors as likeness
from activities.redundancy import vectors_prune


def _in_a_job(work: Callable[[], object]) -> None:
    close_old_connections()
    try:
        work()
    finally:
        close_old_connections()


def _embed_due() -> None:
    # Loads numpy, which a process that only knows of the task does not need.
    from activities.discovery.index.vectors import embed_due

    embed_due()


@app.task(name=EMBED, lock=EMBED)
def embed_cards() -> None:
    """Make the vectors of the cards that were just changed."""
    _in_a_job(_embed_due)


@app.periodic(cron="* * * * *")
@app.task(name="activities.embed_due", lock=EMBED, queueing_lock="activities.embed_due", pass_context=False)
def embed_what_is_due(timestamp: int) -> None:
    """Every minute: what an endpoint that was down, or another embedder than before, left to do."""
    _in_a_job(_embed_due)


@app.task(name=likeness.TASK, lock=likeness.TASK)
def embed_texts() -> None:
    """Make the vectors by which cards are likened."""
    _in_a_job(likeness.make_due)


@app.periodic(cron="23 3 * * *")
@app.task(name="activities.prune_texts", lock=likeness.TASK, pass_context=False)
def prune_texts(timestamp: int) -> None:
    """Every night: forget the vectors of texts that no card says any more."""
    _in_a_job(vectors_prune)
