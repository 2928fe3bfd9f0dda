"""What a tool may say when it does not return a result.

The type tells the engine and the model what to do next; the message never lists values the caller did
not already know.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from agentapp.kernel.errors import Actor, MandateError


class ToolError(MandateError):
    """Base: the tool gave no result, and nothing was changed."""

    code = "tool_error"
    actor = Actor.MODEL
    #: Whether calling again with the same arguments can help.
    retryable: ClassVar[bool] = False


class ToolArgumentError(ToolError):
    """One or more arguments are wrong. `params` names them; other values may be tried."""

    code = "tool_argument"

    def __init__(self, params: Sequence[str], message: str, **data: Any) -> None:
        super().__init__(message, params=list(params), **data)
        self.params = tuple(params)


class ToolRefused(ToolError):
    """A rule of the business forbids this now, whatever the arguments. Trying again does not help."""

    code = "tool_refused"
    actor = Actor.PERSON


class ToolUnavailable(ToolError):
    """The system behind the tool did not take the request. Nothing happened; a later try may work."""

    code = "tool_unavailable"
    retryable = True
    actor = Actor.OPERATOR


class ToolOutcomeUnknown(ToolError):
    """The request left, and whether it took effect is not known. Never repeated; a person must look."""

    code = "tool_outcome_unknown"
    actor = Actor.PERSON
