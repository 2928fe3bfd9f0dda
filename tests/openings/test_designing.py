"""Designing an open step: the desk's page, import and export, differences, checks, the workspace's groups."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from accounts.models import AuditEvent, User
from activities.actions import revision_publish, tool_group_change, tool_group_create, tool_group_remove
from activities.checks import problems
from activities.checks.advice import advice
from activities.difference import difference
from activities.exporting import blueprint_of
from activities.models import McpServer, Revision, Step, StepOpening, ToolGroup
from activities.portable import read, write
from activities.tools import Control, ToolContract
from agentapp.kernel.errors import Conflict, InvalidInput, NotAllowed
from tests.desk.conftest import at, sign_in, step_data
from tests.desk.pages import form_of
from tests.openings.opened import open_activity, opening
from tests.support.blueprints import activity, step, use
from tests.support.catalogue import catalogue, key_of, names, reading
from tests.support.world import World

__all__ = ["sign_in"]
SignIn = Callable[..., Client]


def messages(revision: Revision) -> list[str]:
    return [f"{problem.place}: {problem.message}" for problem in problems(revision)]


def test_a_blueprint_with_openings_comes_back_byte_for_byte(world: World) -> None:
    with catalogue(*map(reading, names(3))):
        draft = world.draft(
            open_activity(opens=[opening(raise_risk="high"), opening("group:a-b", confirm=True)])
        )
        text = write(blueprint_of(draft))
        again = read(text)
    assert "opens:\n" in text
    assert write(again) == text
    assert again == blueprint_of(draft)


@pytest.mark.parametrize("to", ["reading", "tag:", "tool:x", "tag:a b", "server: x", ""])
def test_what_is_no_part_of_a_catalogue_is_not_read(world: World, to: str) -> None:
    with pytest.raises(ValueError, match="opens"):
        world.draft(open_activity(opens=[opening(to)]))


def test_the_same_opening_twice_is_not_read(world: World) -> None:
    with pytest.raises(ValueError, match="given twice"):
        world.draft(open_activity(opens=[opening(), opening()]))


def test_the_difference_names_the_opening(world: World) -> None:
    with catalogue(*map(reading, names(3))):
        one = world.draft(open_activity())
        two = world.draft(open_activity(opens=[opening(confirm=True), opening("server:crm")]))
    changes = {"/".join(change.path): (change.before, change.after) for change in difference(one, two)}
    base = "activities/handle/steps/act/opens"
    assert changes[f"{base}/tag:reading/confirm"] == (False, True)
    assert changes[f"{base}/server:crm"][1] == {"to": "server:crm", "confirm": False}


def test_a_condition_may_read_what_an_opened_tool_gives(world: World) -> None:
    with catalogue(*map(reading, names(3))):
        good = world.draft(open_activity(passes_when="facts.price_of_chairs.what == 'x'"))
        assert messages(good) == []
        bad = world.draft(open_activity(passes_when="facts.price_of_dragons.what == 'x'"))
        assert any("price_of_dragons" in message for message in messages(bad))
        typed = world.draft(open_activity(passes_when="facts.price_of_chairs.what > 3"))
        assert messages(typed)


def test_an_output_may_take_what_an_opened_tool_gives(world: World) -> None:
    output = {"name": "told", "label": {"en": "Told"}, "source": "fact", "fact": "facts.price_of_chairs.what"}
    with catalogue(*map(reading, names(3))):
        draft = world.draft(open_activity(outputs=[output], template={"en": "{{ output.told }}"}))
        assert messages(draft) == []


def test_a_tool_whose_parameter_no_agent_may_decide_is_reported_and_not_used(world: World) -> None:
    contract = _fed_by_inputs()
    with catalogue(contract):
        draft = world.draft(open_activity())
        assert any("no agent may decide it" in message for message in messages(draft))
        with catalogue(*map(reading, names(2))):
            assert messages(draft) == [], "the others can be used"


def _fed_by_inputs() -> ToolContract:
    contract = reading("price of everything")
    param = replace(contract.params[0], required=True, controlled_by=frozenset({Control.INPUT}))
    return replace(contract, params=(param,))


def test_the_step_that_writes_is_open_to_nothing(world: World) -> None:
    with catalogue(*map(reading, names(3))):
        steps = [step("find_items"), step(key="write", tool_choice="none", opens=[opening()])]
        draft = world.draft(activity(use("find_items"), steps=steps))
        assert any("uses no tool" in message for message in messages(draft))


def test_the_page_of_a_step_opens_it_and_says_what_it_opens(world: World, sign_in: SignIn) -> None:
    desk = sign_in(world.designer)
    with catalogue(*map(reading, names(3)), _fed_by_inputs()):
        part = world.draft(activity(use("find_items"))).activities.get()
        row = part.steps.get()
        url = at("desk_step", part.pk, row.pk)
        assert "reading (4 tools)" in desk.get(url).content.decode()
        rows = {
            "opens-TOTAL_FORMS": 1,
            "opens-0-to": "tag:reading",
            "opens-0-raise_risk": "medium",
            "opens-0-confirm": "on",
            "opens-0-ORDER": 1,
        }
        condition = "facts.price_of_chairs.what == 'x'"
        sent = step_data(part, row.pk, key="act", tools=[], passes_when=condition, **rows)
        assert desk.post(url, sent).status_code == 302
        saved = StepOpening.objects.get(step=row)
        page = desk.get(url).content.decode()
        again = form_of(page)
    assert (saved.name, saved.raised_risk, saved.always_confirm) == ("tag:reading", "medium", True)
    assert "3 tools may be used in this step" in page
    assert "Price of chairs" in page
    assert "no agent may decide it" in page
    assert again["opens-0-to"] == ["tag:reading"]
    event = AuditEvent.objects.filter(type="revision.changed").latest("id")
    assert any("opens/tag:reading" in change["place"] for change in event.data["changes"])


def test_an_opening_can_be_taken_away_and_what_is_wrong_is_kept(world: World, sign_in: SignIn) -> None:
    desk = sign_in(world.designer)
    with catalogue(*map(reading, names(3))):
        part = world.draft(open_activity()).activities.get()
        row = part.steps.get()
        url = at("desk_step", part.pk, row.pk)
        nothing = step_data(part, row.pk, key="act", tools=[], passes_when="true")
        refused = desk.post(url, nothing)
        assert refused.status_code == 422
        assert "open it below" in refused.content.decode()
        twice = {"opens-TOTAL_FORMS": 2}
        for place in (0, 1):
            twice |= {f"opens-{place}-to": "tag:reading", f"opens-{place}-ORDER": place + 1}  # type: ignore[dict-item]
        assert desk.post(url, nothing | twice).status_code == 422
        assert StepOpening.objects.filter(step=row).count() == 1


def test_a_workspaces_groups_are_its_designers(world: World) -> None:
    with catalogue(*map(reading, names(3))):
        group = tool_group_create(
            world.workspace,
            key="shelf",
            name={"en": "Shelf"},
            tools=[key_of(names(1)[0])],
            actor=world.designer,
        )
        tool_group_change(group, name={"en": "Board"}, tools=[key_of(names(3)[2])], actor=world.designer)
        assert list(group.entries.values_list("tool_key", flat=True)) == [key_of(names(3)[2])]
        for person in (world.owner, world.stranger, world.root):
            with pytest.raises(NotAllowed):
                tool_group_change(group, name={"en": "Mine"}, tools=[], actor=person)
        with pytest.raises(InvalidInput, match="no tool"):
            tool_group_change(group, name={"en": "Board"}, tools=["shop.dragons"], actor=world.designer)
        world.draft(open_activity(opens=[opening("group:shelf")]))
        with pytest.raises(Conflict, match="open to this group"):
            tool_group_remove(group, actor=world.designer)
    told = list(AuditEvent.objects.filter(stream=group.pk).order_by("seq").values_list("type", "data"))
    assert [kind for kind, _data in told] == ["tool_group.created", "tool_group.changed"]
    assert told[1][1]["removed"] == [key_of(names(1)[0])]


def test_the_page_of_groups_is_for_designers_of_the_workspace(
    world: World, sign_in: Callable[[User], Client]
) -> None:
    with catalogue(*map(reading, names(3))):
        desk, owner = sign_in(world.designer), sign_in(world.owner)
        url = at("activities_toolgroup_add")
        sent = {
            "workspace": str(world.workspace.pk),
            "key": "shelf",
            "name_en": "Shelf\u202e ",
            "name_fr": "Étagère",
            "tools": [key_of(name) for name in names(2)],
        }
        assert owner.post(url, sent).status_code == 403
        assert desk.post(url, sent).status_code == 302
        group = ToolGroup.objects.get()
        assert group.name == {"en": "Shelf", "fr": "Étagère"}
        assert group.entries.count() == 2
        page = desk.get(at("activities_toolgroup_change", group.pk))
        assert "Price of chairs" in page.content.decode()
        assert owner.get(at("activities_toolgroup_change", group.pk)).status_code in (302, 403)
        elsewhere = sent | {"workspace": str(world.elsewhere.pk), "key": "theirs"}
        assert desk.post(url, elsewhere).status_code == 200, "told at its field"
    assert ToolGroup.objects.count() == 1


def test_a_group_that_a_step_is_open_to_is_not_said_to_be_deleted(
    world: World, sign_in: Callable[[User], Client]
) -> None:
    with catalogue(*map(reading, names(2))):
        group = tool_group_create(
            world.workspace, key="shelf", name={"en": "Shelf"}, tools=[], actor=world.designer
        )
        world.draft(open_activity(opens=[opening("group:shelf")]))
        desk = sign_in(world.designer)
        page = desk.post(at("activities_toolgroup_delete", group.pk), {"post": "yes"}, follow=True)
    said = page.content.decode()
    assert "A step is open to this group." in said
    assert "deleted successfully" not in said
    assert ToolGroup.objects.filter(pk=group.pk).exists()
    assert not LogEntry.objects.exists()


def _open_to_everything(world: World) -> Revision:
    """One step open to a tag, a group and a server; it passes whatever gave a fact."""
    tool_group_create(world.workspace, key="shelf", name={"en": "Shelf"}, tools=[], actor=world.designer)
    McpServer.objects.create(
        workspace=world.workspace, key="crm", name="Customers", url="https://crm.example"
    )
    opens = [opening(), opening("group:shelf"), opening("server:crm")]
    return world.draft(open_activity(opens=opens, passes_when="true"))


def test_a_step_that_passes_whatever_ran_is_advised_against_and_still_published(
    world: World, sign_in: SignIn
) -> None:
    with catalogue(*map(reading, names(3))):
        draft = world.draft(open_activity(passes_when="true"))
        asks = world.draft(open_activity(passes_when="has(facts.price_of_chairs)"))
        assert [each.place for each in advice(draft)] == ["handle / act"]
        assert advice(asks) == []
        desk = sign_in(world.designer)
        page = desk.get(at("desk_revision", draft.pk)).content.decode()
        assert "Worth a second look" in page
        assert "Ready to publish" in page
        step_page = desk.get(
            at("desk_step", draft.activities.get().pk, Step.objects.get(activity__revision=draft).pk)
        )
        assert "passes whichever tool gave a fact" in step_page.content.decode()
        assert "Worth a second look" not in desk.get(at("desk_revision", asks.pk)).content.decode()
        assert revision_publish(draft, actor=world.designer).state == "published"


def test_openings_are_said_in_words_where_steps_are_listed(world: World, sign_in: SignIn) -> None:
    desk = sign_in(world.designer)
    with catalogue(*map(reading, names(3))):
        part = _open_to_everything(world).activities.get()
        page = desk.get(at("desk_steps", part.pk)).content.decode()
    assert (
        "any tool tagged “reading”, any tool of the group “Shelf”, any tool of the MCP server “Customers”"
        in page
    )
    assert "tag:reading" not in page


def test_the_table_of_activities_counts_the_parts_that_steps_are_open_to(
    world: World, sign_in: SignIn
) -> None:
    desk = sign_in(world.designer)
    with catalogue(*map(reading, names(3))):
        only = desk.get(at("desk_revision", _open_to_everything(world).pk)).content.decode()
        both = desk.get(
            at("desk_revision", world.draft(open_activity(use("find_items"))).pk)
        ).content.decode()
    assert "<td>3 parts of the catalogue</td>" in only
    assert "<td>1 + 1 part of the catalogue</td>" in both
