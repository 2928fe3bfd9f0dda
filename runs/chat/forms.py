"""Reading what the chat's forms send. Everything unexpected is an InvalidInput, nothing is guessed."""

from typing import Any
from uuid import UUID

from django.http import QueryDict
from django.utils.translation import gettext

from activities.models.activity import FieldKind
from agentapp.kernel.errors import InvalidInput
from runs.models import Question

#: Before the names of a question's fields, so that no field can pass for another part of the form.
PREFIX = "answer-"


def client_id(data: QueryDict) -> UUID:
    """Return the sender's own id of a message. Raises InvalidInput."""
    try:
        return UUID(data.get("client_id", ""))
    except ValueError as error:
        raise InvalidInput(gettext("The message was sent without its number. Reload the page.")) from error


def answer_values(question: Question, data: QueryDict) -> dict[str, Any]:
    """Return field name → what was chosen or typed, for the fields of `question` and no others."""
    return {field.name: _value(field.name, field.kind, data) for field in question.fields.all()}


def _value(name: str, kind: str, data: QueryDict) -> Any:
    if kind != FieldKind.PERIOD:
        return data.get(f"{PREFIX}{name}", "").strip()
    start, end = (data.get(f"{PREFIX}{name}-{part}", "").strip() for part in ("start", "end"))
    return {"start": start, "end": end} if start or end else ""
