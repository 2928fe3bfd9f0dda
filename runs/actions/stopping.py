"""Stopping a run."""

from uuid import UUID

from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from accounts.models import ActorKind, User
from agentapp.kernel.errors import Conflict, NotFound
from runs import answers
from runs.finishing import finish_run
from runs.journal import Journal, write_events
from runs.models import Run
from runs.selectors import run_for
from runs.states import Outcome, RunState


def run_stop(*, user: User, run_id: UUID) -> Run:
    """Stop one's own run: at once when nothing is under way, else before the next act.

    What was started is not undone and not hidden. Raises NotFound, Conflict when it ended already.
    """
    found = run_for(user, run_id)
    if found.user_id != user.pk:
        raise NotFound(_("There is no such run."))
    journal = Journal()
    with transaction.atomic():
        run = Run.objects.select_for_update(of=("self",)).select_related("workspace").get(pk=found.pk)
        if run.state == RunState.FINISHED:
            raise Conflict(_("This run has ended already."), state=run.state)
        journal.event("run.stop_requested", {}, ActorKind.PERSON)
        if run.state == RunState.WORKING:
            Run.objects.filter(pk=run.pk).update(stop_requested=True)
            run.stop_requested = True
        else:
            with translation.override(run.language):
                finish_run(run, Outcome.CANCELLED, journal, answer=answers.cancelled(), by=ActorKind.PERSON)
        write_events(run, journal, user)
    return run
