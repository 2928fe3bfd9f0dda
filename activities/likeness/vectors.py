"""The vectors by which cards are likened: asked for where a card is saved, made in the background."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from django.db.models import QuerySet
from procrastinate.contrib.django import app

from activities.discovery.embedder import default_embedder
from activities.likeness.cards import Likened
from activities.models import TextVector

if TYPE_CHECKING:
    from activities.discovery.embedder import Vectors

TASK = "activities.embed_texts"
_BATCH = 50


def vectors_due(cards: Iterable[Likened]) -> None:
    """Have the vectors of these cards made, in the current transaction, where there are none yet."""
    texts = {_digest(card.text): card.text for card in cards}
    known = set(TextVector.objects.filter(digest__in=list(texts)).values_list("digest", flat=True))
    missing = [TextVector(digest=key, text=text) for key, text in texts.items() if key not in known]
    if missing:
        TextVector.objects.bulk_create(missing, ignore_conflicts=True)
        app.configure_task(TASK).defer()


def make_due() -> int:
    """Make the vectors that are due and return how many. Raises EmbedderUnavailable."""
    embedder, done = default_embedder(), 0
    while batch := list(_due(embedder.name)[:_BATCH]):
        for row, vector in zip(batch, embedder.encode([row.text for row in batch]), strict=True):
            row.embedder, row.vector = embedder.name, vector.tolist()
        TextVector.objects.bulk_update(batch, ["embedder", "vector"])
        done += len(batch)
    return done


def _due(embedder: str) -> QuerySet[TextVector]:
    return TextVector.objects.exclude(embedder=embedder).order_by("digest")


def vectors_of(cards: Sequence[Likened]) -> Mapping[int, "Vectors"]:
    """Return the vectors that there are, by the card's place. One query."""
    digests = [_digest(card.text) for card in cards]
    made = TextVector.objects.filter(digest__in=set(digests), embedder=default_embedder().name)
    known = {row.digest: row.vector for row in made}
    if not known:
        return {}
    import numpy as np  # kept out of processes that have no vectors

    arrays = {key: np.array(vector.to_list(), np.float32) for key, vector in known.items() if vector}
    return {place: arrays[key] for place, key in enumerate(digests) if key in arrays}


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
