"""What a designer sees of the catalogue: the parts a step can be opened to, and what each leads to now.

Counts are of the workspace's available tools, whoever may use them: rights are asked of the person who runs.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from django.conf import settings
from django.db.models import CharField, Count, F, Func, Q, QuerySet
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.models import Workspace
from activities.discovery.parts import tool_cards
from activities.models import Card, CardKind, McpServer, Step, StepOpening, ToolGroup
from activities.models.fields import in_language
from activities.models.openings import OpeningKind
from activities.openings import SERVER, StepTools, part_of, risk_through, unusable
from activities.tools import ToolContract, registry


@dataclass(frozen=True)
class CataloguePlace:
    """A part of the catalogue that a step can be opened to: how a blueprint names it, and its size now."""

    to: str
    kind: str
    name: str
    count: int


@dataclass(frozen=True)
class Led:
    """What one opening leads to now. `unusable` are tools it does not make usable, each with the reason."""

    opening: StepOpening
    words: str = ""
    usable: tuple[ToolContract, ...] = ()
    unusable: tuple[tuple[ToolContract, str], ...] = ()


@dataclass(frozen=True)
class Opened:
    """What a step is open to now, all openings together, and what that means for a request."""

    led: tuple[Led, ...] = ()
    named: int = 0
    keys: frozenset[str] = field(default=frozenset())

    @property
    def count(self) -> int:
        """The tools the step may use, for somebody with every right: those it names too."""
        return len(self.keys) + self.named

    @property
    def sends(self) -> str:
        """What of them a request carries."""
        if self.count < settings.DISCOVERY_ALL_BELOW:
            return _("Few enough: the model is shown all of them.")
        if self.count <= settings.DISCOVERY_GROUP_UP_TO:
            return _("The model is shown the group that the request is about, and can search the others.")
        sentence = _("Each request is searched for. The model is shown %(count)d at most, and can search on.")
        return sentence % {"count": settings.DISCOVERY_SHOWN}


def places_of(workspace: Workspace) -> list[CataloguePlace]:
    """Return every part of the workspace's catalogue: tags, its tool groups, its MCP servers."""
    cards = _cards(workspace)
    tags = cards.annotate(tag=Func(F("tags"), function="unnest", output_field=CharField()))
    counted = tags.values_list("tag").annotate(count=Count("pk")).order_by("tag")
    servers = cards.filter(source__startswith=SERVER).values_list("source")
    sources = servers.annotate(count=Count("pk")).order_by("source")
    return [
        *(_place(OpeningKind.TAG, tag, count) for tag, count in counted),
        *(_group(workspace, group) for group in ToolGroup.objects.filter(workspace=workspace)),
        *(_place(OpeningKind.SERVER, source.removeprefix(SERVER), count) for source, count in sources),
    ]


def _place(kind: OpeningKind, value: str, count: int) -> CataloguePlace:
    return CataloguePlace(f"{kind}:{value}", kind, value, count)


def said(openings: Iterable[StepOpening], workspace: Workspace) -> dict[UUID, str]:
    """Return for each opening, by its id, in words which tools it opens."""
    found = list(openings)
    names = _names(workspace) if any(each.kind != OpeningKind.TAG for each in found) else {}
    return {each.pk: _words(each, names.get(each.name, each.value)) for each in found}


def _words(opening: StepOpening, name: str) -> str:
    match OpeningKind(opening.kind):
        case OpeningKind.TAG:
            return _("any tool tagged “%(name)s”") % {"name": name}
        case OpeningKind.GROUP:
            return _("any tool of the group “%(name)s”") % {"name": name}
        case OpeningKind.SERVER:
            return _("any tool of the MCP server “%(name)s”") % {"name": name}


def _names(workspace: Workspace) -> dict[str, str]:
    """Return the names of the workspace's groups and servers, as an opening writes their keys."""
    groups = ToolGroup.objects.filter(workspace=workspace)
    servers = McpServer.objects.filter(workspace=workspace)
    return {
        **{f"{OpeningKind.GROUP}:{group.key}": _name_of(group) for group in groups},
        **{f"{OpeningKind.SERVER}:{server.key}": server.name for server in servers},
    }


def _name_of(group: ToolGroup) -> str:
    return in_language(group.name, (get_language() or "en")[:2]) or group.key


def led_to(step: Step, workspace: Workspace) -> Opened:
    """Return what a step is open to now."""
    tools = StepTools(step, workspace)
    words = said(tools.openings, workspace)
    led = tuple(_led(tools, opening, words[opening.pk]) for opening in tools.openings)
    keys = {contract.key for each in led for contract in each.usable}
    return Opened(led, len(tools.named), frozenset(keys))


def _led(tools: StepTools, opening: StepOpening, words: str) -> Led:
    keys = tool_cards(tools.workspace, part_of([opening])).order_by("key").values_list("key", flat=True)
    contracts = list(registry.many(keys).values())
    why = {each.key: unusable(each, risk_through(each, tools.through(each))) for each in contracts}
    usable = [each for each in contracts if not why[each.key] and each.key not in tools.named]
    return Led(
        opening, words, tuple(usable), tuple((each, why[each.key]) for each in contracts if why[each.key])
    )


def _group(workspace: Workspace, group: ToolGroup) -> CataloguePlace:
    opening = StepOpening(kind=OpeningKind.GROUP, value=group.key)
    count = tool_cards(workspace, part_of([opening])).count()
    return CataloguePlace(opening.name, OpeningKind.GROUP, _name_of(group), count)


def _cards(workspace: Workspace) -> QuerySet[Card]:
    here = Q(workspace=None) | Q(workspace=workspace)
    return Card.objects.filter(here, kind=CardKind.TOOL, available=True)
