"""What the API reads and writes. Times are ISO 8601 in UTC, decimals are strings, ids are UUIDs."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from agentapp.kernel.text import clean_text, clean_value

MOST_ITEMS = 100
#: The largest number a sequence column holds.
_LARGEST = 2**31 - 1


def _cleaned(value: object) -> object:
    """Make a text storable before it is looked at: NUL bytes and lone surrogates are no reason to fail."""
    return clean_text(value) if isinstance(value, str) else value


class Closed(BaseModel):
    """Base of every body: a name that is not known is refused, so that a typing error is seen."""

    model_config = ConfigDict(extra="forbid")


class MessageIn(Closed):
    text: Annotated[str, BeforeValidator(_cleaned)] = Field(description="At most 8,000 characters.")
    client_id: UUID = Field(description="Your own id of this message: sending it again is the same message.")


class AnswerIn(Closed):
    values: Annotated[dict[str, Any], BeforeValidator(clean_value)] = Field(
        description="Field name to value: a candidate's `value`, or what a person would type. "
        'A period is `{"start": "2025-01-01", "end": "2025-12-31"}`.'
    )


class DecisionIn(Closed):
    """Only these two words decide. Anything else is an error and decides nothing."""

    decision: Literal["confirm", "refuse"]
    digest: str = Field(
        pattern=r"^[0-9a-f]{64}$",
        description="The confirmation's digest: what you looked at is what you decide.",
    )


class Window(BaseModel):
    """Which part of a list. Newest first."""

    before: UUID | None = Field(None, description="`next` of the page before.")
    limit: int = Field(50, ge=1, le=MOST_ITEMS)


class Since(BaseModel):
    """Which part of a run's events. Oldest first."""

    since: int = Field(0, ge=0, le=_LARGEST, description="The last number you have seen.")
    limit: int = Field(500, ge=1, le=1000)


class ActivityOut(BaseModel):
    key: str
    agent: str
    revision: int
    name: str
    summary: str
    examples: list[str] = Field(description="What a person might write, in your language.")


class MessageOut(BaseModel):
    id: UUID
    run: UUID | None
    client_id: UUID
    author: str
    text: str
    created_at: datetime


class ConversationOut(BaseModel):
    id: UUID
    workspace: str
    title: str
    created_at: datetime
    updated_at: datetime


class RunOut(BaseModel):
    """A run in a list."""

    id: UUID
    conversation: UUID
    user: UUID
    activity: str | None
    revision: int | None
    state: str
    outcome: str = Field(description="Empty while it works.")
    created_at: datetime
    finished_at: datetime | None


class ConversationDetail(ConversationOut):
    messages: list[MessageOut] = Field(description="Oldest first, of the page asked for.")
    runs: list[RunOut] = Field(description="The runs of these messages, oldest first.")
    next: UUID | None = Field(description="`before` of the earlier messages.")


class PostedOut(BaseModel):
    """A message that was taken. Follow its run."""

    message: MessageOut
    run: RunOut
    repeated: bool = Field(description="This client_id was known: nothing new was begun.")
    answered: bool = Field(description="The text was taken as the answer to the open question.")


class CandidateOut(BaseModel):
    value: str
    label: str
    detail: str


class QuestionFieldOut(BaseModel):
    name: str
    kind: str
    label: str
    because: str
    words: str
    error: str
    candidates: list[CandidateOut]


class QuestionOut(BaseModel):
    """A question; answer an open one by `POST /questions/{id}/answer`, or in words by a message."""

    id: UUID
    state: str
    text: str
    expires_at: datetime
    fields: list[QuestionFieldOut]


class ConfirmationOut(BaseModel):
    id: UUID
    run: UUID
    tool_call: UUID
    state: str
    digest: str
    preview: dict[str, Any]
    expires_at: datetime
    decided_at: datetime | None


class EventOut(BaseModel):
    seq: int
    type: str
    at: datetime
    actor_kind: str
    data: dict[str, Any]


class EventPage(BaseModel):
    items: list[EventOut]
    last: int = Field(description="`since` of the next call.")


class ConversationPage(BaseModel):
    items: list[ConversationOut]
    next: UUID | None


class RunPage(BaseModel):
    items: list[RunOut]
    next: UUID | None
