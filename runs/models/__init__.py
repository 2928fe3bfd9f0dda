"""What is done: conversations, runs, and every row that proves what happened."""

from runs.models.calls import Confirmation, Fact, ModelCall, ToolArgument, ToolCall
from runs.models.conversation import Conversation, Message, MessageAuthor
from runs.models.escalation import Escalation, EscalationDecision
from runs.models.failure import FailureKind, RunFailure
from runs.models.missed import MissCause, Missed
from runs.models.plan import Plan, PlanPart
from runs.models.protection import ProtectedValue
from runs.models.question import Question, QuestionCandidate, QuestionField
from runs.models.run import Run, RunInput, RunOutput, RunStep

__all__ = [
    "Confirmation",
    "Conversation",
    "Escalation",
    "EscalationDecision",
    "Fact",
    "FailureKind",
    "Message",
    "MessageAuthor",
    "MissCause",
    "Missed",
    "ModelCall",
    "Plan",
    "PlanPart",
    "ProtectedValue",
    "Question",
    "QuestionCandidate",
    "QuestionField",
    "Run",
    "RunFailure",
    "RunInput",
    "RunOutput",
    "RunStep",
    "ToolArgument",
    "ToolCall",
]
