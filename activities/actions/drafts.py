"""Making, copying and giving up drafts."""

from decimal import Decimal

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from accounts.models import User
from activities.actions.authority import require_design
from activities.actions.changes import lock_draft, revision_change
from activities.actions.recording import record
from activities.blueprint import AgentBlueprint
from activities.exporting import blueprint_of
from activities.importing import write_activity
from activities.models import Agent, Revision, ToolBinding
from activities.redundancy import vectors_due_of
from agentapp.kernel.errors import InvalidInput


@transaction.atomic
def draft_create(agent: Agent, *, actor: User | None, note: str = "") -> Revision:
    """Make an empty draft. Raises NotAllowed."""
    require_design(actor, agent)
    revision = new_draft(agent, actor, note)
    record(revision, "revision.created", actor, {"number": revision.number})
    return revision


@transaction.atomic
def revision_draft_from(revision: Revision, *, actor: User | None, note: str = "") -> Revision:
    """Make a new draft that says what `revision` says, of any state. Raises NotAllowed.

    Its tools are pinned to their contracts of today; one that no app has any more keeps its old pin, and is
    told when the draft is to be published.
    """
    require_design(actor, revision.agent)
    source = Revision.objects.select_related("agent__workspace").get(pk=revision.pk)
    draft = new_draft(source.agent, actor, note)
    pins = dict(
        ToolBinding.objects.filter(activity__revision=source).values_list("tool_key", "contract_hash")
    )
    fill(draft, blueprint_of(source), pins)
    record(draft, "revision.drafted", actor, {"number": draft.number, "from": source.number})
    return draft


@transaction.atomic
def draft_discard(revision: Revision, *, actor: User | None) -> None:
    """Delete a draft with all it holds. Raises NotAllowed, Conflict when it is no draft."""
    require_design(actor, revision.agent)
    locked = lock_draft(revision, actor)
    record(locked, "revision.discarded", actor, {"number": locked.number})
    locked.delete()


def revision_settings(
    revision: Revision, *, actor: User | None, expected_version: int, required_pass_rate: Decimal | None
) -> Revision:
    """Set what a draft requires before it is published. Raises as `revision_change`, and InvalidInput."""
    if required_pass_rate is not None and not 0 <= required_pass_rate <= 100:
        raise InvalidInput(_("A pass rate is between 0 and 100 percent."))
    with revision_change(revision, actor=actor, expected_version=expected_version) as locked:
        locked.required_pass_rate = required_pass_rate
        locked.save(update_fields=["required_pass_rate"])
    return locked


def new_draft(agent: Agent, actor: User | None, note: str) -> Revision:
    """Number and store an empty draft; two at once get two numbers."""
    Agent.objects.select_for_update().get(pk=agent.pk)
    last = agent.revisions.aggregate(last=Max("number"))["last"] or 0
    return Revision.objects.create(agent=agent, number=last + 1, created_by=actor, note=note)


def fill(draft: Revision, blueprint: AgentBlueprint, pins: dict[str, str] | None = None) -> None:
    """Write all of `blueprint` into an empty draft. Raises InvalidInput for what refers to nothing."""
    draft.required_pass_rate = blueprint.required_pass_rate
    draft.save(update_fields=["required_pass_rate"])
    for position, part in enumerate(blueprint.activities):
        write_activity(draft, part, position, pins=pins)
    vectors_due_of(draft)
