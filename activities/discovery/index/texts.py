"""What is indexed of a tool or an activity, before it is a row."""

from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from uuid import UUID

from django.conf import settings
from django.utils.translation import override

from activities.checks.cards import SHOWN_ALIASES, tokens
from activities.models import Activity, CardKind
from activities.models.activity import PhraseKind
from activities.models.fields import Texts
from activities.openings import may_write
from activities.tools import Effect, ToolContract
from agentapp.kernel.canonical import digest
from agentapp.kernel.text import clean_text

#: As long as its column.
MAX_PHRASE = 300
#: A server may declare any number; an index entry holds so many.
_MAX_TAGS = 16
_MAX_TAG = 64
_MAX_PARAMETERS = 32
#: Raise it when other words are made of the same texts: every card is indexed again.
INDEX_FORMAT = 3


@dataclass(frozen=True)
class Phrase:
    kind: str
    language: str
    text: str


@dataclass(frozen=True)
class CardContent:
    """All that a card's row and its phrases say, learned ones aside."""

    kind: str
    workspace_id: UUID | None
    key: str
    name: Texts
    summary: Texts
    when_not_to_use: str
    phrases: tuple[Phrase, ...]
    activity_id: UUID | None = None
    source: str = ""
    permission: str = ""
    tags: tuple[str, ...] = ()
    writes: bool = False
    risk: str = ""
    #: "name: description" of a tool's parameters: words to find it by, never shown.
    parameters: tuple[str, ...] = ()

    @property
    def identity(self) -> tuple[str, UUID | None, str]:
        return self.kind, self.workspace_id, self.key

    def digest(self, learned: Iterable[Phrase] = ()) -> str:
        """Of all that is indexed and ranked by, with the phrases people added."""
        phrases = [astuple(phrase) for phrase in (*self.phrases, *learned)]
        said = [self.key, self.name, self.summary, self.writes, self.parameters]
        return digest([INDEX_FORMAT, *said, phrases])

    @property
    def tokens(self) -> int:
        """What the longest language of the card costs a model."""
        languages = {*self.summary, *(phrase.language for phrase in self.phrases)} or {"en"}
        return max(tokens(self._shown(language)) for language in languages)

    def _shown(self, language: str) -> str:
        aliases = [p.text for p in self.phrases if p.kind == PhraseKind.ALIAS and p.language == language]
        summary = self.summary.get(language) or self.summary.get("en", "")
        return " ".join((summary, ", ".join(aliases[:SHOWN_ALIASES]), self.when_not_to_use)).strip()


def tool_content(contract: ToolContract) -> CardContent:
    """Return the card of a tool."""
    phrases = [
        *_phrases(PhraseKind.ALIAS, contract.aliases.items()),
        *_phrases(PhraseKind.EXAMPLE, contract.examples.items()),
    ]
    return CardContent(
        kind=CardKind.TOOL,
        workspace_id=contract.workspace_id,
        key=contract.key,
        name=_in_all_languages(contract.title),
        summary={"en": clean_text(contract.summary)},
        when_not_to_use=clean_text(contract.when_not_to_use),
        phrases=tuple(phrases),
        source=contract.source,
        permission=contract.permission,
        tags=tuple(sorted({tag[:_MAX_TAG] for tag in contract.tags})[:_MAX_TAGS]),
        writes=contract.effect is not Effect.NONE,
        risk=contract.risk.value,
        parameters=tuple(_parameters(contract)),
    )


def activity_content(activity: Activity) -> CardContent:
    """Return the card of an entry activity; its tools say whether it writes."""
    agent = activity.revision.agent
    return CardContent(
        kind=CardKind.ACTIVITY,
        workspace_id=agent.workspace_id,
        key=f"{agent.key}.{activity.key}",
        name=activity.name,
        summary=activity.summary,
        when_not_to_use=activity.when_not_to_use,
        phrases=tuple(Phrase(row.kind, row.language, row.text) for row in activity.phrases.all()),
        activity_id=activity.pk,
        writes=may_write(activity),
    )


def _phrases(kind: PhraseKind, listed: Iterable[tuple[str, tuple[str, ...]]]) -> Iterator[Phrase]:
    for language, texts in listed:
        cleaned = (clean_text(text).strip()[:MAX_PHRASE] for text in texts)
        yield from (Phrase(kind, language, text) for text in dict.fromkeys(cleaned) if text)


def _parameters(contract: ToolContract) -> Iterator[str]:
    for param in contract.params[:_MAX_PARAMETERS]:
        yield clean_text(f"{param.name}: {param.description}")[:MAX_PHRASE]


def _in_all_languages(text: object) -> Texts:
    """A contract's title is translated where it is shown; the index needs every language of it now."""
    found: Texts = {}
    for language, _name in settings.LANGUAGES:
        with override(language):
            found[language] = clean_text(str(text))
    return found if len(set(found.values())) > 1 else {"en": found["en"]}
