"""`manage.py ask`: one message, run to its next pause, and what came of it.

Exit codes: 0 succeeded, nothing to do or declined; 2 an answer is needed; 3 a confirmation is awaited;
1 everything else (refused, escalated, failed, stopped, expired, or the message was not taken).
"""

import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone, translation

from accounts.choice import workspace_named
from accounts.models import User
from agentapp.kernel.canonical import dumps
from agentapp.kernel.errors import InvalidInput, MandateError, NotFound
from agentapp.kernel.text import clean_text
from runs import actions, jobs, selectors
from runs.models import Confirmation, Run
from runs.report import QuestionReport, RunReport, run_report
from runs.states import DRIVEN_RUN_STATES, ConfirmationState, Outcome

EXIT_CODES: dict[str, int] = {
    Outcome.SUCCEEDED: 0,
    Outcome.NOTHING_TO_DO: 0,
    Outcome.DECLINED: 0,
    Outcome.NEEDS_INPUT: 2,
    Outcome.AWAITING_CONFIRMATION: 3,
}
OTHERWISE = 1
#: How often to look whether a worker that holds the run is done with it.
_LOOK_EVERY = 0.05


class StillWorking(MandateError):
    """Somebody else drives the run, and it took longer than this call may wait."""

    code = "still_working"


class Command(BaseCommand):
    help = "Ask for something as a user, through the same actions as the chat, and print what came of it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("message", nargs="?", help='The message; "-" reads it from standard input.')
        parser.add_argument("--user", required=True, metavar="EMAIL", help="Who asks.")
        parser.add_argument("--workspace", metavar="SLUG", help="Needed by people of several workspaces.")
        parser.add_argument("--conversation", type=UUID, metavar="ID", help="Go on in this conversation.")
        decision = parser.add_mutually_exclusive_group()
        decision.add_argument("--confirm", dest="decision", action="store_const", const="confirm")
        decision.add_argument("--refuse", dest="decision", action="store_const", const="refuse")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")
        parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="Longest wait.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            report = self._ask(**options)
        except MandateError as error:
            self._print_error(error, options["json"])
            sys.exit(OTHERWISE)
        self.stdout.write(report.model_dump_json(indent=2) if options["json"] else "\n".join(_told(report)))
        sys.exit(exit_code(report))

    def _ask(self, *, user: str, timeout: float, decision: str | None, **options: Any) -> RunReport:
        person = _user(user)
        deadline = time.monotonic() + timeout
        with translation.override(person.language), timezone.override(ZoneInfo(person.time_zone)):
            run = _driven(_begun(person, **options), deadline)
            while decision and (pending := _pending(run)):
                self._show(pending, options["json"])
                actions.confirmation_decide(
                    user=person, confirmation_id=pending.pk, decision=decision, digest=pending.digest
                )
                run = _driven(run.pk, deadline)
            return run_report(run, person)

    def _print_error(self, error: MandateError, as_json: bool) -> None:
        if as_json:
            shape = {"code": error.code, "message": str(error), "data": error.data}
            self.stdout.write(dumps({"error": shape}))
        else:
            self.stderr.write(str(error))

    def _show(self, confirmation: Confirmation, as_json: bool) -> None:
        """Print what is about to be decided; beside the object when that is what was asked for."""
        stream = self.stderr if as_json else self.stdout
        stream.write("\n".join(_previewed(confirmation.preview)), style_func=str)


def exit_code(report: RunReport) -> int:
    """Return what the shell gets to know."""
    return EXIT_CODES.get(report.run.outcome, OTHERWISE)


def _user(email: str) -> User:
    person = User.objects.filter(email=email, is_active=True).first()
    if person is None:
        raise NotFound(f"There is no active person with the address {email}.")
    return person


def _begun(
    person: User, *, message: str | None, workspace: str | None, conversation: UUID | None, **_options: Any
) -> UUID:
    """Post the message, or without one take up the conversation's last run; return the run's id."""
    if message is None:
        return _last_run(person, conversation)
    text = sys.stdin.buffer.read().decode("utf-8", "replace") if message == "-" else clean_text(message)
    with transaction.atomic():  # a message that is not taken leaves no empty conversation behind
        place = conversation or _new_conversation(person, workspace)
        posted = actions.message_post(user=person, conversation_id=place, text=text, client_id=uuid4())
    return posted.run.pk


def _new_conversation(person: User, workspace: str | None) -> UUID:
    where = workspace_named(person, workspace or "")
    return actions.conversation_create(user=person, workspace=where).pk


def _last_run(person: User, conversation: UUID | None) -> UUID:
    if conversation is None:
        raise InvalidInput("Write a message, or name a conversation whose confirmation is to be decided.")
    run = selectors.conversation_for(person, conversation).runs.order_by("pk").last()
    if run is None:
        raise NotFound("Nothing was asked in this conversation yet.")
    return run.pk


def _driven(run_id: UUID, deadline: float) -> Run:
    """Drive the run, and what it hands over to, until it pauses or ends.

    A run whose lease a worker holds is left to it: this only waits.
    """
    while True:
        jobs.run_drain(run_id)
        run = Run.objects.get(pk=run_id)
        following = run.children.order_by("pk").first()
        if run.state not in DRIVEN_RUN_STATES and following is None:
            return run
        if following is not None:
            run_id = following.pk
        elif time.monotonic() > deadline:
            raise StillWorking("The run is still at work. It goes on; look at it later.", run=run_id)
        else:
            time.sleep(_LOOK_EVERY)


def _pending(run: Run) -> Confirmation | None:
    return run.confirmations.filter(state=ConfirmationState.PENDING).first()


def _told(report: RunReport) -> Iterator[str]:
    """Yield what a person reads: the answer, what is waited for, and the outcome."""
    if report.run.answer:
        yield report.run.answer
    if report.run.question:
        yield from _questioned(report.run.question)
    for confirmation in report.confirmations:
        if confirmation.state == ConfirmationState.PENDING:
            yield from _previewed(confirmation.preview)
    yield ""
    yield f"outcome:      {report.run.outcome}"
    yield f"conversation: {report.run.conversation}"
    yield f"run:          {report.run.id}"


def _questioned(question: QuestionReport) -> Iterator[str]:
    yield question.text
    for field in question.fields:
        if named := ": ".join(filter(None, (field.label, field.error))):
            yield f"  {named}"
        for candidate in field.candidates:
            detail = f", {candidate.detail}" if candidate.detail else ""
            yield f"    {candidate.value}: {candidate.label}{detail}"


def _previewed(preview: dict[str, Any]) -> Iterator[str]:
    yield str(preview.get("summary", ""))
    for name in ("recipient", "amount", "warning"):
        if preview.get(name):
            yield f"  {preview[name]}"
    for line in preview.get("lines", []):
        yield f"  {line['label']}: {line['value']}"
