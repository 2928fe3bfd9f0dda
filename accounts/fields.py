"""Model fields and validators of this app."""

from functools import cache
from typing import Any
from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _


class FoldedEmailField(models.EmailField):
    """An e-mail address kept in lower case, so that "Ada@Example.org" and "ada@example.org" are one person.

    Values are folded on their way to the database, in look-ups as in writes: both go through `to_python`.
    """

    def to_python(self, value: Any) -> Any:
        return fold_email(super().to_python(value))

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        value = fold_email(super().pre_save(model_instance, add))
        setattr(model_instance, self.attname, value)
        return value


def fold_email(value: Any) -> Any:
    """Return `value` stripped and in lower case when it is a string."""
    return value.strip().lower() if isinstance(value, str) else value


@cache
def zone_names() -> frozenset[str]:
    """Return the IANA names a person may choose; read from disk once per process."""
    return frozenset(name for name in available_timezones() if "/" in name or name == "UTC")


def validate_time_zone(value: str) -> None:
    if value not in zone_names():
        raise ValidationError(
            _("“%(value)s” is not a known time zone. Write it like Europe/Paris."),
            code="time_zone",
            params={"value": value},
        )
