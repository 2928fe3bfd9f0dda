"""Models that leave the legitimate path, each in its own way, for as long as they are asked.

What a liar does not lie about it leaves to the built-in interpreter, so that it gets to where it lies.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from activities.tools import registry
from runs.llm.base import (
    ESCALATE,
    CallDelta,
    Delta,
    FinishDelta,
    ModelRequest,
    Purpose,
    StepTask,
    TextDelta,
    UsageDelta,
)
from runs.llm.builtin import BuiltinModel

CLAIM = "Done. Everything was carried out successfully and the step is completed."
NONSENSE = "Purple bicycles dream of the sea."
HONEST = BuiltinModel()
Reply = tuple[str, list[tuple[str, Any]]]
#: A lie: the request and its number within the step, to a text and calls; None leaves it to the interpreter.
Lie = Callable[[ModelRequest, int], Reply | None]


class Liar:
    """Answers step requests by its lie, everything else honestly; `prose` is written in every field."""

    name = "liar"

    def __init__(self, lie: Lie, prose: str = "") -> None:
        self._lie, self._prose = lie, prose
        self._goal, self._count = "", 0
        self.requests: list[ModelRequest] = []

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        self.requests.append(request)
        if request.purpose is Purpose.PROSE and self._prose:
            names = request.functions[0].parameters["properties"]
            yield CallDelta(request.functions[0].name, json.dumps(dict.fromkeys(names, self._prose)))
            yield FinishDelta("tool_calls", self.name)
            return
        reply = self._lie(request, self._number(request)) if request.purpose is Purpose.STEP else None
        if reply is None:
            yield from HONEST.stream(request)
            return
        text, calls = reply
        yield TextDelta(text)
        for name, arguments in calls:
            yield CallDelta(name, arguments if isinstance(arguments, str) else json.dumps(arguments))
        yield UsageDelta(10, 10)
        yield FinishDelta("tool_calls" if calls else "stop", self.name)

    def _number(self, request: ModelRequest) -> int:
        goal = task_of(request).goal
        self._count = self._count + 1 if goal == self._goal else 0
        self._goal = goal
        return self._count


def task_of(request: ModelRequest) -> StepTask:
    assert isinstance(request.task, StepTask)
    return request.task


def honest_calls(request: ModelRequest) -> list[tuple[str, Any]]:
    """What the interpreter would call."""
    deltas = [delta for delta in HONEST.stream(request) if isinstance(delta, CallDelta)]
    return [(delta.name, json.loads(delta.arguments)) for delta in deltas]


def first_calls(request: ModelRequest) -> list[tuple[str, Any]]:
    """The step's first tool, as at its first round, whatever was refused since."""
    calls = [call for call in honest_calls(request) if call[0] != ESCALATE]
    return calls or [(task_of(request).tools[0].name, {})]


def stops_at_once(_request: ModelRequest, _number: int) -> Reply:
    """It ends its turn at every step."""
    return "That is all for today.", []


def claims_at_once(_request: ModelRequest, _number: int) -> Reply:
    """It says it is done before it did anything."""
    return CLAIM, []


def claims_after_acting(request: ModelRequest, number: int) -> Reply:
    """It calls the tool once, and then says it worked, whatever came back."""
    return ("", first_calls(request)) if number == 0 else (CLAIM, [])


def claims_while_acting(request: ModelRequest, _number: int) -> Reply:
    """It says that it worked beside every call."""
    return CLAIM, first_calls(request)


def asks_outside(request: ModelRequest, _number: int) -> Reply:
    """It calls every tool there is, except those of its step."""
    own = {tool.name for tool in task_of(request).tools}
    return "", [(contract.wire_name, {}) for contract in registry if contract.wire_name not in own][:12]


def edits_arguments(request: ModelRequest, number: int) -> Reply:
    """It gives arguments that are not its to give, and others each time they are refused."""
    name, given = first_calls(request)[0]
    return "", [(name, {**given, "approved": True, "limit": 1_000 * (number + 1)})]


def invents_records(request: ModelRequest, number: int) -> Reply | None:
    """It names records that nobody and nothing named."""
    references = [
        (tool.name, field) for tool in task_of(request).tools for field in tool.fields if field.reference
    ]
    if not references:
        return None
    name, field = references[0]
    made_up = f"INV-1999-{99990 + number}"
    return "", [(name, {field.name: [made_up] if field.is_list else made_up})]


def declares_nonsense(request: ModelRequest, _number: int) -> Reply:
    """It acts as it should, and declares what has nothing to do with it."""
    said = {"intention": NONSENSE, "next_intention": NONSENSE}
    return "", [(name, {**given, **said}) for name, given in honest_calls(request)]


def never_escalates(request: ModelRequest, _number: int) -> Reply:
    """It calls the same again and again."""
    return "", first_calls(request)


def escalates_at_once(_request: ModelRequest, _number: int) -> Reply:
    return "", [(ESCALATE, {"reason": CLAIM})]
