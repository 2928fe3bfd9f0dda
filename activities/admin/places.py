"""From a publishing problem to the page where it is mended."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse

from activities.checks import Problem
from activities.models import Activity, Revision

#: By activity key: its id, and the page of each of its parts by the names that problems use.
Pages = Mapping[str, tuple[UUID, Mapping[str, str]]]
#: Whose keys do not say which part it is.
NAMED = {"template": "answer/"}


@dataclass(frozen=True)
class Located:
    """A problem with the page on which it is mended; `activity_key` is empty when it is the revision's."""

    place: str
    message: str
    activity_key: str
    url: str


def located(problems: Iterable[Problem], revision: Revision, pages: Pages) -> list[Located]:
    """Return each problem with its page: the part's own where its name tells which, else the card."""
    return [_located(problem, revision, pages) for problem in problems]


def pages_of(activities: Iterable[Activity]) -> Pages:
    """Return the pages of these activities, whose rows were read with them (`activities.exporting.whole`)."""
    return {activity.key: (activity.pk, _parts(activity)) for activity in activities}


def _located(problem: Problem, revision: Revision, pages: Pages) -> Located:
    key, *rest = [part.strip() for part in problem.place.split(" / ")]
    found = pages.get(key)
    if found is None:
        return Located(problem.place, problem.message, "", reverse("admin:desk_revision", args=[revision.pk]))
    pk, parts = found
    section = next((parts[name] for name in rest if name in parts), None)
    if section is None:
        section = NAMED.get(rest[0].split()[0], "card/") if rest else "card/"
    base = reverse("admin:desk_section", args=[pk, "card"]).removesuffix("card/")
    return Located(problem.place, problem.message, key, f"{base}{section}")


def _parts(activity: Activity) -> dict[str, str]:
    parts = {row.name: "handover/" for row in activity.routing.all()}
    parts |= {row.name: "answer/" for row in activity.outputs.all()}
    parts |= {row.name: "inputs/" for row in activity.inputs.all()}
    parts |= {row.key: f"steps/{row.pk}/" for row in activity.steps.all()}
    parts |= {row.tool_key: f"tools/{row.tool_key}/" for row in activity.tool_bindings.all()}
    return parts
