"""Forms of the page about a server's tool: its card, its risk, who may control each parameter."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from activities.admin import fields
from activities.admin.forms.base import DeskForm
from activities.mcp.actions import ParamPart, ReviewPart
from activities.mcp.shapes import ParamShape
from activities.models import McpTool, McpToolParam
from activities.models.mcp import RISKS
from activities.tools import registry


class ReviewForm(DeskForm):
    """The tool's card, and what it may do to the business."""

    title = fields.texts(
        label=_("Name"), limit=100, help_text=_("As people read it; empty: the server's name.")
    )
    summary = fields.text(
        label=_("What it does, in one sentence"),
        required=True,
        limit=300,
        help_text=_("A model chooses by this. It is the server's text until you write your own."),
    )
    aliases = fields.lines(
        label=_("In the users' own words"),
        limit=100,
        help_text=_("Short phrases they would use, one per line."),
    )
    examples = fields.lines(label=_("Example requests"), limit=300)
    when_not_to_use = fields.text(
        label=_("When not to use it"), limit=300, help_text=_("Such as “when only a name is known”.")
    )
    tags = fields.LinesField(
        label=_("Tags"), rows=2, limit=50, help_text=_("One per line. A step can be open to a tag.")
    )
    risk = forms.ChoiceField(
        label=_("Risk"),
        choices=RISKS,
        help_text=_("High is always confirmed by a person. Low is only for a tool that only reads."),
    )
    reads_only = forms.BooleanField(
        label=_("It only reads"),
        required=False,
        help_text=_(
            "Then a call without an answer may be tried again; else its outcome is unknown and "
            "a person decides."
        ),
    )

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if values.get("risk") == "low" and not values.get("reads_only"):
            self.add_error("risk", _now("A tool that changes something is at least of medium risk."))
        return values


class ControlForm(DeskForm):
    """Who may control one parameter, and which records its value names."""

    from_input = forms.BooleanField(label=_("an activity input"), required=False)
    fixed = forms.BooleanField(label=_("a fixed value"), required=False)
    agent = forms.BooleanField(label=_("the agent"), required=False)
    reference = forms.ChoiceField(label=_("It names a record of this kind"), required=False)

    def __init__(self, shape: ParamShape, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.shape = shape
        if shape.typed.value_type != "text":
            self.fields.pop("reference")
            return
        kinds: Any = self.fields["reference"]
        kinds.choices = [("", "—"), *((kind.key, kind.label) for kind in registry.references())]

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if not any(values.get(name) for name in ("from_input", "fixed", "agent")):
            self.add_error("agent", _now("Somebody must be able to control it."))
        return values

    @property
    def chosen(self) -> ParamPart:
        return ParamPart(**self.cleaned_data)


class ToolForms:
    """Everything that is settled in a review: the card, and one form for each parameter."""

    def __init__(
        self, tool: McpTool, shapes: Sequence[ParamShape], data: Any = None, frozen: bool = False
    ) -> None:
        names = ("title", "summary", "aliases", "examples", "when_not_to_use", "tags", "risk", "reads_only")
        own = {name: getattr(tool, name) for name in names}
        self.own = ReviewForm(data, initial=own, prefix="tool", frozen=frozen)
        settled = {row.name: row for row in tool.params.all()}
        self.params = [
            ControlForm(
                shape,
                data,
                initial=_control(shape, settled.get(shape.name)),
                prefix=f"param-{shape.name}",
                frozen=frozen,
            )
            for shape in shapes
        ]

    def is_valid(self) -> bool:
        return all([self.own.is_valid(), *(form.is_valid() for form in self.params)])

    @property
    def part(self) -> ReviewPart:
        params = {form.shape.name: form.chosen for form in self.params}
        return ReviewPart(**self.own.cleaned_data, params=params)


def _control(shape: ParamShape, row: McpToolParam | None) -> Mapping[str, Any]:
    if row is None:
        return {"from_input": True, "fixed": True, "agent": not shape.names_record}
    return {name: getattr(row, name) for name in ("from_input", "fixed", "agent", "reference")}


def chosen_tools(posted: Iterable[str]) -> dict[UUID, str]:
    """Return the tools that were ticked, each with the hash of the definition that was on the page."""
    found = {}
    for each in posted:
        pk, _colon, definition = each.partition(":")
        with suppress(ValueError):  # a hand-made form: what is no tool is not reviewed
            found[UUID(pk)] = definition
    return found
