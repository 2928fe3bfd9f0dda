"""The vectors of the cards, made in the background; until they are there, words alone answer."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from pgvector import HalfVector

from activities.discovery.cards import CardText, example_samples, title_samples
from activities.discovery.embedder import Embedder, EmbedderUnavailable
from activities.discovery.embedding.chosen import index_embedder
from activities.discovery.index import nearest, state
from activities.discovery.index.upkeep import learned_phrases
from activities.discovery.phrasing import phrasings
from activities.discovery.samples import Sample, mix_samples, texts_of
from activities.models import Card, CardVector
from activities.models.activity import PhraseKind

if TYPE_CHECKING:
    from activities.discovery.embedder import Vectors

#: So many cards at a time: what is done is kept when the process ends.
_BATCH = 64


def due(embedder: str) -> QuerySet[Card]:
    """Return the cards whose vectors this embedder has still to make, those with like rights together."""
    stale = ~Q(embedder=embedder) | ~Q(embedded_digest=F("digest"))
    return Card.objects.filter(stale, available=True).order_by("permission", "key")


def embed_due() -> int:
    """Make the vectors that are due and return of how many cards; keep the indexes over them."""
    embedder = index_embedder()
    keys = list(due(embedder.name).values_list("pk", flat=True))
    try:
        for start in range(0, len(keys), _BATCH):
            _embed(list(_loaded(keys[start : start + _BATCH])), embedder)
    except EmbedderUnavailable as error:
        state.note_trouble(embedder.name, error)
        return 0
    if keys:
        state.note_working(embedder.name)
        nearest.keep_up(embedder.name, embedder.dimensions, changed=len(keys))
    return len(keys)


def _loaded(keys: Sequence[UUID]) -> QuerySet[Card]:
    return Card.objects.filter(pk__in=keys).defer("words", "weights").prefetch_related("phrases")


def _embed(cards: Sequence[Card], embedder: Embedder) -> None:
    """Encode all texts of `cards` at once, and store them. What changed meanwhile stays due."""
    samples = {card.pk: _samples(card) for card in cards}
    flat = texts_of([sample for parts in samples.values() for part in parts for sample in part])
    encoded = dict(zip(flat, embedder.encode(flat), strict=True))
    rows = [_row(card, samples[card.pk], encoded, embedder.name) for card in cards if samples[card.pk][0]]
    with transaction.atomic():
        kept = [card.pk for card in cards if _mark(card, embedder)]
        CardVector.objects.filter(card__in=kept).delete()
        CardVector.objects.bulk_create(row for row in rows if row.card_id in kept)


def _mark(card: Card, embedder: Embedder) -> bool:
    """Put on record whose vectors the card has, of which texts and since when; False when it is gone."""
    made = {"embedder": embedder.name, "embedded_digest": card.digest, "updated_at": timezone.now()}
    return bool(Card.objects.filter(pk=card.pk).update(**made))


def _samples(card: Card) -> tuple[tuple[Sample, ...], tuple[Sample, ...]]:
    text = text_of(card)
    return title_samples(text), example_samples(text)


def text_of(card: Card) -> CardText:
    """Return the texts of a stored card, whose phrases are prefetched."""
    learned = {(phrase.kind, phrase.language, phrase.text) for phrase in learned_phrases(card)}
    phrases = [
        row for row in card.phrases.all() if not row.learned or (row.kind, row.language, row.text) in learned
    ]
    return CardText(
        key=card.key,
        names=tuple(card.name.values()),
        aliases=tuple(row.text for row in phrases if row.kind == PhraseKind.ALIAS),
        summaries=tuple(card.summary.values()),
        examples=tuple(row.text for row in phrases if row.kind == PhraseKind.EXAMPLE),
        writes=card.writes,
    )


def _row(
    card: Card,
    samples: tuple[Sequence[Sample], Sequence[Sample]],
    encoded: Mapping[str, "Vectors"],
    embedder: str,
) -> CardVector:
    titles, examples = (list(mix_samples(part, encoded)) if part else [] for part in samples)
    return CardVector(
        card=card,
        permission=card.permission,
        embedder=embedder,
        vector=_mean(titles),
        example_vector=_mean(examples) if examples else None,
        texts=_packed(titles),
        example_texts=_packed(examples),
        phrasings=phrasings(samples[0]),
        example_phrasings=phrasings(samples[1]),
    )


def _mean(vectors: Sequence["Vectors"]) -> HalfVector:
    """Of length one again; vectors that cancel each other out are stood for by the first."""
    import numpy as np

    mean = np.mean(vectors, axis=0)
    length = float(np.linalg.norm(mean))
    return HalfVector(mean / length if length else vectors[0])


def _packed(vectors: Sequence["Vectors"]) -> bytes:
    import numpy as np

    return np.array(vectors, dtype=np.float16).tobytes()
