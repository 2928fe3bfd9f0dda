"""What was searched for a run, as its reader may see it: the four stages of discovery.

Who audits the workspace or designs the agent sees how many cards were permitted, the candidates with their
scores, and what was called. Who asked sees what was shown to the model, of that what they may use. Nobody
else sees anything: what one person may use is nothing to another.
"""

from collections.abc import Sequence

from pydantic import BaseModel

from accounts import access
from accounts.models import User
from activities.actions.authority import designs_agent
from activities.models import DiscoveryCandidate, DiscoveryLog
from activities.models.discovery import DiscoveryStage, ToolsShown
from activities.tools import ToolContract, registry
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
        known = {str(choice.value): str(choice.label) for choice in ToolsShown}
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
    return [_told(log, steps.get(log.step_id, "") if log.step_id else "", held) for log in logs]


def _told(log: DiscoveryLog, step: str, held: frozenset[str] | None) -> SearchReport:
    rows = list(log.candidates.all())
    contracts = {row.key: registry.get(row.key) for row in rows} if log.step_id else {}
    shown = [row for row in rows if row.shown and _may_see(contracts.get(row.key), held)]
    return SearchReport(
        stage=log.stage,
        step=step,
        query=log.query,
        rewritten=log.rewritten_query,
        decision=log.decision,
        by_model=log.model_call_id is not None,
        shown=[ShownReport(key=row.key, title=_title(row, contracts), called=row.called) for row in shown],
        permitted=log.permitted if held is None else None,
        candidates=[_scores(row, contracts) for row in rows] if held is None else [],
        degraded=log.degraded if held is None else "",
        milliseconds=log.milliseconds,
    )


def _may_see(contract: ToolContract | None, held: frozenset[str] | None) -> bool:
    return held is None or (contract is not None and contract.permission in held)


def _title(row: DiscoveryCandidate, contracts: dict[str, ToolContract | None]) -> str:
    contract = contracts.get(row.key)
    return str(contract.title) if contract else row.key


def _scores(row: DiscoveryCandidate, contracts: dict[str, ToolContract | None]) -> CandidateScores:
    return CandidateScores(
        key=row.key,
        title=_title(row, contracts),
        lexical=row.lexical,
        dense=row.dense,
        score=row.score,
        shown=row.shown,
        called=row.called,
    )
