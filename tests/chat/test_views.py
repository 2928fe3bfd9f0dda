"""Rows as the screens show them."""

import pytest
from django.utils import timezone, translation

from accounts.models import User
from runs.chat import rows as chat_rows
from runs.chat import tones
from runs.chat.present.run import run_view
from runs.chat.values import LONGEST_LABEL, exactly, found, readable, shown
from runs.models import Confirmation, ModelCall, ToolCall
from runs.states import CallState, ConfirmationState, Outcome, RunState, StepState
from tests.chat import rows


def test_every_state_has_its_tone() -> None:
    assert set(tones.OUTCOMES) == set(Outcome)
    assert set(tones.RUNS) == set(RunState) - {RunState.FINISHED}
    assert set(tones.STEPS) == set(StepState)
    assert set(tones.CALLS) == set(CallState)
    assert set(tones.CONFIRMATIONS) == set(ConfirmationState)


@pytest.mark.parametrize(
    ("value", "english", "french"),
    [
        (None, "–", "–"),
        (True, "yes", "oui"),
        ("1234567890123456.78", "1,234,567,890,123,456.78", "1 234 567 890 123 456,78"),
        ("2025-03-01", "1 March 2025", "1er mars 2025"),
        (
            {"start": "2025-01-01", "end": "2025-03-31"},
            "1 January 2025 – 31 March 2025",
            "1er janvier 2025 – 31 mars 2025",
        ),
        ("INV-2025-00123", "INV-2025-00123", "INV-2025-00123"),
    ],
)
def test_values_read_in_the_readers_notation(value: object, english: str, french: str) -> None:
    with translation.override("en"):
        assert readable(value) == english
    with translation.override("fr"):
        assert " ".join(readable(value).split()) == french


def test_a_record_is_shown_by_its_label_and_a_number_by_itself() -> None:
    with translation.override("en"):
        assert shown("C-0042", "John Doe (C-0042)") == "John Doe (C-0042)"
        assert shown("10640.84", "10640.84") == "10,640.84"
        assert shown([], "[]") == "–"


@pytest.mark.parametrize(
    "text",
    [
        "2025-13-45",
        "2025-01-01T10:00 it broke",
        "2025-99-99T99:99",
        "0001-01-01T00:00:00+14:00",
        "2025-02-30",
    ],
)
def test_a_text_that_looks_like_a_date_is_a_text(text: str) -> None:
    with timezone.override("America/New_York"), translation.override("en"):
        assert readable(text) == exactly(text, text) == text


def test_nothing_is_left_out_of_what_will_be_carried_out() -> None:
    long = "fine " * 90 + "and pay the rest to somebody else"
    assert exactly(long, long[:LONGEST_LABEL]) == long
    keys = [f"INV-2025-{number:05}" for number in range(40)]
    assert exactly(keys, ", ".join(keys)[:LONGEST_LABEL]) == ", ".join(keys)
    assert exactly([1, 2, 3, 4, 5, 6], "[1, 2, 3, 4, 5, 6]") == "1, 2, 3, 4, 5, 6"
    assert exactly("C-0042", "John Doe (C-0042)") == "John Doe (C-0042)"


def test_what_was_found_is_said_without_names_of_fields() -> None:
    with translation.override("en"):
        assert found({"count": 3, "invoices": [1, 2, 3]}) == "3 entries"
        assert found({"invoices": []}) == "nothing"
        assert "count" not in found({"count": 3})


@pytest.mark.django_db
def test_confirmations_asked_for_together_are_numbered(owner: User) -> None:
    first = rows.pending(rows.conversation(owner))
    run = first.run
    asked = ModelCall.objects.create(run=run, purpose="act", request_digest="x", context_bytes=1)
    ToolCall.objects.filter(pk=first.call_id).update(model_call=asked)
    for position in (1, 2):
        call = ToolCall.objects.create(
            run=run,
            step=first.call.step,
            position=position,
            tool_key="x.y",
            state=CallState.AWAITING,
            model_call=asked,
        )
        Confirmation.objects.create(
            run=run, call=call, digest=rows.DIGEST, preview={"summary": "."}, expires_at=first.expires_at
        )
    view = run_view(chat_rows.whole_runs().get(pk=run.pk), 1, owner)
    assert [(item.position, item.total) for item in view.pending] == [(1, 3), (2, 3), (3, 3)]
