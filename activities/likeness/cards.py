"""What is compared of a card: its sentence and its aliases, in one language. Not what tells it apart."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from activities.models import Activity, CardKind
from activities.models.activity import PhraseKind
from activities.tools import ToolContract
from agentapp.kernel.text import fold, words

#: Words of so few letters say nothing of what a card is about.
SHORT = 3


@dataclass(frozen=True)
class Likened:
    """A card in one language. Cards of one `kind` and `key` are the same one, and are not compared."""

    kind: str
    key: str
    name: str
    language: str
    text: str
    words: frozenset[str]
    aliases: frozenset[str]
    is_told_apart: bool

    @property
    def identity(self) -> tuple[str, str]:
        return self.kind, self.key


def of_activity(activity: Activity, key: str, name: str) -> list[Likened]:
    """Return an activity's card in each language it is written in."""
    spoken: dict[str, list[str]] = {}
    for row in activity.phrases.all():
        if row.kind == PhraseKind.ALIAS:
            spoken.setdefault(row.language, []).append(row.text)
    told = bool(activity.when_not_to_use.strip())
    return list(_cards(CardKind.ACTIVITY, key, name, activity.summary, spoken, told))


def of_tool(contract: ToolContract) -> list[Likened]:
    """Return a tool's card. Its sentence is English; aliases of other languages are no card by themselves."""
    summary, told = {"en": contract.summary}, bool(contract.when_not_to_use.strip())
    return list(_cards(CardKind.TOOL, contract.key, str(contract.title), summary, contract.aliases, told))


def _cards(
    kind: str,
    key: str,
    name: str,
    summary: Mapping[str, str],
    spoken: Mapping[str, Iterable[str]],
    told: bool,
) -> Iterable[Likened]:
    for language, sentence in summary.items():
        aliases = list(spoken.get(language, ()))
        text = " ".join((sentence, ", ".join(aliases)))
        said = frozenset(word for word in words(text) if len(word) > SHORT)
        folded = frozenset(fold(alias).strip() for alias in aliases)
        yield Likened(kind, key, name, language, text, said, folded, told)
