"""Invariant 9: published means immutable; a changed contract stops the run with a named reason."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction

from activities.actions import revision_publish, revision_retire
from activities.models import Activity, ActivityOutput, InputChoice, ParamBinding, Revision, Step
from activities.tools import registry
from tests.support.blueprints import activity, step, text_input, use
from tests.support.stage import effects, stage
from tests.support.world import World, act, refusals_of

FULL = activity(
    use("find_items"),
    use("reserve"),
    inputs=[
        text_input("colour", required=False),
        {
            "name": "size",
            "type": "choice",
            "label": {"en": "Size"},
            "required": False,
            "choices": [{"value": "s", "label": {"en": "Small"}}],
        },
    ],
    outputs=[{"name": "n", "label": {"en": "N"}, "source": "fact", "fact": "facts.find_items.count"}],
    routing=[{"name": "more", "when": "true", "activity": "next", "inputs": {"colour": "inputs.colour"}}],
    examples={"en": ["handle it"]},
)
NEXT = activity(use("find_items"), key="next", inputs=[text_input("colour", required=False)])
ORDER = {"item": "A-100", "amount": "5", "priority": None, "note": None}


@contextmanager
def changed(key: str, **changes: object) -> Iterator[None]:
    """The app that holds the tool is deployed with another contract."""
    known = registry.get(key)
    assert known is not None
    registry.remove(key)
    registry.add(replace(known, **changes))  # type: ignore[arg-type]
    try:
        yield
    finally:
        registry.remove(key)
        registry.add(known)


def rows_of(revision: Revision) -> dict[str, object]:
    """One row of every table below a revision."""
    chosen = revision.activities.get(key="handle")
    outcome = chosen.routing.get()
    return {
        "activity": chosen,
        "phrase": chosen.phrases.first(),
        "input": chosen.inputs.first(),
        "choice": InputChoice.objects.get(input__activity=chosen),
        "output": ActivityOutput.objects.get(activity=chosen),
        "binding": chosen.tool_bindings.first(),
        "param": ParamBinding.objects.filter(binding__activity=chosen).first(),
        "step": Step.objects.get(activity=chosen),
        "step_tool": Step.tools.through.objects.filter(step__activity=chosen).first(),
        "outcome": outcome,
        "handed_over": outcome.mapping.get(),
    }


@pytest.mark.parametrize("state", ["published", "retired"])
def test_no_row_below_a_frozen_revision_can_be_changed(world: World, state: str) -> None:
    revision = world.publish(FULL, NEXT)
    if state == "retired":
        revision = revision_retire(revision, actor=world.designer)
    rows = rows_of(revision)
    assert all(rows.values()), rows
    for row in rows.values():
        table = type(row)._default_manager  # type: ignore[attr-defined]
        with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
            row.save(force_update=True)  # type: ignore[attr-defined]
        with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
            table.filter(pk=row.pk)._raw_delete("default")  # type: ignore[attr-defined]
        row.pk = None  # type: ignore[attr-defined]
        with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
            table.bulk_create([row])


def test_the_revision_itself_cannot_be_changed(world: World) -> None:
    revision = world.publish(FULL, NEXT)
    for change in ({"number": 7}, {"state": "draft"}, {"note": "x"}, {"agent": None}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Revision.objects.filter(pk=revision.pk).update(**change)
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        Revision.objects.filter(pk=revision.pk)._raw_delete("default")
    revision_retire(revision, actor=world.designer)
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        Revision.objects.filter(pk=revision.pk).update(state="published")


def test_a_draft_can_be_changed(world: World) -> None:
    draft = world.draft(FULL, NEXT)
    assert Activity.objects.filter(revision=draft).update(instructions="Other.") == 2
    Activity.objects.filter(revision=draft).delete()


def test_a_run_stays_on_its_revision(world: World) -> None:
    first = world.publish(activity(use("order"), template={"en": "As first designed."}))
    run = world.run(act("order", ORDER))
    world.publish(activity(use("order"), template={"en": "As designed later."}))
    world.confirm(run)
    run = world.play(run)
    assert run.revision == first
    assert run.answer == "As first designed."


@pytest.mark.parametrize(
    "change", [{"effect": "external"}, {"permission": "store.commit"}, {"guard": lambda c, p: None}]
)
def test_a_contract_changed_before_the_call_stops_the_run(world: World, change: dict[str, object]) -> None:
    world.publish(activity(use("reserve"), use("find_items"), steps=[step("reserve", "find_items")]))
    with changed("store.reserve", **change):
        run = world.run(act("reserve", {"item": "A-100", "quantity": 1}))
    assert (run.outcome, run.error_code) == ("failed", "contract_changed")
    assert refusals_of(run) == ["contract_changed"]
    assert "has changed" in run.answer
    assert effects() == []


def test_a_contract_changed_between_confirmation_and_execution_stops_the_run(world: World) -> None:
    world.publish(activity(use("order")))
    run = world.run(act("order", ORDER))
    world.confirm(run)
    with changed("store.order", result_schema={"type": "object"}):
        run = world.play(run)
    assert (run.outcome, run.error_code) == ("failed", "contract_changed")
    assert stage.sent == []


def test_a_tool_that_is_gone_stops_nothing_else(world: World) -> None:
    world.publish(activity(use("order")))
    run = world.run(act("order", ORDER))
    world.confirm(run)
    known = registry.get("store.order")
    assert known is not None
    registry.remove("store.order")
    try:
        run = world.play(run, *[act("order", ORDER)] * 2)
    finally:
        registry.add(known)
    assert refusals_of(run)[0] == "not_in_step"
    assert run.state == "escalated"
    assert stage.sent == []


def test_the_hash_covers_all_that_binds(world: World) -> None:
    known = registry.get("store.order")
    assert known is not None
    changes: list[dict[str, object]] = [
        {"key": "store.order_two"},
        {"risk": "medium"},
        {"effect": "local"},
        {"permission": "store.read"},
        {"params_schema": {}},
        {"result_schema": {}},
        {"params": known.params[1:]},
        {"result_refs": {}},
        {"protected": {"reference": registry.get("store.find_items").protected["items[].contact"]}},  # type: ignore[union-attr]
        {"prepare": None},
        {"guard": None},
    ]
    hashes = {replace(known, **change).hash for change in changes} | {known.hash}  # type: ignore[arg-type]
    assert len(hashes) == len(changes) + 1
    assert replace(known, summary="Other words.").hash == known.hash


def test_publishing_retires_the_one_before(world: World) -> None:
    first = world.publish(FULL, NEXT)
    second = revision_publish(world.draft(FULL, NEXT), actor=world.designer)
    first.refresh_from_db()
    assert (first.state, second.state) == ("retired", "published")
