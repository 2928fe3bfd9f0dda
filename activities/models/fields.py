"""Fields that several models share."""

from typing import Any

from django.db import models

from agentapp.kernel.ids import uuid7

Texts = dict[str, str]


class TextsField(models.JSONField):
    """A text per language, `{"en": "...", "fr": "..."}`; read it with :func:`in_language`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("default", dict)
        kwargs.setdefault("blank", True)
        super().__init__(*args, **kwargs)


def in_language(texts: Texts, language: str) -> str:
    """Return the text for `language`, else the English one, else any, else an empty string."""
    return texts.get(language) or texts.get("en") or next(iter(texts.values()), "")


class Identified(models.Model):
    """A row with a UUIDv7 of its own."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)

    class Meta:
        abstract = True
