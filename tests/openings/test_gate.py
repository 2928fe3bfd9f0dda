"""An opening is no key: what was not shown, is forbidden, is another workspace's or changed does not run."""

from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction

from accounts import access
from activities.models import DiscoveryCandidate, DiscoveryLog, StepOpening, ToolGroup, ToolGroupEntry
from activities.rights import offered_activities
from activities.tools import Control, Preview, Risk
from activities.tools import registry as tools
from agentapp.kernel.errors import InvalidInput
from runs.engine import act_calls
from runs.llm.base import Purpose
from runs.llm.scripted import call
from runs.models import ToolCall
from runs.states import CallState
from runs.view import RunView
from tests.openings.opened import ask_for, open_activity, opening, shown, wire
from tests.support.blueprints import activity, step, use
from tests.support.catalogue import SOME, catalogue, key_of, names, reading, replaced
from tests.support.stage import stage
from tests.support.world import World, act, calls_of, pending, refusals_of, text_of

CHAIRS = "Tell me the price of chairs"
LAST_WAY_OUT = call("escalate", {"reason": "no way"})


def test_a_tool_outside_the_opening_is_refused(world: World) -> None:
    outside = reading("price of secrets", tags=("hidden",))
    with catalogue(*map(reading, names(3)), outside):
        world.publish(open_activity())
        run = world.run(ask_for("price of secrets"), ask_for("price of chairs"), text=CHAIRS)
    assert refusals_of(run) == ["not_in_step", ""]
    assert stage.calls == ["price of chairs"]


def test_a_tool_that_is_open_and_was_not_shown_is_refused_alike(world: World) -> None:
    """A model cannot mean what it was not offered: a text that names it exactly leads nowhere."""
    with catalogue(*map(reading, SOME)):
        world.publish(open_activity())
        unseen = "insurance of lamps"
        run = world.run(ask_for(unseen), ask_for("price of chairs"), text=CHAIRS)
    assert wire(unseen) not in shown(world.requests()[0])
    assert refusals_of(run) == ["not_in_step", ""]
    assert stage.calls == ["price of chairs"]


def test_what_is_forbidden_is_in_no_request_no_count_and_refused_alike(world: World) -> None:
    forbidden = reading("price of safes", permission="store.admin")
    with catalogue(*map(reading, names(3)), forbidden):
        world.publish(open_activity())
        run = world.run(ask_for("price of safes"), ask_for("price of chairs"), text="The price of safes")
    assert refusals_of(run) == ["not_in_step", ""]
    assert not any("safes" in each.name for request in world.requests() for each in request.functions)
    assert DiscoveryLog.objects.get(run_id=run.pk).permitted == 3
    assert not DiscoveryCandidate.objects.filter(key=forbidden.key).exists()
    assert stage.calls == ["price of chairs"]


def test_a_tool_no_agent_may_feed_is_neither_shown_nor_run(world: World) -> None:
    """A required parameter that only an input or a fixed value may decide: the tool has to be named."""
    contract = reading("price of everything")
    param = replace(contract.params[0], required=True, controlled_by=frozenset({Control.INPUT}))
    with catalogue(*map(reading, names(2)), replace(contract, params=(param,))):
        world.publish(open_activity())
        run = world.run(ask_for("price of everything"), ask_for("price of chairs"), text=CHAIRS)
    assert wire("price of everything") not in shown(world.requests()[0])
    assert refusals_of(run) == ["not_in_step", ""]
    assert stage.calls == ["price of chairs"]


def test_three_people_and_only_who_may_is_served(world: World) -> None:
    """The member has no right to the activity, the stranger is of another workspace."""
    with catalogue(*map(reading, names(3))):
        world.publish(open_activity())
        offered = {
            person.email: len(offered_activities(person, world.workspace))
            for person in (world.owner, world.member, world.stranger, world.root)
        }
    assert offered == {
        world.owner.email: 1,
        world.member.email: 0,
        world.stranger.email: 0,
        world.root.email: 0,
    }


def test_an_activity_that_opens_nothing_for_somebody_is_not_offered(world: World) -> None:
    with catalogue(reading("price of safes", permission="store.admin")):
        world.publish(open_activity())
        assert offered_activities(world.owner, world.workspace) == []


def test_a_tool_of_another_workspace_is_neither_found_nor_run(world: World) -> None:
    theirs = reading("price of thrones", workspace_id=world.elsewhere.pk)
    with catalogue(*map(reading, names(3)), theirs):
        world.publish(open_activity())
        run = world.run(ask_for("price of thrones"), ask_for("price of chairs"), text="Price of thrones")
    assert refusals_of(run) == ["not_in_step", ""]
    assert "thrones" not in "".join(each.name for request in world.requests() for each in request.functions)


