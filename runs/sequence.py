"""What follows a run: the activity it hands over to, or the next part of a plan.

Each is a linked run of its own, with its own activity, rights and confirmations. A conversation works at
one run at a time: the next is made in the transaction in which the one before ends or is escalated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import ActorKind
from activities.models import Activity
from runs.journal import Journal, write_events
from runs.models import Conversation, PlanPart, Run, RunInput
from runs.models.run import Origin
from runs.queueing import run_defer
from runs.specs import card_key
from runs.states import ACTIVE_RUN_STATES, Outcome, PartState, RunState, change_state

#: A trial is followed by no more runs than this.
MOST_TRIED = 20
_DONE = (Outcome.SUCCEEDED, Outcome.SIMULATED)


@dataclass(frozen=True)
class HandedOver:
    """One input of a linked run, and the path in the earlier run it came from."""

    name: str
    value: Any
    label: str
    path: str

    def row(self, run: Run) -> RunInput:
        return RunInput(
            run=run,
            name=self.name,
            value=self.value,
            label=self.label[:300],
            origin=Origin.HANDED_OVER,
            words=self.path[:300],
        )


@dataclass(frozen=True)
class HandOver:
    """The activity that a run's routing output hands over to, and its first inputs."""

    outcome: str
    activity: Activity
    inputs: tuple[HandedOver, ...]


def follow_run(run: Run, journal: Journal, hand_over: HandOver | None = None) -> Run | None:
    """Start what follows `run`, which just ended or was escalated, in the current transaction."""
    if hand_over is not None:
        return None if _goes_in_circles(run) else _hand_over(run, hand_over, journal)
    return go_on(run, journal) if run.plan_id else None


def _goes_in_circles(run: Run) -> bool:
    """True when a trial was handed over too often: only a draft, which is not checked yet, can do that."""
    return run.trial and run.conversation.runs.count() >= MOST_TRIED


def _hand_over(run: Run, hand_over: HandOver, journal: Journal) -> Run:
    following = _linked(run, hand_over.activity, part=run.part, words="")
    RunInput.objects.bulk_create(item.row(following) for item in hand_over.inputs)
    journal.event("run.handed_over", {"outcome": hand_over.outcome, "run": str(following.pk)})
    _begin(following, hand_over.activity, {"handed_over_by": str(run.pk)}, hand_over.inputs)
    return following


def go_on(run: Run, journal: Journal) -> Run | None:
    """Start the next part of the plan of `run` that can begin, unless the conversation is at work already."""
    parts = list(
        PlanPart.objects.select_for_update(of=("self",))
        .select_related("activity__revision__agent")
        .filter(plan=run.plan_id)
    )
    if run.outcome == Outcome.CANCELLED:
        _stop(parts, journal)
        return None
    runs = {item.part: item for item in Run.objects.filter(plan=run.plan_id).order_by("id")}
    ready = [part for part in parts if _is_ready(part, parts, runs, journal)]
    if not ready or not _is_free(run):
        return None
    change_state(ready[0], PartState.STARTED)
    following = _linked(run, ready[0].activity, part=ready[0].position, words=ready[0].words)
    journal.event("run.followed", {"part": ready[0].position, "run": str(following.pk)})
    _begin(following, ready[0].activity, {"follows": str(run.pk), "part": ready[0].position})
    return following


def _stop(parts: Sequence[PlanPart], journal: Journal) -> None:
    for part in parts:
        if part.state in (PartState.PENDING, PartState.HELD):
            change_state(part, PartState.STOPPED)
            journal.event("plan.stopped", {"part": part.position})


def _is_ready(
    part: PlanPart, parts: Sequence[PlanPart], runs: dict[int | None, Run], journal: Journal
) -> bool:
    """True when `part` can begin now. It is held while what it builds on is not done."""
    if part.state not in (PartState.PENDING, PartState.HELD):
        return False
    needed = next((item for item in parts if item.position == part.needs), None)
    if needed is None:
        return True
    before = runs.get(needed.position)
    if before is not None and before.outcome in _DONE:
        if part.state == PartState.HELD:
            change_state(part, PartState.PENDING)
        return True
    lost = needed.state in (PartState.HELD, PartState.STOPPED)
    ended = before is not None and before.state in (RunState.FINISHED, RunState.ESCALATED)
    if part.state == PartState.PENDING and (lost or ended):
        change_state(part, PartState.HELD)
        journal.event("plan.held", {"part": part.position, "needs": needed.position})
    return False


def _is_free(run: Run) -> bool:
    """True when nothing works in the conversation. One somebody is just writing in is left to the sweep."""
    free = Conversation.objects.select_for_update(skip_locked=True).filter(pk=run.conversation_id)
    if not free.values_list("pk").first():
        return False
    active = Run.objects.filter(conversation=run.conversation_id, state__in=ACTIVE_RUN_STATES)
    return not active.exists()


def _linked(run: Run, activity: Activity, *, part: int | None, words: str) -> Run:
    return Run.objects.create(
        workspace=run.workspace,
        conversation_id=run.conversation_id,
        user_id=run.user_id,
        parent=run,
        plan_id=run.plan_id,
        part=part,
        words=words,
        activity=activity,
        revision=activity.revision,
        language=run.language,
        time_zone=run.time_zone,
        raw_consent=run.raw_consent,
        chaining=run.chaining,
    )


def _begin(run: Run, activity: Activity, created: dict[str, Any], inputs: Sequence[HandedOver] = ()) -> None:
    journal = Journal()
    journal.event("run.created", {**created, "language": run.language})
    revision = activity.revision
    journal.event(
        "run.routed",
        {"activity": card_key(activity), "revision": revision.number, "revision_id": str(revision.pk)},
    )
    for item in inputs:
        told = {"name": item.name, "value": item.value, "label": item.label, "path": item.path}
        journal.event("run.input", {**told, "origin": Origin.HANDED_OVER.value}, ActorKind.SYSTEM)
    write_events(run, journal)
    run_defer(run)
