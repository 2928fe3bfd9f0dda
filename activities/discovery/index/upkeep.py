"""Keeping the cards as the tools and the published activities are. What has not changed is not touched."""

from collections.abc import Collection, Iterator
from itertools import chain

from django.db import connection, transaction
from django.db.models import Q, QuerySet

from accounts.models import Workspace
from activities.discovery.index import vectors
from activities.discovery.index.texts import CardContent, Phrase, activity_content, tool_content
from activities.discovery.index.words import weighted_words
from activities.likeness import of_tool
from activities.likeness.vectors import vectors_due
from activities.models import Activity, Card, CardPhrase, RevisionState
from activities.tools import ToolContract, registry

#: Number of an advisory lock: two who index at once would make a card twice.
_LOCK = 7_301_980


@transaction.atomic
def refresh(workspace: Workspace | None = None, keys: Collection[str] | None = None) -> int:
    """Make, update and withdraw cards in the current transaction; return how many changed.

    With a `workspace`, only its own cards; with `keys`, only cards with these keys. Their vectors follow in a
    job that is deferred with the transaction.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
    known = {_identity(card): card for card in _cards(workspace, keys).prefetch_related("phrases")}
    contents = {item.identity: item for item in chain(_tools(workspace, keys), _activities(workspace, keys))}
    changed = sum(_put(content, known.get(identity)) for identity, content in contents.items())
    changed += _withdraw([card for identity, card in known.items() if identity not in contents])
    if changed:
        vectors.defer_embedding()
        vectors_due(card for contract in _contracts(keys) for card in of_tool(contract))
    return changed


def _identity(card: Card) -> tuple[str, object, str]:
    return card.kind, card.workspace_id, card.key


def _cards(workspace: Workspace | None, keys: Collection[str] | None) -> QuerySet[Card]:
    chosen = Q() if workspace is None else Q(workspace=workspace)
    return Card.objects.filter(chosen if keys is None else chosen & Q(key__in=keys))


def _tools(workspace: Workspace | None, keys: Collection[str] | None) -> Iterator[CardContent]:
    for contract in _contracts(keys):
        content = tool_content(contract)
        if workspace is None or content.workspace_id == workspace.pk:
            yield content


def _contracts(keys: Collection[str] | None) -> Iterator[ToolContract]:
    if keys is None:
        return iter(registry)
    return (contract for key in dict.fromkeys(keys) if (contract := registry.get(key)) is not None)


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


def _put(content: CardContent, card: Card | None) -> bool:
    """Make or update one card; False when it says all this already."""
    learned = [_phrase(row) for row in card.phrases.all() if _is_own(row, card)] if card else []
    digest = content.digest(learned)
    if card and card.digest == digest and card.available and card.activity_id == content.activity_id:
        return False
    card = card or Card(kind=content.kind, workspace_id=content.workspace_id, key=content.key)
    _fill(card, content, digest)
    card.words = weighted_words(content, learned)
    card.save()
    _put_phrases(card, content, learned)
    return True


def _is_own(row: CardPhrase, card: Card) -> bool:
    """True for a word learned where the card is: a card of all workspaces is taught by none of them."""
    return row.learned and row.workspace_id == card.workspace_id


def _phrase(row: CardPhrase) -> Phrase:
    return Phrase(row.kind, row.language, row.text)


def _fill(card: Card, content: CardContent, digest: str) -> None:
    for name in ("activity_id", "source", "permission", "name", "summary", "when_not_to_use", "writes"):
        setattr(card, name, getattr(content, name))
    card.risk = content.risk
    card.tags = list(content.tags)
    card.tokens = content.tokens
    card.digest = digest
    card.available = True


def _put_phrases(card: Card, content: CardContent, learned: list[Phrase]) -> None:
    card.phrases.filter(learned=False).delete()
    CardPhrase.objects.bulk_create(
        CardPhrase(card=card, kind=phrase.kind, language=phrase.language, text=phrase.text)
        for phrase in dict.fromkeys(content.phrases)
        if phrase not in learned
    )


def _withdraw(cards: list[Card]) -> int:
    gone = [card.pk for card in cards if card.available]
    return Card.objects.filter(pk__in=gone).update(available=False) if gone else 0
