"""One call to a model: admitted by the guardrails, its intent persisted, streamed, its outcome persisted."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from django.conf import settings

from accounts.models import ActorKind
from agentapp.kernel.canonical import digest
from agentapp.kernel.errors import MandateError, ModelUnavailable
from agentapp.kernel.rows import change, insert
from agentapp.kernel.text import clean_text
from runs.arguments import BadArguments, parse_arguments
from runs.engine.commit import commit
from runs.engine.requests import size_of
from runs.guardrails import admit_model_call, limits_of
from runs.journal import Journal, StopRequested
from runs.llm import get_model
from runs.llm.base import Message, ModelCancelled, ModelReply, ModelRequest, Purpose, drain
from runs.models import ModelCall, RunStep
from runs.view import RunView

#: How often a reply that cannot be read is asked for again, within the guardrails.
TRIES = 3


#: The most one reply may take, by what it is for, whatever the run has left.
REPLY_TOKENS = {
    Purpose.ROUTE: 300,
    Purpose.INPUTS: 1_000,
    Purpose.REWRITE: 200,
    Purpose.STEP: 2_000,
    Purpose.PROSE: 1_500,
}


class ModelFailed(MandateError):
    """The model gave nothing the run can go on with. `code` is what the run ends with."""

    status = 503

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.reason = code


@dataclass(frozen=True)
class Asked:
    """A reply and the row of its call, which the caller settles in its own transaction."""

    row: ModelCall
    reply: ModelReply
    milliseconds: int


@dataclass(frozen=True)
class Prepared:
    """A request whose call is admitted and on record: what is left is to send it."""

    request: ModelRequest
    row: ModelCall
    step: RunStep | None


@dataclass(frozen=True)
class Onward:
    """What an act leaves behind: whether the run goes on now, and the model call already on record for it."""

    goes_on: bool
    prepared: Prepared | None = None


GO_ON = Onward(True)
PAUSE = Onward(False)


def prepare(view: RunView, request: ModelRequest, step: RunStep | None, journal: Journal) -> Prepared:
    """Admit a model call and put its intent on record, in this transaction. Raises GuardrailReached."""
    size = size_of(request.messages, request.functions)
    allowed = admit_model_call(view.run, limits_of(view.activity), size)
    row = ModelCall(
        run=view.run,
        step=step,
        purpose=request.purpose.value,
        request_digest=digest([[message.role, message.text] for message in request.messages]),
        context_bytes=size,
        model=get_model().name,
    )
    counted = {
        "model_calls": view.run.model_calls + 1,
        "context_bytes": max(view.run.context_bytes, size),
    }
    change(view.run, counted)
    view.vault.save()
    insert([row])
    view.model_calls.append(row)
    journal.event("model.called", {"purpose": row.purpose, "bytes": size})
    timeout = float(settings.OPENAI_TIMEOUT_SECONDS)
    complete = replace(
        request,
        max_output_tokens=min(allowed, REPLY_TOKENS[request.purpose]),
        timeout_seconds=timeout,
        cancelled=view.is_stopped,
    )
    return Prepared(complete, row, step)


def ask(view: RunView, request: ModelRequest, step: RunStep | None = None) -> Asked:
    """Admit and send one call. Raises GuardrailReached, StopRequested, ModelFailed; it is on record first."""
    with commit(view, intent=True) as journal:
        prepared = prepare(view, request, step, journal)
    return send(view, prepared)


def send(view: RunView, prepared: Prepared) -> Asked:
    """Send a prepared call. Raises ModelFailed; the failure is on record."""
    model = get_model()
    started = monotonic()
    try:
        reply = drain(model.stream(prepared.request), model.name)
    except ModelCancelled:
        _persist_failure(view, prepared.row, "cancelled", "The person asked to stop.", started)
        raise StopRequested("The person asked to stop.") from None
    except ModelUnavailable as error:
        _persist_failure(
            view, prepared.row, str(error.data.get("reason", error.code)), error.message, started
        )
        raise ModelFailed("model_unavailable", error.message) from error
    return Asked(prepared.row, reply, round((monotonic() - started) * 1000))


def _persist_failure(view: RunView, row: ModelCall, code: str, message: str, started: float) -> None:
    row.error_code, row.error_message = code[:40], message[:2000]
    row.milliseconds = round((monotonic() - started) * 1000)
    with commit(view) as journal:
        row.save(update_fields=["error_code", "error_message", "milliseconds"])
        journal.event("model.failed", {"purpose": row.purpose, "code": code, "message": row.error_message})


@contextmanager
def settling(view: RunView, asked: Asked, **values: Any) -> Iterator[Journal]:
    """The transaction in which a reply becomes part of the run: its usage, and whatever the caller adds."""
    row, reply = asked.row, asked.reply
    answered = {
        "text": clean_text(reply.text)[:20_000],
        "finish_reason": reply.finish_reason[:40] or "stop",
        "model": reply.model[:100],
        "prompt_tokens": reply.prompt_tokens,
        "output_tokens": reply.output_tokens,
        "milliseconds": asked.milliseconds,
        "error_code": row.error_code,
        "error_message": row.error_message,
    }
    for name, value in answered.items():
        setattr(row, name, value)
    spent = view.run.output_tokens + reply.output_tokens
    with commit(view, output_tokens=spent, model=row.model, **values) as journal:
        change(row, answered)
        journal.event(
            "model.answered",
            {
                "purpose": row.purpose,
                "model": row.model,
                "finish": row.finish_reason,
                "calls": len(reply.calls),
            },
            ActorKind.MODEL,
        )
        yield journal


def ask_for(
    view: RunView, request: ModelRequest, function: str, prepared: Prepared | None = None
) -> tuple[Asked, dict[str, Any]]:
    """Ask until the model calls `function` with one readable object, at most TRIES times.

    The first try is the `prepared` call, if there is one.

    Returns the last reply, not yet settled, and the object. Raises ModelFailed("model_unusable").
    """
    problem, wanted = "", request
    for _attempt in range(TRIES):
        asked = send(view, prepared) if prepared is not None else ask(view, wanted)
        prepared = None
        try:
            return asked, _object_of(asked.reply, function)
        except BadArguments as error:
            problem = str(error)
            asked.row.error_code, asked.row.error_message = "unusable_reply", problem[:2000]
            with settling(view, asked):
                pass
            wanted = _asked_again(request, function, problem)
    raise ModelFailed("model_unusable", f"The model's replies could not be used: {problem}.")


def _asked_again(request: ModelRequest, function: str, problem: str) -> ModelRequest:
    """Return the request with what was wrong: a model without chance in it would only repeat itself."""
    told = (
        f"Your last reply could not be used: {problem}. Call the function {function} once, and write no text."
    )
    return replace(request, messages=(*request.messages, Message("user", told)))


def _object_of(reply: ModelReply, function: str) -> dict[str, Any]:
    if reply.finish_reason == "length":
        raise BadArguments("the reply was cut by the length limit")
    named = [call for call in reply.calls if call.name == function]
    if len(named) != 1:
        raise BadArguments(f"the reply does not call {function} exactly once")
    return parse_arguments(named[0].arguments)
