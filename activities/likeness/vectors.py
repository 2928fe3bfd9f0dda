"""The vectors by which cards are likened: asked for where a card is saved, made in the background."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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
_FORGOTTEN_AT_ONCE = 1_000


def vectors_due(cards: Iterable[Likened]) -> None:
    """Have the vectors of these cards made, in the current transaction, where there are none yet."""
    texts_due(card.text for card in cards)


def texts_due(texts: Iterable[str]) -> None:
    """Have the vectors of these texts made, in the current transaction, where there are none yet."""
    wanted = {_digest(text): text for text in texts}
    known = set(TextVector.objects.filter(digest__in=list(wanted)).values_list("digest", flat=True))
    missing = [TextVector(digest=key, text=text) for key, text in wanted.items() if key not in known]
    if missing:
        TextVector.objects.bulk_create(missing, ignore_conflicts=True)
        app.configure_task(TASK).defer()


def prune(used: Callable[[], Iterable[str]]) -> int:
    """Forget the vectors of texts that are not among `used`, and return how many.

    `used` is asked after what there is was read, so that what is added meanwhile stays; and once more at the
    end, for a text that came back into use just then.
    """
    known = set(TextVector.objects.values_list("digest", flat=True))
    gone = sorted(known - {_digest(text) for text in used()})
    for start in range(0, len(gone), _FORGOTTEN_AT_ONCE):
        TextVector.objects.filter(digest__in=gone[start : start + _FORGOTTEN_AT_ONCE]).delete()
    if gone:
        texts_due(used())
    return len(gone)


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
    made = vectors_by_text(cards)
    return {place: made[card.text] for place, card in enumerate(cards) if card.text in made}


def vectors_by_text(cards: Collection[Likened]) -> Mapping[str, "Vectors"]:
    """Return the vectors that there are, by the text of the card. One query; none without cards."""
    return made_of({card.text for card in cards}, default_embedder().name) if cards else {}


def made_of(texts: Collection[str], embedder: str) -> Mapping[str, "Vectors"]:
    """Return the vectors that `embedder` made of these texts, by text. One query."""
    rows = TextVector.objects.filter(digest__in={_digest(text) for text in texts}, embedder=embedder)
    known = {row.text: row.vector for row in rows if row.vector}
    if not known:
        return {}
    import numpy as np  # kept out of processes that have no vectors

    return {text: np.array(vector, np.float32) for text, vector in known.items()}


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
