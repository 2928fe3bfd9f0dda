"""The words of a card as PostgreSQL indexes them: folded on our side, weighted by where they stand."""

from collections.abc import Iterable

from django.contrib.postgres.search import SearchVectorField
from django.db.models import TextField, Value
from django.db.models.functions import Cast

from activities.discovery.index.texts import CardContent, Phrase
from activities.models.activity import PhraseKind
from agentapp.kernel.text import words

#: PostgreSQL holds no lexeme above 2 kB; no word of a language is nearly as long.
_LONGEST = 100


def folded(text: str) -> list[str]:
    """Return the words of `text` as they are stored and sought."""
    return [word[:_LONGEST] for word in words(text)]


def weighted_words(content: CardContent, learned: Iterable[Phrase] = ()) -> Cast:
    """Return a card's words as an expression: A name, B aliases, C summary, D examples."""
    phrases = [*content.phrases, *learned]
    weights: dict[str, str] = {}
    for weight, texts in {
        "A": content.name.values(),
        "B": [content.key.replace("_", " "), *_of(phrases, PhraseKind.ALIAS)],
        "C": content.summary.values(),
        "D": _of(phrases, PhraseKind.EXAMPLE),
    }.items():
        for word in (word for text in texts for word in folded(text)):
            weights.setdefault(word, weight)
    written = " ".join(f"'{word}':1{weight}" for word, weight in sorted(weights.items()))
    return Cast(Value(written, output_field=TextField()), SearchVectorField())


def _of(phrases: Iterable[Phrase], kind: PhraseKind) -> list[str]:
    return [phrase.text for phrase in phrases if phrase.kind == kind]
