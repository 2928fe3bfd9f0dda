"""A model that answers what a test wrote down, line by line; lines left over or missing fail the test."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

from agentapp.kernel.errors import ModelUnavailable
from runs.llm.base import CallDelta, Delta, FinishDelta, ModelRequest, Purpose, TextDelta, UsageDelta

#: A slow line waits at most this long for its event: a test that forgot to set it must not hang.
_LONGEST_WAIT_SECONDS = 30.0


class ScriptError(AssertionError):
    """The script and what was asked do not match."""


@dataclass(frozen=True)
class Line:
    """The answer to one request. Made by the functions below; `but` adds to one.

    `purpose` is asserted when given; `check` may assert more about the request. `until` holds the answer
    back until the event is set, after its text was handed out: a slow model.
    """

    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    finish: str = ""
    error: ModelUnavailable | None = None
    purpose: Purpose | None = None
    check: Callable[[ModelRequest], None] | None = None
    until: threading.Event | None = None
    usage: tuple[int, int] = (10, 5)

    def but(self, **changes: Any) -> "Line":
        return replace(self, **changes)


def say(text: str, *, purpose: Purpose | None = None) -> Line:
    """Text and no call."""
    return Line(text=text, purpose=purpose)


def call(name: str, arguments: Any = None, *, purpose: Purpose | None = None, text: str = "") -> Line:
    """One call. A string is sent as it is, broken JSON included; anything else is serialised."""
    return Line(text=text, calls=((name, _written(arguments)),), purpose=purpose)


def calls(*pairs: tuple[str, Any], purpose: Purpose | None = None, text: str = "") -> Line:
    """Several calls in one reply."""
    return Line(
        text=text, calls=tuple((name, _written(arguments)) for name, arguments in pairs), purpose=purpose
    )


def cut(name: str, arguments: str = '{"', *, purpose: Purpose | None = None) -> Line:
    """A reply that the output limit cut in the middle of a call's arguments."""
    return Line(calls=((name, arguments),), finish="length", purpose=purpose)


def fail(
    message: str = "The model's endpoint failed.", *, retryable: bool = True, after_text: str = ""
) -> Line:
    """No answer; `after_text` is handed out first, as by a stream that breaks off."""
    error = ModelUnavailable(message, retryable=retryable, reason="scripted")
    return Line(text=after_text, error=error)


class ScriptedModel:
    """Each line answers one request, in order. Use as a context manager, or call :meth:`finish` at the end.

    `requests` are those that were made. A missing line raises where the request is made and once more in
    :meth:`finish`, since the one who asks may turn an error into a failed run.
    """

    name = "scripted"

    def __init__(self, script: list[Line] | None = None) -> None:
        self._lines = list(script or [])
        self._lock = threading.Lock()
        self._problems: list[str] = []
        self.requests: list[ModelRequest] = []

    def add(self, *lines: Line) -> None:
        """Append lines to the script."""
        with self._lock:
            self._lines.extend(lines)

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """As :meth:`runs.llm.base.Model.stream`."""
        line = self._next_line(request)
        if line.text:
            yield TextDelta(line.text)
        if line.until is not None and not line.until.wait(_LONGEST_WAIT_SECONDS):
            self._problem("A slow line was never let go.")
        if line.error is not None:
            raise line.error
        finish = line.finish or ("tool_calls" if line.calls else "stop")
        for number, (name, arguments) in enumerate(line.calls if finish != "length" else ()):
            yield CallDelta(name, arguments, f"call_{len(self.requests)}_{number}")
        yield UsageDelta(*line.usage)
        yield FinishDelta(finish, self.name)

    def finish(self) -> None:
        """Raise ScriptError when a line was left over, missing, or asked for the wrong purpose."""
        problems = list(self._problems)
        if self._lines:
            problems.append(
                f"{len(self._lines)} lines of the script were never asked for; next: {self._lines[0]}"
            )
        if problems:
            raise ScriptError("\n".join(problems))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.finish()

    def _next_line(self, request: ModelRequest) -> Line:
        with self._lock:
            self.requests.append(request)
            line = self._lines.pop(0) if self._lines else None
        if line is None:
            self._problem(f"Request {len(self.requests)} ({request.purpose}) has no line in the script.")
            raise ScriptError(self._problems[-1])
        self._check(line, request)
        return line

    def _check(self, line: Line, request: ModelRequest) -> None:
        if line.purpose is not None and line.purpose != request.purpose:
            self._problem(
                f"Request {len(self.requests)} is for {request.purpose}, the script expects {line.purpose}."
            )
            raise ScriptError(self._problems[-1])
        if line.check is not None:
            try:
                line.check(request)
            except AssertionError as error:
                self._problem(f"Request {len(self.requests)} failed its check: {error}")
                raise

    def _problem(self, sentence: str) -> None:
        self._problems.append(sentence)


def _written(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    return json.dumps({} if arguments is None else arguments, ensure_ascii=False, default=str)
