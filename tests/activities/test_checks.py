"""The publishing checks: a revision that is broken in one way has exactly that problem, with its remedy."""

from dataclasses import replace
from typing import Any

import pytest

from accounts import access
from activities import checks
from activities.actions import agent_import
from activities.checks.cards import MAX_TOKENS, tokens
from activities.checks.conditions import condition_problems
from activities.checks.templates import template_problems
from activities.models import ParamBinding, Revision
from activities.publishing import problems
from activities.tools import registry
from examples.billing.demo import load_blueprint
from tests.support.blueprints import activity, agent, fixed, from_input, prose, step, text_input, use
from tests.support.world import World

Parts = list[dict[str, Any]]
LONG = "Finds items of the store by their names, by their colours, by their prices, and by where they stand. "
RECORD = text_input("thing", type="reference", reference="store.item")


def output(**more: Any) -> dict[str, Any]:
    return {"name": "n", "label": {}, **more}


def finding(**more: Any) -> dict[str, Any]:
    return activity(use("find_items"), **more)


def passing(expression: str, **more: Any) -> dict[str, Any]:
    return finding(steps=[step("find_items", passes_when=expression, **more)])


def to(target: str, *, key: str, **more: Any) -> dict[str, Any]:
    return finding(key=key, routing=[{"name": "n", "when": "true", "activity": target, **more}])


def bound(tool: str, **params: Any) -> dict[str, Any]:
    """An activity in which `params` decide one tool's parameters."""
    return activity(
        use(tool, **params), inputs=[RECORD, text_input("word"), text_input("count", type="integer")]
    )


def narrowed(**more: Any) -> dict[str, Any]:
    return {"source": "agent", **more}


