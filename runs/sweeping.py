"""Time: what was waited for too long expires, and a run whose worker went away is taken up again."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone, translation

from activities.models import DiscoveryLog
from agentapp.kernel.errors import TransitionLost
from runs import answers
from runs.confirmations import expire
from runs.finishing import finish_run
from runs.journal import Journal, write_events
from runs.models import Confirmation, Plan, Question, Run
from runs.queueing import run_defer
from runs.reminders import remind_deciders
from runs.sequence import go_on
from runs.states import (
    ACTIVE_RUN_STATES,
    ConfirmationState,
    Outcome,
    PartState,
    QuestionState,
    RunState,
    change_state,
)

#: A job queued this long ago and not taken up is lost.
_QUEUED_TOO_LONG = timedelta(seconds=30)
_BATCH = 200


def sweep() -> None:
    """Do all of it once."""
    expire_confirmations()
    expire_questions()
    take_up_abandoned_runs()
    give_turns()
    go_on_with_plans()
    remind_deciders()
    forget_trials()


def forget_trials() -> None:
    """What was searched in trials goes with them: they are deleted with the draft they tried."""
    kept = Exists(Run.objects.filter(pk=OuterRef("run_id")))
    DiscoveryLog.whole.filter(~kept, trial=True).delete()


def expire_confirmations() -> None:
    """A late decision is a refusal."""
    due = Confirmation.objects.filter(state=ConfirmationState.PENDING, expires_at__lte=timezone.now())
    for confirmation in due.select_related("run__workspace", "call")[:_BATCH]:
        try:
            expire(confirmation)
        except TransitionLost:
            continue  # decided in the last moment


def expire_questions() -> None:
    """A question nobody answered ends its run."""
    due = Question.objects.filter(state=QuestionState.OPEN, expires_at__lte=timezone.now())
    for question in due.select_related("run__workspace")[:_BATCH]:
        try:
            _expire_question(question)
        except TransitionLost:
            continue  # answered in the last moment


def _expire_question(question: Question) -> None:
    journal = Journal()
    with transaction.atomic(), translation.override(question.run.language):
        # The run first, then what hangs on it: the order in which everybody locks.
        run = Run.objects.select_for_update(of=("self",)).select_related("workspace").get(pk=question.run_id)
        change_state(question, QuestionState.EXPIRED)
        finish_run(run, Outcome.EXPIRED, journal, answer=answers.expired(), code="question_expired")
        write_events(run, journal)


def take_up_abandoned_runs() -> None:
    """Queue a new job for runs whose lease ran out and for queued runs whose job is gone."""
    now = timezone.now()
    gone = Q(state=RunState.WORKING, lease_until__lte=now)
    forgotten = Run.objects.filter(gone | Q(state=RunState.QUEUED), queued_at__lte=now - _QUEUED_TOO_LONG)
    with transaction.atomic():
        for run in forgotten.select_for_update(skip_locked=True)[:_BATCH]:
            Run.objects.filter(pk=run.pk).update(queued_at=now)
            run_defer(run)


def give_turns() -> None:
    """Let runs be tried that wait for a turn which nobody has any more."""
    now = timezone.now()
    active = Run.objects.filter(conversation=OuterRef("conversation"), state__in=ACTIVE_RUN_STATES)
    waiting = Run.objects.filter(state=RunState.TURN, queued_at__lte=now - _QUEUED_TOO_LONG)
    with transaction.atomic():
        for run in waiting.filter(~Exists(active)).select_for_update(skip_locked=True)[:_BATCH]:
            Run.objects.filter(pk=run.pk).update(queued_at=now)
            run_defer(run)


def go_on_with_plans() -> None:
    """Start the next part of plans whose conversation became free when nobody could start it."""
    busy = Run.objects.filter(conversation=OuterRef("conversation"), state__in=ACTIVE_RUN_STATES)
    waiting = Plan.objects.filter(parts__state=PartState.PENDING).exclude(Exists(busy)).distinct()
    for plan in waiting[:_BATCH]:
        journal = Journal()
        with transaction.atomic():
            last = plan.runs.select_related("workspace").order_by("id").last()
            if last is not None:
                go_on(last, journal)
                write_events(last, journal)
