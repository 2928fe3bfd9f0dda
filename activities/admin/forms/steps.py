"""One step of the procedure, and where an activity hands over to."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib.auth.models import Group
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from activities import conditions
from activities.admin import fields
from activities.admin.forms.base import DeskForm, RowForm, Rows, name_field, rows_of
from activities.admin.forms.openings import OpeningRows
from activities.blueprint import OpeningPart, OutcomePart, StepPart
from activities.catalogue import CataloguePlace
from activities.checks.conditions import condition_problems
from activities.checks.templates import template_problems
from activities.importing import opening_row
from activities.models import Activity, Step, ToolBinding
from activities.models.procedure import ToolChoice

OTHER_PERSON = (
    ("", _("another person where a group is named, else anybody who may")),
    ("yes", _("another person than who asked")),
    ("no", _("also who asked, if they may")),
)


def group_name(group: Group | None) -> str:
    """Return the name by which a blueprint knows a group: its role, else its label."""
    if group is None:
        return ""
    own = group.workspace_group
    return str(own.role or own.label)


class StepForm(DeskForm):
    """One Check: what is to be reached, with what, and how it is proven."""

    name = fields.texts(label=_("Name"), required=True, limit=200)
    key = name_field(label=_("Key"))
    goal = fields.text(
        label=_("Goal"),
        required=True,
        rows=2,
        help_text=_("What must be reached in this step, in a sentence."),
    )
    tools = forms.MultipleChoiceField(
        label=_("Tools allowed in this step"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("The agent always sees these while it is in this step."),
    )
    tool_choice = forms.ChoiceField(
        label=_("Tool choice"),
        choices=ToolChoice.choices,
        initial=ToolChoice.REQUIRED,
        help_text=_("“Writes the prose” is the step in which the texts of the answer are written."),
    )
    passes_when = fields.text(
        label=_("Passes when"),
        rows=3,
        code=True,
        limit=conditions.MAX_LENGTH,
        help_text=_("A condition over the facts. The step is passed when it holds, whatever the model says."),
    )
    stops_when = fields.text(
        label=_("Stops when"),
        rows=3,
        code=True,
        limit=conditions.MAX_LENGTH,
        help_text=_("When this holds there is nothing to do, and the person is told so. Usually empty."),
    )
    stop_message = fields.texts(
        label=_("What the person is told when it stops"),
        rows=3,
        code=True,
        help_text=_("A template, in Liquid."),
    )
    max_attempts = forms.IntegerField(
        label=_("Attempts"), min_value=1, max_value=20, initial=3, help_text=_("Then it is escalated.")
    )
    escalate_to = forms.ChoiceField(
        label=_("Escalates to"), required=False, help_text=_("Who takes over when the step cannot be passed.")
    )

    other_person = forms.TypedChoiceField(
        label=_("Who may decide then"),
        required=False,
        choices=OTHER_PERSON,
        coerce={"yes": True, "no": False}.get,
        empty_value=None,
        help_text=_("Whether the person who asked may decide on their own request."),
    )

    def __init__(
        self,
        activity: Activity,
        tools: Sequence[tuple[str, Any]],
        groups: Sequence[Group],
        *args: Any,
        opens: Sequence[dict[str, Any]] = (),
        places: Sequence[CataloguePlace] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.activity = activity
        self.openings = OpeningRows(
            self.data if self.is_bound else None,
            prefix="opens",
            initial=opens,
            form_kwargs={"frozen": self.frozen, "places": places},
        )
        offered: Any = self.fields["tools"]
        offered.choices = tools
        if not tools:
            offered.help_text = _(
                "This activity names no tool. Add some under Tools, or open the step below."
            )
        target: Any = self.fields["escalate_to"]
        own = [(group_name(group), str(group.workspace_group.label)) for group in groups]
        target.choices = [("", _("the workspace's escalation group")), *own]
        for name in ("passes_when", "stops_when"):
            self.fields[name].widget.attrs["data-condition"] = ""

    def is_valid(self) -> bool:
        return all([super().is_valid(), self.openings.is_valid()])

    def clean_passes_when(self) -> str:
        return checked_condition(self.activity, self.cleaned_data["passes_when"], self._opens()) or "true"

    def clean_stops_when(self) -> str:
        return checked_condition(self.activity, self.cleaned_data["stops_when"], self._opens())

    def _opens(self) -> list[OpeningPart]:
        """Return what the step is to be open to, as typed; a condition may read what it gives."""
        if not self.openings.is_valid():
            return []
        return [row.cleaned_data["part"] for row in self.openings.kept]

    def clean_stop_message(self) -> dict[str, str]:
        found: dict[str, str] = self.cleaned_data["stop_message"]
        check_texts(self.activity, found)
        return found

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if self.errors:
            return values
        opens = self._opens()
        acts = values["tool_choice"] != ToolChoice.NONE
        if acts and not values["tools"] and not opens and self.openings.is_valid():
            self.add_error("tools", _now("It must act and has no tool. Allow one, or open it below."))
        if values["stops_when"] and not values["stop_message"]:
            self.add_error("stop_message", _now("Say what the person is told then."))
        if not self.errors:
            values["part"] = self.part(StepPart, {**values, "opens": opens})
        return values


def checked_condition(activity: Activity, expression: str, opens: Sequence[OpeningPart] = ()) -> str:
    """Return a condition that reads what is there and compares what can be compared."""
    expression = expression.strip()
    openings = [opening_row(part, place) for place, part in enumerate(opens)]
    found = condition_problems(activity, expression, openings) if expression else []
    if found:
        raise forms.ValidationError(found)
    return expression


def check_texts(activity: Activity, texts: dict[str, str]) -> None:
    """Raise a form's ValidationError for texts with places that nothing fills."""
    found = [
        f"{language}: {problem}"
        for language, source in texts.items()
        for problem in template_problems(activity, source, language, with_output=False)
    ]
    if found:
        raise forms.ValidationError(found)


