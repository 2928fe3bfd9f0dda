"""What real runs tell a designer: what they used of the limits, and values to fill a preview with."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from accounts.access import may
from accounts.models import User
from activities import designing
from activities.admin.extensions import PastRun, Used
from activities.models import Activity, ActivityIdentity
from runs import usage
from runs.guardrails import Limits
from runs.models import Run
from runs.protection import Vault
from runs.states import Outcome, RunState
from runs.view import RunView

MOST = 10


def default_limits() -> dict[str, int]:
    return dict(asdict(Limits()))


def used_of(identity: ActivityIdentity) -> Mapping[str, Used]:
    """Return what recent runs used, by the name of the limit's field."""
    found = usage.used(identity).by_limit
    return {
        limit.value: Used(_short(each.median), _short(each.percentile_95), _short(each.highest))
        for limit, each in found.items()
    }


def _short(value: float) -> float | int:
    return int(value) if float(value).is_integer() else round(value, 1)


def _visible(user: User, activity: Activity) -> QuerySet[Run]:
    """Return succeeded runs of this activity that `user` may see: own, or all with that right."""
    workspace = activity.revision.agent.workspace
    rows = Run.objects.filter(
        workspace=workspace,
        activity__identity=activity.identity_id,
        state=RunState.FINISHED,
        outcome=Outcome.SUCCEEDED,
        trial=False,
    )
    return rows if may(user, "accounts.view_all_runs", workspace) else rows.filter(user=user)


def past_runs(user: User, activity: Activity) -> list[PastRun]:
    """Return the newest runs whose values this person may see."""
    rows = _visible(user, activity).order_by("-id").select_related("conversation", "user")[:MOST]
    return [
        PastRun(run.pk, f"{run.created_at:%Y-%m-%d %H:%M}, {run.user.full_name}: {run.conversation}"[:90])
        for run in rows
    ]


def past_scope(user: User, activity: Activity, run_id: UUID) -> Mapping[str, Any]:
    """Return the facts, inputs and output of one of those runs. Raises NotFound."""
    run = _visible(user, activity).filter(pk=run_id).first()
    if run is None:
        raise designing.missing()
    scope = {
        **RunView.load(run.pk).scope(),
        "output": {row.name: row.value for row in run.outputs.all()},
    }
    shown: Mapping[str, Any] = scope if run.user_id == user.pk else _hidden(scope, Vault.of(run))
    return shown


def _hidden(value: Any, vault: Vault) -> Any:
    """Return `value` with the tokens of protected values, for who is not the person they were shown to."""
    if isinstance(value, str):
        return vault.hide(value)
    if isinstance(value, Mapping):
        return {key: _hidden(item, vault) for key, item in value.items()}
    return [_hidden(item, vault) for item in value] if isinstance(value, list) else value
