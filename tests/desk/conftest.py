"""The desk as designers, colleagues and strangers meet it, over the test store."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from accounts import access
from accounts.models import Role, User
from activities.models import Activity, Revision
from tests.support.blueprints import activity, from_input, step, text_input, use
from tests.support.fixtures import effects_table, store, world
from tests.support.world import World

__all__ = ["effects_table", "store", "world"]


def at(name: str, *args: Any) -> str:
    return reverse(f"admin:{name}", args=args)


@pytest.fixture
def sign_in() -> Callable[[User], Client]:
    def enter(user: User, *, staff: bool = True, csrf: bool = False) -> Client:
        User.objects.filter(pk=user.pk).update(is_staff=staff)
        client = Client(enforce_csrf_checks=csrf)
        client.force_login(User.objects.get(pk=user.pk))
        return client

    return enter


@pytest.fixture
def draft(world: World) -> Revision:
    """A draft with one activity of two tools and two steps."""
    return world.draft(handling())


def handling(key: str = "handle", **more: Any) -> dict[str, Any]:
    return activity(
        use("find_items"),
        use("order", item=from_input("item")),
        key=key,
        steps=[step("find_items", key="find"), step("order", key="buy")],
        inputs=[text_input("item", type="reference", reference="store.item")],
        outputs=[
            {"name": "count", "label": {"en": "Count"}, "source": "fact", "fact": "facts.find_items.count"}
        ],
        **more,
    )


@pytest.fixture
def part(draft: Revision) -> Activity:
    return draft.activities.get()


@pytest.fixture
def desk(world: World, sign_in: Callable[[User], Client]) -> Client:
    """The designer's browser."""
    return sign_in(world.designer)


@pytest.fixture
def colleague(world: World) -> User:
    """A second designer of the same workspace."""
    world.member.groups.add(access.role_group(world.workspace, Role.DESIGNER))
    return world.member


def pages_of(revision: Revision) -> list[str]:
    """Every page about a revision that can be looked at."""
    part = revision.activities.order_by("position").prefetch_related("steps", "tool_bindings")[0]
    sections = ("card", "inputs", "answer", "handover", "limits", "tools", "steps")
    return [
        at("activities_agent_change", revision.agent_id),
        at("desk_rights", revision.agent_id),
        *(
            at(name, revision.pk)
            for name in ("desk_revision", "desk_difference", "desk_history", "desk_export", "desk_problems")
        ),
        *(at(name, revision.pk) for name in ("desk_trial", "desk_prompts", "desk_evaluations")),
        *(at("desk_section", part.pk, name) for name in sections),
        at("desk_step", part.pk, part.steps.all()[0].pk),
        at("desk_step_new", part.pk),
        at("desk_tool", part.pk, part.tool_bindings.all()[0].tool_key),
    ]


def posts_of(revision: Revision) -> list[str]:
    """Every address that changes a revision."""
    part = revision.activities.order_by("position")[0]
    names = (
        "publish",
        "retire",
        "discard",
        "settings",
        "order",
        "activity_add",
        "draft_from",
        "evaluation_run",
    )
    return [
        *(at(f"desk_{name}", revision.pk) for name in names),
        at("desk_draft_new", revision.agent_id),
        at("desk_activity_remove", part.pk),
        at("desk_preview", part.pk),
        at("desk_section", part.pk, "card"),
        at("desk_tools", part.pk),
        at("desk_steps", part.pk),
    ]


def card_data(part: Activity, **changes: Any) -> dict[str, Any]:
    values = {
        "version": Revision.objects.get(pk=part.revision_id).version,
        "name_en": "Handle",
        "summary_en": "Does handle with the store.",
        "aliases_en": "handle",
        "entry": "on",
    }
    return values | changes


def step_data(part: Activity, step_id: UUID, **changes: Any) -> dict[str, Any]:
    values = {
        "version": Revision.objects.get(pk=part.revision_id).version,
        "name_en": "Find",
        "key": "find",
        "goal": "Find it.",
        "tools": ["store.find_items"],
        "tool_choice": "required",
        "passes_when": "has(facts.find_items)",
        "max_attempts": 3,
        "opens-TOTAL_FORMS": 0,
        "opens-INITIAL_FORMS": 0,
    }
    return values | changes
