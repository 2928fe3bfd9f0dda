"""The tools of an activity, and who decides each parameter: only what the tool's contract allows."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from activities import values as typed
from activities.admin import fields
from activities.admin.forms.base import DeskForm
from activities.blueprint import ParamPart, ToolPart
from activities.models import ActivityInput, ParamBinding, ToolBinding
from activities.models.activity import FieldKind
from activities.models.authority import ParamSource
from activities.tools import Risk, ToolContract
from activities.tools.contract import ParamContract

NOBODY = ""
RISKS: dict[str, Any] = {Risk.LOW: _("low"), Risk.MEDIUM: _("medium"), Risk.HIGH: _("high")}
#: The types of inputs a parameter of each type can take its value from.
FITTING: dict[str, tuple[str, ...]] = {
    "integer": (FieldKind.INTEGER,),
    "decimal": (FieldKind.DECIMAL, FieldKind.INTEGER),
    "boolean": (FieldKind.BOOLEAN,),
    "date": (FieldKind.DATE,),
    "choice": (FieldKind.CHOICE, FieldKind.TEXT),
    "text": (FieldKind.TEXT, FieldKind.EMAIL, FieldKind.CHOICE, FieldKind.REFERENCE),
}


@dataclass
class _Fixed:
    """The fixed value of a parameter, as a field that can be read."""

    name: str
    kind: str
    is_list: bool
    allowed: Sequence[str] = ()
    minimum: Decimal | None = None
    maximum: Decimal | None = None
    max_length: int | None = None
    pattern: str = ""


class ToolForm(DeskForm):
    """Risk and confirmation of one tool. What the contract settles is not offered."""

    raise_risk = forms.ChoiceField(
        label=_("Risk in this activity"),
        required=False,
        help_text=_("It can be raised above the tool's own, never lowered. High is always confirmed."),
    )
    confirm = forms.BooleanField(
        label=_("Always ask for confirmation"),
        required=False,
        help_text=_(
            "A person confirms every call, also below high risk. At high risk this cannot be waived."
        ),
    )
    disclose_raw = forms.BooleanField(
        label=_("The model may see protected values"),
        required=False,
        help_text=_("The second of three yeses: the tool and the person who asks must allow it too."),
    )

    def __init__(self, contract: ToolContract, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own = _("%(risk)s (the tool's own)") % {"risk": RISKS[contract.risk]}
        higher = [(risk.value, RISKS[risk]) for risk in Risk if risk.rank > contract.risk.rank]
        risk: Any = self.fields["raise_risk"]
        risk.choices = [("", own), *higher]
        if contract.risk is Risk.HIGH:
            self.fields["confirm"].disabled = True
            self.fields["confirm"].initial = self.initial["confirm"] = True
        if not any(protected.raw_allowed for protected in contract.protected.values()):
            self.fields.pop("disclose_raw")


class ParamForm(DeskForm):
    """Who decides one parameter."""

    source = forms.ChoiceField(label=_("Who decides"), required=False)
    input = forms.ChoiceField(label=_("Input"), required=False)
    fixed = forms.CharField(label=_("Value"), required=False, max_length=2_000)
    choices = fields.LinesField(
        label=_("Only these values"), rows=3, help_text=_("One per line. Empty leaves the choice free.")
    )
    minimum = forms.DecimalField(label=_("At least"), required=False, max_digits=24, decimal_places=6)
    maximum = forms.DecimalField(label=_("At most"), required=False, max_digits=24, decimal_places=6)
    pattern = forms.CharField(
        label=_("Pattern"),
        required=False,
        max_length=200,
        help_text=_("A regular expression that the whole value must fit."),
    )

    def __init__(
        self, param: ParamContract, inputs: Sequence[ActivityInput], *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.param = param
        offered: Any = self.fields["source"]
        offered.choices = sources_of(param)
        for name in self._unoffered():
            self.fields.pop(name)
        if "input" in self.fields:
            taken: Any = self.fields["input"]
            taken.choices = [("", "—"), *paths_for(param, inputs, str(self.initial.get("input", "")))]
        if "fixed" in self.fields:
            self._prepare_fixed()

    def _unoffered(self) -> list[str]:
        """Return the fields of sources that the contract does not allow, or that say nothing of this type."""
        sources = {source.value for source in self.param.controlled_by}
        gone = [name for name in ("input", "fixed") if name not in sources]
        numbers = self.param.value_type in {"integer", "decimal"}
        if "agent" not in sources:
            return [*gone, "choices", "minimum", "maximum", "pattern"]
        return [*gone, *(["pattern"] if numbers else ["minimum", "maximum"])]

    def _prepare_fixed(self) -> None:
        values = [str(item) for item in _enumeration(self.param)]
        if values and not self.param.is_list:
            self.fields["fixed"] = forms.ChoiceField(
                label=self.fields["fixed"].label,
                required=False,
                choices=[("", "—"), *((item, item) for item in values)],
                disabled=self.frozen,
            )
        elif self.param.is_list:
            self.fields["fixed"].widget = forms.Textarea({"rows": 3})

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        source = values.get("source")
        if self.errors or source == NOBODY:
            return values
        kept: dict[str, Any] = {"source": source}
        match source:
            case ParamSource.INPUT:
                kept["input"] = self._chosen_input(values)
            case ParamSource.FIXED:
                kept["fixed"] = self._fixed(values)
            case _:
                narrowing = ("choices", "minimum", "maximum", "pattern")
                kept |= {name: values[name] for name in narrowing if values.get(name) not in (None, "")}
        values["part"] = None if self.errors else self.part(ParamPart, kept)
        return values

    def _chosen_input(self, values: dict[str, Any]) -> str:
        if not values.get("input"):
            self.add_error("input", _now("Choose the input it takes its value from."))
        return values.get("input") or ""

    def _fixed(self, values: dict[str, Any]) -> Any:
        kind = {"choice": FieldKind.CHOICE}.get(self.param.value_type, FieldKind(self.param.value_type))
        field = _Fixed(self.param.name, kind, self.param.is_list, [str(v) for v in _enumeration(self.param)])
        try:
            return typed.read_value(field, values.get("fixed") or "")
        except typed.ValueInvalid as error:
            self.add_error("fixed", str(error))
            return None


def sources_of(param: ParamContract) -> list[tuple[str, Any]]:
    """Return exactly the sources that the contract allows, and nobody for what may be left out."""
    allowed = {source.value for source in param.controlled_by}
    offered = [(value, label) for value, label in ParamSource.choices if value in allowed]
    nobody = _("choose") if param.required else _("nobody: it is left out")
    return [(NOBODY, f"— {nobody} —"), *offered]


def paths_for(
    param: ParamContract, inputs: Sequence[ActivityInput], chosen: str = ""
) -> list[tuple[str, str]]:
    """Return the inputs, or parts of a period, whose type fits this parameter; and what was chosen before."""
    found = [path for field in inputs for path in _fitting(param, field)]
    if chosen and chosen not in found:
        found.append(chosen)
    return [(path, path) for path in found]


def _fitting(param: ParamContract, field: ActivityInput) -> list[str]:
    if param.value_type == "date" and field.kind == FieldKind.PERIOD:
        return [f"{field.name}.start", f"{field.name}.end"]
    if param.reference and field.kind == FieldKind.REFERENCE and field.reference != param.reference:
        return []
    return [field.name] if field.kind in FITTING.get(param.value_type, ()) else []


def _enumeration(param: ParamContract) -> list[Any]:
    schema = param.schema.get("items", param.schema) if param.is_list else param.schema
    return [value for value in schema.get("enum", ()) if value is not None]


class ToolForms:
    """Everything that is settled about one tool of an activity: its own form, and one for each parameter."""

    def __init__(
        self,
        contract: ToolContract,
        binding: ToolBinding,
        inputs: Sequence[ActivityInput],
        data: Any = None,
        frozen: bool = False,
    ) -> None:
        self.contract = contract
        own = {
            "raise_risk": binding.raised_risk,
            "confirm": binding.always_confirm,
            "disclose_raw": binding.disclose_raw,
        }
        self.own = ToolForm(contract, data, initial=own, prefix="tool", frozen=frozen)
        bound = {param.name: param for param in binding.params.all()}
        self.params = [
            ParamForm(
                param,
                inputs,
                data,
                initial=_initial(bound.get(param.name)),
                prefix=f"param-{param.name}",
                frozen=frozen,
            )
            for param in contract.params
        ]

    def is_valid(self) -> bool:
        return all([self.own.is_valid(), *(form.is_valid() for form in self.params)])

    @property
    def part(self) -> ToolPart:
        """What was chosen. A waived confirmation of a high-risk tool does not exist."""
        own = self.own.cleaned_data
        return ToolPart(
            tool=self.contract.key,
            params={
                form.param.name: form.cleaned_data["part"]
                for form in self.params
                if form.cleaned_data.get("part")
            },
            raise_risk=own["raise_risk"],
            confirm=own["confirm"] and self.contract.risk is not Risk.HIGH,
            disclose_raw=own.get("disclose_raw", False),
        )


def _initial(row: ParamBinding | None) -> dict[str, Any]:
    if row is None:
        return {}
    fixed = row.fixed_value
    return {
        "source": row.source,
        "input": row.input_path,
        "fixed": "\n".join(map(str, fixed))
        if isinstance(fixed, list)
        else ("" if fixed is None else str(fixed)),
        "choices": row.allowed_values,
        "minimum": None if row.minimum is None else format(row.minimum.normalize(), "f"),
        "maximum": None if row.maximum is None else format(row.maximum.normalize(), "f"),
        "pattern": row.pattern,
    }
