"""The demonstration's test prompts: enough of them, half of them French, and the interpreter passes them."""

from collections import Counter

import pytest
from django.core import mail

from activities.evaluations import latest_pass_rate
from activities.models import Agent, Evaluation
from examples.billing import demo
from examples.billing.models import CreditNote, PaymentAllocation, Refund, Reminder
from runs.llm.builtin import BuiltinModel
from runs.models import Conversation, Escalation, Run
from runs.trials.evaluating import evaluate


def test_there_are_enough_and_half_are_french() -> None:
    languages = Counter(prompt.language for prompt in demo.load_prompts().prompts)
    assert languages.total() >= 60
    assert abs(languages["en"] - languages["fr"]) <= 4


def _billing_rows() -> list[int]:
    return [model.objects.count() for model in (CreditNote, PaymentAllocation, Refund, Reminder)]


@pytest.mark.timeout(600)
def test_the_interpreter_passes_and_nothing_has_happened(db: None, settings: object) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # type: ignore[attr-defined]
    demo.seed_demo(invoices=1_500)
    revision = Agent.objects.get(key="billing").revisions.get()
    before = _billing_rows()
    evaluation: Evaluation = evaluate(revision, model=BuiltinModel())
    failed = [f"{item.key} [{item.text}]: {item.reason}" for item in evaluation.results.filter(passed=False)]
    rate = latest_pass_rate(revision)
    assert rate is not None
    assert rate >= 95, "\n".join(failed)
    assert _billing_rows() == before
    assert mail.outbox == []
    assert not Escalation.objects.exists()
    assert not Run.objects.filter(trial=False).exists()
    assert not Conversation.objects.filter(trial=False).exists()