def step_values(step: Step) -> dict[str, Any]:
    """Return what the step's form shows first."""
    values = {
        name: getattr(step, name) for name in StepForm.base_fields if name not in {"tools", "escalate_to"}
    }
    return values | {
        "tools": [binding.tool_key for binding in step.tools.all()],
        "escalate_to": group_name(step.escalate_to),
        "other_person": {True: "yes", False: "no", None: ""}[step.other_person],
    }


def tool_choices(bindings: Sequence[ToolBinding], titles: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the activity's tools to tick."""
    return [(binding.tool_key, titles.get(binding.tool_key, binding.tool_key)) for binding in bindings]


class MappingForm(RowForm):
    """Which value becomes which input of the next activity."""

    name = name_field(label=_("Its input"))
    path = forms.CharField(
        label=_("Takes its value from"),
        max_length=200,
        widget=forms.TextInput({"class": "desk-code", "list": "desk-paths"}),
    )


Mapping = rows_of(MappingForm, Rows)


class OutcomeForm(RowForm):
    """A named outcome and the activity it hands over to."""

    name = name_field(label=_("Name"))
    label = fields.texts(label=_("Label"), limit=200, help_text=_("What the person reads on the button."))
    when = fields.text(
        label=_("When"), required=True, rows=2, code=True, limit=conditions.MAX_LENGTH,
        help_text=_("A condition over facts and inputs. The first that holds is taken."),
    )  # fmt: skip
    activity = forms.ChoiceField(label=_("Hands over to"))

    def __init__(self, *args: Any, owner: Activity, activities: Any = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.owner = owner
        target: Any = self.fields["activity"]
        target.choices = activities
        self.inner = Mapping(
            self.data if self.is_bound else None,
            prefix=f"{self.prefix}-inputs",
            initial=self.initial.get("inputs", []),
            form_kwargs={"frozen": self.frozen},
        )

    def clean_when(self) -> str:
        return checked_condition(self.owner, self.cleaned_data["when"])

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if not self.errors and self.inner.is_valid():
            mapping = {row.cleaned_data["name"]: row.cleaned_data["path"] for row in self.inner.kept}
            named = {name: values[name] for name in ("name", "label", "when", "activity")}
            values["part"] = self.part(OutcomePart, {**named, "inputs": mapping})
        return values


OutcomeRows = rows_of(OutcomeForm)


def outcome_values(activity: Activity) -> list[dict[str, Any]]:
    """Return what the rows show first."""
    return [
        {
            "name": row.name,
            "label": row.label,
            "when": row.condition,
            "activity": row.next_activity_key,
            "inputs": [{"name": each.input_name, "path": each.path} for each in row.mapping.all()],
        }
        for row in activity.routing.all()
    ]
