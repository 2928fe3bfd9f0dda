"""What a page does not show yet: the difference between the rows and what it was last sent."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from accounts.models import User
from runs.chat import fragments, rows
from runs.chat.present.run import RunView, run_view
from runs.models import Conversation


@dataclass(frozen=True)
class Seen:
    """What a page shows of a run: the number of the last event, and each part's digest where known."""

    version: int
    digests: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Updates:
    """HTML to swap in (empty when nothing changed), and what the page shows once it has it."""

    html: str
    seen: Mapping[UUID, Seen]
    composer: str


def updates_for(
    conversation: Conversation,
    viewer: User,
    seen: Mapping[UUID, Seen],
    *,
    composer: str = "",
    also: Iterable[UUID] = (),
) -> Updates:
    """Return what has changed in the newest runs, and in those of `also` that the page shows."""
    with rows.one_moment():
        newest = rows.newest_ids(conversation)
        wanted = [*(run_id for run_id in also if run_id in seen and run_id not in newest), *newest]
        versions = rows.versions_of(wanted)
        stale = [pk for pk in wanted if pk not in seen or versions.get(pk, 0) > seen[pk].version]
        views = _views(conversation, viewer, stale, versions)
    html = [_difference(view, seen.get(view.id)) for view in views]
    last = next((view for view in views if view.id == newest[-1]), None)
    state = fragments.composer_fragment(last) if last else None
    if state and state.digest != composer:
        html.append(fragments.swaps([state]))
    shown = {view.id: _now_seen(view) for view in views}
    return Updates("\n".join(filter(None, html)), {**seen, **shown}, state.digest if state else composer)


def _views(
    conversation: Conversation, viewer: User, run_ids: list[UUID], versions: Mapping[UUID, int]
) -> list[RunView]:
    if not run_ids:
        return []
    runs = rows.whole_runs().filter(conversation=conversation, pk__in=run_ids).order_by("id")
    return [run_view(run, versions.get(run.pk, 0), viewer) for run in runs]


def _difference(view: RunView, seen: Seen | None) -> str:
    if seen is None:
        return fragments.appended(view)
    changed = [part for part in fragments.run_fragments(view) if seen.digests.get(part.id) != part.digest]
    return fragments.swaps(changed)


def _now_seen(view: RunView) -> Seen:
    return Seen(view.version, {part.id: part.digest for part in fragments.run_fragments(view)})
