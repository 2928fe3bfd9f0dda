from decimal import Decimal

import pytest

from activities.discovery.reading import Reading
from activities.models import ActivityInput
from activities.values import ValueInvalid, read_value
from runs.llm.base import FieldType
from runs.llm.builtin.numbers import numbers
from tests.runs.builtin.helpers import AMOUNT, PERIOD, READER, REASON, field, fill

COUNT = field("count", FieldType.INTEGER)


def values(text: str, language: str) -> list[Decimal | None]:
    return [number.value for number in numbers(Reading.of(text), language)]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "1,234.50", "1234.50"),
        ("fr", "1 234,50", "1234.50"),
        ("fr", "1\u202f234,50", "1234.50"),
        ("fr", "1\u00a0234,50 €", "1234.50"),
        ("en", "1.234,50", "1234.50"),
        ("en", "1'234.50", "1234.50"),
        ("fr", "1234,5 €", "1234.5"),
        ("en", "€1,000,000.25", "1000000.25"),
        ("en", "1,234", "1234"),
        ("fr", "1,234", "1.234"),
        ("fr", "1 234", "1234"),
        ("en", "12.5", "12.5"),
        ("fr", "12,5", "12.5"),
        ("en", "0.1", "0.1"),
        ("en", "-50", "-50"),
        ("en", "\u221250", "-50"),
        ("en", "minus 5", "-5"),
        ("fr", "moins 5", "-5"),
        ("en", "1.5k", "1500"),
        ("fr", "2 k€", "2000"),
        ("en", "3 million", "3000000"),
        ("en", "fifty", "50"),
        ("fr", "cinquante", "50"),
        ("en", "two hundred and five", "205"),
        ("en", "twenty-five", "25"),
        ("en", "three thousand four hundred", "3400"),
        ("fr", "vingt et un", "21"),
        ("fr", "soixante et onze", "71"),
        ("fr", "soixante-dix-huit", "78"),
        ("fr", "quatre-vingts", "80"),
        ("fr", "quatre-vingt-dix-sept", "97"),
        ("fr", "deux cent trente et un", "231"),
        ("fr", "deux mille vingt-cinq", "2025"),
        ("fr", "septante", "70"),
        ("fr", "nonante", "90"),
        ("en", "9007199254740993", "9007199254740993"),
        ("en", "1234567890123456.78", "1234567890123456.78"),
    ],
)
def test_it_reads_both_notations_and_words(language: str, text: str, expected: str) -> None:
    assert values(text, language) == [Decimal(expected)]


@pytest.mark.parametrize(
    ("language", "text"), [("fr", "1.234"), ("en", "1,2,3"), ("en", "ten five"), ("en", "100 200")]
)
def test_it_leaves_open_what_may_be_two_numbers(language: str, text: str) -> None:
    assert set(values(text, language)) == {None}


@pytest.mark.parametrize(
    "text", ["INV-2025-00123", "12/03/2025", "a1b2", "un article", "no number", "v1.2.3-beta"]
)
def test_identifiers_dates_and_articles_are_no_numbers(text: str) -> None:
    assert values(text, "fr") == []


def test_money_is_exact() -> None:
    assert fill("lend it for 1234567890123456.78 euros", AMOUNT) == {"amount": "1234567890123456.78"}
    assert fill("0.10 € please", AMOUNT) == {"amount": "0.10"}


def test_a_sum_of_money_is_no_count_and_a_count_no_sum() -> None:
    assert fill("3 books for 50 €", COUNT, AMOUNT) == {"count": 3, "amount": "50"}
    assert fill("lend 2 torn books", AMOUNT) == {"amount": None}


def test_two_numbers_for_one_place_are_a_question() -> None:
    """Both are handed on; one is never taken in silence."""
    assert fill("50 € or 60 €", AMOUNT) == {"amount": ["50", "60"]}
    assert fill("amount 50, not 60", AMOUNT) == {"amount": "50"}
    assert fill("50 €, yes, 50 euros", AMOUNT) == {"amount": "50"}
    assert fill("2 or 3 count", COUNT) == {"count": [2, 3]}


