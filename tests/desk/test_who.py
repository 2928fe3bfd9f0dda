"""Who sees and changes what at the desk."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts import access
from accounts.models import Role, User
from activities.models import Activity, ActivityIdentity, Agent, Revision
from activities.models.agent import RevisionState
from tests.desk.conftest import at, card_data, handling, pages_of, posts_of, step_data
from tests.support.world import World

SignIn = Callable[..., Client]


def test_a_designer_opens_every_page(draft: Revision, desk: Client) -> None:
    for url in [
        at("activities_agent_changelist"),
        at("activities_agent_add"),
        at("desk_import"),
        *pages_of(draft),
    ]:
        assert desk.get(url).status_code == 200, url


def test_a_member_without_the_right_finds_nothing(world: World, draft: Revision, sign_in: SignIn) -> None:
    client = sign_in(world.owner)
    for url in pages_of(draft):
        assert client.get(url).status_code == 404, url
    for url in posts_of(draft):
        assert client.post(url).status_code == 404, url
    assert client.get(at("activities_agent_changelist")).status_code == 403


def test_a_designer_of_elsewhere_finds_nothing(world: World, draft: Revision, sign_in: SignIn) -> None:
    world.stranger.groups.add(access.role_group(world.elsewhere, Role.DESIGNER))
    client = sign_in(world.stranger)
    assert "Store" not in client.get(at("activities_agent_changelist")).content.decode().split("desk-lead")[1]
    for url in pages_of(draft):
        assert client.get(url).status_code == 404, url
    for url in posts_of(draft):
        assert client.post(url).status_code == 404, url
    assert Revision.objects.get().version == draft.version


def test_who_is_no_staff_is_sent_to_sign_in(world: World, draft: Revision, sign_in: SignIn) -> None:
    client = sign_in(world.designer, staff=False)
    for url in pages_of(draft):
        assert client.get(url).status_code == 302, url


def test_a_superuser_has_no_desk_of_others(world: World, draft: Revision, sign_in: SignIn) -> None:
    client = sign_in(world.root)
    assert client.get(at("desk_revision", draft.pk)).status_code == 404


def test_a_post_needs_its_token(world: World, draft: Revision, part: Activity, sign_in: SignIn) -> None:
    client = sign_in(world.designer, csrf=True)
    for url in posts_of(draft):
        assert client.post(url, card_data(part)).status_code == 403, url


def test_who_designs_one_activity_changes_this_one_only(world: World, sign_in: SignIn) -> None:
    draft = world.draft(handling("mine"), handling("theirs"))
    mine, theirs = (draft.activities.get(key=key) for key in ("mine", "theirs"))
    access.grant("activities.design_activity", world.owner, mine.identity)
    client = sign_in(world.owner)
    assert client.get(at("desk_section", theirs.pk, "card")).status_code == 200
    data = card_data(mine, summary_en="Mine, and changed.")
    assert client.post(at("desk_section", mine.pk, "card"), data).status_code == 302
    data = card_data(theirs, summary_en="Theirs, and changed.")
    assert client.post(at("desk_section", theirs.pk, "card"), data).status_code == 403
    client.post(at("desk_activity_add", draft.pk), {"name_en": "New", "key": "new", "version": 2})
    client.post(at("desk_publish", draft.pk))
    kept = {row.key: row.summary["en"] for row in draft.activities.all()}
    assert kept == {"mine": "Mine, and changed.", "theirs": "Does theirs with the store."}
    assert Revision.objects.get().state == RevisionState.DRAFT


def test_a_frozen_revision_is_shown_and_takes_nothing(world: World, sign_in: SignIn) -> None:
    revision = world.publish(handling())
    part = revision.activities.get()
    client = sign_in(world.designer)
    page = client.get(at("desk_section", part.pk, "card")).content.decode()
    assert "This revision is frozen" in page
    assert "disabled" in page
    assert 'name="save"' not in page
    assert client.post(at("desk_section", part.pk, "card"), card_data(part)).status_code == 403
    step = part.steps.all()[0]
    assert client.post(at("desk_step", part.pk, step.pk), step_data(part, step.pk)).status_code == 403


def test_a_step_of_another_activity_is_not_there(world: World, sign_in: SignIn) -> None:
    draft = world.draft(handling("one"), handling("two"))
    one, two = draft.activities.all()
    step = two.steps.all()[0]
    client = sign_in(world.designer)
    assert client.post(at("desk_step", one.pk, step.pk), step_data(one, step.pk)).status_code == 404
    client.post(at("desk_steps", one.pk), {"version": draft.version, "remove": str(step.pk)})
    assert two.steps.count() == 2


def test_an_import_goes_to_ones_own_workspace_only(world: World, draft: Revision, desk: Client) -> None:
    file = desk.get(at("desk_export", draft.pk)).content
    for workspace, agents in ((world.elsewhere, 1), (world.workspace, 1)):
        desk.post(at("desk_import"), {"workspace": workspace.pk, "file": _file(file)})
        assert Agent.objects.count() == agents
    assert [row.number for row in Revision.objects.all()] == [2, 1]
    newest = Revision.objects.first()
    assert newest is not None
    assert newest.state == RevisionState.DRAFT
    assert desk.get(at("desk_export", newest.pk)).content == file


def _file(content: bytes) -> Any:
    from django.core.files.uploadedfile import SimpleUploadedFile

    return SimpleUploadedFile("agent.yaml", content)


def test_a_broken_file_is_told_line_by_line(world: World, draft: Revision, desk: Client) -> None:
    sent = {"workspace": world.workspace.pk, "file": _file(b"format: 1\nkey: store\nnonsense: 3\n")}
    page = desk.post(at("desk_import"), sent).content.decode()
    assert "nonsense" in page
    assert Revision.objects.count() == 1


@pytest.mark.parametrize("right", ["use_agent", "publish_agent"])
def test_rights_are_given_and_taken(world: World, draft: Revision, desk: Client, right: str) -> None:
    sent = {"to": f"user:{world.member.pk}", "right": f"{right}:{draft.agent_id}"}
    desk.post(at("desk_rights", draft.agent_id), sent)
    assert access.holds(world.member, f"activities.{right}", draft.agent)
    assert world.member.full_name in desk.get(at("desk_rights", draft.agent_id)).content.decode()
    desk.post(at("desk_rights", draft.agent_id), sent | {"revoke": "1"})
    assert not access.holds(world.member, f"activities.{right}", draft.agent)


def test_a_designer_of_one_agent_gives_no_publishing(world: World, draft: Revision, sign_in: SignIn) -> None:
    access.grant("activities.design_agent", world.owner, draft.agent)
    client = sign_in(world.owner)
    page = client.get(at("desk_rights", draft.agent_id)).content.decode()
    assert f"use_agent:{draft.agent_id}" in page
    assert f'value="publish_agent:{draft.agent_id}"' not in page
    for person in (world.member, world.owner):
        sent = {"to": f"user:{person.pk}", "right": f"publish_agent:{draft.agent_id}"}
        client.post(at("desk_rights", draft.agent_id), sent)
        assert not access.holds(person, "activities.publish_agent", draft.agent)


def test_rights_on_something_of_elsewhere_are_refused(world: World, draft: Revision, desk: Client) -> None:
    foreign = Agent.objects.create(workspace=world.elsewhere, key="other", name={"en": "Other"})
    identity = ActivityIdentity.objects.create(agent=foreign, key="thing")
    for right in (f"use_agent:{foreign.pk}", f"use_activity:{identity.pk}"):
        desk.post(at("desk_rights", draft.agent_id), {"to": f"user:{world.member.pk}", "right": right})
    stranger: User = world.stranger
    desk.post(
        at("desk_rights", draft.agent_id),
        {"to": f"user:{stranger.pk}", "right": f"use_agent:{draft.agent_id}"},
    )
    assert not access.holds(world.member, "activities.use_agent", foreign)
    assert not access.holds(stranger, "activities.use_agent", draft.agent)
