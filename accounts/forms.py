"""The forms of the account pages. They parse; what is right is decided by the actions."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.fields import zone_names
from accounts.models import Language, Scope, User
from agentapp.kernel.errors import MandateError

EXPIRIES = [("30", _("30 days")), ("90", _("90 days")), ("365", _("one year")), ("", _("never"))]


def add_error(form: forms.Form, error: MandateError, names: Mapping[str, str] | None = None) -> None:
    """Show an action's refusal on the form: at its fields where it names some of the form's."""
    fields: Any = error.data.get("fields") or {}
    known = {(names or {}).get(name, name): said for name, said in dict(fields).items()} if fields else {}
    shown = {name: said for name, said in known.items() if name in form.fields}
    if len(shown) == 1 or not shown:
        form.add_error(next(iter(shown), None), error.message)
        return
    for name, messages in shown.items():
        form.add_error(name, list(messages))


class SignInForm(forms.Form):
    email = forms.CharField(
        label=_("E-mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    password = forms.CharField(
        label=_("Password"),
        max_length=1024,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class ProfileForm(forms.Form):
    full_name = forms.CharField(
        label=_("Name"), max_length=150, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    language = forms.ChoiceField(label=_("Language"), choices=Language.choices)
    time_zone = forms.CharField(
        label=_("Time zone"),
        max_length=64,
        widget=forms.TextInput(attrs={"list": "time-zones", "autocomplete": "off", "spellcheck": "false"}),
        help_text=_("Dates are shown, and words like “yesterday” understood, in this time zone."),
    )
    raw_disclosure = forms.BooleanField(
        label=_("I allow protected values to reach the model"),
        required=False,
        help_text=_(
            "Names, amounts and addresses that a tool protects are replaced before a model sees them, unless"
            " the tool, the designer and you all allow it."
        ),
    )

    @classmethod
    def of(cls, user: User) -> "ProfileForm":
        return cls(initial={name: getattr(user, name) for name in cls.base_fields}, prefix="profile")

    @property
    def zones(self) -> list[str]:
        return sorted(zone_names())


class PasswordForm(forms.Form):
    current = forms.CharField(
        label=_("Current password"),
        max_length=1024,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    new = forms.CharField(
        label=_("New password"),
        max_length=1024,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    revoke_tokens = forms.BooleanField(
        label=_("Revoke my personal tokens as well"),
        required=False,
        help_text=_(
            "Programs that use them are refused from then on. Do this when somebody else may know your"
            " password; otherwise tokens stay as they are, while other sessions are signed out."
        ),
    )


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("Name"), max_length=80, help_text=_("What will use it, so that you recognise it later.")
    )
    scopes = forms.MultipleChoiceField(
        label=_("It may"), choices=Scope.choices, widget=forms.CheckboxSelectMultiple, initial=[Scope.READ]
    )
    expires = forms.ChoiceField(label=_("Expires after"), choices=EXPIRIES, required=False, initial="90")

    def expires_at(self) -> datetime | None:
        days = self.cleaned_data["expires"]
        return timezone.now() + timedelta(days=int(days)) if days else None