@pytest.mark.parametrize(
    "text",
    [
        "pay 20 and 30 euros",
        "pay 20 or 30 euros",
        "pay 20 or 30 euros because it broke",
        "pay $20 or 30",
        "paie 20 ou 30 €",
        "amount 20 or 30",
    ],
)
def test_a_unit_said_once_counts_for_both(text: str) -> None:
    assert fill(text, AMOUNT, language="fr" if "ou" in text.split() else "en") == {"amount": ["20", "30"]}


@pytest.mark.parametrize("text", ["amount 20 euros, no, 30 euros", "amount 20 euros, 30 euros for the chair"])
def test_a_sum_that_contradicts_an_announced_one_is_not_dropped(text: str) -> None:
    assert fill(text, AMOUNT) == {"amount": ["20", "30"]}
    told = fill("amount 20 euros because the chair cost 30 euros", AMOUNT)
    assert told == {"amount": "20"}, "a reason may speak of other sums"
    assert fill("amount 20 euros, well, 20.00 euros", AMOUNT) == {"amount": "20"}


def test_what_stands_second_and_counts_something_else_is_no_second_value() -> None:
    crew = field("crew", FieldType.INTEGER, cues=("crew of",))
    assert fill("a crew of 6 and 2 dogs", crew) == {"crew": 6}


def test_an_amount_in_words_that_may_be_two_is_no_missing_amount() -> None:
    assert fill("pay twenty and thirty euros", AMOUNT) == {"amount": "twenty and thirty…"}


def test_a_number_in_a_story_is_none() -> None:
    assert fill("Lend the book to John Doe, the 3 others are lost", COUNT) == {"count": None}
    assert fill("Lend it, count 3", COUNT) == {"count": 3}


def test_a_year_is_a_number_only_where_it_is_announced() -> None:
    year = field("edition", FieldType.INTEGER)
    assert fill("lend it in 2024", year) == {"edition": None}
    assert fill("edition 2024", year) == {"edition": 2024}
    assert fill("lend 2 books in 2024", COUNT, PERIOD)["count"] == 2


def test_percentages_only_where_one_is_wanted() -> None:
    assert fill("10 % off", AMOUNT) == {"amount": "10 %…"}  # what was said, and no number
    assert fill("10 % off", field("rate", FieldType.DECIMAL)) == {"rate": "10"}


def test_values_beyond_limits_are_still_what_was_said() -> None:
    assert fill("amount 9000", field("amount", FieldType.DECIMAL, maximum="100")) == {"amount": "9000"}


def test_digits_of_identifiers_are_not_amounts() -> None:
    assert fill("R-0003 amount 5", READER, AMOUNT) == {"reader": "R-0003", "amount": "5"}


@pytest.mark.parametrize(
    ("language", "text", "said"),
    [
        ("en", "Refund 1e9 euros to R-0003 because it broke", "1e9 euros…"),
        ("en", f"Refund {'9' * 38} euros to R-0003 because it broke", f"{'9' * 38} euros…"),
        ("en", "Refund half of it to R-0003 because it broke", "half…"),
        ("en", "Refund 50% of it to R-0003 because it broke", "50%…"),
        ("en", "Refund a few euros to R-0003 because it broke", "few euros…"),
        ("fr", "Rembourse 1.234 € à R-0003 car c'est cassé", "1.234 €…"),
        ("fr", "Rembourse la moitié à R-0003 car c'est cassé", "moitié…"),
    ],
)
def test_an_amount_that_was_said_and_cannot_be_read_is_no_missing_amount(
    language: str, text: str, said: str
) -> None:
    """Left empty, the field's default would stand: everything instead of half."""
    asked_amount = fill(text, READER, AMOUNT, REASON, language=language)["amount"]
    assert asked_amount == said
    with pytest.raises(ValueInvalid):
        read_value(ActivityInput(name="amount", kind="decimal"), asked_amount)


@pytest.mark.parametrize(
    "text",
    [
        "Refund R-0003 because half of it was broken",
        "Refund R-0003, the 50% discount was forgotten",
        "Refund R-0003 in euros because the euro price was wrong",
    ],
)
def test_what_is_told_beside_the_request_is_no_amount(text: str) -> None:
    assert fill(text, READER, AMOUNT, REASON)["amount"] is None
