"""A small world for the interpreter's tests: a day, people one can name, and short ways to ask."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from activities.discovery.reading import Reading
from agentapp.kernel.text import words
from runs.llm.base import Candidate, CardSpec, FieldSpec, FieldType, InputTask
from runs.llm.builtin.inputs import fill_inputs
from runs.llm.builtin.periods import periods

TODAY = date(2025, 6, 18)  # a Wednesday

READERS = {
    "R-0001": "Marie Lefèvre",
    "R-0002": "Marie Lefèvre",
    "R-0003": "John Doe",
    "R-0004": "Jean Durand SARL",
    "R-0005": "Durand Frères",
    "R-0006": "Smith and Sons",
    "R-0007": "Brasserie du Vieux-Port",
    "R-0008": "Hélène Bœuf",
    "R-0009": "Blue Harbor Ltd",
    "R-0010": "Librairie l'Étoile",
    "R-0011": "Łukasz Øster",
}

CARD = CardSpec(
    "library.lend_book",
    "Lend a book",
    aliases=("lending", "prêter un livre"),
    examples=(
        "Lend the atlas to John Doe, he needs it for school",
        "Prête l'atlas à Marie, c'est pour l'école",
    ),
)


class People:
    """A search over READERS that is as strict as a tool author's, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, kind: str, text: str) -> list[Candidate]:
        self.asked.append(text)
        wanted = words(text)
        if kind != "library.reader" or not wanted:
            return []
        return [
            Candidate(code, name, exact=wanted == words(name))
            for code, name in READERS.items()
            if wanted == words(code) or set(wanted) <= set(words(name))
        ]


def field(name: str, kind: FieldType, **settings: Any) -> FieldSpec:
    return FieldSpec(name, kind, **{"label": name.replace("_", " "), **settings})


READER = field(
    "reader",
    FieldType.REFERENCE,
    reference="library.reader",
    reference_pattern=r"R-\d{4}",
    cues=("reader", "lecteur"),
)
PERIOD = field("period", FieldType.PERIOD)
REASON = field("reason", FieldType.TEXT, cues=("because", "motif", "car"))
AMOUNT = field("amount", FieldType.DECIMAL, cues=("amount", "montant"))


def fill(
    message: str,
    *fields: FieldSpec,
    language: str = "en",
    known: Mapping[str, Any] | None = None,
    card: CardSpec = CARD,
    search: Any = None,
) -> dict[str, Any]:
    task = InputTask(message, card, fields, known or {}, TODAY, language, search or People())
    return fill_inputs(task)


def period_of(text: str, language: str) -> tuple[str, str] | None:
    """The one period said in `text`."""
    found = [mention.period for mention in periods(Reading.of(text), TODAY, language)]
    assert len(found) <= 1, found
    return (found[0].start.isoformat(), found[0].end.isoformat()) if found and found[0] else None


def names(cards: Sequence[CardSpec]) -> list[str]:
    return [card.key for card in cards]
