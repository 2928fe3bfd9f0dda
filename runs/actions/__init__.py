"""What a person may do with conversations and runs. Every edge calls these, and only these."""

from runs.actions.confirming import confirmation_decide
from runs.actions.escalations import (
    escalation_act,
    escalation_close,
    escalation_pass_on,
    escalation_supply,
    escalation_take,
)
from runs.actions.messages import Posted, conversation_create, message_post
from runs.actions.missed import missed_name, missed_strike
from runs.actions.questions import question_answer
from runs.actions.stopping import run_stop

__all__ = [
    "Posted",
    "confirmation_decide",
    "conversation_create",
    "escalation_act",
    "escalation_close",
    "escalation_pass_on",
    "escalation_supply",
    "escalation_take",
    "message_post",
    "missed_name",
    "missed_strike",
    "question_answer",
    "run_stop",
]
