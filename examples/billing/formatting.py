"""Amounts, dates and counts as people read them in their language."""

from datetime import date
from decimal import Decimal

from babel.dates import format_date
from babel.numbers import format_currency

_LOCALES = {"en": "en_GB", "fr": "fr_FR"}


def locale_of(language: str) -> str:
    """Return the Babel locale for one of the product's languages; anything else reads as English."""
    return _LOCALES.get(language[:2], "en_GB")


def money(amount: Decimal, currency: str, language: str) -> str:
    """Return "£1,234.50" or "1 234,50 €"."""
    return format_currency(amount, currency, locale=locale_of(language))


def day(value: date, language: str) -> str:
    """Return "12 March 2025" or "12 mars 2025"."""
    return format_date(value, "long", locale=locale_of(language))
