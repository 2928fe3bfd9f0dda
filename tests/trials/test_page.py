"""The designer's page of a trial: what was made up is marked, and what follows can be opened."""

from django.test import Client
from django.urls import reverse

from accounts import access
from accounts.models import Role
from runs.llm import use_model
from runs.llm.scripted import ScriptedModel
from runs.trials.driving import trial_drain
from tests.support.blueprints import activity, fixed, use
from tests.support.world import World, act
from tests.trials.trying import chosen, try_out

LOOK = act("find_items", {"words": None})
ORDER = act("order", {"amount": "20", "priority": "low", "note": None})


def page(client: Client, run_id: object) -> str:
    response = client.get(reverse("admin:desk_trial_result", args=[run_id]))
    assert response.status_code == 200
    return response.content.decode()


def test_what_follows_and_what_was_made_up(world: World, client: Client) -> None:
    buy = activity(use("order", item=fixed("A-100")), key="buy", entry=False)
    look = activity(
        use("find_items"), key="look", routing=[{"name": "next", "when": "true", "activity": "buy"}]
    )
    revision = world.draft(look, buy)
    access.grant("activities.use_agent", world.keepers, revision.agent)
    run = try_out(world, revision, chosen("look"), LOOK)
    with use_model(ScriptedModel([ORDER])):
        trial_drain(run)
    world.designer.is_staff = True
    world.designer.save()
    client.force_login(world.designer)
    following = run.children.get()
    assert reverse("admin:desk_trial_result", args=[following.pk]) in page(client, run.pk)
    shown = page(client, following.pk)
    assert "Order Blue lamp from the supplier." in shown
    assert "<dt>reference</dt><dd>made up</dd>" in shown


def test_the_history_of_runs_does_not_know_it(world: World, client: Client) -> None:
    revision = world.draft(activity(use("find_items")))
    access.grant("activities.use_agent", world.keepers, revision.agent)
    try_out(world, revision, chosen(), LOOK)
    world.root.groups.add(access.role_group(world.workspace, Role.AUDITOR))
    client.force_login(world.root)
    response = client.get(reverse("admin:runs_run_changelist"))
    assert response.status_code == 200
    assert response.context["cl"].result_count == 0


def test_nobody_else_opens_it(world: World, client: Client) -> None:
    revision = world.draft(activity(use("find_items")))
    access.grant("activities.use_agent", world.keepers, revision.agent)
    run = try_out(world, revision, chosen(), LOOK)
    for user in (world.owner, world.root):
        user.is_staff = True
        user.save()
        client.force_login(user)
        response = client.get(reverse("admin:desk_trial_result", args=[run.pk]))
        assert response.status_code in (403, 404)
