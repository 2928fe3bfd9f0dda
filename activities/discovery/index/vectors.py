"""The vectors of the cards, made in the background; until they are there, words alone answer."""

from collections.abc import Iterator, Sequence

from django.db import transaction
from django.db.models import F, QuerySet, Value
from django.db.models.functions import Concat
from procrastinate.contrib.django import app

from activities.discovery.embedder import Embedder, default_embedder
from activities.models import Card, CardVector, VectorPart
from activities.models.activity import PhraseKind
from activities.models.fields import in_language

TASK = "activities.embed_cards"
#: So many cards at a time: what is done is kept when the process ends.
_BATCH = 50


def defer_embedding() -> None:
    """Queue the job that embeds what is due, in the current transaction."""
    app.configure_task(TASK).defer()


def due(embedder: Embedder) -> QuerySet[Card]:
    """Return the cards whose vectors this embedder has still to make."""
    made = Concat(Value(f"{embedder.name}/"), F("digest"))
    return Card.objects.filter(available=True).exclude(vectors_of=made).order_by("pk")


def embed_due() -> int:
    """Make the vectors that are due and return of how many cards. Raises EmbedderUnavailable."""
    embedder = default_embedder()
    done = 0
    while batch := list(due(embedder).prefetch_related("phrases")[:_BATCH]):
        for card in batch:
            _embed(card, embedder)
        done += len(batch)
    return done


def _embed(card: Card, embedder: Embedder) -> None:
    texts = list(_texts(card))
    rows = embedder.encode([text for _part, text in texts])
    with transaction.atomic():
        card.vectors.all().delete()
        CardVector.objects.bulk_create(_rows(card, embedder, texts, rows.tolist()))
        Card.objects.filter(pk=card.pk).update(vectors_of=f"{embedder.name}/{card.digest}")


def _rows(
    card: Card, embedder: Embedder, texts: Sequence[tuple[VectorPart, str]], rows: list[list[float]]
) -> Iterator[CardVector]:
    for position, ((part, _text), row) in enumerate(zip(texts, rows, strict=True)):
        yield CardVector(card=card, embedder=embedder.name, part=part, position=position, vector=row)


def _texts(card: Card) -> Iterator[tuple[VectorPart, str]]:
    yield VectorPart.CARD, " ".join((in_language(card.name, "en"), in_language(card.summary, "en")))
    for phrase in card.phrases.all():
        if phrase.kind == PhraseKind.EXAMPLE:
            yield VectorPart.EXAMPLE, phrase.text
