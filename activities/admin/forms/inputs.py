"""The typed inputs of an activity, as rows; the choices of an enumeration are rows inside."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from activities.admin import fields
from activities.admin.forms.base import RowForm, Rows, name_field, rows_of
from activities.blueprint import InputPart
from activities.models import Activity, ActivityInput
from activities.models.activity import FieldKind
from activities.tools import registry

NUMBERS = (FieldKind.INTEGER, FieldKind.DECIMAL)


def record_kinds() -> list[tuple[str, Any]]:
    """Return the kinds of records that can be referred to, for a list to choose from."""
    return [("", "—"), *((kind.key, kind.label) for kind in registry.references())]


class ChoiceForm(RowForm):
    value = forms.CharField(label=_("Value"), max_length=100)
    label = fields.texts(label=_("Label"), limit=200)
    words = fields.lines(label=_("Words people use for it"), rows=2)


class ChoiceRows(Rows):
    once = "value"


Choices = rows_of(ChoiceForm, ChoiceRows)


class InputForm(RowForm):
    """One input. Fields that do not concern its type are hidden on the page and ignored here."""

    name = name_field(label=_("Name"))
    type = forms.ChoiceField(label=_("Type"), choices=FieldKind.choices)
    label = fields.texts(label=_("Label"), limit=200)
    required = forms.BooleanField(
        label=_("Required"), required=False, help_text=_("Asked for when a request does not say it.")
    )
    is_list = forms.BooleanField(label=_("Several values"), required=False)
    reference = forms.ChoiceField(
        label=_("Kind of record"), required=False, help_text=_("Looked up as the person who asks sees it.")
    )
    minimum = forms.DecimalField(label=_("At least"), required=False, max_digits=24, decimal_places=6)
    maximum = forms.DecimalField(label=_("At most"), required=False, max_digits=24, decimal_places=6)
    max_length = forms.IntegerField(
        label=_("Longest text"), required=False, min_value=1, max_value=2_000, help_text=_("In characters.")
    )
    pattern = forms.CharField(
        label=_("Pattern"),
        required=False,
        max_length=200,
        help_text=_("A regular expression the whole text must fit, such as [A-Z]{2}[0-9]{4}."),
    )
    protected = forms.CharField(
        label=_("Protected as"),
        required=False,
        max_length=40,
        help_text=_("A word such as “iban”. The model then sees a placeholder in place of the value."),
    )
    description = fields.text(
        label=_("Description for the model"), limit=500, help_text=_("What it is, in a sentence.")
    )
    cues = fields.lines(
        label=_("Cues"), rows=2, help_text=_("Words that announce the value in a request, one per line.")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        reference: Any = self.fields["reference"]
        reference.choices = record_kinds()
        self.inner = Choices(
            self.data if self.is_bound else None,
            prefix=f"{self.prefix}-choices",
            initial=self.initial.get("choices", []),
            form_kwargs={"frozen": self.frozen},
        )

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        kind = values.get("type")
        if kind == FieldKind.REFERENCE and not values.get("reference"):
            self.add_error("reference", _now("Choose which kind of record it is."))
        low, high = values.get("minimum"), values.get("maximum")
        if low is not None and high is not None and low > high:
            self.add_error("maximum", _now("The highest value is below the lowest."))
        if not self.errors:
            values["part"] = self.part(InputPart, self._concerned(kind, values))
        return values

    def _concerned(self, kind: str | None, values: dict[str, Any]) -> dict[str, Any]:
        """Return the values without those of other types."""
        number, text = kind in NUMBERS, kind == FieldKind.TEXT
        return values_of(InputPart, values) | {
            "minimum": values["minimum"] if number else None,
            "maximum": values["maximum"] if number else None,
            "max_length": values["max_length"] if text else None,
            "pattern": values["pattern"] if text else "",
            "reference": values["reference"] if kind == FieldKind.REFERENCE else "",
            "choices": self._choices() if kind == FieldKind.CHOICE else [],
        }

    def _choices(self) -> list[dict[str, Any]]:
        if not self.inner.is_valid():
            return []
        found = [values_of(ChoiceForm, row.cleaned_data) for row in self.inner.kept]
        if not found:
            self.add_error("type", _now("Add the values that can be chosen."))
        return found


def values_of(kind: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Return the values that a part or form of this kind has a name for."""
    names = getattr(kind, "model_fields", None) or kind.base_fields
    return {name: values[name] for name in names if name in values}


InputRows = rows_of(InputForm)


def input_values(activity: Activity) -> list[dict[str, Any]]:
    """Return what the rows show first."""
    return [_values(row) for row in activity.inputs.all()]


def _values(row: ActivityInput) -> dict[str, Any]:
    names = [name for name in InputForm.base_fields if name != "type"]
    choices = [{"value": each.value, "label": each.label, "words": each.words} for each in row.choices.all()]
    return {name: _plain(getattr(row, name)) for name in names} | {"type": row.kind, "choices": choices}


def _plain(value: Any) -> Any:
    """Return a decimal without the zeros its column adds."""
    return format(value.normalize(), "f") if hasattr(value, "normalize") else value
