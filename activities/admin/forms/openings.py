"""What a step is open to: rows of its page."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from activities.admin.forms.base import RowForm, Rows, rows_of
from activities.blueprint import OpeningPart
from activities.catalogue import CataloguePlace
from activities.models import Step
from activities.models.openings import OpeningKind

RAISED = (("", _("as the tool says")), ("medium", _("at least medium")), ("high", _("high")))


class OpeningForm(RowForm):
    """One part of the catalogue, and what applies to every tool of it."""

    to = forms.ChoiceField(label=_("Part of the catalogue"))
    raise_risk = forms.ChoiceField(label=_("Risk"), required=False, choices=RAISED)
    confirm = forms.BooleanField(label=_("Always ask before it runs"), required=False)

    def __init__(self, *args: Any, places: Sequence[CataloguePlace] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        target: Any = self.fields["to"]
        target.choices = [("", "–"), *_choices(places, self.initial.get("to", ""))]

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if not self.errors:
            values["part"] = self.part(OpeningPart, {name: values[name] for name in OpeningForm.base_fields})
        return values


class _Openings(Rows):
    once = "to"


OpeningRows = rows_of(OpeningForm, _Openings)


def opening_values(step: Step) -> list[dict[str, Any]]:
    """Return what the rows show first."""
    return [
        {"to": row.name, "raise_risk": row.raised_risk, "confirm": row.always_confirm}
        for row in step.openings.all()
    ]


def _choices(places: Sequence[CataloguePlace], current: str) -> list[tuple[str, Any]]:
    """Return the parts by kind; one that is chosen and leads nowhere any more stays to be seen."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for place in places:
        groups.setdefault(str(OpeningKind(place.kind).label), []).append((place.to, _label(place)))
    known = {place.to for place in places}
    lost = [(current, current)] if current and current not in known else []
    return [*lost, *groups.items()]


def _label(place: CataloguePlace) -> str:
    words = {"name": place.name, "count": place.count}
    return ngettext("%(name)s (%(count)d tool)", "%(name)s (%(count)d tools)", place.count) % words
