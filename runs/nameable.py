"""What a person can name when they say “there was something for this”: what they may use."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import get_language

from accounts.models import User, Workspace
from accounts.standing import standing
from activities.models.discovery import DiscoveryStage
from activities.models.fields import in_language
from activities.rights import offered_activities
from activities.tools import registry
from agentapp.kernel.text import words
from runs.specs import card_key

#: So many are listed; words narrow the rest down.
MOST = 12


@dataclass(frozen=True)
class Nameable:
    """An activity or a tool. `value` names it in a form."""

    stage: DiscoveryStage
    key: str
    name: str
    summary: str

    @property
    def value(self) -> str:
        return f"{self.stage.value}:{self.key}"


@dataclass(frozen=True)
class Choices:
    """The first of what fits, and how many more there are."""

    shown: tuple[Nameable, ...]
    more: int


def choices(user: User, workspace: Workspace, *, tools: bool, query: str = "") -> Choices:
    """Return what `user` may use here whose name or summary has all words of `query`."""
    found = [item for item in nameable(user, workspace, tools=tools) if _has(item, words(query))]
    return Choices(tuple(found[:MOST]), max(0, len(found) - MOST))


def nameable(user: User, workspace: Workspace, *, tools: bool) -> Iterator[Nameable]:
    """Yield the activities that `user` may ask for here, then, with `tools`, those they hold the right to."""
    language = get_language() or "en"
    for activity in offered_activities(user, workspace):
        name, summary = in_language(activity.name, language), in_language(activity.summary, language)
        yield Nameable(DiscoveryStage.ROUTE, card_key(activity), name, summary)
    if tools:
        yield from _tools(user, workspace)


def _tools(user: User, workspace: Workspace) -> Iterator[Nameable]:
    held = standing(user, workspace).permissions
    for contract in registry.of(workspace.pk):
        if contract.permission in held:
            yield Nameable(DiscoveryStage.TOOLS, contract.key, str(contract.title), contract.summary)


def _has(item: Nameable, wanted: Sequence[str]) -> bool:
    said = " ".join(words(f"{item.name} {item.summary}"))
    return all(word in said for word in wanted)
