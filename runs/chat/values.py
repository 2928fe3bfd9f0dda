"""JSON values as a person reads them: in their language, dates and numbers in their notation."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.utils import formats, timezone
from django.utils.translation import get_language, gettext, ngettext, pgettext

from activities.models.activity import FieldKind
from activities.tools import ToolContract
from agentapp.kernel.text import shorten

NOTHING = "–"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}")
_DECIMAL = re.compile(r"-?\d+\.\d+")
_LONGEST = 300
#: What a stored label is cut to.
LONGEST_LABEL = 300
_LONGEST_FOUND = 90


def readable(value: Any, kind: str = "", *, whole: bool = False) -> str:
    """Return `value` as one line, cut unless `whole`. `kind` is a FieldKind where it is known."""
    if value is None or value in ("", [], {}):
        return NOTHING
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, int | float):
        return formats.number_format(value, use_l10n=True, force_grouping=isinstance(value, float))
    if isinstance(value, Mapping):
        return _mapping(value, whole)
    if isinstance(value, list):
        return _series(value, kind, whole)
    return _text(str(value), kind, whole)


def _text(text: str, kind: str, whole: bool) -> str:
    when = _when(text)
    if when is not None:
        return when
    if kind in ("", FieldKind.DECIMAL) and _DECIMAL.fullmatch(text):
        return formats.number_format(Decimal(text), use_l10n=True, force_grouping=True)
    return text if whole else shorten(text, _LONGEST)


def _when(text: str) -> str | None:
    """Return a date or a moment as read, None for what is neither: "2025-13-45" is a text like any other."""
    try:
        if _MOMENT.match(text):
            return moment(datetime.fromisoformat(text))
        return day(date.fromisoformat(text)) if _DATE.fullmatch(text) else None
    except (ValueError, OverflowError):
        return None


def _mapping(value: Mapping[str, Any], whole: bool) -> str:
    if set(value) == {"start", "end"}:
        return period(value)
    return ", ".join(f"{key}: {readable(item, whole=whole)}" for key, item in value.items())


def _series(value: list[Any], kind: str, whole: bool) -> str:
    entries = value if whole else value[:5]
    text = ", ".join(readable(item, kind, whole=whole) for item in entries)
    return f"{text}…" if len(entries) < len(value) else text


def period(value: Mapping[str, Any]) -> str:
    """Return "1 January 2025 – 31 March 2025" of a stored period."""
    return f"{readable(value.get('start'))} – {readable(value.get('end'))}"


def day(value: date) -> str:
    shown = formats.date_format(value, "DATE_FORMAT")
    # French writes the first of a month as an ordinal.
    return f"1er{shown[1:]}" if (get_language() or "").startswith("fr") and value.day == 1 else shown


def moment(value: datetime) -> str:
    """Return a moment in the active time zone; one without a zone is taken as it stands."""
    local = timezone.localtime(value) if timezone.is_aware(value) else value
    return formats.date_format(local, "SHORT_DATETIME_FORMAT")


def title_of(name: str) -> str:
    """Return the words of a technical name, translated where an app has them: `due_date` → "Due date"."""
    return gettext(" ".join(name.replace("_", " ").replace(".", " ").split()).capitalize())


def shown(value: Any, label: str, kind: str = "", *, whole: bool = False) -> str:
    """Return the label of a stored value (a record's name) where it has one, else the value as read."""
    named = isinstance(value, str) and label not in ("", value)
    listed = isinstance(value, list) and bool(value) and not label.startswith("[") and bool(label)
    labelled = (named and not _DATE.fullmatch(value)) or listed
    return label if labelled else readable(value, kind, whole=whole)


def exactly(value: Any, label: str) -> str:
    """Return a final argument with nothing left out: a label that was cut does not stand for the value."""
    return shown(value, label if len(label) < LONGEST_LABEL else "", whole=True)


def found(data: Any, contract: ToolContract | None = None) -> str:
    """Return what a result holds, in one line: the record it is about, how many entries, or its first texts.

    Only values are shown, never the names of fields: those are not in the reader's language.
    """
    if not isinstance(data, Mapping):
        return shorten(readable(data), _LONGEST_FOUND)
    parts = _record(data, contract) or _counted(data, contract) or _texts(data)
    return shorten(" · ".join(dict.fromkeys(parts)), _LONGEST_FOUND)


def _record(data: Mapping[str, Any], contract: ToolContract | None) -> list[str]:
    """Return name and key of the record a result is about, by the contract's references."""
    if contract is None:
        return []
    keys = [data[name] for name in _fields(data, contract) if name in contract.result_refs and data[name]]
    texts = [value for value in keys if isinstance(value, str)]
    names = [data[name] for name in _fields(data, contract) if name == "name" or name.endswith("_name")]
    return [*(str(name) for name in names[:1] if name), *texts[:2]] if texts else []


def _counted(data: Mapping[str, Any], contract: ToolContract | None) -> list[str]:
    """Return the number of entries of the list of records, or of the only kind of list there is."""
    refs = contract.result_refs if contract else {}
    names = [name for name in _fields(data, contract) if isinstance(data[name], list)]
    of_records = [name for name in names if any(path.startswith(f"{name}[]") for path in refs)]
    return [_count(data[name]) for name in (of_records or names)[:1]]


def _fields(data: Mapping[str, Any], contract: ToolContract | None) -> list[str]:
    """Return the result's fields in the contract's order: a stored object has none of its own."""
    declared = contract.result_model.model_fields if contract else data
    return [name for name in declared if name in data]


def _count(series: list[Any]) -> str:
    if not series:
        return pgettext("what a search found", "nothing")
    number = formats.number_format(len(series), use_l10n=True)
    return ngettext("%(number)s entry", "%(number)s entries", len(series)) % {"number": number}


def _texts(data: Mapping[str, Any]) -> list[str]:
    return [readable(value) for value in data.values() if isinstance(value, str) and value][:3]
