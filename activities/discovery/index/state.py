"""Whether the embedder answers, as any process last found it: for the operator's page and the log."""

import logging
import threading

from django.db import transaction
from django.utils import timezone

from activities.discovery.embedder import EmbedderUnavailable
from activities.discovery.embedding import troubles
from activities.models import EmbedderState

logger = logging.getLogger(__name__)
_lock = threading.Lock()
#: What this process last put on record, per embedder.
_noted: dict[str, str] = {}


def note_trouble(embedder: str, error: EmbedderUnavailable) -> None:
    """Say once, in the log and on record, that searches go by words alone."""
    if _is_news(embedder, troubles.code_of(error)):
        logger.warning("Searching by words alone: %s", error.message)
        _put(embedder, troubles.code_of(error))


def note_working(embedder: str) -> None:
    """Take the trouble off the record, if there was one."""
    with _lock:
        was = _noted.get(embedder, "")
    if was and _is_news(embedder, ""):
        logger.info("The embedder %s answers again", embedder)
        _put(embedder, "")


def _is_news(embedder: str, code: str) -> bool:
    with _lock:
        if _noted.get(embedder, "") == code:
            return False
        _noted[embedder] = code
        return True


def _put(embedder: str, code: str) -> None:
    """A row that somebody else is writing is left to them: no search waits for another's transaction."""
    with transaction.atomic():
        EmbedderState.objects.bulk_create(
            [EmbedderState(embedder=embedder, since=timezone.now())], ignore_conflicts=True
        )
        row = EmbedderState.objects.select_for_update(skip_locked=True).filter(pk=embedder).first()
        if row is not None and row.trouble != code:
            row.trouble, row.since = code, timezone.now()
            row.save(update_fields=["trouble", "since"])
