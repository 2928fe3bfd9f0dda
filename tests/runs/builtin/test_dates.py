import pytest

from runs.llm.base import FieldType
from tests.runs.builtin.helpers import field, fill

DAY = field("day", FieldType.DATE)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "on 12 March 2025", "2025-03-12"),
        ("en", "March 12th, 2025", "2025-03-12"),
        ("en", "the 5th of May", "2025-05-05"),
        ("en", "Dec 24", "2024-12-24"),
        ("en", "2025-03-12", "2025-03-12"),
        ("en", "12/03/2025", "12/03/2025…"),
        ("en", "05/05/2025", "2025-05-05"),
        ("en", "13/03/2025", "2025-03-13"),
        ("en", "03/13/2025", "2025-03-13"),
        ("en", "12.03.25", "2025-03-12"),
        ("en", "today", "2025-06-18"),
        ("en", "yesterday", "2025-06-17"),
        ("en", "the day after tomorrow", "2025-06-20"),
        ("en", "next Friday", "2025-06-20"),
        ("en", "on Wednesday", "2025-06-25"),
        ("en", "last Wednesday", "2025-06-11"),
        ("en", "in 3 days", "2025-06-21"),
        ("en", "in two weeks", "2025-07-02"),
        ("en", "2 months ago", "2025-04-18"),
        ("en", "by the end of the month", "2025-06-30"),
        ("en", "30 February 2025", "30 February 2025…"),
        ("en", "tomorrow or on Friday", ["2025-06-19", "2025-06-20"]),
        ("en", "some day", None),
        ("fr", "le 12 mars 2025", "2025-03-12"),
        ("fr", "12/03/2025", "2025-03-12"),
        ("fr", "le 1er mars", "2025-03-01"),
        ("fr", "lundi 23 juin", "2025-06-23"),
        ("fr", "aujourd’hui", "2025-06-18"),
        ("fr", "hier", "2025-06-17"),
        ("fr", "avant-hier", "2025-06-16"),
        ("fr", "après-demain", "2025-06-20"),
        ("fr", "vendredi prochain", "2025-06-20"),
        ("fr", "vendredi dernier", "2025-06-13"),
        ("fr", "dans 3 jours", "2025-06-21"),
        ("fr", "dans une semaine", "2025-06-25"),
        ("fr", "il y a deux mois", "2025-04-18"),
        ("fr", "à la fin du mois", "2025-06-30"),
        ("fr", "31/02/2025", "31/02/2025…"),
    ],
)
def test_it_reads_days(language: str, text: str, expected: str | list[str] | None) -> None:
    assert fill(text, DAY, language=language) == {"day": expected}


def test_each_date_goes_where_its_words_point() -> None:
    ordered, due = (
        field("order_date", FieldType.DATE, cues=("ordered",)),
        field("due_date", FieldType.DATE, cues=("due",)),
    )
    assert fill("ordered yesterday, due 30 June 2025", ordered, due) == {
        "order_date": "2025-06-17",
        "due_date": "2025-06-30",
    }
    assert fill("due on 30 June 2025", ordered, due) == {"order_date": None, "due_date": "2025-06-30"}


def test_a_list_takes_all_days() -> None:
    assert fill("tomorrow and 1 July 2025", field("days", FieldType.DATE, is_list=True)) == {
        "days": ["2025-06-19", "2025-07-01"]
    }


def test_the_person_s_language_is_heard_in_the_words() -> None:
    """Somebody whose pages are in English may write in French."""
    assert fill("Je voudrais le rendre le 12/03/2025", DAY, language="en") == {"day": "2025-03-12"}
