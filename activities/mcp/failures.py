"""What a server can answer, and the ways in which it does not."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answered:
    """A server's answer to a call: its texts, its structured result, and whether it calls this an error.

    Images, sounds and links to resources are not kept, and nothing is fetched for them.
    """

    texts: tuple[str, ...]
    structured: Any = None
    is_error: bool = False


class ServerFailure(Exception):
    """The server gave no usable answer. `str()` is a sentence, in the language of whoever asks for it."""

    def __init__(self, sentence: Any) -> None:
        super().__init__(sentence)


class NotConnected(ServerFailure):
    """Nothing was asked of the server."""


class NoAnswer(ServerFailure):
    """The request left; whether something happened is not known."""


class TooMuch(ServerFailure):
    """The server sent more than it may; what it did is not known."""


class Rejected(ServerFailure):
    """The server says that it has no such tool, or that the arguments are wrong. `str()` is its own text."""
