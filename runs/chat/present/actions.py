"""Tool calls, their arguments, and the confirmations they wait for."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext

from accounts.models import User
from activities.tools import Risk, registry
from runs.chat import tones
from runs.chat.values import exactly, found, title_of
from runs.models import Confirmation, Run, ToolArgument, ToolCall
from runs.models.run import Origin
from runs.states import CallState, ConfirmationState


@dataclass(frozen=True)
class ArgumentView:
    """One final argument, and where its value came from, in words."""

    name: str
    label: str
    value: str
    origin: str
    grounded: bool


@dataclass(frozen=True)
class CallView:
    """One tool call in one line, and the whole of it for the run's page."""

    id: UUID
    title: str
    key: str
    state: str
    state_label: str
    tone: tones.Tone
    risk: str
    risk_label: str
    found: str
    error: str
    arguments: tuple[ArgumentView, ...]
    result: Any
    started_at: datetime | None
    milliseconds: int
    is_open: bool
    by: UUID | None

    @property
    def result_text(self) -> str:
        """The result as indented JSON, for the run's page."""
        return "" if self.result is None else json.dumps(self.result, ensure_ascii=False, indent=2)


@dataclass(frozen=True)
class ConfirmationView:
    """A decision: what will happen, to whom, how much, and with which arguments."""

    id: UUID
    digest: str
    call: CallView
    preview: Mapping[str, Any]
    expires_at: datetime
    position: int
    total: int
    is_pending: bool
    state: str
    state_label: str
    tone: tones.Tone
    verdict: str
    decided_at: datetime | None
    decider: UUID


RISKS: Mapping[str, str] = {Risk.LOW: "plain", Risk.MEDIUM: "wait", Risk.HIGH: "bad"}
_OPEN = (CallState.PROPOSED, CallState.AWAITING, CallState.ADMITTED, CallState.EXECUTING)


def tool_title(key: str) -> str:
    """Return the tool's title; its key when it is not installed any more."""
    contract = registry.get(key)
    return str(contract.title) if contract else key


def risk_label(risk: str) -> str:
    return {
        Risk.LOW.value: gettext("Low risk"),
        Risk.MEDIUM.value: gettext("Medium risk"),
        Risk.HIGH.value: gettext("High risk"),
    }.get(risk, "")


def call_view(call: ToolCall, labels: Mapping[str, str], *, own: bool = True) -> CallView:
    """Return the view of a call. `labels` are those of the activity's inputs, by name."""
    fact = getattr(call, "fact", None)
    return CallView(
        id=call.pk,
        title=tool_title(call.tool_key),
        key=call.tool_key,
        state=call.state,
        state_label=call.get_state_display(),
        tone=tones.CALLS[call.state],
        risk=call.risk,
        risk_label=risk_label(call.risk),
        found=found(fact.data, registry.get(call.tool_key)) if fact else "",
        error=call.error_message,
        arguments=tuple(argument_view(argument, labels, own=own) for argument in call.arguments.all()),
        result=call.result,
        started_at=call.started_at,
        milliseconds=call.milliseconds,
        is_open=call.state in _OPEN,
        by=call.by_id,
    )


def argument_view(argument: ToolArgument, labels: Mapping[str, str], *, own: bool = True) -> ArgumentView:
    # Where an input was not taken from words literally, its name stands in their place.
    detail = "" if argument.detail in labels else argument.detail
    return ArgumentView(
        name=argument.name,
        label=labels.get(argument.name) or title_of(argument.name),
        value=exactly(argument.value, argument.label),
        origin=origin_words(argument.origin, detail, own=own),
        grounded=argument.origin != Origin.UNGROUNDED,
    )


def origin_words(origin: str, detail: str, *, own: bool = True) -> str:
    """Return where a value came from as a person says it. `detail` are the words, or the fact's path.

    `own`: the reader is who asked; to others, the words are the requester's.
    """
    if not own and origin in _OF_THE_REQUESTER:
        return _of_the_requester(origin, detail)
    if origin == Origin.WORDS and detail:
        return gettext("from your words: “%(words)s”") % {"words": detail}
    if origin == Origin.FACT and detail:
        return gettext("from “%(source)s”") % {"source": _fact_source(detail)}
    return {
        Origin.WORDS.value: gettext("from your words"),
        Origin.INPUT.value: gettext("from your request"),
        Origin.FIXED.value: gettext("set by the designer"),
        Origin.FACT.value: gettext("from what was found"),
        Origin.LOOKED_UP.value: gettext("looked up"),
        Origin.DEFAULT.value: gettext("the usual value"),
        Origin.AGENT.value: gettext("chosen by the model"),
        Origin.PERSON.value: gettext("your answer"),
        Origin.DECIDER.value: gettext("from who decided"),
        Origin.HANDED_OVER.value: gettext("from an earlier run"),
        Origin.UNGROUNDED.value: gettext("from nowhere"),
    }.get(origin, origin)


_OF_THE_REQUESTER = (Origin.WORDS, Origin.INPUT, Origin.PERSON)


def _of_the_requester(origin: str, detail: str) -> str:
    if origin == Origin.PERSON:
        return gettext("answered by the requester")
    if origin == Origin.WORDS and detail:
        return gettext("from the requester's words: “%(words)s”") % {"words": detail}
    return gettext("from the requester's words")


def _fact_source(path: str) -> str:
    """Return the title of the tool behind a fact's path, with or without `facts.` before it."""
    key = path.removeprefix("facts.").split(".")[0].split("[")[0]
    titles = (str(contract.title) for contract in registry.declared() if contract.fact_key == key)
    return next(titles, title_of(key))


def confirmation_views(
    run: Run, calls: Mapping[UUID, CallView], viewer: User | None
) -> list[ConfirmationView]:
    """Return the run's confirmations, each with its place among those asked for together."""
    rows = list(run.confirmations.all())
    owners = {call.pk: call.model_call_id or call.pk for call in run.calls.all()}
    return [_confirmation(run, row, rows, owners, calls, viewer) for row in rows if row.call_id in calls]


def _confirmation(
    run: Run,
    row: Confirmation,
    rows: Sequence[Confirmation],
    owners: Mapping[UUID, UUID],
    calls: Mapping[UUID, CallView],
    viewer: User | None,
) -> ConfirmationView:
    together = [other for other in rows if owners.get(other.call_id) == owners.get(row.call_id)]
    return ConfirmationView(
        id=row.pk,
        digest=row.digest,
        call=calls[row.call_id],
        preview=row.preview,
        expires_at=row.expires_at,
        position=together.index(row) + 1,
        total=len(together),
        is_pending=row.state == ConfirmationState.PENDING,
        state=row.state,
        state_label=row.get_state_display(),
        tone=tones.CONFIRMATIONS[row.state],
        verdict=_verdict(row, viewer),
        decided_at=row.decided_at,
        decider=calls[row.call_id].by or run.user_id,
    )


def _verdict(row: Confirmation, viewer: User | None) -> str:
    """Return who decided what, as one phrase."""
    own = viewer is not None and row.decided_by_id == viewer.pk
    name = {"name": row.decided_by.get_full_name() if row.decided_by else gettext("somebody")}
    match row.state:
        case ConfirmationState.CONFIRMED:
            return gettext("Confirmed by you") if own else gettext("Confirmed by %(name)s") % name
        case ConfirmationState.REFUSED:
            return gettext("Refused by you") if own else gettext("Refused by %(name)s") % name
        case ConfirmationState.EXPIRED:
            return gettext("Nobody decided in time: counted as a refusal")
        case ConfirmationState.VOID:
            return gettext("No decision was needed any more")
    return ""
