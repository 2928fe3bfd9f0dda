"""Activities with an open step, as short as a test wants them."""

from typing import Any

from runs.llm.base import ModelRequest, Purpose
from runs.llm.scripted import Line, call
from tests.support.blueprints import Json, activity, step
from tests.support.catalogue import key_of

EXITS = {"ask_person", "escalate"}


def opening(to: str = "tag:reading", **more: Any) -> Json:
    return {"to": to, **more}


def open_activity(*tools: Json, opens: list[Json] | None = None, **more: Any) -> Json:
    """An activity whose one step names these tools and is open to a part of the catalogue."""
    named = [item["tool"].removeprefix("store.") for item in tools]
    wanted = {"passes_when": "true", **{key: more.pop(key) for key in ("passes_when",) if key in more}}
    return activity(*tools, steps=[step(*named, opens=opens or [opening()], **wanted)], **more)


def wire(name: str) -> str:
    return key_of(name).replace(".", "_")


def ask_for(name: str) -> Line:
    """The model calls the tool about `name`."""
    return call(wire(name), {"note": None}, purpose=Purpose.STEP)


def find(words: str) -> Line:
    """The model searches again."""
    return call("find_tools", {"words": words}, purpose=Purpose.STEP)


def rewrite(words: str) -> Line:
    """The model gives other words for the search."""
    return call("search_words", {"words": words}, purpose=Purpose.REWRITE)


def shown(request: ModelRequest) -> set[str]:
    """The names of the functions that a request offers, without the exits."""
    return {function.name for function in request.functions} - EXITS
