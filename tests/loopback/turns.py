"""Answers a model server can give: the good shapes, the odd ones, and the broken ones."""

import gzip
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

DONE = b"data: [DONE]\n\n"
MODEL = "loopback-1"


@dataclass(frozen=True)
class Pace:
    """Let this time pass before the next piece."""

    seconds: float


Piece = bytes | Pace


@dataclass(frozen=True)
class Turn:
    """One answer. Each piece of bytes goes out on its own.

    `whole` false closes the connection without the end of the body. `header_pace` sends the head of the
    answer one byte at a time. `drop` closes the connection without any answer.
    """

    pieces: tuple[Piece, ...] = ()
    status: int = 200
    content_type: str = "text/event-stream"
    headers: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True
    drop: bool = False
    header_pace: float = 0.0

    @property
    def bytes(self) -> bytes:
        return b"".join(piece for piece in self.pieces if isinstance(piece, bytes))

    def but(self, **changes: Any) -> "Turn":
        return replace(self, **changes)


def chunk(delta: Mapping[str, Any] | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """One chunk with one choice; `more` are fields of the chunk."""
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}
    return {**head, "choices": [choice], **more}


def fragment(
    index: object, name: str | None = None, arguments: Any = None, call_id: str | None = None
) -> dict[str, Any]:
    """A delta with one piece of one call. An index of ... is left out."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    entry: dict[str, Any] = {"type": "function", "function": function}
    if index is not ...:
        entry["index"] = index
    if call_id is not None:
        entry["id"] = call_id
    return {"tool_calls": [entry]}


def usage(prompt: int = 12, output: int = 7) -> dict[str, Any]:
    """The chunk that carries usage: no choices."""
    return chunk(
        choices=[],
        usage={"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output},
    )


def event(data: Any) -> bytes:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"data: {text}\n\n".encode("utf-8", "surrogatepass")


def stream(*chunks: Any, done: bool = True) -> Turn:
    """An event stream of these chunks (bytes go as they are)."""
    pieces = [item if isinstance(item, bytes | Pace) else event(item) for item in chunks]
    return Turn(tuple(pieces) + ((DONE,) if done else ()))


def text(*parts: str, finish: str = "stop") -> Turn:
    """A reply of text alone."""
    said = [chunk({"content": part}) for part in parts]
    return stream(chunk({"role": "assistant", "content": ""}), *said, chunk(finish=finish), usage())


def call(name: str, arguments: Any, *, finish: str = "tool_calls") -> Turn:
    return calls((name, arguments), finish=finish)


def calls(*pairs: tuple[str, Any], finish: str = "tool_calls") -> Turn:
    """Calls as OpenAI streams them: a head with name and id, then the arguments in pieces."""
    chunks = [chunk({"role": "assistant", "content": None})]
    for index, (name, arguments) in enumerate(pairs):
        written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        chunks.append(chunk(fragment(index, name, "", f"call_{index}")))
        half = len(written) // 2
        chunks += [chunk(fragment(index, None, part)) for part in (written[:half], written[half:]) if part]
    return stream(*chunks, chunk(finish=finish), usage())


def status(code: int, message: str = "scripted failure", **headers: str) -> Turn:
    """An error answer in the protocol's form; headers with "_" for "-"."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return document({"error": {"message": message, "type": "error", "code": code}}).but(
        status=code, headers=named
    )


def document(body: Any) -> Turn:
    """A JSON answer that is not streamed."""
    return Turn((json.dumps(body).encode(),), content_type="application/json")


def html(code: int = 200) -> Turn:
    page = b"<!doctype html><html><head><title>Sign in</title></head><body>Gateway</body></html>"
    return Turn((page,), status=code, content_type="text/html; charset=utf-8")


def half(turn: Turn, pieces: int = 2, *, whole: bool = True) -> Turn:
    """Only the first pieces of an answer; `whole` says whether the body then ends as if it were all."""
    return turn.but(pieces=turn.pieces[:pieces], whole=whole)


def drip(turn: Turn, seconds: float) -> Turn:
    """The same answer a byte at a time."""
    return turn.but(pieces=tuple(_dripping(turn.bytes, seconds)))


def cut_every(turn: Turn, size: int) -> Turn:
    """The same answer in pieces of this many bytes, wherever that cuts."""
    body = turn.bytes
    return turn.but(pieces=tuple(body[start : start + size] for start in range(0, len(body), size)))


def zipped(turn: Turn, *, keep: float = 1.0) -> Turn:
    """The same answer compressed; `keep` below 1 cuts it off."""
    packed = gzip.compress(turn.bytes)
    return turn.but(
        pieces=(packed[: int(len(packed) * keep)],), headers={**turn.headers, "Content-Encoding": "gzip"}
    )


def _dripping(body: bytes, seconds: float) -> Iterable[Piece]:
    for byte in body:
        yield bytes((byte,))
        yield Pace(seconds)