def test_a_refusal_does_not_tell_what_exists(world: World) -> None:
    """Forbidden, another workspace's, outside the opening, not shown, invented: all leave the same behind."""
    others = [
        reading("price of safes", permission="store.admin"),
        reading("price of thrones", workspace_id=world.elsewhere.pk),
        reading("price of secrets", tags=("hidden",)),
        *map(reading, SOME),
    ]
    asked = (
        "price of safes",
        "price of thrones",
        "price of secrets",
        "insurance of lamps",
        "price of nothing",
    )
    left = []
    with catalogue(*others):
        world.publish(open_activity())
        for name in asked:
            said = [wire(name), wire(name).replace("_", ".", 1)]
            lines = [call(each, {"note": None}, purpose=Purpose.STEP) for each in said]
            run = world.run(*lines, ask_for("price of chairs"), text=CHAIRS)
            told = [(each.tool_key, each.error_code, each.error_message) for each in calls_of(run)[:2]]
            left.append(str(told).replace(name.replace(" ", "_"), "NAME"))
    assert len(set(left)) == 1, left
    assert "not_in_step" in left[0]


def test_a_named_tool_of_another_workspace_is_refused(world: World) -> None:
    find = tools.get("store.find_items")
    assert find is not None
    world.publish(activity(use("find_items")))
    replaced(replace(find, workspace_id=world.elsewhere.pk))
    run = world.run(act("find_items", {"words": None}), LAST_WAY_OUT)
    assert refusals_of(run) == ["not_in_step"]


def test_a_right_lost_between_showing_and_calling_is_asked_again(world: World) -> None:
    with catalogue(*map(reading, names(3))):
        world.publish(open_activity())
        lose = lambda _request: world.keepers.permissions.clear()  # noqa: E731
        run = world.run(ask_for("price of chairs").but(check=lose), LAST_WAY_OUT, text=CHAIRS)
    assert refusals_of(run) == ["permission"]
    assert shown(world.requests()[1]) == set()


def test_a_contract_changed_after_it_was_shown_stops_the_run_by_name(world: World) -> None:
    changed = reading("price of chairs", risk=Risk.MEDIUM)
    with catalogue(*map(reading, names(3))):
        world.publish(open_activity())
        change = lambda _request: replaced(changed)  # noqa: E731
        run = world.run(ask_for("price of chairs").but(check=change), text=CHAIRS)
    assert (run.outcome, run.error_code) == ("failed", "contract_changed")
    assert stage.calls == []


def test_a_contract_changed_before_the_next_round_is_not_offered_any_more(world: World) -> None:
    changed = reading("price of chairs", risk=Risk.MEDIUM)
    with catalogue(*map(reading, names(3))):
        world.publish(open_activity())
        change = lambda _request: replaced(changed)  # noqa: E731
        world.run(ask_for("colour of chairs").but(check=change, calls=(("nothing", "{}"),)), LAST_WAY_OUT)
    assert wire("price of chairs") not in shown(world.requests()[1])
    assert wire("colour of chairs") in shown(world.requests()[1])


def test_a_confirmed_call_runs_only_with_the_contract_that_was_shown(world: World) -> None:
    before, after = (reading("price of chairs", risk=risk) for risk in (Risk.MEDIUM, Risk.LOW))
    with catalogue(before, *map(reading, names(3)[1:])):
        world.publish(open_activity(opens=[opening(confirm=True)]))
        run = world.run(ask_for("price of chairs"), text=CHAIRS)
        assert len(pending(run)) == 1
        replaced(after)
        world.confirm(run)
        run = world.play(run)
    assert (run.outcome, run.error_code) == ("failed", "contract_changed")
    assert stage.calls == []


@pytest.mark.parametrize("how", ["untagged", "gone"])
def test_what_left_the_catalogue_once_shown_is_no_failure_of_the_model(world: World, how: str) -> None:
    def leave(_request: object) -> None:
        tools.remove(key_of("price of chairs"))
        if how == "untagged":
            tools.add(reading("price of chairs", tags=()))

    with catalogue(*map(reading, names(3))):
        world.publish(open_activity())
        run = world.run(ask_for("price of chairs").but(check=leave), ask_for("colour of chairs"), text=CHAIRS)
    assert refusals_of(run) == ["withdrawn", ""]
    assert not run.failures.exists()
    assert stage.calls == ["colour of chairs"]


def test_a_group_leads_to_what_is_in_it_now(world: World) -> None:
    group = ToolGroup.objects.create(workspace=world.workspace, key="shelf", name={"en": "Shelf"})
    entries = [ToolGroupEntry.objects.create(group=group, tool_key=key_of(name)) for name in names(2)]
    other = ToolGroup.objects.create(workspace=world.elsewhere, key="shelf", name={"en": "Theirs"})
    ToolGroupEntry.objects.create(group=other, tool_key=key_of(names(3)[2]))
    with catalogue(*[reading(name, tags=()) for name in names(3)]):
        world.publish(open_activity(opens=[opening("group:shelf")]))
        leave = lambda _request: entries[0].delete()  # noqa: E731
        run = world.run(ask_for(names(2)[0]).but(check=leave), ask_for(names(2)[1]), text=CHAIRS)
    assert shown(world.requests()[0]) == set(map(wire, names(2)))
    assert refusals_of(run) == ["withdrawn", ""]


