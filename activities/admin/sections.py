"""The parts of an activity, each a page: what it shows, what it takes, and the one change it makes."""

from collections.abc import Mapping
from typing import Any

from django.http import QueryDict

from accounts.models import User
from activities import drafting, redundancy
from activities.admin import contracts
from activities.admin.extensions import extensions
from activities.admin.forms.answer import (
    OutputRows,
    TemplateForm,
    fact_choices,
    output_values,
)
from activities.admin.forms.card import CardForm, LimitsForm, card_values
from activities.admin.forms.inputs import InputRows, input_values
from activities.admin.forms.steps import OutcomeRows, outcome_values
from activities.admin.page import name_of
from activities.blueprint import GuardrailsPart
from activities.models import Activity
from activities.schemas import input_schema, output_schema


class Section:
    """One page of an activity. `frozen` shows it read-only."""

    template = ""

    def __init__(
        self, activity: Activity, user: User, *, frozen: bool, data: QueryDict | None = None
    ) -> None:
        self.activity, self.user, self.frozen, self.data = activity, user, frozen, data
        self.load()

    def load(self) -> None:
        raise NotImplementedError

    def is_valid(self) -> bool:
        raise NotImplementedError

    def save(self, version: int) -> None:
        raise NotImplementedError

    def context(self) -> Mapping[str, Any]:
        raise NotImplementedError


class CardSection(Section):
    template = "card.html"

    def load(self) -> None:
        self.form = CardForm(self.data, initial=card_values(self.activity), frozen=self.frozen)

    def is_valid(self) -> bool:
        return self.form.is_valid()

    def save(self, version: int) -> None:
        drafting.card_change(self.activity, self.form.cleaned_data, actor=self.user, version=version)

    def context(self) -> Mapping[str, Any]:
        words = drafting.learned_words(self.activity.revision, self.activity)
        return {
            "form": self.form,
            "learned": words,
            "takeable": not self.frozen and any(not each.taken for each in words),
            "own_key": redundancy.activity_key(self.activity),
            "alike": redundancy.alike_to(self.activity) if self.activity.entry else [],
        }


class InputsSection(Section):
    template = "inputs.html"

    def load(self) -> None:
        self.rows = InputRows(
            self.data,
            prefix="inputs",
            initial=input_values(self.activity),
            form_kwargs={"frozen": self.frozen},
        )

    def is_valid(self) -> bool:
        return bool(self.rows.is_valid())

    def save(self, version: int) -> None:
        parts = [row.cleaned_data["part"] for row in self.rows.kept]
        drafting.inputs_change(self.activity, parts, actor=self.user, version=version)

    def context(self) -> Mapping[str, Any]:
        return {"rows": self.rows, "schema": input_schema(self.activity)}


class AnswerSection(Section):
    template = "answer.html"

    def load(self) -> None:
        kwargs = {
            "frozen": self.frozen,
            "owner": self.activity,
            "facts": fact_choices(contracts.places(self.activity)),
            "inputs": [field.name for field in self.activity.inputs.all()],
        }
        self.rows = OutputRows(
            self.data, prefix="outputs", initial=output_values(self.activity), form_kwargs=kwargs
        )
        self.form = TemplateForm(self.data, initial={"template": self.activity.template}, frozen=self.frozen)

    def is_valid(self) -> bool:
        good = all([self.rows.is_valid(), self.form.is_valid()])
        return good and self._template_fits()

    def _template_fits(self) -> bool:
        """Unknown fields are told here, with the outputs as they would be saved."""
        for language, problem in contracts.answer_problems(self.activity, self.parts, self.sources):
            self.form.add_error("template", f"{language}: {problem}")
        return not self.form.errors

    @property
    def parts(self) -> list[Any]:
        return [row.cleaned_data["part"] for row in self.rows.kept]

    @property
    def sources(self) -> dict[str, str]:
        found: dict[str, str] = self.form.cleaned_data["template"]
        return found

    def save(self, version: int) -> None:
        drafting.answer_change(self.activity, self.parts, self.sources, actor=self.user, version=version)

    def context(self) -> Mapping[str, Any]:
        past = extensions.past_runs(self.user, self.activity) if extensions.past_runs else []
        return {
            "rows": self.rows,
            "form": self.form,
            "schema": output_schema(self.activity),
            "past_runs": past,
            "places": contracts.template_places(self.activity),
        }


class HandoverSection(Section):
    template = "handover.html"

    def load(self) -> None:
        others = self.activity.revision.activities.exclude(pk=self.activity.pk)
        kwargs = {
            "frozen": self.frozen,
            "owner": self.activity,
            "activities": [(each.key, name_of(each.name, each.key)) for each in others],
        }
        self.rows = OutcomeRows(
            self.data, prefix="outcomes", initial=outcome_values(self.activity), form_kwargs=kwargs
        )

    def is_valid(self) -> bool:
        return bool(self.rows.is_valid())

    def save(self, version: int) -> None:
        parts = [row.cleaned_data["part"] for row in self.rows.kept]
        drafting.handover_change(self.activity, parts, actor=self.user, version=version)

    def context(self) -> Mapping[str, Any]:
        return {"rows": self.rows, "places": contracts.all_places(self.activity)}


class LimitsSection(Section):
    template = "limits.html"

    def load(self) -> None:
        initial = {name: getattr(self.activity, name) for name in LimitsForm.base_fields}
        self.form = LimitsForm(self.data, initial=initial, frozen=self.frozen)

    def is_valid(self) -> bool:
        return self.form.is_valid()

    def save(self, version: int) -> None:
        part = GuardrailsPart(**self.form.cleaned_data)
        drafting.limits_change(self.activity, part, actor=self.user, version=version)

    def context(self) -> Mapping[str, Any]:
        used = extensions.used(self.activity.identity) if extensions.used else {}
        rows = [
            {
                "field": field,
                "default": extensions.default_limits.get(field.name),
                "used": used.get(field.name),
            }
            for field in self.form
        ]
        return {"form": self.form, "limits": rows}


SECTIONS: dict[str, type[Section]] = {
    "card": CardSection,
    "inputs": InputsSection,
    "answer": AnswerSection,
    "handover": HandoverSection,
    "limits": LimitsSection,
}
