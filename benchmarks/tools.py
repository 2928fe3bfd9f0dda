"""Four small tools, one statement each: what is measured is the engine, not a business."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from activities.tools import (
    Control,
    ControlledBy,
    Effect,
    Preview,
    Ref,
    Reference,
    ReferenceType,
    Risk,
    ToolContext,
    ToolParams,
    ToolResult,
    reference,
    tool,
)
from examples.billing.models import Customer, Invoice

ANYONE = ControlledBy(Control.INPUT, Control.FIXED, Control.AGENT)
Code = Annotated[str, ANYONE, Ref("bench.customer")]
PERMISSION = "billing.view_customer"


def _get(ctx: ToolContext, value: str) -> Reference | None:
    row = Customer.objects.filter(workspace=ctx.workspace, code=value).values("code", "name").first()
    return Reference(row["code"], row["name"], exact=True) if row else None


def _search(ctx: ToolContext, text: str, limit: int) -> list[Reference]:
    found = _get(ctx, text)
    return [found] if found else []


reference(ReferenceType("bench.customer", "customer", PERMISSION, _get, _search))


class Params(ToolParams):
    customer: Code = Field(description="The customer's code.")


class Result(ToolResult):
    customer: Annotated[str, Ref("bench.customer")]
    text: str
    amount: Decimal


def _declare(key: str, **more: object) -> dict[str, object]:
    return {
        "key": f"bench.{key}",
        "title": key,
        "summary": f"Benchmark tool {key}.",
        "aliases": {"en": (key,)},
        "when_not_to_use": "",
        "risk": Risk.LOW,
        "effect": Effect.NONE,
        "permission": PERMISSION,
        **more,
    }


@tool(**_declare("get_customer"))  # type: ignore[arg-type]
def get_customer(ctx: ToolContext, params: Params) -> Result:
    """Read one record."""
    row = Customer.objects.values("code", "name").get(workspace=ctx.workspace, code=params.customer)
    return Result(customer=row["code"], text=row["name"], amount=Decimal(0))


@tool(**_declare("count_invoices"))  # type: ignore[arg-type]
def count_invoices(ctx: ToolContext, params: Params) -> Result:
    """Count some records."""
    number = Invoice.objects.filter(workspace=ctx.workspace, customer__code=params.customer).count()
    return Result(customer=params.customer, text="invoices", amount=Decimal(number))


@tool(**_declare("last_invoice"))  # type: ignore[arg-type]
def last_invoice(ctx: ToolContext, params: Params) -> Result:
    """Read another record."""
    rows = Invoice.objects.filter(workspace=ctx.workspace, customer__code=params.customer)
    return Result(customer=params.customer, text=rows.values_list("number", flat=True)[0], amount=Decimal(1))


def _preview(ctx: ToolContext, params: Params) -> Preview:
    return Preview(summary=f"The customer {params.customer} is marked.")


@tool(**_declare("mark", risk=Risk.HIGH, effect=Effect.LOCAL, preview=_preview))  # type: ignore[arg-type]
def mark(ctx: ToolContext, params: Params) -> Result:
    """Write one record."""
    rows = Customer.objects.filter(workspace=ctx.workspace, code=params.customer)
    return Result(customer=params.customer, text="marked", amount=Decimal(rows.update(city="Marked")))
