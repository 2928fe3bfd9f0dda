"""What other apps add to the desk. They register here; nothing above is imported from here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.urls import URLPattern

from accounts.models import User
from activities.models import Activity, ActivityIdentity


@dataclass(frozen=True)
class RevisionLink:
    """A page about a revision: its label and the name of its address, which takes the revision's id."""

    label: Any
    url_name: str


@dataclass(frozen=True)
class DeskLink:
    """A page for those who design a workspace: its label and the name of its address."""

    label: Any
    url_name: str

    @property
    def address(self) -> str:
        return f"admin:{self.url_name}"


@dataclass(frozen=True)
class Used:
    """What recent runs used of one limit."""

    median: Any
    high: Any
    highest: Any


@dataclass(frozen=True)
class PastRun:
    """A finished run whose values can fill a preview."""

    id: UUID
    label: str


@dataclass
class Extensions:
    """`past_runs` lists what this person may see of an activity; `past_scope` gives the values of one."""

    revision_links: list[RevisionLink] = field(default_factory=list)
    desk_links: list[DeskLink] = field(default_factory=list)
    urls: list[Callable[[], list[URLPattern]]] = field(default_factory=list)
    default_limits: Mapping[str, int] = field(default_factory=dict)
    used: Callable[[ActivityIdentity], Mapping[str, Used]] | None = None
    past_runs: Callable[[User, Activity], list[PastRun]] | None = None
    past_scope: Callable[[User, Activity, UUID], Mapping[str, Any]] | None = None


extensions = Extensions()
