"""What the pages of discovery are narrowed to: a workspace one designs, a period, a stage, an agent."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Workspace
from activities import designing
from activities.admin.page import name_of, person
from activities.models import Agent
from activities.models.discovery import DiscoveryStage
from agentapp.kernel.text import clean_text

PERIODS = ((7, _("7 days")), (30, _("30 days")), (90, _("90 days")), (365, _("a year")))
_USUAL = 30
#: Up to so many days are shown day by day, more week by week.
DAILY_UP_TO = 31


@dataclass(frozen=True)
class Filters:
    """Values that are not valid are the usual ones. `before` is where an older page begins."""

    workspace: Workspace
    workspaces: tuple[Workspace, ...]
    days: int = _USUAL
    stage: str = ""
    agent: str = ""
    before: UUID | None = None

    @property
    def since(self) -> datetime:
        """The start of the first day, where the reader is."""
        first = timezone.localtime() - timedelta(days=self.days - 1)
        return first.replace(hour=0, minute=0, second=0, microsecond=0)

    @property
    def unit(self) -> str:
        return "day" if self.days <= DAILY_UP_TO else "week"

    @property
    def query(self) -> str:
        """The filters as a part of an address, without the page."""
        given = {
            "workspace": self.workspace.slug,
            "days": self.days,
            "stage": self.stage,
            "agent": self.agent,
        }
        return urlencode({name: value for name, value in given.items() if value})

    @property
    def agents(self) -> list[tuple[str, str]]:
        found = Agent.objects.filter(workspace=self.workspace).order_by("key")
        return [(agent.key, name_of(agent.name, agent.key)) for agent in found]

    @property
    def periods(self) -> tuple[tuple[int, object], ...]:
        return PERIODS

    @property
    def stages(self) -> list[tuple[str, object]]:
        return [(stage.value, stage.label) for stage in DiscoveryStage]


def read_filters(request: HttpRequest) -> Filters:
    """Read the address. Raises NotFound for who designs no workspace, or not the one that is named."""
    designed = tuple(designing.workspaces_designed(person(request)))
    asked = request.GET.get("workspace", "")
    chosen = [each for each in designed if not asked or each.slug == asked]
    if not chosen:
        raise designing.missing()
    days, stage = request.GET.get("days", ""), request.GET.get("stage", "")
    return Filters(
        workspace=chosen[0],
        workspaces=designed,
        days=next((period for period, _label in PERIODS if str(period) == days), _USUAL),
        stage=stage if stage in DiscoveryStage.values else "",
        agent=clean_text(request.GET.get("agent", ""))[:64],
        before=_uuid(request.GET.get("before", "")),
    )


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
