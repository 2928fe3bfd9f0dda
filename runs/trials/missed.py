"""Tools that a test prompt expected, that a step was open to for this person, and that no search showed."""

from activities.models import DiscoveryCandidate, TestPrompt
from activities.openings import StepTools
from activities.rights import standing_for
from activities.tools import ToolContract, registry
from runs.models import Run, RunStep


def missed_tools(prompt: TestPrompt, run: Run) -> list[str]:
    """Return the keys, in order. A trial has a conversation of its own: all its runs count."""
    wanted = {call.tool_key for call in prompt.expected_calls.all()}
    family = list(Run.objects.filter(conversation=run.conversation_id).select_related("user", "workspace"))
    shown = DiscoveryCandidate.objects.filter(
        log__run_id__in=[each.pk for each in family], log__step_id__isnull=False, shown=True, key__in=wanted
    )
    left = sorted(wanted - set(shown.values_list("key", flat=True)))
    contracts = filter(None, (registry.get_for(run.workspace_id, key) for key in left))
    return [each.key for each in contracts if any(_was_open(each, other) for other in family)]


def _was_open(contract: ToolContract, run: Run) -> bool:
    """True when a step that this run began could have been shown the tool."""
    if run.activity is None:
        return False
    if contract.permission not in standing_for(run.user, run.activity, run.workspace).permissions:
        return False
    begun = RunStep.objects.filter(run=run, started_at__isnull=False).select_related("step")
    return any(_opens(StepTools(row.step, run.workspace), contract) for row in begun)


def _opens(tools: StepTools, contract: ToolContract) -> bool:
    return contract.key not in tools.named and any(True for _each in tools.opened([contract]))
