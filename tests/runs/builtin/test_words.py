"""Choices, yes and no, e-mail addresses and free text."""

from typing import Any

import pytest

from runs.llm.base import CardSpec, Choice, FieldType
from tests.runs.builtin.helpers import AMOUNT, READER, REASON, field, fill

STATE = field(
    "state",
    FieldType.CHOICE,
    choices=(
        Choice("new", ("new", "neuf", "neuve")),
        Choice("worn", ("worn", "used", "usé", "d'occasion")),
        Choice("very_worn", ("very worn", "très usé")),
    ),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a used copy", "worn"),
        ("Used copies please", "worn"),
        ("a very worn one", "very_worn"),
        ("un livre usé", "worn"),
        ("un livre d’occasion", "worn"),
        ("deux livres usés", "worn"),
        ("not a new one", None),
        ("pas neuf", None),
        ("a used copy, not new", "worn"),
        ("new or used", None),
        ("state: new", "new"),
        ("whatever", None),
        ("VERY_WORN", "very_worn"),
    ],
)
def test_a_choice_is_read_by_its_words(text: str, expected: str | None) -> None:
    assert fill(text, STATE) == {"state": expected}


def test_a_list_of_choices() -> None:
    several = field("states", FieldType.CHOICE, is_list=True, choices=STATE.choices)
    assert fill("new and used ones", several) == {"states": ["new", "worn"]}


FLAG = field("insured", FieldType.BOOLEAN, cues=("insurance", "insured", "assurance"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("with insurance", True),
        ("without insurance", False),
        ("no insurance", False),
        ("sans assurance", False),
        ("avec assurance", True),
        ("insured: no", False),
        ("yes", True),
        ("non merci", False),
        ("oui", True),
        ("lend the book", None),
        ("I don't want insurance", None),
    ],
)
def test_yes_and_no(text: str, expected: bool | None) -> None:
    said = fill(text, FLAG)["insured"]
    assert said is expected or (text.startswith("I don't") and said is False)


def test_email_addresses() -> None:
    mail = field("mail", FieldType.EMAIL)
    assert fill("write to Ada.Byron+x@example.co.uk.", mail) == {"mail": "Ada.Byron+x@example.co.uk"}
    assert fill("a@b.fr ou c@d.fr", mail) == {"mail": ["a@b.fr", "c@d.fr"]}
    assert fill("a@b.fr, c@d.fr", field("mails", FieldType.EMAIL, is_list=True)) == {
        "mails": ["a@b.fr", "c@d.fr"]
    }
    assert fill("nobody@ home", mail) == {"mail": None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lend the book to John Doe because he needs it for school. Thanks!", "he needs it for school"),
        ("Lend the book to John Doe, he needs it for school.", "he needs it for school"),
        ("He needs it for school. Please lend the book to John Doe.", "He needs it for school"),
        ("Prête le livre à John Doe car il en a besoin", "il en a besoin"),
        ("Prête le livre à John Doe, motif : recherche en cours", "recherche en cours"),
        ('Lend the book to John Doe: "school project"', "school project"),
        ("Prête le livre à John Doe « pour l'école »", "pour l'école"),
        ("reason: exam, then holidays", "exam, then holidays"),
        ("Lend the book to John Doe", None),
        ("Lend the book to John Doe, please", None),
        ("Hello, lend a book. Thanks a lot!", None),
    ],
)
def test_free_text_is_what_was_given_as_it(text: str, expected: str | None) -> None:
    assert fill(text, READER, REASON) == {
        "reader": "John Doe" if "John Doe" in text else None,
        "reason": expected,
    }


def test_what_another_value_used_is_not_free_text() -> None:
    assert fill("Lend the book, 50 €", AMOUNT, REASON) == {"amount": "50", "reason": None}


def test_an_answer_to_a_question_may_be_all_there_is() -> None:
    assert fill("exam", REASON, READER, known={"reader": "R-0003"}) == {"reason": "exam", "reader": None}
    assert fill("exam", REASON, READER)["reason"] is None


def test_two_free_texts_need_words_that_tell_them_apart() -> None:
    title, note = field("title", FieldType.TEXT, cues=("called", "titled")), field("note", FieldType.TEXT)
    card = CardSpec("x.shelf", "Make a shelf")
    assert fill('Make a shelf called "Poetry". Note: near the door', title, note, card=card) == {
        "title": "Poetry",
        "note": "near the door",
    }
    assert fill("Make a shelf, near the door", title, note, card=card) == {"title": None, "note": None}


def test_a_text_with_a_form_takes_only_that_form() -> None:
    shelf = field("shelf", FieldType.TEXT, pattern=r"[A-Z]{2}\d{2}")
    assert fill("put it on AB12 now", shelf) == {"shelf": "AB12"}
    assert fill("put it on a shelf, because of the light", shelf) == {"shelf": None}


def test_known_values_are_not_read_again() -> None:
    said: dict[str, Any] = fill(
        "Lend it to John Doe because of school", READER, REASON, known={"reader": "R-0001"}
    )
    assert said == {"reader": None, "reason": "school"}
