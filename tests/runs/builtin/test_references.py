import pytest

from runs.llm.base import Candidate, FieldType
from runs.llm.builtin.references import MAX_SEARCHES
from tests.runs.builtin.helpers import PERIOD, READER, People, field, fill

READERS_LIST = field("readers", FieldType.REFERENCE, reference="library.reader", is_list=True)
BOOK = field(
    "book", FieldType.REFERENCE, reference="library.book", reference_pattern=r"BK-\d+", cues=("book", "livre")
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lend the book to John Doe", "John Doe"),
        ("lend the book to john doe please", "john doe"),
        ("LEND TO JOHN DOE", "JOHN DOE"),
        ("John Doe wants it", "John Doe"),
        ("Lend it to “Blue Harbor”", "Blue Harbor"),
        ("Lend it to Blue harbor ltd today", "Blue harbor ltd"),
        ("Lend it to r-0003, thanks", "r-0003"),
        ("Prête-le à Marie Lefèvre", "Marie Lefèvre"),
        ("Prête-le à marie lefevre depuis mars", "marie lefevre"),
        ("Prête-le à He\u0301le\u0300ne Boeuf", "Hélène Boeuf"),
        ("la Brasserie du Vieux-Port le veut", "Brasserie du Vieux-Port"),
        ("la Librairie l’Étoile le veut", "Librairie l’Étoile"),
        ("Smith and Sons would like it", "Smith and Sons"),
        ("Lend it to John Doe. Everything about John Doe.", "John Doe"),
        ("Lend it to Durand", "Durand"),
        ("for reader John Doe, not Marie Lefèvre", "John Doe"),
        ("Łukasz Øster", "Łukasz Øster"),
    ],
)
def test_it_answers_with_the_words_as_they_stand(text: str, expected: str) -> None:
    assert fill(text, READER) == {"reader": expected}


@pytest.mark.parametrize(
    "text",
    [
        "Lend a book",
        "jean durand and john doe",
        "lend it in May",
        "",
    ],
)
def test_no_record_or_one_among_mere_words_is_a_question(text: str) -> None:
    assert fill(text, READER) == {"reader": None}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("R-0001 or R-0002", ["R-0001", "R-0002"]),
        ("to Marie Lefèvre and John Doe", ["Marie Lefèvre", "John Doe"]),
    ],
)
def test_two_records_are_both_handed_on(text: str, said: list[str]) -> None:
    assert fill(text, READER) == {"reader": said}


def test_the_period_is_not_searched_for_names() -> None:
    people = People()
    fill("Lend it to John Doe from 1 March 2025 to 31 May 2025", READER, PERIOD, search=people)
    assert people.asked == ["John Doe"]


def test_the_longest_name_wins() -> None:
    def search(kind: str, text: str) -> list[Candidate]:
        return [Candidate(text, text)] if text.lower() in {"blue", "blue harbor", "harbor"} else []

    assert fill("lend it to blue harbor now", READER, search=search) == {"reader": "blue harbor"}


def test_a_name_that_is_said_but_unknown_is_handed_on() -> None:
    """So that the answer can be "there is no such reader" instead of "which reader?"."""
    assert fill("Lend it for reader Foo Bar", READER) == {"reader": "Foo Bar"}
    assert fill("Lend book 4711", BOOK) == {"book": "4711"}
    assert fill("Lend it on Monday to nobody", READER) == {"reader": None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("John Doe and Smith and Sons", ["John Doe", "Smith and Sons"]),
        ("Jean Durand, John Doe et Hélène Bœuf", ["Jean Durand", "John Doe", "Hélène Bœuf"]),
        ("lend to john doe and durand freres", ["john doe", "durand freres"]),
        ("nobody", None),
    ],
)
def test_a_list_takes_every_name(text: str, expected: list[str] | None) -> None:
    assert fill(text, READERS_LIST) == {"readers": expected}


def test_two_places_for_one_kind_are_told_apart_by_their_words() -> None:
    lender = field("lender", FieldType.REFERENCE, reference="library.reader", cues=("from",))
    borrower = field("borrower", FieldType.REFERENCE, reference="library.reader", cues=("to",))
    assert fill("from John Doe to Hélène Bœuf", lender, borrower) == {
        "lender": "John Doe",
        "borrower": "Hélène Bœuf",
    }
    assert fill("John Doe, Hélène Bœuf", lender, borrower) == {"lender": None, "borrower": None}


def test_identifiers_of_two_kinds() -> None:
    assert fill("BK-77 for R-0003", READER, BOOK) == {"reader": "R-0003", "book": "BK-77"}


def test_the_number_of_searches_is_bounded() -> None:
    people = People()
    fill(
        "Some Person Or Other " * 200 + "and many more words that are names of nobody " * 50,
        READER,
        READERS_LIST,
        search=people,
    )
    assert 0 < len(people.asked) <= MAX_SEARCHES


def test_a_broken_pattern_of_a_designer_is_no_pattern() -> None:
    broken = field("reader", FieldType.REFERENCE, reference="library.reader", reference_pattern="R-(")
    assert fill("for John Doe", broken) == {"reader": "John Doe"}
