"""What every request is made of: its size, the person's words, data kept within limits."""

from collections.abc import Sequence
from typing import Any

from agentapp.kernel.canonical import dumps
from runs.llm.base import (
    FunctionSpec,
    Message,
    ModelRequest,
    Purpose,
    ToolChoice,
)
from runs.view import RunView

#: A tool result longer than this reaches a model as its head and tail; the whole stays in the record.
RESULT_CHARACTERS = 12_000
_LIST_LENGTHS = (20, 10, 5, 2)


def size_of(request_messages: Sequence[Message], functions: Sequence[FunctionSpec]) -> int:
    """Return the bytes of context a request carries."""
    texts = [message.text for message in request_messages]
    texts += [call.arguments for message in request_messages for call in message.calls]
    texts += [dumps(function.parameters) + function.description for function in functions]
    return sum(len(text.encode()) for text in texts)


def said(view: RunView, texts: Sequence[str]) -> Message:
    """Return the person's words as a message, projected."""
    said = view.projected_words(texts)
    return Message("user", said or "(Handed over by an earlier run; the person wrote nothing here.)")


def within_limits(value: Any) -> Any:
    """Return a fact, or the head and tail of its text when it is long."""
    text = dumps(value)
    return value if len(text) <= RESULT_CHARACTERS else shorten_middle(text, RESULT_CHARACTERS)


def brief(value: Any, limit: int) -> Any:
    """Return a JSON value with its lists cut so that its text has `limit` characters, if that is enough.

    For where a list is only told about: nothing can be chosen from what is left out.
    """
    shorter = value
    for kept in _LIST_LENGTHS:
        if len(dumps(shorter)) <= limit:
            break
        shorter = _with_short_lists(value, kept)
    return shorter


def _with_short_lists(value: Any, kept: int) -> Any:
    if isinstance(value, dict):
        return {key: _with_short_lists(item, kept) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    left_out = [f"… {len(value) - kept} more"] if len(value) > kept else []
    return [_with_short_lists(item, kept) for item in value[:kept]] + left_out


def shorten_middle(text: str, limit: int) -> str:
    """Return `text`, or its head and tail with a note of what was left out."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"


def build(
    purpose: Purpose,
    task: Any,
    messages: tuple[Message, ...],
    functions: tuple[FunctionSpec, ...],
    tool_choice: ToolChoice,
) -> ModelRequest:
    """Return the request; its limits are set when it is admitted."""
    return ModelRequest(purpose, task, messages, functions, tool_choice, max_output_tokens=0)
