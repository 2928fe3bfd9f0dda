"""Regular expressions that designers write cannot run for long."""

import pytest

from activities import patterns
from tests.support.ends import comes_to_an_end

SOUND = [
    "[A-Z]{2,3}-[0-9]{4}",
    r"INV-\d{4}-\d{5}",
    "(a|b)c?",
    r"\w+@\w+\.[a-z]{2,}",
    "(?i:abc)+",
    "[^a]*",
    "",
    "(ab){3}",
    r"\bword\b",
    "(?:ab)+",
    "(?P<x>a)b",
    "a*b*c*d*",
]
REFUSED = [
    "(a+)+$",
    "(a*)*",
    "(a|aa)+$",
    "(a|a)*b",
    "([a-z]+)*x",
    "(.*a){20}",
    "(a?){30}a{30}",
    "a*a*a*a*a*b",
    r"(a)\1+",
    "(?=a+)b",
    "(?<!a)b",
    "(a{1,5}){1,5}",
    "a{1,99999}",
    "(",
    "[",
    "*",
    "a" * 201,
    "(" * 150 + ")" * 50,
    "a{99999999999999999999}",
    "(?:(?:a+)b)*",
]


@pytest.mark.parametrize("pattern", SOUND)
def test_what_is_bounded_is_taken(pattern: str) -> None:
    assert patterns.problem(pattern) == ""


@pytest.mark.parametrize("pattern", REFUSED)
def test_what_may_take_long_is_refused_with_a_reason(pattern: str) -> None:
    assert patterns.problem(pattern)
    assert not patterns.fits(pattern, "a" * 30)


@pytest.mark.parametrize("pattern", SOUND)
@pytest.mark.parametrize("text", ["a" * 200, "a" * 199 + "!", "ab" * 100, "1" * 200, "a" * 5_000])
def test_what_is_taken_is_quick(pattern: str, text: str) -> None:
    with comes_to_an_end():
        patterns.fits(pattern, text)


def test_the_whole_text_has_the_form() -> None:
    assert patterns.fits("[a-z]{3}", "abc")
    assert not patterns.fits("[a-z]{3}", "abcd")
    assert not patterns.fits("a*", "a" * 201)
