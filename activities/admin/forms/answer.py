"""The structured output, as rows that say where each value comes from, and the response template."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from activities.admin import fields
from activities.admin.forms.base import DeskForm, RowForm, name_field, rows_of
from activities.admin.forms.inputs import values_of
from activities.blueprint import OutputPart
from activities.checks.templates import template_problems
from activities.models import Activity, ActivityOutput
from activities.models.activity import OutputSource
from activities.scope import Place

FIXED_KINDS = (("text", _("text")), ("integer", _("whole number")), ("boolean", _("yes or no")))


class OutputForm(RowForm):
    """One field of the output. Only what concerns its source is shown and kept."""

    name = name_field(label=_("Name"))
    label = fields.texts(label=_("Label"), limit=200)
    source = forms.ChoiceField(label=_("Comes from"), choices=OutputSource.choices)
    fact = forms.ChoiceField(label=_("Fact"), required=False)
    input = forms.ChoiceField(label=_("Input"), required=False)
    fixed_kind = forms.ChoiceField(label=_("Kind of value"), choices=FIXED_KINDS, required=False)
    fixed = forms.CharField(
        label=_("Value"), required=False, max_length=500, help_text=_("For yes or no, write yes or no.")
    )
    description = fields.text(
        label=_("What the model writes"),
        limit=500,
        help_text=_("And what it must leave out, such as figures."),
    )
    max_length = forms.IntegerField(
        label=_("At most so many characters"), required=False, min_value=1, max_value=4_000
    )
    fallback = fields.texts(
        label=_("Fallback"),
        rows=2,
        code=True,
        help_text=_("Stands there when no model writes, or what it wrote is refused. A template, in Liquid."),
    )

    def __init__(self, *args: Any, owner: Activity, facts: Any = (), inputs: Any = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.owner = owner
        chosen = self.initial.get("fact", "")
        known = {path for _tool, places in facts for path, _text in places}
        gone = (
            [(chosen, _("%(path)s (no tool gives it)") % {"path": chosen})]
            if chosen not in {"", *known}
            else []
        )
        choices: Any = self.fields["fact"]
        choices.choices = [("", "—"), *gone, *facts]
        choices = self.fields["input"]
        choices.choices = [("", "—"), *((name, name) for name in inputs)]

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if self.errors:
            return values
        source = values["source"]
        for name, sentence in (
            ("fact", _now("Choose the fact it is taken from.")),
            ("input", _now("Choose the input it is taken from.")),
        ):
            if source == name and not values[name]:
                self.add_error(name, sentence)
        if source == OutputSource.PROSE:
            self._check_prose(values)
        if not self.errors:
            values["part"] = self.part(OutputPart, self._concerned(source, values))
        return values

    def _check_prose(self, values: dict[str, Any]) -> None:
        if not values["fallback"]:
            self.add_error("fallback", _now("A prose field needs a fallback text, for when no model writes."))
            return
        found = [
            f"{language}: {problem}"
            for language, source in values["fallback"].items()
            for problem in template_problems(self.owner, source, language, with_output=False)
        ]
        if found:
            self.add_error("fallback", forms.ValidationError(found))

    def _concerned(self, source: str, values: dict[str, Any]) -> dict[str, Any]:
        empty: dict[str, Any] = {
            "fact": "",
            "input": "",
            "fixed": None,
            "description": "",
            "fallback": {},
            "max_length": 400,
        }
        about = {"prose": ("description", "fallback", "max_length")}.get(source, (source,))
        kept = {name: values[name] for name in about if values[name] is not None}
        if source == OutputSource.FIXED:
            kept["fixed"] = self._fixed(values)
        return {**values_of(OutputPart, values), **empty, **kept}

    def _fixed(self, values: dict[str, Any]) -> Any:
        text = values["fixed"].strip()
        match values["fixed_kind"]:
            case "integer":
                if text.lstrip("-").isdecimal() and len(text) < 19:
                    return int(text)
                self.add_error("fixed", _now("A whole number is expected."))
            case "boolean":
                if text.casefold() in {"yes", "no", "oui", "non", "true", "false"}:
                    return text.casefold() in {"yes", "oui", "true"}
                self.add_error("fixed", _now("Yes or no is expected."))
        return text


OutputRows = rows_of(OutputForm)


class TemplateForm(DeskForm):
    template = fields.texts(
        label=_("Response template"), rows=14, limit=20_000, code=True,
        help_text=_("Markdown with Liquid. {{ output.name }} is replaced by the value of an output field."),
    )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for widget in self.fields["template"].widget.widgets:
            widget.attrs["data-preview-source"] = ""


def fact_choices(places: dict[str, list[Place]]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the facts to choose from, grouped by the tool that gives them."""
    return [
        (tool, [(each.path, f"{each.path.split('.', 2)[-1]} — {each.type}") for each in found])
        for tool, found in places.items()
    ]


def output_values(activity: Activity) -> list[dict[str, Any]]:
    """Return what the rows show first."""
    return [_values(row) for row in activity.outputs.all()]


def _values(row: ActivityOutput) -> dict[str, Any]:
    kind = {bool: "boolean", int: "integer"}.get(type(row.fixed_value), "text")
    shown = (
        {True: "yes", False: "no", None: ""}.get(row.fixed_value)
        if kind == "boolean" or row.fixed_value is None
        else str(row.fixed_value)
    )
    return {
        "name": row.name,
        "label": row.label,
        "source": row.source,
        "fact": row.fact_path,
        "input": row.input_name,
        "fixed_kind": kind,
        "fixed": shown,
        "description": row.description,
        "max_length": row.max_length,
        "fallback": row.fallback,
    }
