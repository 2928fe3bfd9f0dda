"""Invariant 6: numbers come from facts; prose stays inside its limits, and the answer is filled by code."""

import pytest

from runs.llm.base import Purpose
from runs.llm.scripted import call, cut, fail, say
from tests.support.blueprints import activity, prose, step, use
from tests.support.world import World, act, event_types

FALLBACK = "Found {{ facts.find_items.count }} as designed."
ANSWERING = activity(
    use("find_items"),
    steps=[step("find_items")],
    outputs=[
        prose(max_length=60, fallback={"en": FALLBACK}),
        {"name": "count", "label": {"en": "Count"}, "source": "fact", "fact": "facts.find_items.count"},
        {"name": "fixed", "label": {"en": "Fixed"}, "source": "fixed", "fixed": "F-1"},
        {
            "name": "gone",
            "label": {"en": "Gone"},
            "source": "fact",
            "fact": "facts.find_items.items[99].name",
        },
    ],
    template={"en": "{{ output.intro }} Count: {{ output.count }}. {{ output.fixed }}"},
)
LOOK = act("find_items", {"words": "lamp"})


def written(text: object, **more: object) -> object:
    return call("write_answer", {"intro": text, **more}, purpose=Purpose.PROSE)


def test_outputs_are_filled_from_facts(world: World) -> None:
    world.publish(ANSWERING)
    run = world.run(LOOK, written("These lamps were found."))
    assert run.answer == "These lamps were found. Count: 2. F-1"
    values = {row.name: (row.value, row.source) for row in run.outputs.all()}
    assert values == {
        "intro": ("These lamps were found.", "prose"),
        "count": (2, "fact"),
        "fixed": ("F-1", "fixed"),
        "gone": (None, "fact"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "We found 37 lamps.",
        "They cost 19.95 each.",
        "Total 1 234,50 €.",
        "Worth 4000 in all.",
        "In 2031 they sell out.",
        "A 7% margin.",
        "We hold 199 lamps.",
        "We hold 90 lamps.",
        "They cost 1990.",
        "They cost 1,990.",
        "They cost 1.99.",
        "They cost 19.9 or 20.",
    ],
)
def test_a_figure_that_no_fact_holds_is_refused(world: World, text: str) -> None:
    world.publish(ANSWERING)
    run = world.run(LOOK, written(text), written(text))
    assert run.answer.startswith("Found 2 as designed.")
    assert "no fact holds" in run.outputs.get(name="intro").detail


@pytest.mark.parametrize(
    "text",
    ["Two lamps, 2 in all.", "Each costs 19.90.", "Each costs 19,90 EUR.", "At 19.9, 2 of them, A-100."],
)
def test_a_figure_of_a_fact_is_kept(world: World, text: str) -> None:
    world.publish(ANSWERING)
    run = world.run(LOOK, written(text))
    assert run.outputs.get(name="intro").value == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x" * 61, "too long"),
        ("", "empty"),
        ("   ", "empty"),
        (None, "empty"),
        (["a"], "empty"),
        (3, "empty"),
    ],
)
def test_prose_outside_its_limits_is_replaced(world: World, text: object, why: str) -> None:
    world.publish(ANSWERING)
    run = world.run(LOOK, written(text))
    assert run.answer.startswith("Found 2 as designed.")
    assert run.outputs.get(name="intro").detail == f"fallback: {why}"


def test_markup_in_prose_is_text(world: World) -> None:
    world.publish(ANSWERING)
    run = world.run(LOOK, written("# Big **bold** [x](http://evil.example)"))
    assert "\\# Big \\*\\*bold\\*\\* \\[x\\]" in run.answer


def test_the_model_cannot_write_an_output_that_is_not_prose(world: World) -> None:
    world.publish(ANSWERING)
    run = world.run(LOOK, written("Fine.", count=999, fixed="mine"))
    assert run.outputs.get(name="count").value == 2
    assert "999" not in run.answer
    assert "mine" not in run.answer


@pytest.mark.parametrize(
    "line",
    [fail(), cut("write_answer", '{"intro": "half'), say("no call"), call("write_answer", "not json")],
    ids=["down", "cut", "text", "broken"],
)
def test_without_a_usable_model_the_designers_text_stands(world: World, line: object) -> None:
    world.publish(ANSWERING)
    tries = 1 if getattr(line, "error", None) else 3
    run = world.run(LOOK, *[line] * tries)  # type: ignore[list-item]
    assert run.outcome == "succeeded"
    assert run.answer == "Found 2 as designed. Count: 2. F-1"
    assert "prose.written" in event_types(run)


def test_a_template_that_cannot_be_filled_loses_no_fact(world: World) -> None:
    # Nothing but the real number of items shows it.
    wrong = "{% if facts.find_items.count == 2 %}{{ facts.find_items.items[0].name | money }}{% endif %}"
    broken = {**ANSWERING, "template": {"en": wrong}}
    world.publish(broken)
    run = world.run(LOOK, written("Fine."))
    assert (run.outcome, run.error_code) == ("succeeded", "template_failed")
    assert "- Count: 2" in run.answer