def test_a_hand_made_admitted_call_is_refused_at_execution(world: World) -> None:
    with catalogue(*map(reading, SOME)):
        world.publish(open_activity())
        run = world.run(ask_for("price of chairs"), text=CHAIRS)
        view = RunView.load(run.pk)
        unseen = next(
            each for each in tools if each.key.startswith("shop.") and each.key not in _shown(run.pk)
        )
        forged = ToolCall(
            run=run,
            step=view.steps[0],
            position=99,
            tool_key=unseen.key,
            state=CallState.ADMITTED,
            contract_hash=unseen.hash,
        )
        with pytest.raises(act_calls.Refused, match="not part of this step"):
            act_calls.recheck(view, view.steps[0], forged)


def _shown(run_id: object) -> set[str]:
    rows = DiscoveryCandidate.objects.filter(log__run_id=run_id, shown=True)
    return set(rows.values_list("key", flat=True))


def test_a_tool_shown_in_another_step_is_not_this_steps(world: World) -> None:
    with catalogue(*map(reading, SOME)):
        steps = [step("find_items", key="one", opens=[opening()], passes_when="has(facts.find_items)")]
        steps.append(step("find_items", key="two"))
        world.publish(activity(use("find_items"), steps=steps))
        one, two = (call("store_find_items", {"words": words}) for words in ("lamp", "chair"))
        run = world.run(one, ask_for("price of chairs"), two, text=CHAIRS)
    assert run.steps.count() == 2
    assert refusals_of(run)[:2] == ["", "not_in_step"]
    assert "price of chairs" not in stage.calls


def test_the_model_gives_what_the_contract_lets_an_agent_decide_and_nothing_else(world: World) -> None:
    order = tools.get("store.order")
    assert order is not None
    replaced(replace(order, tags=("reading",)))
    with catalogue(*map(reading, names(2))):
        world.publish(open_activity())
        run = world.run(
            call("store_order", {"item": "Z-900", "amount": "5", "priority": "low", "note": None}),
            call("store_order", {"item": "A-100", "amount": "5", "discount": "1"}),
            call("store_order", {"item": "A-100", "amount": "70", "priority": "low", "note": None}),
        )
    assert refusals_of(run) == ["ungrounded", "not_agent_controlled", ""]
    assert run.state == "awaiting_confirmation", "a high risk is confirmed, however it was found"
    assert pending(run)[0].preview["amount"] == "50"
    assert stage.sent == []


def test_an_opening_raises_the_risk_and_never_lowers_it(world: World) -> None:
    opened = reading("price of chairs", preview=lambda ctx, params: Preview("Tells the price."))
    with catalogue(opened):
        world.publish(open_activity(opens=[opening(raise_risk="high")]))
        run = world.run(ask_for("price of chairs"), text=CHAIRS)
        assert calls_of(run)[0].risk == "high"
        assert stage.calls == []
        world.confirm(run)
        run = world.play(run)
    assert run.outcome == "succeeded"


def test_what_is_protected_is_a_token_of_an_opened_tool_whatever_the_person_allows(world: World) -> None:
    find = tools.get("store.find_items")
    assert find is not None
    replaced(replace(find, tags=("reading",)))
    world.publish(open_activity(passes_when="facts.find_items.count > 99"))
    access.grant("activities.use_agent", world.member, world.revision.agent)  # type: ignore[union-attr]
    run = world.start("Find the lamps")
    type(run).objects.filter(pk=run.pk).update(raw_consent=True)
    world.play(run, act("find_items", {"words": "lamp"}), LAST_WAY_OUT)
    sent = "\n".join(map(text_of, world.requests()))
    assert "lamps@supplier" not in sent
    assert "[[email-1]]" in sent


def test_a_published_opening_cannot_be_changed(world: World) -> None:
    with catalogue(reading("price of chairs")):
        revision = world.publish(open_activity())
    row = StepOpening.objects.get(step__activity__revision=revision)
    for change in (
        lambda: StepOpening.objects.filter(pk=row.pk).update(value="everything"),
        lambda: row.delete(),
        lambda: StepOpening.objects.create(step=row.step, kind="tag", value="everything"),
    ):
        with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
            change()


def test_an_opening_that_leads_nowhere_is_not_published(world: World) -> None:
    with pytest.raises(InvalidInput, match="No tool of this workspace is in “tag:nothing”"):
        world.publish(open_activity(opens=[opening("tag:nothing")]))
