"""The words of a card as PostgreSQL indexes them: stems folded on our side, weighted by where they stand."""

from collections.abc import Iterable, Iterator

from django.contrib.postgres.search import SearchVectorField
from django.db.models import TextField, Value
from django.db.models.functions import Cast

from activities.discovery.cards import CardText, masked_examples, weigh
from activities.discovery.index.texts import CardContent, Phrase
from activities.discovery.language import content_stems
from activities.models.activity import PhraseKind
from agentapp.kernel.text import words

#: PostgreSQL holds no lexeme above 2 kB; no word of a language is nearly as long.
_LONGEST = 100


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
    )


def stem_weights(text: CardText) -> dict[str, float]:
    """Return the stems of a card with what each is worth in the final ranking."""
    return {stem[:_LONGEST]: worth for stem, worth in weigh(text, masked_examples(text)).items()}


def weighted_words(text: CardText) -> Cast:
    """Return a card's words as an expression: A name, B aliases, C summary, D examples."""
    letters: dict[str, str] = {}
    for letter, texts in _by_letter(text):
        for stem in (stem for each in texts for stem in stems(each)):
            letters.setdefault(stem, letter)
    written = " ".join(f"'{stem}':1{letter}" for stem, letter in sorted(letters.items()))
    return Cast(Value(written, output_field=TextField()), SearchVectorField())


def stems(text: str) -> list[str]:
    """Return the stems of `text` as they are stored and sought: letters and digits only."""
    return [stem[:_LONGEST] for stem in content_stems(words(text))]


def _by_letter(text: CardText) -> Iterator[tuple[str, Iterable[str]]]:
    handle = text.key.rsplit(".", 1)[-1].replace("_", " ")
    yield "A", text.names
    yield "B", (handle, *text.aliases)
    yield "C", text.summaries
    yield "D", masked_examples(text)


def _of(phrases: Iterable[Phrase], kind: PhraseKind) -> list[str]:
    return [phrase.text for phrase in phrases if phrase.kind == kind]
