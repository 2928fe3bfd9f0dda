"""A page that is saved as it came changes nothing, whatever the demonstration's agent holds."""

import pytest
from django.test import Client

from activities.actions import agent_import
from activities.exporting import Document, document
from activities.models import Revision
from examples.billing.demo import load_blueprint
from tests.desk.conftest import at
from tests.desk.pages import form_of
from tests.support.world import World


@pytest.fixture
def billing(world: World) -> Revision:
    return agent_import(load_blueprint(), workspace=world.workspace, actor=world.designer)


@pytest.mark.parametrize("section", ["card", "inputs", "answer", "handover", "limits"])
def test_a_part_saved_as_it_came_is_the_same(billing: Revision, desk: Client, section: str) -> None:
    before = document(billing)
    for activity in billing.activities.all():
        check_unchanged(before, billing, desk, at("desk_section", activity.pk, section))


def test_steps_and_tools_saved_as_they_came_are_the_same(billing: Revision, desk: Client) -> None:
    before = document(billing)
    for activity in billing.activities.prefetch_related("steps", "tool_bindings"):
        for step in activity.steps.all():
            check_unchanged(before, billing, desk, at("desk_step", activity.pk, step.pk))
        for tool in activity.tool_bindings.all():
            check_unchanged(before, billing, desk, at("desk_tool", activity.pk, tool.tool_key))


def check_unchanged(before: Document, revision: Revision, desk: Client, url: str) -> None:
    answer = desk.post(url, form_of(desk.get(url).content.decode()))
    assert answer.status_code == 302, (url, errors(answer.content.decode()))
    assert document(Revision.objects.get(pk=revision.pk)) == before, url


def errors(page: str) -> list[str]:
    return [part.split("</p>")[0] for part in page.split('class="desk-error"')[1:]]


def test_who_decides_then_is_kept(billing: Revision, desk: Client) -> None:
    activity = billing.activities.get(key="refund_invoice")
    step = activity.steps.all()[0]
    url = at("desk_step", activity.pk, step.pk)
    for posted, stored in (("yes", True), ("no", False), ("", None)):
        desk.post(url, form_of(desk.get(url).content.decode()) | {"other_person": posted})
        step.refresh_from_db()
        assert step.other_person is stored
