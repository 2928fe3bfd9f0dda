"""Conditions are read and their types checked before they are saved: each misfit with its remedy."""

from decimal import Decimal
from typing import Any, Literal

import pytest

from activities import conditions
from activities.conditions import BadCondition
from activities.expressions.types import BOOL, DATE, DECIMAL, INT, Type, list_of, object_of, type_of_model
from activities.tools import ToolResult
from tests.support.ends import comes_to_an_end


class Line(ToolResult):
    name: str
    price: Decimal
    count: int


class Fact(ToolResult):
    amount: Decimal
    rest: Decimal | None = None
    count: int
    ratio: float
    done: bool
    state: Literal["open", "paid"]
    day: str
    lines: list[Line]
    codes: list[str]
    best: Line | None = None


SCOPE: dict[str, Type] = {
    "facts": object_of({"get": type_of_model(Fact)}),
    "inputs": object_of(
        {"limit": DECIMAL, "many": list_of(INT), "when": object_of({"start": DATE, "end": DATE}), "ok": BOOL}
    ),
    "attempts": INT,
}
FITS = [
    "true",
    "has(facts.get) && double(facts.get.amount) > 0.0",
    "facts.get.amount == '0.00' || facts.get.rest != null",
    "facts.get.count > 1.5 && facts.get.ratio < 2",
    "facts.get.state == 'paid' && facts.get.state in ['open', 'paid']",
    "facts.get.lines.all(line, double(line.price) > 0.0 && line.count == 1)",
    "facts.get.lines.exists(line, line.name in facts.get.codes)",
    "size(facts.get.lines.filter(l, l.count > 1)) == 0",
    "facts.get.lines.map(l, double(l.price))[0] > 1.0",
    "facts.get.best.name.startsWith('x') && facts.get['count'] == 3",
    "inputs.when.start < inputs.when.end && inputs.ok",
    "has(inputs.limit) && inputs.limit != null && double(inputs.limit) > double(facts.get.rest)",
    "attempts < 3 ? facts.get.done : !facts.get.done",
    "-facts.get.count + 1 == 0 && facts.get.day.matches('^2025')",
    "timestamp(facts.get.day + 'T00:00:00Z') < timestamp('2026-01-01T00:00:00Z')",
    "facts.get.lines.all(a, facts.get.lines.all(b, a.name != b.name || a == b))",
    "size(facts.get.codes) > 0 && 'x' in facts.get.codes && {'a': 1}.a == 1",
]
MISFITS = {
    "facts.get.amount > 0": "write double(facts.get.amount)",
    "facts.get.amount > 0.5": "write double(facts.get.amount)",
    "5 < facts.get.amount": "write double(facts.get.amount)",
    "facts.get.amount == 0": "write double(facts.get.amount)",
    "facts.get.amount > facts.get.rest": "write double(facts.get.amount)",
    "facts.get.amount < '9'": "write double(facts.get.amount)",
    "facts.get.amount + 1 > 2": "write double(facts.get.amount)",
    "-facts.get.rest < 0": "write double(facts.get.rest)",
    "double(inputs.limit) > 1.0 && inputs.limit != 3": "write double(inputs.limit)",
    "facts.get.lines.all(l, l.price > 0.0)": "write double(l.price)",
    "facts.got.amount == ''": "a fact no tool gives",
    "has(facts.got)": "a fact no tool gives",
    "facts.get.amout == ''": "Did you mean “amount”",
    "has(facts.get.nothing)": "has no field “nothing”",
    "facts.get['nothing'] == 1": "has no field “nothing”",
    "facts.get.count.x == 1": "is a whole number and has no field",
    "facts.get.lines.name == 'a'": "is a list and has no field",
    "facts.get.lines.all(l, l.colour == 'a')": "has no field “colour”",
    "inputs.limits == ''": "Did you mean “limit”",
    "facts.get.state == 'payed'": "It is one of: open, paid",
    "facts.get.state in ['open', 'payed']": "It is one of: open, paid",
    "facts.get.count == '3'": "a whole number is compared with a text",
    "facts.get.done == 1": "a yes or no is compared with a whole number",
    "3 in facts.get.codes": "they never fit",
    "3 in facts.get.day": "After “in” comes a list",
    "facts.get.count": "this gives a whole number",
    "facts.get.done && facts.get.count": "needs a yes or no",
    "!facts.get.count": "needs a yes or no",
    "facts.get.count ? true : false": "needs a yes or no",
    "facts.get.lines.all(l, l.count)": "needs a yes or no",
    "facts.get.count.all(l, true)": "goes through a list",
    "facts.get.lines.all(true)": "takes a name and a condition",
    "size(facts.get.count) > 1": "does not take a whole number",
    "double(facts.get.done) > 1.0": "does not take a yes or no",
    "facts.get.count + 1.5 > 2.0": "not computed together",
    "facts.get.day + 1 == 'a'": "A number is needed",
    "facts.get.done > true": "more or less",
    "sum(facts.get.codes) == 1": "no function “sum”",
    "facts.get.day.lower() == 'a'": "no function “lower”",
    "count > 1": "There is no “count” here",
    "attempts == 'x'": "they never fit",
}


@pytest.mark.parametrize("expression", FITS)
def test_what_fits_is_not_complained_of(expression: str) -> None:
    assert conditions.misfits(expression, SCOPE) == []


@pytest.mark.parametrize("expression", MISFITS)
def test_a_misfit_is_told_once_with_its_remedy(expression: str) -> None:
    found = conditions.misfits(expression, SCOPE)
    assert len(found) == 1, found
    assert MISFITS[expression] in found[0]


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "(",
        "a b",
        "a ? b",
        "a..b",
        "a.all(",
        "[1, 2",
        "{1: }",
        "'a",
        "a = b",
        "a & b",
        "#",
        "has(facts.a",
        "(" * 31 + "true" + ")" * 31,
        "[" * 900 + "]" * 900,
        "!" * 1_900 + "true",
        "true || " * 240 + "true",
        "x.all(a, x.all(b, x.all(c, true)))",
        "x.all(a, " * 180 + "true" + ")" * 180,
    ],
)
def test_what_cannot_be_read_or_is_too_much_says_where(expression: str) -> None:
    with pytest.raises(BadCondition):
        conditions.check(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "facts.l.all(a, facts.l.all(b, a == b || true))",
        " && ".join(["facts.l.all(a, facts.l.all(b, true))"] * 40),
        "[1,2,3].map(x, facts.l.map(y, facts.l)).size() > 0",
        "facts.t.matches('^(a+)+$')",
    ],
)
@pytest.mark.parametrize("size", [10, 1_000, 50_000])
def test_no_condition_runs_for_long(expression: str, size: int) -> None:
    scope: dict[str, Any] = {"facts": {"l": list(range(size)), "t": "a" * size + "b"}}
    with comes_to_an_end():
        conditions.evaluate(expression, scope)


def test_a_loop_that_is_refused_says_why() -> None:
    scope = {"facts": {"l": list(range(2_000))}}
    assert "items" in conditions.evaluate("facts.l.all(a, facts.l.all(b, true))", scope).problem
    assert conditions.evaluate("facts.l.all(a, a >= 0)", scope).holds
