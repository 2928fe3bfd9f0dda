"""`manage.py evaluate`: run the test prompts of agents as trials, and say how many did what is expected.

Exit codes: 0 every evaluated revision reaches its required rate (or needs none); 1 one of them does not, or
could not be evaluated.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from activities.evaluations import Comparison, StepRate, comparison
from activities.management.commands.export_agent import find_agent, find_revision, find_workspace
from activities.models import Agent, EvaluationResult, Revision, TestPrompt
from agentapp.kernel.canonical import dumps
from agentapp.kernel.errors import MandateError
from runs.llm.base import Model
from runs.llm.builtin import BuiltinModel
from runs.trials.evaluating import evaluate

BUILTIN = "builtin"


class Command(BaseCommand):
    help = "Run the test prompts of agents as trials: nothing is executed that has an effect."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--agent", metavar="KEY", help="Only this agent; else all with test prompts.")
        parser.add_argument("--workspace", metavar="SLUG", help="Only agents of this workspace.")
        parser.add_argument("--revision", type=int, metavar="N", help="Its number; else the published one.")
        parser.add_argument("--model", choices=[BUILTIN], help="Instead of the model of this installation.")
        parser.add_argument("--as", dest="as_user", metavar="EMAIL", help="Who asks what names nobody.")
        parser.add_argument(
            "--chaining",
            choices=["on", "off"],
            help="Declare intentions, or not, whatever the activities say: an experiment, compared with the"
            " newest other evaluation of the same revision.",
        )
        parser.add_argument(
            "--require", type=_percent, metavar="PERCENT", help="Least rate; else the revision's own, if any."
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["revision"] and not options["agent"]:
            raise CommandError("Name the agent whose revision it is with --agent.")
        as_user = _user(options["as_user"])
        model = BuiltinModel() if options["model"] == BUILTIN else None
        shapes, below = [], False
        for agent in _agents(options["agent"], options["workspace"]):
            revision = find_revision(agent, options["revision"])
            found = self._evaluated(revision, model, as_user, options["chaining"], options["json"])
            required = options["require"] if options["require"] is not None else revision.required_pass_rate
            below = below or (required is not None and found.rate < required)
            shapes.append(shape_of(found, required))
            if not options["json"]:
                self.stdout.write("\n".join(told(found, required)))
        if options["json"]:
            self.stdout.write(dumps({"evaluations": shapes}))
        sys.exit(1 if below else 0)

    def _evaluated(
        self,
        revision: Revision,
        model: Model | None,
        as_user: User | None,
        chaining: str | None,
        quiet: bool,
    ) -> Comparison:
        if not quiet:
            self.stdout.write(f"{revision.agent.key} #{revision.number}")
        try:
            done = evaluate(
                revision,
                model=model,
                as_user=as_user,
                chaining=None if chaining is None else chaining == "on",
                progress=None if quiet else self._show_result,
            )
        except MandateError as error:
            raise CommandError(str(error)) from error
        return comparison(done)

    def _show_result(self, result: EvaluationResult) -> None:
        self.stdout.write(f"  {'passed' if result.passed else 'FAILED'}  {result.language}  {result.key}")
        for line in result.reason.splitlines():
            self.stdout.write(f"            {line}")


def told(found: Comparison, required: Decimal | None) -> Iterator[str]:
    """Yield what a person reads after the prompts: the rates, and what got worse."""
    yield ""
    yield "per step:"
    for row in found.steps:
        before = f"   before: {_rate(row.before)}" if row.before else ""
        yield f"  {_place(row.now):<48} {_rate(row.now)}{before}"
    yield ""
    counted = f"{found.passed} of {len(found.prompts)} test prompts passed"
    yield f"{counted}: {found.rate} % ({found.evaluation.model})"
    if found.previous is not None:
        yield f"before (#{found.previous.revision.number}): {found.previous_rate} %"
    for lost in found.lost:
        yield f"passed before: {lost.result.key}"
    if required is not None:
        yield f"required: {required} %{'' if found.rate >= required else ', which is not reached'}"


def shape_of(found: Comparison, required: Decimal | None) -> dict[str, Any]:
    """Return the same for programs."""
    evaluation, previous = found.evaluation, found.previous
    return {
        "workspace": evaluation.revision.agent.workspace.slug,
        "agent": evaluation.revision.agent.key,
        "revision": evaluation.revision.number,
        "evaluation": evaluation.pk,
        "model": evaluation.model,
        "chaining": evaluation.chaining,
        "rate": found.rate,
        "required": required,
        "passed": found.passed,
        "total": len(found.prompts),
        "previous": {"revision": previous.revision.number, "rate": found.previous_rate} if previous else None,
        "prompts": [
            {
                "key": row.result.key,
                "language": row.result.language,
                "text": row.result.text,
                "passed": row.result.passed,
                "before": row.before,
                "reason": row.result.reason,
                "activity": row.result.activity_key,
                "outcome": row.result.outcome,
                "milliseconds": row.result.milliseconds,
                "steps": [
                    {
                        "activity": step.activity_key,
                        "key": step.key,
                        "passed": step.passed,
                        "reason": step.reason,
                    }
                    for step in row.result.steps.all()
                ],
            }
            for row in found.prompts
        ],
        "steps": [
            {
                "activity": row.now.activity_key,
                "key": row.now.key,
                "passed": row.now.passed,
                "total": row.now.total,
                "rate": row.now.rate,
                "before": row.before.rate if row.before else None,
            }
            for row in found.steps
        ],
    }


def _place(rate: StepRate) -> str:
    return f"{rate.activity_key}.{rate.key}" if rate.activity_key else rate.key


def _rate(rate: StepRate) -> str:
    return f"{rate.passed}/{rate.total} ({rate.rate} %)"


def _agents(key: str | None, slug: str | None) -> list[Agent]:
    if key is not None:
        return [find_agent(key, slug)]
    agents = Agent.objects.filter(pk__in=TestPrompt.objects.values("agent")).select_related("workspace")
    if slug is not None:
        agents = agents.filter(workspace=find_workspace(slug))
    found = list(agents.order_by("workspace__slug", "key"))
    if not found:
        raise CommandError("No agent here has test prompts.")
    return found


def _user(email: str | None) -> User | None:
    if email is None:
        return None
    found = User.objects.filter(email=email, is_active=True).first()
    if found is None:
        raise CommandError(f"There is no active person with the address {email}.")
    return found


def _percent(text: str) -> Decimal:
    try:
        found = Decimal(text.removesuffix("%").strip())
    except InvalidOperation as error:
        raise ValueError(text) from error
    if not 0 <= found <= 100:
        raise ValueError(text)
    return found
