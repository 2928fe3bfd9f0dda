"""How large a request's body may be: asked before anything reads or keeps it, whatever it is sent to.

A page that sends a file is the largest; each address has narrower limits of its own. What is too large is
thrown away as it comes, so that the sender hears why.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

#: Above the largest file that can be imported, with what a form adds to it.
MAX_BODY = 5_242_880
#: In a request's scope: its body was too large and is not there.
TOO_LARGE = "mandate.body_too_large"

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class BoundedBodies:
    """An application whose http requests have bodies of at most `MAX_BODY`, under any server."""

    def __init__(self, application: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.application(scope, _bounded(scope, receive), send)


def _bounded(scope: Scope, receive: Receive) -> Receive:
    seen = 0
    if _declared(scope) > MAX_BODY:
        scope[TOO_LARGE] = True

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] != "http.request":
            return message
        seen += len(message.get("body", b""))
        if seen > MAX_BODY:
            scope[TOO_LARGE] = True
        return {**message, "body": b""} if TOO_LARGE in scope else message

    return bounded


def _declared(scope: Scope) -> int:
    lengths = [value for name, value in scope["headers"] if name.lower() == b"content-length"]
    return max((int(value) for value in lengths if value.isdigit()), default=0)
