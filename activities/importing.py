"""From a blueprint to rows: a draft, never anything else."""

from collections.abc import Mapping, Sequence

from accounts import access
from activities.blueprint import (
    ActivityPart,
    InputPart,
    OpeningPart,
    OutcomePart,
    OutputPart,
    StepPart,
    ToolPart,
)
from activities.models import (
    Activity,
    ActivityIdentity,
    ActivityInput,
    ActivityOutput,
    ActivityPhrase,
    Agent,
    InputChoice,
    ParamBinding,
    Revision,
    RoutingInput,
    RoutingOutcome,
    Step,
    StepOpening,
    ToolBinding,
)
from activities.models.activity import PhraseKind
from activities.tools import registry
from agentapp.kernel.errors import InvalidInput


def write_activity(
    revision: Revision, part: ActivityPart, position: int, *, pins: Mapping[str, str] | None = None
) -> Activity:
    """Write one activity and all it holds into a draft. Raises InvalidInput for what refers to nothing.

    `pins` are contract hashes by tool, for tools that no installed app has any more.
    """
    identity = identity_for(revision.agent, part.key)
    activity = Activity.objects.create(
        revision=revision,
        identity=identity,
        key=part.key,
        position=position,
        name=part.name,
        summary=part.summary,
        when_not_to_use=part.when_not_to_use,
        instructions=part.instructions,
        template=part.template,
        entry=part.entry,
        chaining=part.chaining,
        **part.guardrails.model_dump(),
    )
    write_phrases(activity, part)
    for index, item in enumerate(part.inputs):
        write_input(activity, item, index)
    ActivityOutput.objects.bulk_create(
        output_row(activity, item, index) for index, item in enumerate(part.outputs)
    )
    bindings = {item.tool: write_tool(activity, item, index, pins) for index, item in enumerate(part.tools)}
    for index, step in enumerate(part.steps):
        _write_step(activity, step, index, bindings)
    for index, outcome in enumerate(part.routing):
        write_outcome(activity, outcome, index)
    return activity


def identity_for(agent: Agent, key: str) -> ActivityIdentity:
    """Return what stays of an activity across the agent's revisions, made when it is new."""
    identity, _created = ActivityIdentity.objects.get_or_create(agent=agent, key=key)
    return identity


def write_phrases(activity: Activity, part: ActivityPart) -> None:
    ActivityPhrase.objects.bulk_create(
        ActivityPhrase(activity=activity, kind=kind, language=language, text=text, position=index)
        for kind, groups in ((PhraseKind.ALIAS, part.aliases), (PhraseKind.EXAMPLE, part.examples))
        for language, texts in groups.items()
        for index, text in enumerate(texts)
    )


def write_input(activity: Activity, part: InputPart, position: int) -> None:
    row = ActivityInput.objects.create(
        activity=activity,
        position=position,
        kind=part.type,
        **part.model_dump(exclude={"type", "choices"}),
    )
    InputChoice.objects.bulk_create(
        InputChoice(input=row, position=index, value=choice.value, label=choice.label, words=choice.words)
        for index, choice in enumerate(part.choices)
    )


def output_row(activity: Activity, part: OutputPart, position: int) -> ActivityOutput:
    return ActivityOutput(
        activity=activity,
        position=position,
        name=part.name,
        label=part.label,
        source=part.source,
        fact_path=part.fact,
        input_name=part.input,
        fixed_value=part.fixed,
        description=part.description,
        max_length=part.max_length,
        fallback=part.fallback,
    )


def write_tool(
    activity: Activity, part: ToolPart, position: int, pins: Mapping[str, str] | None = None
) -> ToolBinding:
    contract = registry.get_for(activity.revision.agent.workspace_id, part.tool)
    pin = contract.hash if contract else (pins or {}).get(part.tool)
    if pin is None:
        raise InvalidInput(f"Activity {activity.key}: no installed app has the tool {part.tool!r}.")
    binding = ToolBinding.objects.create(
        activity=activity,
        position=position,
        tool_key=part.tool,
        contract_hash=pin,
        raised_risk=part.raise_risk,
        always_confirm=part.confirm,
        disclose_raw=part.disclose_raw,
    )
    write_params(binding, part)
    return binding


def write_params(binding: ToolBinding, part: ToolPart) -> None:
    ParamBinding.objects.bulk_create(
        ParamBinding(
            binding=binding,
            name=name,
            source=param.source,
            input_path=param.input,
            fixed_value=param.fixed,
            allowed_values=param.choices,
            minimum=param.minimum,
            maximum=param.maximum,
            pattern=param.pattern,
        )
        for name, param in part.params.items()
    )


def _write_step(activity: Activity, part: StepPart, position: int, bindings: dict[str, ToolBinding]) -> None:
    unknown = [key for key in part.tools if key not in bindings]
    if unknown:
        raise InvalidInput(
            f"Activity {activity.key}, step {part.key}: {unknown[0]!r} is not among its tools."
        )
    group = (
        access.workspace_group(activity.revision.agent.workspace, part.escalate_to)
        if part.escalate_to
        else None
    )
    step = Step.objects.create(
        activity=activity,
        position=position,
        escalate_to=group,
        **part.model_dump(exclude={"tools", "opens", "escalate_to"}),
    )
    step.tools.set([bindings[key] for key in part.tools])
    write_openings(step, part.opens)


def write_openings(step: Step, parts: Sequence[OpeningPart]) -> None:
    """Write what a step is open to. Rows of before are not touched."""
    rows = [opening_row(part, position) for position, part in enumerate(parts)]
    for row in rows:
        row.step = step
    StepOpening.objects.bulk_create(rows)


def opening_row(part: OpeningPart, position: int) -> StepOpening:
    """Return an opening that belongs to no step yet."""
    kind, _colon, value = part.to.partition(":")
    return StepOpening(
        position=position,
        kind=kind,
        value=value,
        raised_risk=part.raise_risk,
        always_confirm=part.confirm,
    )


def write_outcome(activity: Activity, part: OutcomePart, position: int) -> None:
    outcome = RoutingOutcome.objects.create(
        activity=activity,
        position=position,
        name=part.name,
        label=part.label,
        condition=part.when,
        next_activity_key=part.activity,
    )
    RoutingInput.objects.bulk_create(
        RoutingInput(outcome=outcome, input_name=name, path=path) for name, path in part.inputs.items()
    )
