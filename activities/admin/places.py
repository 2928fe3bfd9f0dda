"""From a publishing problem to the page where it is mended."""

from dataclasses import dataclass

from django.urls import reverse

from activities.models import Revision
from activities.publishing import Problem


@dataclass(frozen=True)
class Located:
    """A problem with the page on which it is mended; `activity_key` is empty when it is the revision's."""

    place: str
    message: str
    activity_key: str
    url: str


def located(revision: Revision, problem: Problem) -> Located:
    """Return `problem` with its page: the part's own where its name tells which, else the activity's card."""
    key, *rest = [part.strip() for part in problem.place.split(" / ")]
    pages = _pages(revision)
    activity = pages.get(key)
    if activity is None:
        return Located(problem.place, problem.message, "", reverse("admin:desk_revision", args=[revision.pk]))
    pk, parts = activity
    section = next((parts[name] for name in rest if name in parts), None)
    if section is None:
        named = rest[0].split()[0] if rest else ""
        section = {"template": "answer/"}.get(named, "card/")
    base = reverse("admin:desk_section", args=[pk, "card"]).removesuffix("card/")
    return Located(problem.place, problem.message, key, f"{base}{section}")


def _pages(revision: Revision) -> dict[str, tuple[object, dict[str, str]]]:
    """Return, by activity key, its id and the page of each of its parts; read once for a revision."""
    cached = getattr(revision, "_desk_pages", None)
    if cached is not None:
        return dict(cached)
    rows = revision.activities.prefetch_related("inputs", "outputs", "tool_bindings", "steps", "routing")
    found = {}
    for activity in rows:
        parts = {row.name: "handover/" for row in activity.routing.all()}
        parts |= {row.name: "answer/" for row in activity.outputs.all()}
        parts |= {row.name: "inputs/" for row in activity.inputs.all()}
        parts |= {row.key: f"steps/{row.pk}/" for row in activity.steps.all()}
        parts |= {row.tool_key: f"tools/{row.tool_key}/" for row in activity.tool_bindings.all()}
        found[activity.key] = (activity.pk, parts)
    revision._desk_pages = found  # type: ignore[attr-defined]
    return found
