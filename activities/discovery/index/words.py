"""The words of a card as PostgreSQL indexes them: stems folded on our side, weighted by where they stand."""

from collections.abc import Iterable

from django.contrib.postgres.search import SearchVectorField
from django.db.models import TextField, Value
from django.db.models.functions import Cast

from activities.discovery.cards import CardText, Passage, count_stems, passages
from activities.discovery.index.texts import CardContent, Phrase
from activities.discovery.language import content_stems
from activities.models.activity import PhraseKind
from agentapp.kernel.text import words

#: PostgreSQL holds no lexeme above 2 kB; no word of a language is nearly as long.
LONGEST_STEM = 100
_LETTERS = {
    Passage.NAME: "A",
    Passage.ALIAS: "B",
    Passage.SUMMARY: "C",
    Passage.EXAMPLE: "D",
    Passage.PARAMETER: "D",
}


def card_text(content: CardContent, learned: Iterable[Phrase] = ()) -> CardText:
    """Return all texts of a card, in every language together, as they are scored."""
    phrases = [*content.phrases, *learned]
    return CardText(
        key=content.key,
        names=tuple(content.name.values()),
        aliases=tuple(_of(phrases, PhraseKind.ALIAS)),
        summaries=tuple(content.summary.values()),
        examples=tuple(_of(phrases, PhraseKind.EXAMPLE)),
        writes=content.writes,
        parameters=content.parameters,
    )


def stem_weights(text: CardText) -> dict[str, float]:
    """Return the stems of a card with how often each counts in the final ranking."""
    return {stem[:LONGEST_STEM]: count for stem, count in count_stems(text).items()}


def weighted_words(text: CardText) -> Cast:
    """Return a card's words as an expression: A name, B aliases, C summary, D examples and parameters."""
    letters: dict[str, str] = {}
    for passage, part in passages(text):
        for stem in stems(part):
            letters.setdefault(stem, _LETTERS[passage])
    written = " ".join(f"'{stem}':1{letter}" for stem, letter in sorted(letters.items()))
    return Cast(Value(written, output_field=TextField()), SearchVectorField())


def stems(text: str) -> list[str]:
    """Return the stems of `text` as they are stored and sought: letters and digits only."""
    return [stem[:LONGEST_STEM] for stem in content_stems(words(text))]


def _of(phrases: Iterable[Phrase], kind: PhraseKind) -> list[str]:
    return [phrase.text for phrase in phrases if phrase.kind == kind]
