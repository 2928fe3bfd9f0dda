"""The French catalogue: whole, and compiled from what is written."""

import gettext
import re

from babel.messages.catalog import Message
from babel.messages.pofile import read_po
from django.conf import settings

FOLDER = settings.LOCALE_PATHS[0] / "fr/LC_MESSAGES"
PLACES = re.compile(r"%\(\w+\)[sd]|%[sd]")


def messages() -> list[Message]:
    with (FOLDER / "django.po").open("rb") as file:
        return [message for message in read_po(file) if message.id]


def forms(text: str | tuple[str, ...] | list[str]) -> list[str]:
    return [text] if isinstance(text, str) else list(text)


def test_every_text_is_translated() -> None:
    assert [message.id for message in messages() if message.fuzzy or not all(forms(message.string))] == []


def test_placeholders_survive() -> None:
    for message in messages():
        expected = set(PLACES.findall(" ".join(forms(message.id))))
        assert all(set(PLACES.findall(form)) == expected for form in forms(message.string)), message.id


def test_signs_have_their_french_space() -> None:
    wrong = re.compile(r"\w[;?!»]| [:;?!»]|«[^\u00a0]")
    assert [text for message in messages() for text in forms(message.string) if wrong.search(text)] == []


def test_what_is_written_is_compiled() -> None:
    with (FOLDER / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for message in messages():
        if message.context is None and isinstance(message.id, str):
            assert compiled.gettext(message.id) == message.string
