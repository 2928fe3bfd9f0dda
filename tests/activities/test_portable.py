"""A revision as a file and back: the same bytes, bounded reading, problems with line and place."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from activities.actions import agent_import, revision_change
from activities.models import Agent, Revision
from activities.portable import UnreadableFile, read, revision_export, revision_import, write
from agentapp.kernel.errors import NotAllowed
from examples.billing.demo import BLUEPRINT, load_blueprint
from tests.support.blueprints import activity, agent, fixed, from_input, prose, step, text_input, use
from tests.support.ends import comes_to_an_end
from tests.support.world import World

GOOD = activity(use("find_items"))
RICH = activity(
    use("order", item=from_input("thing"), amount=fixed("12.50"), note=fixed(None)),
    use("find_items", words={"source": "agent", "choices": ["lamp", "chair"], "pattern": "[a-z]+"}),
    inputs=[
        text_input("thing", type="reference", reference="store.item", cues={"en": ["on", "no", "item"]}),
        text_input("count", type="integer", minimum="0.010", maximum="10", required=False),
        text_input(
            "kind",
            type="choice",
            choices=[{"value": "yes", "label": {"en": "Yes", "fr": "Oui"}, "words": {"fr": ["ouais"]}}],
        ),
    ],
    outputs=[prose(), {"name": "n", "label": {}, "source": "fixed", "fixed": {"b": [1, 2.5, None], "a": {}}}],
    steps=[
        step("find_items", key="look", passes_when='has(facts.find_items) && "a: b # c" != ""'),
        step("order", max_attempts=5, stops_when="attempts > 2", stop_message={"en": "Too often.\n"}),
    ],
    routing=[{"name": "again", "when": "false", "activity": "handle", "inputs": {"thing": "inputs.thing"}}],
    guardrails={"max_tool_calls": 7},
    template={"en": "# Title\n\n| a |\n|---|\n", "fr": "12\u00a0€ et « quoi\u202f» ?\nligne"},
    instructions=" ".join(["word"] * 60),
    when_not_to_use="no",
)


@pytest.fixture(autouse=True)
def _quick() -> Iterator[None]:
    with comes_to_an_end():
        yield


def test_what_was_exported_is_exported_again_to_the_byte(world: World) -> None:
    first = agent_import(agent(RICH, GOOD | {"key": "b"}), workspace=world.workspace, actor=world.designer)
    text = revision_export(first)
    second = revision_import(text, workspace=world.workspace, actor=world.designer)
    assert revision_export(second) == text == revision_export(Revision.objects.get(pk=first.pk))
    assert revision_import(text.encode(), workspace=world.workspace, actor=world.designer).state == "draft"


def test_the_demonstration_agent_survives_the_way(world: World) -> None:
    first = agent_import(load_blueprint(), workspace=world.workspace, actor=world.designer)
    text = revision_export(first)
    assert revision_export(revision_import(text, workspace=world.workspace, actor=world.designer)) == text
    assert read(BLUEPRINT.read_bytes()) == load_blueprint()


def test_a_file_reads_as_what_a_person_writes(world: World) -> None:
    draft = agent_import(agent(RICH), workspace=world.workspace, actor=world.designer)
    lines = revision_export(draft).splitlines()
    assert lines[:3] == ["format: 1", "key: store", "name:"]
    assert '          - "no"' in lines or '            - "no"' in lines
    assert "        goal: Do look." in lines
    assert max(map(len, lines)) <= 116


def test_any_text_survives(world: World) -> None:
    generator = random.Random(7)
    letters = "ab :#-|>'\"\\&*!%@`{}[],?~\n\t é€😀\u00a0\u202f\u2028=0.1e+"
    for _round in range(1_500):
        text = "".join(generator.choice(letters) for _letter in range(generator.randrange(1, 60)))
        if generator.random() < 0.2:
            text = " ".join([text.replace("\n", "")] * 8)
        part = {**GOOD, "instructions": text, "template": {"en": text}, "aliases": {"en": [text[:300]]}}
        blueprint = agent(part)
        assert read(write(blueprint)) == blueprint


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "No",
        "null",
        "~",
        "1",
        "-1.5",
        "1e5",
        "0x1F",
        "1_000",
        "2025-01-01",
        "true",
        "<<",
        "=",
        "on",
        "12:30",
        "- a",
        "a:",
        "#",
        " a",
        "a ",
        "",
        ".5",
        "1.",
        "1.5e+10",
    ],
)
def test_a_text_that_looks_like_something_else_stays_a_text(text: str) -> None:
    blueprint = agent({**GOOD, "instructions": text, "summary": {"en": text}})
    assert read(write(blueprint)) == blueprint


@pytest.mark.parametrize(
    "value",
    [1, -3, 0, 1.5, 1e20, -2.5e-7, True, None, "x", [], {}, [[1, "2"], {"a": [None]}], {"a b": {"yes": 1}}],
)
def test_any_fixed_value_survives(value: Any) -> None:
    output = {"name": "n", "label": {}, "source": "fixed", "fixed": value}
    blueprint = agent({**GOOD, "outputs": [output]})
    assert read(write(blueprint)) == blueprint


BASE = write(agent(GOOD))


def with_line(find: str, put: str) -> str:
    assert find in BASE
    return BASE.replace(find, put, 1)


EDITED = {
    "unknown key": (with_line("goal: Do act.", "gaol: Do act."), "Did you mean “goal”", "steps.act.gaol"),
    "missing": (with_line("        goal: Do act.\n", ""), "missing", "activities.handle.steps.act.goal"),
    "number for text": (with_line("goal: Do act.", "goal: 5"), "text is expected", "steps.act.goal"),
    "wrong word": (with_line("source: agent", "source: model"), "One of these", "params.words.source"),
    "bad key": (with_line("key: handle", "key: Handle It"), "small letters", "Handle It.key"),
    "too long": (with_line("- handle", f"- {'x' * 400}"), "300 characters", "aliases.en"),
    "list for text": (with_line("goal: Do act.", "goal: [a]"), "text is expected", "steps.act.goal"),
    "text for list": (with_line("steps:", "steps: none\n    other:"), "list is expected", "handle.steps"),
    "twice": (with_line("goal: Do act.", "goal: a\n        goal: b"), "given twice", "activities"),
    "language": (with_line("en: Handle", "xx: Handle"), "One of these", "name.xx"),
    "format": (with_line("format: 1", "format: 2"), "One of these", "format"),
    "control character": (with_line("goal: Do act.", 'goal: "a\\0b"'), "U+0000", "activities"),
    "half a character": (with_line("goal: Do act.", 'goal: "a\\ud800b"'), "", ""),
    "turned around": (with_line("goal: Do act.", "goal: a\u202eb"), "U+202E", "activities"),
    "infinite": (
        with_line("source: agent", "source: agent\n            minimum: .inf"),
        "valid decimal",
        "words.minimum",
    ),
}


@pytest.mark.parametrize("name", EDITED)
def test_a_file_edited_by_hand_is_told_line_and_place(name: str) -> None:
    text, why, place = EDITED[name]
    changed = next(
        i for i, (a, b) in enumerate(zip(text.split("\n"), BASE.split("\n"), strict=False)) if a != b
    )
    with pytest.raises(UnreadableFile) as caught:
        read(text)
    told = [each for each in caught.value.found if why in str(each) and place in str(each)]
    assert told, caught.value.data
    assert abs(told[0].line - (changed + 1)) <= 3


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "expected"),
        ("just words", "expected"),
        ("[1, 2]", "expected"),
        ("a: [", "cannot be read"),
        ("a: b: c", "cannot be read"),
        ("\t- a", "cannot be read"),
        ("a: &x 1\nb: *x", "Anchors"),
        ("a: &x [1]", "Anchors"),
        ("&a a: 1", "Anchors"),
        ("a: !!python/object/apply:os.system ['true']", "Tags"),
        ("a: !!binary aGVsbG8=", "Tags"),
        ("--- \na: 1\n---\nb: 2", "second one"),
        ("? [a, b]\n: 1", "one word"),
        ("a: " + "[" * 5_000, "nest"),
        ("a: " + "{b: " * 5_000, "nest"),
        ("- " * 3_000 + "a", "nested too deeply"),
        ("a: [" + "1," * 250_000 + "]", "too many values"),
        ("x" * 4_000_001, "larger than"),
    ],
    ids=range(18),
)
def test_a_hostile_file_is_refused_quickly(text: str, why: str) -> None:
    with pytest.raises(UnreadableFile, match=why):
        read(text)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(UnreadableFile, match="Line 2: This is not UTF-8"):
        read(b"format: 1\nkey: \xff\xfe")


def test_all_problems_are_told_at_once() -> None:
    text = with_line("goal: Do act.", "gaol: Do act.").replace("source: agent", "source: model")
    with pytest.raises(UnreadableFile) as caught:
        read(text)
    assert len(caught.value.data["problems"]) == 3


def test_nothing_is_written_by_a_file_that_is_refused(world: World) -> None:
    with pytest.raises(UnreadableFile):
        revision_import(EDITED["missing"][0], workspace=world.workspace, actor=world.designer)
    with pytest.raises(NotAllowed):
        revision_import(BASE, workspace=world.workspace, actor=world.owner)
    assert not Agent.objects.exists()


def test_the_commands_write_and_read_a_file(world: World, tmp_path: Path, capsys: Any) -> None:
    draft = world.draft(RICH)
    file = tmp_path / "store.yaml"
    call_command("export_agent", "store", output=file)
    assert file.read_bytes().decode() == revision_export(draft)
    call_command("import_agent", str(file), workspace="here", user=world.designer.email.upper())
    second = Revision.objects.get(number=2)
    assert (second.state, second.created_by, second.note) == ("draft", world.designer, "store.yaml")
    call_command("import_agent", str(file), workspace="elsewhere")
    assert Agent.objects.filter(workspace=world.elsewhere).count() == 1
    capsys.readouterr()
    call_command("export_agent", "store", workspace="here", revision=2)
    assert capsys.readouterr().out == file.read_text()


def test_the_commands_say_what_is_wrong(world: World, tmp_path: Path) -> None:
    world.draft(GOOD)
    file = tmp_path / "broken.yaml"
    file.write_text(EDITED["unknown key"][0])
    for arguments, why in (
        (("export_agent", "nothing"), "no agent"),
        (("export_agent", "store", "--workspace", "nowhere"), "no workspace"),
        (("export_agent", "store", "--revision", "9"), "no such revision"),
        (("import_agent", str(file)), "--workspace"),
        (("import_agent", str(file), "--workspace", "here"), "Did you mean"),
        (("import_agent", str(file), "--workspace", "here", "--user", "x@example.org"), "no user"),
        (("import_agent", str(tmp_path / "none.yaml"), "--workspace", "here"), "cannot be read"),
    ):
        with pytest.raises(CommandError, match=why):
            call_command(*arguments)
    assert Revision.objects.count() == 1


def test_the_published_revision_is_the_one_exported(world: World, capsys: Any) -> None:
    world.publish(GOOD)
    newer = world.draft(GOOD)
    with revision_change(newer, actor=world.designer, expected_version=1) as draft:
        draft.activities.update(instructions="Not published.")
    call_command("export_agent", "store")
    assert "Not published" not in capsys.readouterr().out
    call_command("export_agent", "store", revision=2)
    assert "Not published" in capsys.readouterr().out
