"""`manage.py ask`: the chat's main job from a shell."""

import io
import json
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from accounts import actions as accounts
from examples.billing import known
from examples.billing.models import Refund
from runs.models import Conversation, Message, Run
from runs.states import Outcome, RunState

pytestmark = pytest.mark.django_db

REFUND = f"Refund invoice {known.REFUNDABLE_INVOICE}, the item arrived broken."


def run(*arguments, user="alice@example.com", **options):
    """Run the command and return its exit code and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("ask", *arguments, "--user", user, stdout=out, stderr=err, **options)
    return SimpleNamespace(code=ended.value.code or 0, out=out.getvalue(), err=err.getvalue())


def asked(*arguments, **options):
    done = run(*arguments, "--json", **options)
    return done.code, json.loads(done.out)


def refunds():
    return Refund.objects.filter(invoice__number=known.REFUNDABLE_INVOICE).count()


def test_it_declines_kindly(demo):
    done = run("What's the weather in Lyon?")
    assert done.code == 0
    assert "declined" in done.out


def test_it_prints_one_object(demo):
    code, report = asked(f"Analyse my relationship with {known.RICH_CUSTOMER_NAME} over the past year.")
    assert code == 0
    assert list(report)[:7] == ["run", "steps", "tool_calls", "confirmations", "events", "usage", "model"]
    assert report["run"]["outcome"] == Outcome.SUCCEEDED
    assert report["run"]["state"] == RunState.FINISHED
    assert report["run"]["answer"]
    assert report["run"]["question"] is None
    assert {"id", "conversation", "activity", "revision"} <= set(report["run"])
    step = report["steps"][0]
    assert {"key", "state", "verdict", "attempts", "intention", "next_intention"} <= set(step)
    call = report["tool_calls"][0]
    assert {"tool", "risk", "state", "arguments", "result"} <= set(call)
    argument = next(iter(call["arguments"].values()))
    assert {"value", "provenance", "origin"} <= set(argument)
    assert {"seq", "type"} <= set(report["events"][0])
    assert set(report["usage"]) >= {
        "model_calls",
        "tool_calls",
        "output_tokens",
        "context_bytes",
        "active_seconds",
    }


def test_it_asks_back_and_takes_the_next_message_as_the_answer(demo):
    code, report = asked(f"Analyse my relationship with {known.NAMESAKES_NAME} over the past year.")
    assert code == 2
    assert report["run"]["outcome"] == Outcome.NEEDS_INPUT
    assert known.NAMESAKES[0] in json.dumps(report["run"]["question"])
    code, answered = asked(known.NAMESAKES[0], "--conversation", report["run"]["conversation"])
    assert code == 0
    assert answered["run"]["id"] == report["run"]["id"]
    assert answered["run"]["outcome"] == Outcome.SUCCEEDED


def test_it_prints_the_question_and_its_candidates(demo):
    done = run(f"Analyse my relationship with {known.NAMESAKES_NAME} over the past year.")
    assert done.code == 2
    for code in known.NAMESAKES:
        assert code in done.out


def test_it_leaves_a_confirmation_pending(demo):
    code, report = asked(REFUND)
    assert code == 3
    assert report["run"]["outcome"] == Outcome.AWAITING_CONFIRMATION
    (confirmation,) = report["confirmations"]
    assert {"tool_call", "state", "digest", "preview"} <= set(confirmation)
    assert refunds() == 0


def test_it_shows_what_it_confirms_and_confirms_it(demo):
    done = run(REFUND, "--confirm")
    assert done.code == 0, done.out + done.err
    assert known.REFUNDABLE_INVOICE in done.out
    assert refunds() == 1


def test_it_refuses(demo):
    code, report = asked(REFUND, "--refuse")
    assert code == 1
    assert report["run"]["outcome"] == Outcome.REFUSED
    assert refunds() == 0


def test_the_object_stands_alone_when_it_confirms(demo):
    done = run(REFUND, "--confirm", "--json")
    assert json.loads(done.out)["run"]["outcome"] == Outcome.SUCCEEDED
    assert known.REFUNDABLE_INVOICE in done.err


def test_it_decides_later(demo):
    _code, report = asked(REFUND)
    code, decided = asked("--conversation", report["run"]["conversation"], "--confirm")
    assert code == 0
    assert decided["run"]["id"] == report["run"]["id"]
    assert refunds() == 1


def test_a_text_does_not_confirm(demo):
    _code, report = asked(REFUND)
    code, said = asked("yes, confirm it", "--conversation", report["run"]["conversation"])
    assert code == 1
    assert set(said) == {"error"}
    assert refunds() == 0


def test_it_confirms_nothing_for_somebody_without_the_right(demo):
    code, report = asked(REFUND, "--confirm", user="chloe@example.com")
    assert report["run"]["activity"] != "refund_invoice"
    assert report["run"]["outcome"] in (Outcome.DECLINED, Outcome.NEEDS_INPUT)
    assert code == (0 if report["run"]["outcome"] == Outcome.DECLINED else 2)
    assert "refund_invoice" not in json.dumps(report)
    assert refunds() == 0


def test_it_reads_standard_input(demo, monkeypatch):
    text = "Quel temps fait-il à Lyon ?"
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text.encode() + b"\n")))
    code, report = asked("-")
    assert code == 0
    assert Message.objects.get(run=report["run"]["id"]).text.strip() == text


def test_bytes_that_are_no_text_are_no_failure(demo, monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"caf\xe9 \xff\x00")))
    code, _report = asked("-")
    assert code == 0
    code, _report = asked("half \udce9 of it \ud83d")
    assert code == 0


@pytest.mark.parametrize("text", ["", "   ", "a" * 100_000])
def test_a_message_that_is_not_taken_leaves_nothing(demo, text):
    code, said = asked(text)
    assert code == 1
    assert said["error"]["code"] == "invalid_input"
    assert not Conversation.objects.exists()
    assert not Run.objects.exists()


def test_an_unknown_person_is_said(demo):
    done = run("Hello", user="nobody@example.com")
    assert done.code == 1
    assert "nobody@example.com" in done.err
    assert "Traceback" not in done.err


def test_the_address_is_found_in_any_case(demo):
    assert run("What's the weather?", user="Alice@Example.COM").code == 0


def test_somebody_elses_conversation_is_not_there(demo):
    _code, report = asked("What's the weather in Lyon?")
    other = asked("Hello", "--conversation", report["run"]["conversation"], user="benoit@example.com")
    assert (other[0], other[1]["error"]["code"]) == (1, "not_found")
    assert asked("Hello", "--conversation", str(uuid4()))[1]["error"]["code"] == "not_found"


def test_the_workspace_is_named_by_people_who_have_several(demo, alice_user):
    other = accounts.workspace_create(slug="elsewhere", name="Elsewhere")
    accounts.member_add(other, alice_user)
    assert asked("Hello")[1]["error"]["code"] == "workspace_needed"
    assert asked("What's the weather?", "--workspace", demo.slug)[0] == 0
    assert asked("Hello", "--workspace", "nowhere")[1]["error"]["code"] == "not_found"


def test_a_wrong_command_line_is_refused(demo):
    for arguments in (["Hello", "--conversation", "x"], ["Hello", "--confirm", "--refuse"]):
        with pytest.raises(CommandError):
            call_command("ask", *arguments, "--user", "alice@example.com")


def test_it_leaves_a_run_to_the_worker_that_holds_it(demo, monkeypatch):
    """A worker has the lease: nothing is done twice, the command waits and then says so."""
    from django.utils import timezone

    from runs import jobs

    def taken_by_a_worker(run_id):
        later = timezone.now() + timezone.timedelta(minutes=5)
        Run.objects.filter(pk=run_id).update(state=RunState.WORKING, fence=7, lease_until=later)
        return original(run_id)

    original = jobs.run_drain
    monkeypatch.setattr(jobs, "run_drain", taken_by_a_worker)
    code, said = asked("What's the weather in Lyon?", "--timeout", "0.2")
    assert (code, said["error"]["code"]) == (1, "still_working")
    assert Run.objects.get().fence == 7
