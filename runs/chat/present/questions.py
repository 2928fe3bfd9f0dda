"""Questions: the open one as a form, answered ones as part of the talk."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext

from activities.models.activity import FieldKind
from runs.chat.values import NOTHING, readable
from runs.models import Question, QuestionCandidate, QuestionField
from runs.models.question import AskedBecause


@dataclass(frozen=True)
class FieldView:
    """One value asked for. `value` is what the person tried last, kept for correction."""

    name: str
    kind: str
    label: str
    hint: str
    error: str
    candidates: tuple[QuestionCandidate, ...]
    value: Any = ""

    @property
    def input_type(self) -> str:
        """The HTML input that fits."""
        return {
            FieldKind.DATE.value: "date",
            FieldKind.EMAIL.value: "email",
        }.get(self.kind, "text")

    @property
    def input_mode(self) -> str:
        """The keyboard a phone should show."""
        return {
            FieldKind.INTEGER.value: "numeric",
            FieldKind.DECIMAL.value: "decimal",
            FieldKind.EMAIL.value: "email",
        }.get(self.kind, "text")


@dataclass(frozen=True)
class QuestionView:
    id: UUID
    text: str
    fields: tuple[FieldView, ...]

    @property
    def by_click(self) -> bool:
        """One value with a few candidates: the click is the answer."""
        return len(self.fields) == 1 and bool(self.fields[0].candidates)


Problems = Mapping[str, str]


def question_view(
    question: Question, problems: Problems | None = None, tried: Mapping[str, Any] | None = None
) -> QuestionView:
    """Return the open question as a form, with what was wrong with the last try."""
    fields = [
        _field(field, (problems or {}).get(field.name, field.error), (tried or {}).get(field.name, ""))
        for field in question.fields.all()
    ]
    return QuestionView(question.pk, question.text, tuple(fields))


def _field(field: QuestionField, error: str, value: Any) -> FieldView:
    return FieldView(
        name=field.name,
        kind=field.kind,
        label=field.label,
        hint=_hint(field),
        error=error,
        candidates=tuple(field.candidates.all()),
        value=value,
    )


def _hint(field: QuestionField) -> str:
    if not field.words:
        return ""
    if field.because == AskedBecause.UNKNOWN:
        return gettext("“%(words)s” was not found.") % {"words": field.words}
    return gettext("You wrote “%(words)s”.") % {"words": field.words}


def answer_words(question: Question) -> str:
    """Return what was answered in a form, as a person would say it."""
    said = [_said(field) for field in question.fields.all() if field.answer is not None]
    if len(said) == 1:
        return said[0][1]
    return "\n".join(f"{label}: {value}" for label, value in said) or NOTHING


def _said(field: QuestionField) -> tuple[str, str]:
    labels = {candidate.value: candidate.label for candidate in field.candidates.all()}
    known = labels.get(field.answer) if isinstance(field.answer, str) else None
    return field.label, known or readable(field.answer, field.kind)
