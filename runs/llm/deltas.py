"""From the chunks of a chat completion to deltas: the accumulator.

The endpoints that speak this protocol disagree about nearly everything in it. The rule here: whatever comes,
two calls are never joined into one, and a reply that may be incomplete never looks complete.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

from agentapp.kernel.text import clean_text
from runs.llm import exact
from runs.llm.base import CallDelta, Delta, FinishDelta, TextDelta, UsageDelta
from runs.llm.calls import CallAccumulator, Fragment
from runs.llm.failures import Failure, unavailable
from runs.llm.loose import count_of, items_of, mapping_of, text_of
from runs.llm.spoken import SpokenText
from runs.llm.trailing import Trail
from runs.llm.written import call_in_text

MAX_CALLS = 1_000
_MAX_NAME_LENGTH = 100
#: On the low side, so that an estimate is rather too many tokens than too few.
_CHARACTERS_PER_TOKEN = 3
#: Longer texts are not looked through for a call.
_LONGEST_WRITTEN_CALL = 20_000
REFUSAL = "refusal"

#: What endpoints say at the end, in our words. Anything else is passed on as it was said.
_REASONS = {
    "stop": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "complete": "stop",
    "completed": "stop",
    "tool_calls": "tool_calls",
    "tool_call": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
}
#: The endpoint says itself that the reply is none.
_FAILED = frozenset({"error", "abort", "aborted", "cancelled", "insufficient_system_resource"})
#: Only after these are the calls whole; after any other end they may be cut, and are left out.
_WHOLE = frozenset({"stop", "tool_calls"})
#: Speakers whose text is not the model's own: a result the model made up is no text of the reply.
_NOT_ITS_OWN = frozenset({"tool", "function", "user", "system", "developer"})


class ReplyBuilder:
    """Reads chunks in order; yields text at once, and calls, usage and the end when all is there.

    `max_characters` bounds what one reply may hold: beyond it the reply counts as cut by `length`.
    `names` turns the names on the wire back into ours; an unknown name stays as the model wrote it.
    """

    def __init__(self, *, max_characters: int, names: Mapping[str, str] | None = None) -> None:
        self._room = max_characters
        self._names = names or {}
        self._spoken = SpokenText()
        self._calls = CallAccumulator()
        self._usage = UsageDelta()
        self._written = 0
        self._reason = ""
        self._model = ""
        self._role = ""
        self._refused = False
        self._trail = Trail()
        self._text = ""
        self._any_choice = False
        self._done = False

    @property
    def has_ended(self) -> bool:
        """True when the endpoint said that it stopped: what follows can only be usage."""
        return bool(self._reason) or self._done

    @property
    def is_overfull(self) -> bool:
        return self._room < 0

    def has_trailed_off(self) -> bool:
        """True when the text will not end by itself. It is then taken as ended; in a loop, as cut."""
        if len(self._calls):
            return False
        if self._trail.is_blank:
            self._reason = self._reason or "stop"
        elif self._trail.repeats():
            self._reason = "length"
        else:
            return False
        return True

    def done(self) -> None:
        """The endpoint sent its end mark."""
        self._done = True

    def feed(self, chunk: object) -> Iterator[TextDelta]:
        """Take one chunk. Raises ModelUnavailable for an error inside the stream."""
        if not isinstance(chunk, dict):
            raise unavailable(Failure.NOT_A_COMPLETION)
        if chunk.get("error"):
            raise unavailable(Failure.ENDPOINT_ERROR, detail=str(chunk["error"]))
        self._model = text_of(chunk.get("model")) or self._model
        self._read_usage(chunk.get("usage"))
        for choice in items_of(chunk.get("choices")):
            if isinstance(choice, dict) and choice.get("index") in (0, None):
                yield from self._read_choice(choice)

    def finish(self) -> Iterator[Delta]:
        """Everything that had to wait for the end. Raises ModelUnavailable when there was no end."""
        reason = self._final_reason()
        if text := self._spoken.end():
            self._text += text
            yield TextDelta(text)
        calls = [(call.name, call.arguments) for call in self._calls.calls()] if reason in _WHOLE else []
        written = call_in_text(self._text, self._names) if reason in _WHOLE and not calls else None
        for name, arguments in [written] if written else calls:
            yield CallDelta(self._names.get(name, name), arguments, f"call_{uuid4().hex}")
        yield self._whole_usage()
        if reason in _WHOLE:
            reason = "tool_calls" if calls or written else "stop"
        yield FinishDelta(_short(reason), _short(self._model))

    def _read_usage(self, usage: object) -> None:
        if isinstance(usage, dict):
            self._usage = UsageDelta(
                count_of(usage.get("prompt_tokens")), count_of(usage.get("completion_tokens"))
            )

    def _whole_usage(self) -> UsageDelta:
        """What the endpoint counted; our estimate where it counts nothing, so that a limit still limits."""
        estimate = -(-self._written // _CHARACTERS_PER_TOKEN)
        return UsageDelta(self._usage.prompt_tokens, self._usage.output_tokens or estimate)

    def _read_choice(self, choice: Mapping[str, Any]) -> Iterator[TextDelta]:
        self._any_choice = True
        if not self.has_ended:
            yield from self._read_delta(mapping_of(choice.get("delta") or choice.get("message")))
        self._read_reason(text_of(choice.get("finish_reason")))

    def _read_delta(self, delta: Mapping[str, Any]) -> Iterator[TextDelta]:
        self._role = text_of(delta.get("role")) or self._role
        refusal = text_of(delta.get("refusal"))
        self._refused = self._refused or bool(refusal)
        self._read_calls(delta)
        said = "" if self._role in _NOT_ITS_OWN else _content(delta.get("content")) + refusal
        thought = text_of(delta.get("reasoning_content") or delta.get("reasoning"))
        self._room -= len(said)
        self._written += len(said) + len(thought)
        self._trail.add(said)
        if spoken := self._spoken.feed(said):
            if len(self._text) <= _LONGEST_WRITTEN_CALL:
                self._text += spoken
            yield TextDelta(spoken)

    def _read_calls(self, delta: Mapping[str, Any]) -> None:
        for entry in items_of(delta.get("tool_calls")):
            if isinstance(entry, dict):
                self._add(Fragment.read(entry, entry.get("index")))
        if isinstance(delta.get("function_call"), dict):
            self._add(Fragment.read({"function": delta["function_call"]}, "function_call"))

    def _add(self, fragment: Fragment) -> None:
        self._calls.add(fragment)
        self._room -= len(fragment.arguments) + len(fragment.name)
        self._written += len(fragment.arguments) + len(fragment.name)
        if len(self._calls) > MAX_CALLS:
            self._room = -1

    def _read_reason(self, said: str) -> None:
        if not said:
            return
        reason = _REASONS.get(said.lower(), said)
        # Of two ends the first counts, unless a later one says that the reply was cut.
        if not self._reason or (self._reason in _WHOLE and reason not in _WHOLE):
            self._reason = reason

    def _final_reason(self) -> str:
        if self.is_overfull:
            return "length"
        if not self._reason:
            self._check_unsaid_end()
        if self._reason.lower() in _FAILED:
            raise unavailable(Failure.ENDPOINT_ERROR, detail=self._reason)
        return REFUSAL if self._refused else self._reason or "stop"

    def _check_unsaid_end(self) -> None:
        if not self._done:
            raise unavailable(Failure.HALF_STREAM)
        if not self._any_choice:
            raise unavailable(Failure.NO_CHOICES)
        if not all(exact.is_document(call.arguments) for call in self._calls.calls()):
            raise unavailable(Failure.HALF_STREAM)


def _short(name: str) -> str:
    """A name from outside, as a page and a column can hold it."""
    return clean_text(name)[:_MAX_NAME_LENGTH]


def _content(value: object) -> str:
    """The text of a content: a string, or a list of parts of which only the text ones are spoken."""
    if isinstance(value, list):
        return "".join(
            text_of(part.get("text"))
            for part in value
            if isinstance(part, dict) and part.get("type") == "text"
        )
    return text_of(value)
