"""Keeping the lease while one act takes long: a thread of its own renews it."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, connection

from runs.journal import LEASE, renew
from runs.models import Run

logger = logging.getLogger(__name__)
#: Three chances before the lease runs out.
EVERY_SECONDS = LEASE.total_seconds() / 3


@contextmanager
def heartbeat(run: Run) -> Iterator[None]:
    """Renew the lease of `run` in the background while the block runs."""
    stopped = threading.Event()
    thread = threading.Thread(target=_beat, args=(run, stopped), name=f"lease-{run.pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()


def _beat(run: Run, stopped: threading.Event) -> None:
    while not stopped.wait(EVERY_SECONDS):
        try:
            if not renew(run.pk, run.fence):
                return
        except DatabaseError:
            logger.warning("The lease of run %s could not be renewed; trying again.", run.pk)
        finally:
            connection.close()
