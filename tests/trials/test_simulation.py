"""Made-up results: from what is known first, else a placeholder of the type that nobody takes for real."""

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from types import SimpleNamespace
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from activities.tools import Preview, ToolResult, registry
from examples.billing.tools import outreach, refunds, settlement  # noqa: F401 - declares the tools
from runs.trials.simulation import CannotSimulate, simulated_result

NOW = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Inner(BaseModel):
    name: str
    number: int


class Everything(ToolResult):
    text: str
    long: Annotated[str, Field(min_length=20)]
    amount: Decimal
    positive: Annotated[Decimal, Field(gt=10)]
    count: Annotated[int, Field(ge=3)]
    ratio: float
    yes: bool
    day: date
    moment: datetime
    which: Literal["one", "two"]
    colour: Colour
    key: UUID
    maybe: str | None
    inner: Inner
    items: list[Inner]
    given: str = "as declared"


def simulate(
    model: type[ToolResult],
    arguments: dict[str, Any] | None = None,
    facts: list[dict[str, Any]] | None = None,
    preview: Preview | None = None,
) -> Any:
    admitted = SimpleNamespace(
        arguments=[SimpleNamespace(name=name, value=value) for name, value in (arguments or {}).items()],
        contract=SimpleNamespace(result_model=model, key="store.everything"),
        preview=preview,
    )
    return simulated_result(admitted, facts or [], SimpleNamespace(now=NOW))  # type: ignore[arg-type]


def test_every_type_has_a_placeholder() -> None:
    made = simulate(Everything)
    result = made.result
    assert result.text == "simulated"
    assert len(result.long) >= 20
    assert (result.amount, result.count, result.positive) == (Decimal(1), 3, Decimal(11))
    assert (result.day, result.moment) == (NOW.date(), NOW)
    assert (result.which, result.colour) == ("one", Colour.RED)
    assert result.maybe is None
    assert result.items == []
    assert result.given == "as declared"
    assert made.sources["text"] == "placeholder"
    assert made.sources["given"] == "default"


def test_arguments_come_before_facts_and_facts_before_placeholders() -> None:
    made = simulate(
        Everything,
        arguments={"amount": "12.50", "text": None},
        facts=[{"text": "newest", "amount": "99"}, {"text": "older", "day": "2025-01-02"}],
    )
    assert made.result.amount == Decimal("12.50")
    assert made.result.text == "newest"
    assert made.result.day == date(2025, 1, 2)
    chosen = {name: made.sources[name] for name in ("amount", "text", "day")}
    assert chosen == {"amount": "argument", "text": "fact", "day": "fact"}


def test_what_does_not_fit_the_type_is_not_taken() -> None:
    made = simulate(Everything, arguments={"amount": "a lot", "count": 1, "which": "three"})
    assert made.result.amount == Decimal(1)
    assert made.result.count == 3
    assert made.result.which == "one"


def test_the_recipient_is_the_previews() -> None:
    class Sent(ToolResult):
        recipient: str

    made = simulate(Sent, preview=Preview("A mail will be sent.", recipient="Ada <ada@example.org>"))
    assert made.result.recipient == "Ada <ada@example.org>"
    assert made.sources == {"recipient": "preview"}


def test_a_shape_that_cannot_be_made_up_is_said_to_be_one() -> None:
    class Strange(ToolResult):
        code: Annotated[str, Field(pattern=r"^[A-Z]{3}-\d{4}$")]

    with pytest.raises(CannotSimulate, match=r"store\.everything"):
        simulate(Strange)


@pytest.mark.parametrize("contract", list(registry.declared()), ids=lambda contract: contract.key)
def test_every_tool_of_the_demonstration_can_be_simulated(contract: Any) -> None:
    made = simulate(contract.result_model)
    assert isinstance(made.result, contract.result_model)


@given(
    st.dictionaries(st.sampled_from(sorted(Everything.model_fields)), st.none() | st.text() | st.integers())
)
def test_it_never_fails_for_what_is_known(known: dict[str, Any]) -> None:
    made = simulate(Everything, arguments=known, facts=[known])
    assert isinstance(made.result, Everything)
