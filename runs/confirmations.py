"""Deciding a confirmation: once, on exactly what was shown, in time, or not at all."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import ActorKind, User
from agentapp.kernel.compiled import Compiled
from agentapp.kernel.errors import Conflict, InvalidInput, TransitionLost
from agentapp.kernel.gathering import gathering
from runs.finishing import refuse_call
from runs.journal import Journal, write_events
from runs.models import Confirmation, Run
from runs.queueing import run_queue
from runs.states import CallState, ConfirmationState, RunState, change_state

_RUN_OF = Compiled(
    lambda confirmation: (
        Run.objects.select_for_update(of=("self",))
        .select_related("workspace")
        .filter(confirmations=confirmation)
    )
)
_CONFIRMATION = Compiled(
    lambda confirmation: (
        Confirmation.objects.select_for_update(of=("self",)).select_related("call").filter(pk=confirmation)
    )
)
_PENDING = Compiled.existing(
    lambda run: Confirmation.objects.filter(run=run, state=ConfirmationState.PENDING)
)
CONFIRM = "confirm"
REFUSE = "refuse"


def decide(confirmation_id: UUID, *, user: User, decision: str, digest: str) -> Confirmation:
    """Record a decision. Only the word "confirm" confirms; anything but the two words decides nothing.

    Raises InvalidInput, and Conflict when it was decided, has expired, its run ended, or what is confirmed
    is not what is stored. A late confirmation refuses the call before it raises.
    """
    if decision not in (CONFIRM, REFUSE):
        raise InvalidInput(_("The decision must be to confirm or to refuse. Nothing was decided."))
    with transaction.atomic(), gathering():
        run, confirmation = _locked(confirmation_id)
        if confirmation.state == ConfirmationState.PENDING and confirmation.expires_at > timezone.now():
            _check(run, confirmation, digest)
            _decide(run, confirmation, user, decision)
            return confirmation
    if confirmation.state == ConfirmationState.PENDING:
        expire(confirmation)
    raise Conflict(_too_late(confirmation), state=confirmation.state)


def expire(confirmation: Confirmation) -> None:
    """Close a confirmation nobody decided in time: its call is refused. Raises TransitionLost."""
    journal = Journal()
    with transaction.atomic():
        run, locked = _locked(confirmation.pk)
        change_state(locked, ConfirmationState.EXPIRED, decided_at=timezone.now())
        journal.event("confirmation.expired", {"confirmation": str(locked.pk)})
        message = _("The time to decide ran out.")
        if locked.call.state == CallState.AWAITING:
            refuse_call(locked.call, journal, "confirmation_expired", message)
        _go_on_when_all_are_decided(run)
        write_events(run, journal)
    confirmation.state = locked.state


def any_pending(run: Run) -> bool:
    """True while a confirmation of `run` waits for somebody."""
    return _PENDING.found(run.pk)


def _locked(confirmation_id: UUID) -> tuple[Run, Confirmation]:
    """Lock run, then confirmation: the same order everywhere."""
    return _RUN_OF.get(confirmation_id), _CONFIRMATION.get(confirmation_id)


def _check(run: Run, confirmation: Confirmation, digest: str) -> None:
    if run.stop_requested or run.state not in (RunState.AWAITING, RunState.WORKING):
        raise Conflict(_("This run was stopped; nothing was executed."), state=run.state)
    if digest != confirmation.digest or confirmation.call.digest != confirmation.digest:
        raise Conflict(
            _("This is not what was shown for confirmation. Nothing was decided; look at it again.")
        )
    if confirmation.call.state != CallState.AWAITING:
        raise TransitionLost(_("This action no longer waits for a decision."), state=confirmation.call.state)


def _decide(run: Run, confirmation: Confirmation, user: User, decision: str) -> None:
    journal = Journal()
    state = ConfirmationState.CONFIRMED if decision == CONFIRM else ConfirmationState.REFUSED
    change_state(confirmation, state, decided_by=user, decided_at=timezone.now())
    journal.event(
        "confirmation.decided",
        {"confirmation": str(confirmation.pk), "decision": decision, "digest": confirmation.digest},
        ActorKind.PERSON,
    )
    if decision == CONFIRM:
        change_state(confirmation.call, CallState.ADMITTED)
    else:
        refuse_call(
            confirmation.call, journal, "person_refused", _("You refused this action."), ActorKind.PERSON
        )
    _go_on_when_all_are_decided(run)
    write_events(run, journal, user)


def _go_on_when_all_are_decided(run: Run) -> None:
    if run.state == RunState.AWAITING and not any_pending(run):
        run_queue(run)


def _too_late(confirmation: Confirmation) -> str:
    match confirmation.state:
        case ConfirmationState.CONFIRMED:
            return _("This was already confirmed.")
        case ConfirmationState.REFUSED:
            return _("This was already refused.")
        case ConfirmationState.VOID:
            return _("This run was stopped; nothing was executed.")
    return _("The time to decide ran out, so nothing was executed.")
