"""What was searched for a run, as its reader may see it: the four stages of discovery.

Who audits the workspace or designs the agent sees how many cards were permitted, the candidates with their
scores, and what was called. Who asked sees what was shown to the model, of that what they may use. Nobody
else sees anything: what one person may use is nothing to another.
"""

from collections.abc import Collection, Mapping, Sequence

from django.utils.translation import get_language, gettext
from pydantic import BaseModel

from accounts import access
from accounts.models import User
from activities.actions.authority import designs_agent
from activities.models import Card, CardKind, DiscoveryCandidate, DiscoveryLog
from activities.models.discovery import DiscoveryStage, ToolsShown
from activities.models.fields import in_language
from activities.tools import registry
from runs.models import Run


class ShownReport(BaseModel):
    """A card that the model was shown."""

    key: str
    title: str
    called: bool


class CandidateScores(BaseModel):
    """A permitted card that was looked at. Scores are from 0 to 1; without vectors `dense` is null."""

    key: str
    title: str
    lexical: float | None
    dense: float | None
    score: float | None
    shown: bool
    called: bool


class SearchReport(BaseModel):
    """One search. `step` is empty for the choice of an activity, the stages are for who audits."""

    stage: str
    step: str
    query: str
    rewritten: str
    decision: str
    by_model: bool
    shown: list[ShownReport]
    permitted: int | None
    candidates: list[CandidateScores]
    degraded: str
    milliseconds: int

    @property
    def decision_label(self) -> str:
        led = {
            "activity": gettext("The activity was chosen"),
            "unclear": gettext("A question was asked"),
            "several": gettext("The message asks for several things: a plan was made"),
        }
        known = led | {str(choice.value): str(choice.label) for choice in ToolsShown}
        return known.get(self.decision, self.decision)


def searches_seen(run: Run, reader: User) -> list[SearchReport]:
    """Return the searches of `run`, as far as `reader` may see them."""
    audits = may_audit(run, reader)
    if not audits and reader.pk != run.user_id:
        return []
    logs = DiscoveryLog.whole.filter(run_id=run.pk).order_by("id").prefetch_related("candidates")
    if not audits:
        logs = logs.filter(stage=DiscoveryStage.TOOLS)
    return searches_told(run, list(logs), None if audits else access.permissions_in(reader, run.workspace))


def may_audit(run: Run, reader: User) -> bool:
    """True for an auditor of the workspace, and for who designs the run's agent."""
    if access.may(reader, "accounts.view_all_runs", run.workspace):
        return True
    return run.revision is not None and designs_agent(reader, run.revision.agent)


def searches_told(run: Run, logs: Sequence[DiscoveryLog], held: frozenset[str] | None) -> list[SearchReport]:
    """Return what a run's searches tell: everything, or what somebody with the permissions `held` may use."""
    steps = {step.pk: step.step.key for step in run.steps.select_related("step")} if logs else {}
    keys = {row.key for log in logs for row in log.candidates.all()}
    titles = {key: str(contract.title) for key, contract in registry.many(sorted(keys)).items()}
    if any(log.step_id is None for log in logs):
        titles |= _activity_names(run, keys)
    return [
        _told(log, steps.get(log.step_id, "") if log.step_id else "", titles, _visible(log, held))
        for log in logs
    ]


def _activity_names(run: Run, keys: Collection[str]) -> dict[str, str]:
    cards = Card.objects.filter(kind=CardKind.ACTIVITY, workspace=run.workspace_id, key__in=keys)
    language = (get_language() or "en")[:2]
    return {key: in_language(name, language) or key for key, name in cards.values_list("key", "name")}


def _visible(log: DiscoveryLog, held: frozenset[str] | None) -> frozenset[str] | None:
    """Return the shown cards that somebody with `held` may know of; None for who knows all."""
    if held is None:
        return None
    contracts = registry.many([row.key for row in log.candidates.all() if row.shown])
    return frozenset(key for key, contract in contracts.items() if contract.permission in held)


def _told(
    log: DiscoveryLog, step: str, titles: Mapping[str, str], visible: frozenset[str] | None
) -> SearchReport:
    rows = list(log.candidates.all())
    audited = visible is None
    shown = [row for row in rows if row.shown and (visible is None or row.key in visible)]
    return SearchReport(
        stage=log.stage,
        step=step,
        query=log.query,
        rewritten=log.rewritten_query,
        decision=log.decision,
        by_model=log.model_call_id is not None,
        shown=[
            ShownReport(key=row.key, title=titles.get(row.key, row.key), called=row.called) for row in shown
        ],
        permitted=log.permitted if audited else None,
        candidates=[_scores(row, titles) for row in rows] if audited else [],
        degraded=log.degraded if audited else "",
        milliseconds=log.milliseconds,
    )


def _scores(row: DiscoveryCandidate, titles: Mapping[str, str]) -> CandidateScores:
    return CandidateScores(
        key=row.key,
        title=titles.get(row.key, row.key),
        lexical=row.lexical,
        dense=row.dense,
        score=row.score,
        shown=row.shown,
        called=row.called,
    )
