"""``manage.py worker``: does the jobs; any number of them, on any number of machines."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from django.conf import settings
from django.core.management.base import BaseCommand
from procrastinate import App
from procrastinate.contrib.django import app
from procrastinate.contrib.django.django_connector import DjangoConnector

from activities.discovery.embedder import EmbedderUnavailable
from activities.discovery.embedding.chosen import warm
from agentapp.kernel.memory import keep_what_is_loaded

logger = logging.getLogger(__name__)

#: How long jobs may go on after a signal; what is not finished then is taken over by another worker.
GRACE_SECONDS = 3.0


class Command(BaseCommand):
    help = "Do the jobs, WORKER_CONCURRENCY at a time."
    requires_system_checks = ()  # they are about pages as well, which a worker never loads

    def handle(self, *args: Any, **options: Any) -> None:
        asyncio.run(work(settings.WORKER_CONCURRENCY))


async def work(concurrency: int) -> None:
    """Until a signal comes."""
    # Python's own pool has few threads on a small machine; each running job needs one.
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(concurrency, "job"))
    # Loaded beside the first jobs, not by the first person's request.
    warming = asyncio.create_task(asyncio.to_thread(_warm))
    async with _worker_app().open_async() as worker:
        await worker.run_worker_async(concurrency=concurrency, shutdown_graceful_timeout=GRACE_SECONDS)
    await warming


def _warm() -> None:
    """Without vectors the interpreter goes by words alone; that is no reason not to work."""
    try:
        warm()
    except EmbedderUnavailable as error:
        logger.warning("Working without sentence vectors: %s", error.message)
    keep_what_is_loaded()


def _worker_app() -> App:
    """Fetches jobs over a connection of its own.

    A second app rather than ``replace_connector``: a job that defers another one does so over Django's
    connection, in the transaction of its own writes.
    """
    connector = cast("DjangoConnector", app.connector)
    return app.with_connector(connector.get_worker_connector())
