"""Form fields of the desk: a text per language, words one per line, and both together."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from agentapp.kernel.text import clean_text

NAMES = dict(settings.LANGUAGES)
LANGUAGES = tuple(NAMES)


def split_lines(text: str) -> list[str]:
    """Return the lines that say something, each once, in their order."""
    lines = (clean_text(line).strip() for line in text.splitlines())
    return list(dict.fromkeys(line for line in lines if line))


class LinesWidget(forms.Textarea):
    """A text field with one word or phrase a line."""

    def format_value(self, value: Any) -> str | None:
        return "\n".join(map(str, value)) if isinstance(value, list | tuple) else super().format_value(value)


class LinesField(forms.CharField):
    """Reads words, one per line, into a list."""

    widget = LinesWidget

    def __init__(self, *, limit: int = 300, rows: int = 3, **options: Any) -> None:
        self.limit = limit
        widget = LinesWidget(attrs={"rows": rows, "class": "desk-lines"})
        super().__init__(**{"required": False, "widget": widget, **options})

    def clean(self, value: Any) -> Any:
        lines = split_lines(super().clean(value) or "")
        if any(len(line) > self.limit for line in lines):
            raise forms.ValidationError(_("A line has at most %(limit)d characters.") % {"limit": self.limit})
        return lines


class ByLanguageWidget(forms.MultiWidget):
    """One control for each language of the site, named after it."""

    def decompress(self, value: Any) -> Sequence[Any]:
        texts = value if isinstance(value, dict) else {}
        return [texts.get(language) for language in LANGUAGES]

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        parts = self.get_context(name, value, attrs)["widget"]["subwidgets"]
        for language, part in zip(LANGUAGES, parts, strict=True):
            part["attrs"] |= {"lang": language, "aria-label": str(NAMES[language])}
        fill: Any = self._render  # type: ignore[attr-defined]
        shown = (
            (language, fill(part["template_name"], {"widget": part}, renderer))
            for language, part in zip(LANGUAGES, parts, strict=True)
        )
        tag = '<div class="desk-language"><span class="desk-code-tag" aria-hidden="true">{}</span>{}</div>'
        return format_html('<div class="desk-languages">{}</div>', format_html_join("", tag, shown))


class ByLanguageField(forms.MultiValueField):
    """Reads `{language: value}`, without the languages that were left empty."""

    def __init__(self, part: forms.Field, **options: Any) -> None:
        widgets: dict[str, Any] = dict.fromkeys(LANGUAGES, part.widget)
        widget = ByLanguageWidget(widgets)
        options = {"required": False, "require_all_fields": False, "widget": widget, **options}
        super().__init__(fields=[part for _language in LANGUAGES], **options)

    def compress(self, data_list: Sequence[Any]) -> Any:
        values = data_list or [None] * len(LANGUAGES)
        return {language: value for language, value in zip(LANGUAGES, values, strict=True) if value}

    def clean(self, value: Any) -> Any:
        found = super().clean(value)
        if self.required and not found:
            raise forms.ValidationError(self.error_messages["required"], code="required")
        return found


class _Text(forms.CharField):
    """A text with the line ends of every other text here."""

    def to_python(self, value: Any) -> str:
        return clean_text((super().to_python(value) or "").replace("\r\n", "\n"))


def texts(*, rows: int = 0, limit: int = 2_000, code: bool = False, **options: Any) -> ByLanguageField:
    """Return a field for a text per language, on one line each, or `rows` of them."""
    attrs: dict[str, Any] = {"class": "desk-code", "spellcheck": "false"} if code else {}
    widget = forms.Textarea({**attrs, "rows": rows}) if rows else forms.TextInput(attrs)
    part = _Text(required=False, max_length=limit, widget=widget, strip=not code)
    return ByLanguageField(part, **options)


def lines(*, rows: int = 3, limit: int = 300, **options: Any) -> ByLanguageField:
    """Return a field for words, one per line, per language."""
    return ByLanguageField(LinesField(rows=rows, limit=limit), **options)


def text(*, rows: int = 0, code: bool = False, limit: int = 4_000, **options: Any) -> forms.CharField:
    """Return a field for a text of the designer's own language."""
    attrs: dict[str, Any] = {"class": "desk-code", "spellcheck": "false"} if code else {}
    widget = forms.Textarea({**attrs, "rows": rows}) if rows else forms.TextInput(attrs)
    return _Text(**{"required": False, "max_length": limit, "widget": widget, **options})
