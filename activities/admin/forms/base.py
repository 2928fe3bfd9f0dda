"""What the desk's forms share: typed parts out of fields, rows with rows inside, and frozen pages."""

from collections.abc import Mapping
from typing import Any, TypeVar

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel, ValidationError

P = TypeVar("P", bound=BaseModel)
MOST_ROWS = 40


class DeskForm(forms.Form):
    """A form that shows a frozen revision read-only."""

    def __init__(self, *args: Any, frozen: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.frozen = frozen
        for name, field in self.fields.items():
            field.disabled = field.disabled or frozen
            if isinstance(field, forms.MultiValueField):
                for part in field.widget.widgets:
                    part.attrs |= {"disabled": True} if frozen else {}
            self._describe(name, field)

    def _describe(self, name: str, field: forms.Field) -> None:
        if field.help_text:
            field.widget.attrs["aria-describedby"] = f"{self.add_prefix(name)}-help"

    def part(
        self, kind: type[P], values: Mapping[str, Any], names: Mapping[str, str] | None = None
    ) -> P | None:
        """Return `values` as a blueprint's part, else tell what does not fit, at the field it belongs to."""
        try:
            return kind.model_validate(dict(values))
        except ValidationError as error:
            for each in error.errors():
                self._tell(str(each["loc"][0]) if each["loc"] else "", each["msg"], names or {})
        return None

    def _tell(self, name: str, message: str, names: Mapping[str, str]) -> None:
        field = names.get(name, name)
        self.add_error(field if field in self.fields else None, message.removeprefix("Value error, "))


def name_field(**options: Any) -> forms.CharField:
    """A field for a name that conditions and templates use."""
    pattern = RegexValidator(
        r"^[a-z][a-z0-9_]*$", _("Use small letters, digits and underscores, beginning with a letter.")
    )
    widget = forms.TextInput(attrs={"class": "desk-code", "spellcheck": "false", "autocapitalize": "off"})
    return forms.CharField(max_length=64, validators=[pattern], widget=widget, **options)


class Rows(forms.BaseFormSet):
    """Rows that can be added, ordered and removed. A row may hold rows of its own (`inner`)."""

    #: The rows' field that may be there only once.
    once = "name"

    @property
    def kept(self) -> list[Any]:
        """The rows to save, in their order."""
        return list(self.ordered_forms)

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        form.fields["ORDER"].widget = forms.HiddenInput(attrs={"data-order": ""})
        form.fields["DELETE"].widget = forms.HiddenInput(attrs={"data-delete": ""})

    def clean(self) -> None:
        if any(self.errors):
            return
        seen: set[str] = set()
        for form in self.kept:
            value = form.cleaned_data.get(self.once)
            if value and value in seen:
                form.add_error(self.once, _now("This is given twice."))
            seen.add(value)

    def _gone(self, form: Any) -> bool:
        """True for a row that is marked as removed, whatever else it says."""
        return bool(self.data.get(form.add_prefix("DELETE")))

    def is_valid(self) -> bool:
        good = super().is_valid()
        kept = [form for form in self.forms if not self._gone(form)] if self.is_bound else []
        inner = [form.inner.is_valid() for form in kept if getattr(form, "inner", None) is not None]
        return good and not any(form.errors for form in kept) and all(inner)


class RowForm(DeskForm):
    """One row. An empty new row counts as an error, not as nothing: it was added on purpose."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["empty_permitted"] = False
        kwargs["use_required_attribute"] = False
        super().__init__(*args, **kwargs)


def rows_of(form: type[RowForm], base: type[Rows] = Rows) -> Any:
    """Return the class of a set of rows."""
    return forms.formset_factory(
        form,
        formset=base,
        extra=0,
        can_order=True,
        can_delete=True,
        max_num=MOST_ROWS,
        absolute_max=MOST_ROWS,
        validate_max=True,
    )
