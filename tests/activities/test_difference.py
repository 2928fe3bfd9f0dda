"""The difference between two revisions, as a person reads it."""

from typing import Any

import pytest
from django.utils import translation

from activities.actions import revision_change, revision_draft_from
from activities.difference import Change, difference
from activities.models import Revision
from tests.support.blueprints import activity, step, text_input, use
from tests.support.world import World

GOOD = activity(
    use("find_items"),
    inputs=[text_input("word", cues={"en": ["for"]})],
    steps=[step("find_items", key="one"), step("find_items", key="two")],
    template={"en": "First line.\nSecond line.\nThird line."},
)


@pytest.fixture
def pair(world: World) -> tuple[Revision, Revision]:
    before = world.draft(GOOD)
    return before, revision_draft_from(before, actor=world.designer)


def changes(pair: tuple[Revision, Revision], world: World, change: Any) -> list[Change]:
    before, after = pair
    with revision_change(after, actor=world.designer, expected_version=after.version) as draft:
        change(draft.activities.get(key="handle"))
    return difference(before, after)


def test_two_that_say_the_same_do_not_differ(pair: tuple[Revision, Revision]) -> None:
    assert difference(*pair) == []


def test_a_changed_field_has_its_place_before_and_after(
    world: World, pair: tuple[Revision, Revision]
) -> None:
    found = changes(pair, world, lambda part: part.steps.filter(key="two").update(goal="Other."))
    assert [(each.path, each.before, each.after) for each in found] == [
        (("activities", "handle", "steps", "two", "goal"), "Do two.", "Other.")
    ]
    assert (found[0].place, found[0].kind) == ("activity “Handle” / step “Two” / goal", "changed")


def test_the_place_is_in_the_readers_language(world: World, pair: tuple[Revision, Revision]) -> None:
    changes(pair, world, lambda part: part.steps.filter(key="two").update(goal="Other."))
    with translation.override("fr"):
        assert difference(*pair)[0].place == "activité “Handle” / étape “Two” / but"


def test_what_was_added_and_removed_is_told_as_one(world: World, pair: tuple[Revision, Revision]) -> None:
    def change(part: Any) -> None:
        part.inputs.all().delete()
        part.phrases.create(kind="alias", language="fr", text="lampes")

    found = {each.path[2]: each for each in changes(pair, world, change)}
    assert (found["inputs"].kind, found["inputs"].before["name"]) == ("removed", "word")
    assert "minimum" not in found["inputs"].before, "what says nothing is left out"
    assert (found["aliases"].path[-1], found["aliases"].after) == ("fr", ["lampes"])


def test_another_order_is_one_change(world: World, pair: tuple[Revision, Revision]) -> None:
    def change(part: Any) -> None:
        part.steps.filter(key="one").update(position=5)

    found = changes(pair, world, change)
    assert [(each.before, each.after) for each in found] == [(["one", "two"], ["two", "one"])]


def test_a_long_text_is_compared_line_by_line(world: World, pair: tuple[Revision, Revision]) -> None:
    def change(part: Any) -> None:
        part.template = {"en": "First line.\nAnother line.\nThird line."}
        part.save()

    found = changes(pair, world, change)
    assert found[0].lines == [
        (" ", "First line."),
        ("-", "Second line."),
        ("+", "Another line."),
        (" ", "Third line."),
    ]


def test_who_decides_a_parameter_is_told(world: World, pair: tuple[Revision, Revision]) -> None:
    def change(part: Any) -> None:
        part.tool_bindings.get().params.filter(name="words").update(
            source="fixed", fixed_value={"b": 1, "a": 2}
        )

    found = {each.path[-1]: each for each in changes(pair, world, change)}
    assert (found["source"].before, found["source"].after) == ("agent", "fixed")
    assert found["fixed"].after == {"a": 2, "b": 1}
    assert "store.find_items" in found["source"].place


def test_an_activity_is_added_whole(world: World) -> None:
    before = world.draft(GOOD)
    after = world.draft(GOOD, activity(use("find_items"), key="second"))
    found = difference(before, after)
    assert [(each.kind, each.path) for each in found] == [("added", ("activities", "second"))]
    assert [each.kind for each in difference(after, before)] == ["removed"]


def test_a_text_of_thousands_of_lines_is_compared_quickly() -> None:
    one = "\n".join(f"line {number}" for number in range(3_000))
    other = "\n".join(f"Line {number % 7}" for number in range(3_000))
    assert len(Change((), "", one, other).lines) == 6_000
