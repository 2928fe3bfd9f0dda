"""Conditions and templates are bounded: total, without I/O, and quick on anything a designer writes."""

from typing import Any

import pytest

from activities import conditions, templates
from activities.conditions import BadCondition
from activities.templates import BadTemplate, render, render_plain
from tests.support.ends import comes_to_an_end

SCOPE: dict[str, Any] = {
    "facts": {"find": {"count": 2, "items": [{"name": "a"}], "total": "12.50"}},
    "inputs": {"name": "x"},
    "attempts": 0,
}


@pytest.fixture(autouse=True)
def _quick() -> Any:
    with comes_to_an_end():
        yield


@pytest.mark.parametrize(
    ("expression", "holds"),
    [
        ("true", True),
        ("false", False),
        ("has(facts.find)", True),
        ("has(facts.other)", False),
        ("facts.find.count == 2 && has(facts.find.items)", True),
        ("double(facts.find.total) > 12.0", True),
        ("facts.find.items.all(item, item.name == 'a')", True),
        ("size(facts.find.items) > 0 && attempts < 3", True),
    ],
)
def test_conditions_hold_over_facts(expression: str, holds: bool) -> None:
    assert conditions.evaluate(expression, SCOPE).holds is holds


@pytest.mark.parametrize(
    "expression",
    [
        "facts.other.count == 0",
        "facts.find.count",
        "1",
        "'true'",
        "facts.find.items[7].name == 'a'",
        "1 / 0 == 1",
        "nothing",
        "facts",
    ],
)
def test_a_condition_that_cannot_be_read_does_not_hold_and_says_why(expression: str) -> None:
    found = conditions.evaluate(expression, SCOPE)
    assert not found.holds
    assert found.problem


@pytest.mark.parametrize(
    "expression", ["", "(", "facts.", "import os", "open('/etc/passwd')[", "x" * 2_001, "a ? b"]
)
def test_what_is_no_condition_is_refused(expression: str) -> None:
    with pytest.raises(BadCondition):
        conditions.check(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "open('/etc/passwd')",
        "__import__('os')",
        "facts.find.__class__",
        "system('x')",
        "facts.find.count.real",
    ],
)
def test_a_condition_reaches_nothing_but_its_scope(expression: str) -> None:
    assert not conditions.evaluate(expression, SCOPE).holds


def test_what_a_condition_reads_is_known() -> None:
    assert conditions.facts_named("has(facts.a) && facts.b.c > 1 || facts.a.d") == ("a", "b")


@pytest.mark.parametrize(
    "source", ["{% if %}", "{{ a", "{% for %}", "{% unknown %}", "{% include 'x' %}", "{% render 'x' %}"]
)
def test_what_is_no_template_is_refused(source: str) -> None:
    with pytest.raises(BadTemplate):
        templates.check(source)


@pytest.mark.parametrize(
    "source",
    [
        "{{ nothing }}",
        "{{ facts.other.count }}",
        "{{ facts.find.items[9].name }}",
        "{{ inputs.name | money }}",
        "{{ inputs.name | date }}",
        "{{ inputs.name | number }}",
        "{{ facts.find.total | number: 'many' }}",
        "{{ facts.find.total | percent: 999999999 }}",
        "{{ facts.find.total | nothing }}",
        "{% for i in (1..100000000) %}x{% endfor %}",
        "{% for i in (1..1000) %}{% for j in (1..1000) %}x{% endfor %}{% endfor %}",
        "{% assign s = 'xxxxxxxx' %}{% for i in (1..30) %}{% assign s = s | append: s %}{% endfor %}{{ s }}",
        "{{ inputs.name.__class__ }}",
        "{{ inputs.__class__ }}",
    ],
)
def test_a_template_that_cannot_be_filled_says_so(source: str) -> None:
    with pytest.raises(BadTemplate):
        render(source, SCOPE, "en")


def test_values_are_escaped_and_formatted_for_the_reader() -> None:
    scope = {"v": "12345.5", "d": "2026-01-31", "n": "<b>"}
    assert (
        render("{{ v | money: 'EUR' }} {{ d | date }} {{ n }}", scope, "en")
        == "€12,345.50 31 January 2026 &lt;b\\>"
    )
    french = render("{{ v | money: 'EUR' }} {{ d | date }}", scope, "fr")
    assert french.replace("\u202f", " ").replace("\xa0", " ") == "12 345,50 € 31 janvier 2026"


def test_large_amounts_are_exact() -> None:
    shown = render("{{ v | money: 'EUR' }} {{ v | number }}", {"v": "1234567890123456.78"}, "en")
    assert shown == "€1,234,567,890,123,456.78 1,234,567,890,123,456.78"


def test_a_plain_value_is_not_escaped() -> None:
    assert render_plain("{{ n }}", {"n": "R&D *x*"}, "en") == "R&D *x*"