BROKEN: dict[str, tuple[Parts, str, str]] = {
    # name: activities, the problem's place, a part of its sentence
    "card too long": ([finding(summary={"en": LONG * 3})], "handle", "over 50. Shorten"),
    "never reached": (
        [finding(steps=[step("find_items", key="one", passes_when="false"), step("find_items", key="two")])],
        "handle / two",
        "never reached: “one” never passes",
    ),
    "stopped before": (
        [finding(steps=[step("find_items", key="one", stops_when="1 < 2"), step("find_items", key="two")])],
        "handle / two",
        "never reached",
    ),
    "tool of a later step": (
        [
            activity(
                use("find_items"),
                use("measure"),
                steps=[
                    step("find_items", key="one", passes_when="has(facts.find_items) && has(facts.measure)"),
                    step("measure", key="two"),
                ],
            )
        ],
        "handle / one",
        "needs “measure”",
    ),
    "fact of no tool": ([passing("has(facts.order)")], "handle / act", "a fact no tool gives"),
    "field of no fact": (
        [passing("facts.find_items.counts > 1")],
        "handle / act",
        "Did you mean “count”",
    ),
    "decimal as a number": (
        [passing("facts.find_items.items.all(i, i.price > 0)")],
        "handle / act",
        "write double(i.price)",
    ),
    "no yes or no": ([passing("facts.find_items.count")], "handle / act", "gives yes or no"),
    "stop that does not fit": (
        [passing("true", stops_when="facts.find_items.count == 'none'")],
        "handle / act",
        "they never fit",
    ),
    "condition in a loop": (
        [passing("[1].all(a, [1].all(b, [1].all(c, true)))")],
        "handle / act",
        "would take too long",
    ),
    "input of another type": (
        [bound("order", item=from_input("thing"), amount=from_input("word"))],
        "handle / store.order / amount",
        "another type",
    ),
    "input that may be missing": (
        [activity(use("reserve", item=from_input("thing")), inputs=[RECORD | {"required": False}])],
        "handle / store.reserve / item",
        "Make the input required",
    ),
    "list for one value": (
        [activity(use("find_items", words=from_input("w")), inputs=[text_input("w", is_list=True)])],
        "handle / store.find_items / words",
        "another type",
    ),
    "fixed value of another type": (
        [activity(use("order", amount=fixed("much")))],
        "handle / store.order / amount",
        "does not take this fixed value",
    ),
    "fixed value outside the choices": (
        [activity(use("order", priority=fixed("urgent")))],
        "handle / store.order / priority",
        "does not take this fixed value",
    ),
    "allowed value outside the choices": (
        [activity(use("order", priority=narrowed(choices=["low", "urgent"])))],
        "handle / store.order / priority",
        "“urgent”",
    ),
    "range of a text": (
        [activity(use("find_items", words=narrowed(minimum="1")))],
        "handle / store.find_items / words",
        "Only a number",
    ),
    "range of nothing": (
        [activity(use("measure", number=narrowed(minimum="5", maximum="3")))],
        "handle / store.measure / number",
        "nothing is allowed",
    ),
    "pattern of a number": (
        [activity(use("measure", number=narrowed(pattern="[0-9]")))],
        "handle / store.measure / number",
        "Only a text",
    ),
    "pattern that runs for minutes": (
        [activity(use("find_items", words=narrowed(pattern="(a+)+b")))],
        "handle / store.find_items / words",
        "may take too long",
    ),
    "pattern that is none": (
        [activity(use("find_items", words=narrowed(pattern="(")))],
        "handle / store.find_items / words",
        "cannot be read",
    ),
    "input's pattern": (
        [finding(inputs=[text_input("x", pattern="(a|aa)*$")])],
        "handle / x",
        "may take too long",
    ),
    "choice without choices": ([finding(inputs=[text_input("x", type="choice")])], "handle / x", "Add some"),
    "range without a number in it": (
        [finding(inputs=[text_input("x", type="integer", minimum="3", maximum="2")])],
        "handle / x",
        "nothing fits",
    ),
    "input never used": (
        [activity(use("find_items", words=fixed("lamp")), inputs=[text_input("x")])],
        "handle / x",
        "Nothing uses this input",
    ),
    "output of no tool": (
        [finding(outputs=[output(source="fact", fact="facts.order.item")])],
        "handle / n",
        "no tool gives “order”",
    ),
    "output of no field": (
        [finding(outputs=[output(source="fact", fact="facts.find_items.total")])],
        "handle / n",
        "no field “total”",
    ),
    "output of a tool no step uses": (
        [
            activity(
                use("find_items"),
                use("measure"),
                steps=[step("find_items")],
                outputs=[output(source="fact", fact="facts.measure.number")],
            )
        ],
        "handle / n",
        "no step uses the tool",
    ),
    "output from nowhere": (
        [finding(outputs=[output(source="fact", fact="output.x")])],
        "handle / n",
        "Choose a fact",
    ),
    "fixed output of nothing": ([finding(outputs=[output(source="fixed")])], "handle / n", "never filled"),
    "unknown field in the answer": (
        [finding(template={"en": "{{ output.total }}"})],
        "handle / template en",
        "no “output.total”",
    ),
    "unknown field in a branch": (
        [
            finding(
                template={"en": "{% if facts.find_items.count == 77 %}{{ facts.find_items.tot }}{% endif %}"}
            )
        ],
        "handle / template en",
        "no “facts.find_items.tot”",
    ),
    "unknown field of an item": (
        [finding(template={"fr": "{% for i in facts.find_items.items %}{{ i.colour }}{% endfor %}"})],
        "handle / template fr",
        "cannot be filled",
    ),
    "unknown filter": (
        [finding(template={"en": "{% if facts.find_items.count == 77 %}{{ 'a' | shout }}{% endif %}"})],
        "handle / template en",
        "no filter “shout”",
    ),
    "template that loops": (
        [finding(template={"en": "{% for i in (1..100000000) %}x{% endfor %}"})],
        "handle / template en",
        "cannot be filled",
    ),
    "fallback with an unknown field": (
        [finding(outputs=[prose(fallback={"en": "{{ facts.order.item }}"})])],
        "handle / intro",
        "no “facts.order”",
    ),
    "fallback over the answer": (
        [finding(outputs=[prose(fallback={"en": "{{ output.intro }}"})])],
        "handle / intro",
        "no “output”",
    ),
    "message with an unknown field": (
        [passing("true", stops_when="attempts > 2", stop_message={"en": "{{ inputs.x }}"})],
        "handle / act",
        "no “inputs.x”",
    ),
    "high without a preview": (
        [activity(use("reserve", raise_risk="high"))],
        "handle / store.reserve",
        "cannot show it",
    ),
    "circle of two": (
        [to("second", key="first"), to("first", key="second")],
        "first",
        "first → second → first",
    ),
    "circle of one": ([to("first", key="first")], "first", "first → first"),
    "hand-over of no value": (
        [
            to("second", key="first", inputs={"x": "facts.order.item"}),
            finding(key="second", inputs=[text_input("x")]),
        ],
        "first / n / x",
        "no tool gives “order”",
    ),
    "hand-over of no output": (
        [
            to("second", key="first", inputs={"x": "output.total"}),
            finding(key="second", inputs=[text_input("x")]),
        ],
        "first / n / x",
        "no output “total”",
    ),
    "hand-over to no input": (
        [to("second", key="first", inputs={"x": "facts.find_items.count"}), finding(key="second")],
        "first / n / x",
        "no such input",
    ),
    "hand-over on a wrong type": (
        [
            finding(
                key="first", routing=[{"name": "n", "when": "facts.find_items.count", "activity": "second"}]
            ),
            finding(key="second"),
        ],
        "first / n",
        "gives yes or no",
    ),
    "hand-over that cannot be read": (
        [
            finding(key="first", routing=[{"name": "n", "when": "((", "activity": "second"}]),
            finding(key="second"),
        ],
        "first / n",
        "cannot be read at character 3",
    ),
    "never handed over to": (
        [finding(key="first"), finding(key="second", entry=False)],
        "second",
        "never used",
    ),
    "cards alike": (
        [
            finding(summary={"en": "Shows all lamps and chairs we sell."}),
            finding(key="other", summary={"en": "Shows those lamps and chairs that we sell."}),
        ],
        "other",
        "nearly that of “handle”. Say when not to use one",
    ),
    "one alias for two": (
        [
            finding(aliases={"en": ["Lamps"]}),
            finding(key="other", aliases={"en": ["lamps"]}, summary={"en": "Writes an order for suppliers."}),
        ],
        "other",
        "Say when not to use one",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_has_exactly_that_problem(world: World, name: str) -> None:
    parts, place, reason = BROKEN[name]
    found = problems(world.draft(*parts))
    assert len(found) == 1, found
    assert found[0].place == place
    assert reason in found[0].message


SOUND: dict[str, Parts] = {
    "many steps": [
        activity(
            use("find_items"),
            use("reserve", item=narrowed(pattern="[A-Z]-[0-9]{3}")),
            steps=[
                step(
                    "find_items",
                    key="look",
                    stops_when="has(facts.find_items) && facts.find_items.count == 0",
                ),
                step("reserve", key="act", passes_when="has(facts.reserve) && facts.reserve.item != ''"),
                step(key="tell", tool_choice="none"),
            ],
            outputs=[
                prose(fallback={"en": "{{ facts.reserve.item }} for {{ inputs.word }}"}),
                output(source="fact", fact="facts.find_items.items[0].name"),
                output(name="m", source="input", input="word"),
            ],
            inputs=[text_input("word")],
            template={"en": "{{ output.n }} {{ output.intro | upcase }} {{ facts.find_items.items.size }}"},
        )
    ],
    "either fact": [
        activity(
            use("find_items"),
            use("measure"),
            steps=[
                step("find_items", key="one", passes_when="has(facts.measure) || has(facts.find_items)"),
                step("measure", key="two", passes_when="!has(facts.find_items) || facts.measure.number > 0"),
            ],
        )
    ],
    "integer for a decimal": [bound("order", item=from_input("thing"), amount=from_input("count"))],
    "hand-over": [
        to("second", key="first", inputs={"x": "facts.find_items.note"}),
        finding(key="second", entry=False, inputs=[text_input("x")]),
    ],
}


@pytest.mark.parametrize("name", SOUND)
def test_what_is_sound_has_no_problem(world: World, name: str) -> None:
    assert problems(world.draft(*SOUND[name])) == []


def test_the_demonstration_has_no_problem(world: World) -> None:
    draft = agent_import(load_blueprint(), workspace=world.workspace, actor=world.designer)
    access.grant("activities.use_agent", world.keepers, draft.agent)
    assert problems(draft) == []


def test_somebody_must_be_allowed_to_use_it(world: World) -> None:
    parts = agent(finding(), finding(key="second", entry=False), to("second", key="third"))
    draft = agent_import(parts, workspace=world.workspace, actor=world.designer)
    assert [each.place for each in problems(draft)] == ["handle", "third"]
    access.grant("activities.use_activity", world.owner, draft.activities.get(key="third").identity)
    assert [each.place for each in problems(draft)] == ["handle"]
    access.grant("activities.use_activity", world.stranger, draft.activities.get(key="handle").identity)
    assert [each.place for each in problems(draft)] == ["handle"], "who is no member may nothing"
    access.grant("activities.use_agent", world.keepers, draft.agent)
    assert problems(draft) == []


def test_a_record_the_agent_chooses_must_come_from_somewhere(world: World) -> None:
    kind = registry.reference("store.item")
    assert kind is not None
    alone = world.draft(activity(use("reserve")))
    assert problems(alone) == [], "words can name it"
    registry.remove_reference(kind.key)
    registry.add_reference(replace(kind, pattern=""))
    assert [each.place for each in problems(alone)] == ["handle / store.reserve / item"]
    both = [step("find_items", key="look"), step("reserve")]
    assert problems(world.draft(activity(use("find_items"), use("reserve"), steps=both))) == []
    late = world.draft(activity(use("find_items"), use("reserve"), steps=both[::-1]))
    assert [each.place for each in problems(late)] == ["handle / store.reserve / item"]
    assert problems(world.draft(activity(use("reserve"), inputs=[RECORD]))) == []


def test_a_source_the_contract_forbids_is_found_in_rows_too(world: World) -> None:
    draft = world.draft(activity(use("measure")))
    ParamBinding.objects.filter(name="number").update(source="input", input_path="x")
    assert "does not allow this source" in problems(draft)[0].message


def test_a_token_is_about_a_word() -> None:
    assert tokens("Finds items of the store, by words.") == 9
    assert tokens("") == 0
    assert tokens("Anticonstitutionnellement") == 4
    assert MAX_TOKENS == 50


def test_one_condition_and_one_text_can_be_asked_about_before_they_are_saved(world: World) -> None:
    part = world.draft(finding(outputs=[prose()])).activities.get()
    assert condition_problems(part, "has(facts.find_items)") == []
    assert "write double" in condition_problems(part, "facts.find_items.items[0].price > 1")[0]
    assert "character" in condition_problems(part, "has(")[0]
    assert template_problems(part, "{{ output.intro }}", "en") == []
    assert "output.x" in template_problems(part, "{{ output.x }}", "en")[0]
    assert template_problems(part, "{{ output.intro }}", "en", with_output=False) != []


def test_an_empty_revision_is_told_so(world: World) -> None:
    assert "Add one" in problems(world.draft())[0].message


def many(count: int) -> Revision:
    world = World.make()
    parts = []
    for number in range(count):
        part = SOUND["many steps"][0] | {
            "key": f"a{number}",
            "aliases": {"en": [f"alias number{number}"]},
            "summary": {"en": f"Subject{number} verb{number} object{number} place{number} end{number}."},
        }
        parts.append(part | {"template": {"en": f"{number} {part['template']['en']}"}})
    return world.draft(*parts)


def test_two_hundred_activities_need_no_more_questions_than_two(
    store: Any, db: None, django_assert_max_num_queries: Any
) -> None:
    draft = many(200)
    with django_assert_max_num_queries(20):
        found = checks.problems(draft)
    assert found == []
