"""Values that one run gives to the next: by a routing output's paths, or as the record an earlier part found.

Nothing is handed over that a model wrote, that the next activity's input does not take, or that the person
may not see under that activity: what is left out is asked for.
"""

from collections.abc import Mapping
from typing import Any

from activities import conditions
from activities.models import Activity, ActivityInput, RoutingOutcome
from activities.models.activity import FieldKind, OutputSource
from activities.paths import NoSuchValue, read
from activities.rights import standing_for
from activities.values import ValueInvalid, read_value
from runs.grounding import NamedRecord
from runs.inputs import label_of
from runs.models import PlanPart, Run
from runs.models.run import Origin
from runs.references import Eyes, look_up
from runs.sequence import HandedOver, HandOver
from runs.view import RunView, pinned_activity


def hand_over_of(view: RunView) -> HandOver | None:
    """Return what a run that passed all its steps hands over to: the first routing outcome that holds."""
    outcome = _holding(view)
    if outcome is None or view.activity is None:
        return None
    found = view.activity.revision.activities.filter(key=outcome.next_activity_key).values_list("pk").first()
    if found is None:
        return None
    following = pinned_activity(found[0])
    standing = standing_for(view.run.user, following, view.run.workspace)
    eyes = Eyes(view.context(), standing.permissions)
    proven = {name: row.value for name, row in view.outputs.items() if row.source != OutputSource.PROSE}
    scope = {**view.scope(), "output": proven}
    return HandOver(outcome.name, following, _mapped(outcome, following, scope, eyes, view.language))


def _holding(view: RunView) -> RoutingOutcome | None:
    for outcome in view.activity.routing.all() if view.activity else ():
        if conditions.evaluate(outcome.condition, view.scope()).holds:
            return outcome
    return None


def _mapped(
    outcome: RoutingOutcome, following: Activity, scope: Mapping[str, Any], eyes: Eyes, language: str
) -> tuple[HandedOver, ...]:
    paths = {item.input_name: item.path for item in outcome.mapping.all()}
    found = []
    for field in following.inputs.all():
        path = paths.get(field.name)
        item = _value(field, path, scope, eyes, language) if path else None
        if item is not None:
            found.append(item)
    return tuple(found)


def _value(
    field: ActivityInput, path: str, scope: Mapping[str, Any], eyes: Eyes, language: str
) -> HandedOver | None:
    try:
        raw = read(path, scope)
    except NoSuchValue:
        return None
    if raw is None or raw == "" or raw == []:
        return None
    if field.kind == FieldKind.REFERENCE:
        return _records(field, raw if isinstance(raw, list) else [raw], path, eyes)
    try:
        value = read_value(field, raw)
    except ValueInvalid:
        return None
    return HandedOver(field.name, value, label_of(field, value, language), path)


def _records(field: ActivityInput, values: list[Any], path: str, eyes: Eyes) -> HandedOver | None:
    """Return the records of these identifiers, as the person sees them; None if one of them is not there."""
    found = [look_up(field.reference, str(value), eyes) for value in values]
    if not found or None in found or (len(found) > 1 and not field.is_list):
        return None
    records = [record for record in found if record is not None]
    named = [item.label if item.value in item.label else f"{item.label} ({item.value})" for item in records]
    value = [item.value for item in records] if field.is_list else records[0].value
    return HandedOver(field.name, value, ", ".join(named), path)


def earlier_records(run: Run) -> list[NamedRecord]:
    """Return the records found by the part that this run's part builds on; none when it builds on none."""
    if run.plan_id is None or run.part is None:
        return []
    needs = PlanPart.objects.filter(plan=run.plan_id, position=run.part).values_list("needs").first()
    if needs is None or needs[0] is None:
        return []
    before = Run.objects.filter(plan=run.plan_id, part=needs[0]).order_by("id").last()
    return RunView.load(before.pk).named_records() if before is not None else []


def from_earlier(field: ActivityInput, records: list[NamedRecord], eyes: Eyes) -> list[HandedOver]:
    """Return what `records` offer for a reference input: one when it is clear, several to choose from."""
    if field.kind != FieldKind.REFERENCE:
        return []
    mine = [record for record in records if record.type == field.reference]
    facts = [record for record in mine if record.ground.origin is Origin.FACT]
    paths = {record.value: record.ground.detail for record in reversed(facts or mine)}
    if field.is_list and paths:
        item = _records(field, list(reversed(paths)), next(iter(reversed(paths.values()))), eyes)
        return [item] if item else []
    found = [_records(field, [value], path, eyes) for value, path in reversed(paths.items())]
    return [item for item in found if item is not None]
