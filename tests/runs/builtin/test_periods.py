import pytest

from runs.llm.base import FieldType
from tests.runs.builtin.helpers import PERIOD, field, fill, period_of

YEAR_BEFORE_TODAY = ("2024-06-19", "2025-06-18")
LAST_YEAR = ("2024-01-01", "2024-12-31")
SINCE_MARCH = ("2025-03-01", "2025-06-18")
SECOND_QUARTER = ("2025-04-01", "2025-06-30")
FIRST_QUARTER = ("2025-01-01", "2025-03-31")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("over the past year", YEAR_BEFORE_TODAY),
        ("over the last 12 months", YEAR_BEFORE_TODAY),
        ("over the last twelve months", YEAR_BEFORE_TODAY),
        ("during the last year", YEAR_BEFORE_TODAY),
        ("last year", LAST_YEAR),
        ("in 2024", LAST_YEAR),
        ("in the year 2024", LAST_YEAR),
        ("since March", SINCE_MARCH),
        ("since 1 March", SINCE_MARCH),
        ("since March 1st, 2025", SINCE_MARCH),
        ("since October", ("2024-10-01", "2025-06-18")),
        ("since 2023", ("2023-01-01", "2025-06-18")),
        ("since last month", ("2025-05-01", "2025-06-18")),
        ("since yesterday", ("2025-06-17", "2025-06-18")),
        ("this quarter", SECOND_QUARTER),
        ("Q2 2025", SECOND_QUARTER),
        ("2025-Q2", SECOND_QUARTER),
        ("the second quarter of 2025", SECOND_QUARTER),
        ("last quarter", FIRST_QUARTER),
        ("the last quarter of 2024", ("2024-10-01", "2024-12-31")),
        ("Q3", ("2024-07-01", "2024-09-30")),
        ("first half of 2025", ("2025-01-01", "2025-06-30")),
        ("H2 2024", ("2024-07-01", "2024-12-31")),
        ("last month", ("2025-05-01", "2025-05-31")),
        ("last week", ("2025-06-09", "2025-06-15")),
        ("next week", ("2025-06-23", "2025-06-29")),
        ("last 6 weeks", ("2025-05-08", "2025-06-18")),
        ("past 90 days", ("2025-03-21", "2025-06-18")),
        ("last three months", ("2025-03-19", "2025-06-18")),
        ("year to date", ("2025-01-01", "2025-06-18")),
        ("since the beginning of the year", ("2025-01-01", "2025-06-18")),
        ("in May", ("2025-05-01", "2025-05-31")),
        ("in December", ("2024-12-01", "2024-12-31")),
        ("March last year", ("2024-03-01", "2024-03-31")),
        ("next March", ("2026-03-01", "2026-03-31")),
        ("february 2024", ("2024-02-01", "2024-02-29")),
        ("from 1 Jan to 31 Mar 2025", FIRST_QUARTER),
        ("from January to March 2025", FIRST_QUARTER),
        ("between January 1st and March 31st, 2025", FIRST_QUARTER),
        ("2025-01-01 to 2025-03-31", FIRST_QUARTER),
        ("01/01/2025 to 31/03/2025", FIRST_QUARTER),
        ("from November to February", ("2024-11-01", "2025-02-28")),
        ("between 2022 and 2024", ("2022-01-01", "2024-12-31")),
        ("March 1-15", ("2025-03-01", "2025-03-15")),
        ("on 12 March 2025", ("2025-03-12", "2025-03-12")),
        ("yesterday", ("2025-06-17", "2025-06-17")),
    ],
)
def test_it_reads_english_periods(text: str, expected: tuple[str, str]) -> None:
    assert period_of(text, "en") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sur l'année passée", YEAR_BEFORE_TODAY),
        ("sur l’année passée", YEAR_BEFORE_TODAY),
        ("SUR L'ANNÉE PASSÉE", YEAR_BEFORE_TODAY),
        ("sur l'anne\u0301e passe\u0301e", YEAR_BEFORE_TODAY),
        ("sur les 12 derniers mois", YEAR_BEFORE_TODAY),
        ("sur les douze derniers mois", YEAR_BEFORE_TODAY),
        ("sur un an", YEAR_BEFORE_TODAY),
        ("au cours de l'année écoulée", YEAR_BEFORE_TODAY),
        ("l'an dernier", LAST_YEAR),
        ("l'année dernière", LAST_YEAR),
        ("de l'année passée", LAST_YEAR),
        ("en 2024", LAST_YEAR),
        ("l'exercice 2024", LAST_YEAR),
        ("depuis mars", SINCE_MARCH),
        ("depuis le 1er mars", SINCE_MARCH),
        ("depuis début mars", SINCE_MARCH),
        ("depuis octobre", ("2024-10-01", "2025-06-18")),
        ("à partir du 1er avril", ("2025-04-01", "2025-06-18")),
        ("ce trimestre", SECOND_QUARTER),
        ("le trimestre en cours", SECOND_QUARTER),
        ("T2 2025", SECOND_QUARTER),
        ("au deuxième trimestre 2025", SECOND_QUARTER),
        ("le trimestre dernier", FIRST_QUARTER),
        ("S1 2025", ("2025-01-01", "2025-06-30")),
        ("le premier semestre 2024", ("2024-01-01", "2024-06-30")),
        ("le mois dernier", ("2025-05-01", "2025-05-31")),
        ("la semaine dernière", ("2025-06-09", "2025-06-15")),
        ("les 90 derniers jours", ("2025-03-21", "2025-06-18")),
        ("ces trois derniers mois", ("2025-03-19", "2025-06-18")),
        ("depuis le début de l'année", ("2025-01-01", "2025-06-18")),
        ("cette année", ("2025-01-01", "2025-12-31")),
        ("mars dernier", ("2025-03-01", "2025-03-31")),
        ("en août", ("2024-08-01", "2024-08-31")),
        ("entre le 1er janvier et le 31 mars 2025", FIRST_QUARTER),
        ("de janvier à mars 2025", FIRST_QUARTER),
        ("du 01/01/2025 au 31/03/2025", FIRST_QUARTER),
        ("entre mars et mai", ("2025-03-01", "2025-05-31")),
        ("du 1er au 15 mars 2025", ("2025-03-01", "2025-03-15")),
        ("de 2023 à 2024", ("2023-01-01", "2024-12-31")),
        ("depuis hier", ("2025-06-17", "2025-06-18")),
    ],
)
def test_it_reads_french_periods(text: str, expected: tuple[str, str]) -> None:
    assert period_of(text, "fr") == expected


