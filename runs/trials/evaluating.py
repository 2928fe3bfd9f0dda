"""Evaluations: all test prompts of an agent, run as trials on one revision."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from datetime import timedelta
from time import monotonic
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from procrastinate.contrib.django import app

from accounts import access, audit
from accounts.models import User
from activities.actions.prompts import prompts_of
from activities.models import Evaluation, EvaluationResult, EvaluationStep, Revision, TestPrompt
from activities.rights import offered_activities
from agentapp.kernel.errors import Conflict, InvalidInput, MandateError
from runs import missing
from runs.llm import get_model, use_model
from runs.llm.base import Model
from runs.models import Run
from runs.report import shown_outcome
from runs.trials.actions import check_may_try, trial_start
from runs.trials.driving import trial_drain
from runs.trials.expectations import ROUTE, Part, compare
from runs.trials.missed import missed_tools

#: An evaluation that has not ended after this time was abandoned.
_ABANDONED_AFTER = timedelta(hours=1)
#: Among so many people who may use the agent, the one is sought as whom prompts are asked.
_MOST_PEOPLE = 20
EVALUATION_TASK = "runs.evaluate"
Progress = Callable[[EvaluationResult], None]


def evaluation_begin(
    revision: Revision, *, actor: User | None, model_name: str = "", chaining: bool | None = None
) -> Evaluation:
    """Put an evaluation on record. Raises NotAllowed, InvalidInput, Conflict if one is at work."""
    check_may_try(actor, revision.agent)
    with transaction.atomic():
        locked = Revision.objects.select_for_update(of=("self",)).get(pk=revision.pk)
        if not TestPrompt.objects.filter(agent=locked.agent_id).exists():
            raise InvalidInput(_("This agent has no test prompts yet."))
        since = timezone.now() - _ABANDONED_AFTER
        if locked.evaluations.filter(finished_at=None, started_at__gte=since).exists():
            raise Conflict(_("An evaluation of this revision is at work already."))
        evaluation = Evaluation.objects.create(
            revision=locked,
            version=locked.version,
            model=model_name or get_model().name,
            chaining=chaining,
            started_by=actor,
        )
        _record(evaluation, "evaluation.started", actor, {"number": locked.number})
    return evaluation


def evaluation_run(revision: Revision, actor: User) -> Evaluation:
    """Put an evaluation on record and queue its job together. Raises as `evaluation_begin` does."""
    with transaction.atomic():
        evaluation = evaluation_begin(revision, actor=actor)
        app.configure_task(EVALUATION_TASK).defer(evaluation_id=str(evaluation.pk))
    return evaluation


def evaluate(
    revision: Revision,
    *,
    actor: User | None = None,
    model: Model | None = None,
    as_user: User | None = None,
    chaining: bool | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Run every test prompt on `revision` in this process and return the finished evaluation.

    `model` answers instead of this installation's, in the whole process: for commands and tests. With
    `chaining`, intentions are declared, or not, whatever the activities say.
    """
    name = model.name if model else ""
    evaluation = evaluation_begin(revision, actor=actor, model_name=name, chaining=chaining)
    with use_model(model) if model else nullcontext():
        return evaluation_carry_out(evaluation.pk, as_user=as_user, progress=progress)


def evaluation_carry_out(
    evaluation_id: UUID, *, as_user: User | None = None, progress: Progress | None = None
) -> Evaluation:
    """Run the prompts that have no result yet, and finish. Taken up again after a break, it goes on."""
    evaluation = Evaluation.objects.select_related("revision__agent__workspace", "started_by").get(
        pk=evaluation_id
    )
    done = set(evaluation.results.values_list("key", flat=True))
    person = as_user or default_user(evaluation.revision)
    for position, prompt in enumerate(prompts_of(evaluation.revision.agent)):
        if prompt.key not in done:
            result = _run_prompt(evaluation, prompt, position, prompt.as_user or person)
            if progress:
                progress(result)
    evaluation.finished_at = timezone.now()
    with transaction.atomic():
        evaluation.save(update_fields=["finished_at"])
        counted = {
            "passed": evaluation.results.filter(passed=True).count(),
            "prompts": evaluation.results.count(),
        }
        _record(evaluation, "evaluation.finished", evaluation.started_by, counted)
    return evaluation


def default_user(revision: Revision) -> User | None:
    """Return as whom prompts are asked that name nobody: who is offered most, then by e-mail."""
    workspace = revision.agent.workspace
    people = access.who_holds("activities.use_agent", revision.agent).order_by("email")[:_MOST_PEOPLE]
    offered = [(len(offered_activities(user, workspace, revision)), user) for user in people]
    return max(offered, key=lambda item: item[0])[1] if offered else None


def _run_prompt(
    evaluation: Evaluation, prompt: TestPrompt, position: int, as_user: User | None
) -> EvaluationResult:
    started = monotonic()
    run: Run | None = None
    try:
        run = _trial(evaluation, prompt, as_user)
    except MandateError as error:
        parts = [Part(ROUTE, False, str(error))]
    else:
        parts = compare(prompt, run)
    return _keep(evaluation, prompt, position, parts, run, round((monotonic() - started) * 1000))


def _trial(evaluation: Evaluation, prompt: TestPrompt, as_user: User | None) -> Run:
    if as_user is None:
        raise InvalidInput(_("Nobody may use this agent, so nobody can be tried as."))
    run = trial_start(
        actor=evaluation.started_by,
        as_user=as_user,
        revision=evaluation.revision,
        prompt=prompt.text,
        language=prompt.language,
        chaining=evaluation.chaining,
    )
    return trial_drain(run)


@transaction.atomic
def _keep(
    evaluation: Evaluation,
    prompt: TestPrompt,
    position: int,
    parts: list[Part],
    run: Run | None,
    milliseconds: int,
) -> EvaluationResult:
    reasons = [f"{part.key}: {part.reason}" for part in parts if not part.passed]
    result = EvaluationResult.objects.create(
        evaluation=evaluation,
        prompt=prompt,
        position=position,
        key=prompt.key,
        language=prompt.language,
        text=prompt.text,
        passed=not reasons,
        reason="\n".join(reasons),
        activity_key=run.activity.key if run is not None and run.activity else "",
        outcome=shown_outcome(run) if run is not None else "",
        milliseconds=milliseconds,
        run_id=run.pk if run is not None else None,
        missed_tools=missed_tools(prompt, run) if run is not None else [],
    )
    EvaluationStep.objects.bulk_create(
        EvaluationStep(
            result=result,
            position=index,
            activity_key=part.activity_key,
            key=part.key,
            passed=part.passed,
            reason=part.reason,
        )
        for index, part in enumerate(parts)
    )
    if run is not None:
        missing.expected(result, prompt, run)
    return result


def _record(evaluation: Evaluation, kind: str, actor: User | None, data: Mapping[str, object]) -> None:
    audit.record(
        stream=evaluation.revision_id,
        type=kind,
        workspace=evaluation.revision.agent.workspace_id,
        actor=actor,
        data={
            "agent": evaluation.revision.agent.key,
            "evaluation": str(evaluation.pk),
            "model": evaluation.model,
            **data,
        },
    )
