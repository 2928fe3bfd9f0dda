"""Keeping the cards as the tools and the published activities are. What has not changed is not touched."""

from collections.abc import Collection, Iterable, Iterator

from django.db import connection, transaction
from django.db.models import Prefetch, QuerySet
from django.utils import timezone

from accounts.models import Workspace
from activities.discovery.index.jobs import defer_embedding
from activities.discovery.index.texts import CardContent, Phrase, activity_content, tool_content
from activities.likeness import of_tool
from activities.likeness.vectors import vectors_due
from activities.models import Activity, Card, CardKind, CardPhrase, CardVector, RevisionState
from activities.redundancy import published_cards
from activities.tools import ToolContract, registry

#: Number of an advisory lock: two who index at once would make a card twice.
_LOCK = 7_301_980
#: What a row copies from its content as it is.
_COPIED = (
    "activity_id", "source", "permission", "name", "summary", "when_not_to_use", "writes", "risk", "tokens",
)  # fmt: skip
_STORED = (*(name.removesuffix("_id") for name in _COPIED), "tags", "digest", "available", "updated_at")
_INDEXED = ("words", "weights")
_BATCH = 500
_FEW = 10


@transaction.atomic
def refresh(workspace: Workspace | None = None, keys: Collection[str] | None = None) -> int:
    """Make, update and withdraw cards in the current transaction; return how many changed.

    With a `workspace`, only its own cards; with `keys`, only cards with these keys. Their vectors follow in a
    job that is deferred with the transaction.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
    here = Card.objects.all() if workspace is None else Card.objects.filter(workspace=workspace)
    rows = here if keys is None else here.filter(key__in=keys)
    tools = bring_up(rows.filter(kind=CardKind.TOOL), _tools(workspace, keys))
    if tools and keys is not None:
        # What an open activity may do changes with the tools.
        keys = {*keys, *_open_activities(here)}
        rows = here.filter(key__in=keys)
    activities = bring_up(rows.filter(kind=CardKind.ACTIVITY), _activities(workspace, keys))
    if tools or activities:
        defer_embedding()
        vectors_due(card for contract in _contracts(keys) for card in of_tool(contract))
        if keys is None:
            vectors_due(published_cards())
    return tools + activities


def _tools(workspace: Workspace | None, keys: Collection[str] | None) -> Iterator[CardContent]:
    for contract in _contracts(keys):
        if workspace is None or contract.workspace_id == workspace.pk:
            yield tool_content(contract)


def _contracts(keys: Collection[str] | None) -> Iterable[ToolContract]:
    """A contract that comes from a server costs a query, all of them together cost few."""
    if keys is not None and len(keys) <= _FEW:
        return (contract for key in dict.fromkeys(keys) if (contract := registry.get(key)) is not None)
    return (contract for contract in registry if keys is None or contract.key in keys)


def _open_activities(here: QuerySet[Card]) -> Iterable[str]:
    """The keys of the activities with a step that is open to a part of the catalogue."""
    return here.filter(activity__steps__openings__isnull=False).values_list("key", flat=True)


def _activities(workspace: Workspace | None, keys: Collection[str] | None) -> Iterator[CardContent]:
    found = Activity.objects.filter(revision__state=RevisionState.PUBLISHED, entry=True)
    if workspace is not None:
        found = found.filter(revision__agent__workspace=workspace)
    if keys is not None:
        found = found.filter(key__in=[key.rpartition(".")[2] for key in keys])
    rows = found.select_related("revision__agent__workspace").prefetch_related(
        "phrases", "tool_bindings", "steps__openings"
    )
    contents = (activity_content(activity) for activity in rows)
    return (content for content in contents if keys is None or content.key in keys)


def bring_up(rows: QuerySet[Card], contents: Iterable[CardContent]) -> int:
    """Make `rows` say what `contents` says; return how many were made, changed or withdrawn."""
    learned = Prefetch("phrases", CardPhrase.objects.filter(learned=True))
    known = {(c.kind, c.workspace_id, c.key): c for c in rows.defer(*_INDEXED).prefetch_related(learned)}
    wanted = {content.identity: content for content in contents}
    changes = [
        change
        for identity, content in wanted.items()
        if not (change := _Change(content, known.get(identity))).is_none
    ]
    _store(changes)
    gone = [card.pk for identity, card in known.items() if identity not in wanted and card.available]
    Card.objects.filter(pk__in=gone).update(available=False, updated_at=timezone.now())
    return len(changes) + len(gone)


class _Change:
    """What a card has to become."""

    def __init__(self, content: CardContent, card: Card | None) -> None:
        self.content = content
        self.is_new = card is None
        self.card = card or Card(kind=content.kind, workspace_id=content.workspace_id, key=content.key)
        self.learned = [] if card is None else learned_phrases(card)
        self.digest = content.digest(self.learned)

    @property
    def is_none(self) -> bool:
        card, content = self.card, self.content
        if self.is_new or not card.available or card.digest != self.digest:
            return False
        return card.tags == list(content.tags) and all(
            getattr(card, name) == getattr(content, name) for name in _COPIED
        )

    def fill(self) -> None:
        """Write everything onto the row."""
        # Loads numpy, which a web process needs for nothing else.
        from activities.discovery.index.words import card_text, stem_weights, weighted_words

        card, content = self.card, self.content
        for name in _COPIED:
            setattr(card, name, getattr(content, name))
        card.tags, card.digest, card.available = list(content.tags), self.digest, True
        card.updated_at = timezone.now()
        text = card_text(content, self.learned)
        card.words, card.weights = weighted_words(text), stem_weights(text)

    def phrases(self) -> Iterator[CardPhrase]:
        """Yield the rows of what the tool or activity itself declares."""
        for phrase in dict.fromkeys(self.content.phrases):
            if phrase not in self.learned:
                yield CardPhrase(card=self.card, kind=phrase.kind, language=phrase.language, text=phrase.text)


def learned_phrases(card: Card) -> list[Phrase]:
    """Return what people added where the card is: one of all workspaces is taught by none of them."""
    return [
        Phrase(row.kind, row.language, row.text)
        for row in card.phrases.all()
        if row.learned and row.workspace_id == card.workspace_id
    ]


def _store(changes: list[_Change]) -> None:
    if not changes:
        return
    for change in changes:
        change.fill()
    Card.objects.bulk_create((c.card for c in changes if c.is_new), batch_size=_BATCH)
    old = [change.card for change in changes if not change.is_new]
    Card.objects.bulk_update(old, [*_STORED, *_INDEXED], batch_size=_BATCH)
    CardPhrase.objects.filter(card__in=old, learned=False).delete()
    CardPhrase.objects.bulk_create((row for c in changes for row in c.phrases()), batch_size=_BATCH)
    for card in old:
        CardVector.objects.filter(card=card).exclude(permission=card.permission).update(
            permission=card.permission
        )