@pytest.mark.parametrize(
    "text",
    [
        "until March",
        "jusqu'en mars",
        "before 2024",
        "since tomorrow",
        "from 31 March 2025 to 1 January 2025",
        "12/03/2025 to 11/04/2025",
        "31 février 2025",
        "S3 2025",
        "May I march?",
        "ABC-2025-00123",
        "",
        "soon",
        "2025 €",
    ],
)
def test_it_leaves_open_what_names_no_period(text: str) -> None:
    assert period_of(text, "en") is None


def test_two_periods_are_a_question() -> None:
    years = [{"start": f"{year}-01-01", "end": f"{year}-12-31"} for year in (2023, 2024)]
    assert fill("compare 2023 with 2024", PERIOD) == {"period": years}


def test_two_dates_side_by_side_take_both_ends() -> None:
    start, end = field("start", FieldType.DATE), field("end", FieldType.DATE)
    assert fill("from 1 to 12 August", start, end) == {"start": "2025-08-01", "end": "2025-08-12"}
    assert fill("du 3 au 7 mars 2026", start, end, language="fr") == {
        "start": "2026-03-03",
        "end": "2026-03-07",
    }
    assert fill("la semaine prochaine", start, end, language="fr") == {
        "start": "2025-06-23",
        "end": "2025-06-29",
    }
