"""The failures people see.

Every error carries a stable `code`, an HTTP `status`, a sentence for the one who can act, and who that
is. Edges map them in one place each; nothing else builds error answers.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar


class Actor(StrEnum):
    """Who can do something about an error."""

    PERSON = "person"
    MODEL = "model"
    DESIGNER = "designer"
    OPERATOR = "operator"


class MandateError(Exception):
    """Base of all expected failures. `message` is a whole sentence, translated where a person reads it."""

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 400
    actor: ClassVar[Actor] = Actor.PERSON

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.message = message
        self.data: Mapping[str, Any] = data

    def __str__(self) -> str:
        return str(self.message)


class InvalidInput(MandateError):
    """What was sent cannot be used as it is. Nothing was changed."""

    code = "invalid_input"
    status = 422


class NotSignedIn(MandateError):
    code = "not_signed_in"
    status = 401


class NotAllowed(MandateError):
    """The person is known and the thing may be known to them, but they lack the right."""

    code = "not_allowed"
    status = 403


class NotFound(MandateError):
    """The thing does not exist for this person: missing and invisible look the same."""

    code = "not_found"
    status = 404


class Conflict(MandateError):
    """Somebody else got there first, or the state no longer admits this."""

    code = "conflict"
    status = 409


class TransitionLost(Conflict):
    """A compare-and-set found another state than the one expected."""

    code = "transition_lost"


class TooMuch(MandateError):
    """A limit was reached before the work was admitted."""

    code = "too_much"
    status = 429


class ModelUnavailable(MandateError):
    """The model endpoint gave no usable answer. `data['retryable']` says whether trying again can help."""

    code = "model_unavailable"
    status = 503
    actor = Actor.OPERATOR


class Misconfigured(MandateError):
    """A declaration or setting is wrong; raised at start, names the thing and the remedy."""

    code = "misconfigured"
    status = 500
    actor = Actor.OPERATOR
