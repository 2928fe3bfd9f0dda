"""Requests in one conversation, led by a script to where a test wants them."""

from typing import Any

from agentapp.kernel.ids import uuid7
from runs import actions
from runs.llm.base import CHOOSE_ACTIVITY, Purpose
from runs.llm.scripted import Line, call
from runs.models import Conversation, Run
from tests.support.blueprints import activity, step, use
from tests.support.world import World, act

#: Two activities that look, and one that reserves.
LOOK = activity(use("find_items"), key="look", aliases={"en": ["look around"]})
RESERVE = activity(
    use("reserve"), key="reserve", steps=[step("reserve", key="reserve")], aliases={"en": ["reserve"]}
)
ORDER = activity(use("order"), key="order", steps=[step("order", key="order")], aliases={"en": ["order"]})


def publish(world: World) -> None:
    world.publish(LOOK, RESERVE, ORDER)


def led(key: str) -> Line:
    return _answer("activity", f"store.{key}")


def unclear(*keys: str) -> Line:
    return _answer("unclear", None, [f"store.{key}" for key in keys])


def nothing_fits() -> Line:
    return _answer("none", None)


def _answer(decision: str, key: str | None, alternatives: Any = ()) -> Line:
    answer = {"decision": decision, "activity": key, "alternatives": list(alternatives)}
    return call(CHOOSE_ACTIVITY, answer, purpose=Purpose.ROUTE)


def conversation(world: World) -> Conversation:
    return actions.conversation_create(user=world.owner, workspace=world.workspace)


def say(world: World, thread: Conversation, text: str, *lines: Line) -> Run:
    """Post a message of the owner's and drive its run."""
    posted = actions.message_post(user=world.owner, conversation_id=thread.pk, text=text, client_id=uuid7())
    return world.play(posted.run, *lines)


def looked() -> Line:
    return act("find_items", {"words": ""})


def refused(world: World, text: str = "Who has the lamps?") -> Run:
    """A request that is refused because nothing fits, in a conversation of its own."""
    return say(world, conversation(world), text, nothing_fits())
