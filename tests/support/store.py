"""A small store with tools of every kind, declared as an app would; a fixture puts them into the registry.

Items belong to a workspace (by its slug). Nobody sees another workspace's items.
"""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from activities.tools import (
    Control,
    ControlledBy,
    Effect,
    Preview,
    PreviewLine,
    Protected,
    Ref,
    Reference,
    ReferenceType,
    Risk,
    ToolArgumentError,
    ToolContext,
    ToolContract,
    ToolParams,
    ToolRefused,
    ToolResult,
    registry,
    tool,
)
from agentapp.kernel.text import contains_words, fold
from tests.support.stage import stage, write_effect

READ, WRITE, COMMIT = "store.read", "store.write", "store.commit"
PERMISSIONS = (READ, WRITE, COMMIT)
CEILING = Decimal(50)
SUPPLIER_MAIL = "lamps@supplier.example"

#: workspace slug -> code -> name
ITEMS = {
    "here": {"A-100": "Blue lamp", "A-200": "Red lamp", "A-300": "Green chair", "A-400": "Oak table"},
    "elsewhere": {"Z-900": "Secret safe"},
}
ANYONE = ControlledBy(Control.AGENT, Control.INPUT, Control.FIXED)
Item = Annotated[str, Ref("store.item"), ANYONE]


def item_get(ctx: ToolContext, value: str) -> Reference | None:
    name = ITEMS.get(ctx.workspace.slug, {}).get(value)
    return Reference(value, name, exact=True) if name else None


def item_search(ctx: ToolContext, text: str, limit: int) -> list[Reference]:
    items = ITEMS.get(ctx.workspace.slug, {})
    found = [Reference(code, name, exact=fold(name) == fold(text)) for code, name in items.items()]
    return [item for item in found if contains_words(item.label, text) or item.value == text][:limit]


class FindParams(ToolParams):
    words: Annotated[str, ANYONE] = ""


class FoundItem(ToolResult):
    item: Annotated[str, Ref("store.item")]
    name: str
    price: Decimal
    contact: Annotated[str, Protected("email", raw_allowed=True)]
    account: Annotated[str, Protected("account")] = ""


class Found(ToolResult):
    items: list[FoundItem]
    count: int
    note: str = ""


class ReserveParams(ToolParams):
    item: Item
    quantity: Annotated[int, ANYONE] = 1


class Reserved(ToolResult):
    item: Annotated[str, Ref("store.item")]
    quantity: int
    note: str = ""


class OrderParams(ToolParams):
    item: Item
    amount: Annotated[Decimal, ANYONE]
    to: Annotated[str, ControlledBy(Control.INPUT, Control.FIXED, Control.AGENT)] = "desk@store.example"
    priority: Annotated[Literal["low", "high"], ANYONE] = "low"
    note: Annotated[str | None, ANYONE] = None


class Ordered(ToolResult):
    item: Annotated[str, Ref("store.item")]
    amount: Decimal
    reference: str


class MeasureParams(ToolParams):
    number: Annotated[int, ControlledBy(Control.AGENT)]
    amount: Annotated[Decimal, ControlledBy(Control.AGENT)] = Decimal(0)
    text: Annotated[str, ControlledBy(Control.AGENT)] = ""
    parts: Annotated[list[str], ControlledBy(Control.AGENT), Field(max_length=5)] = []


class Measured(ToolResult):
    number: int
    amount: Decimal
    text: str
    ratio: float = 0.5


def _order_final(ctx: ToolContext, params: OrderParams) -> OrderParams:
    """An amount above the ceiling becomes the ceiling: what is shown must be what is sent."""
    return params.model_copy(update={"amount": min(params.amount, CEILING)})


def _order_guard(ctx: ToolContext, params: OrderParams) -> None:
    if params.item == "A-300":
        raise ToolRefused("This item is not for sale.")
    if params.amount <= 0:
        raise ToolArgumentError(["amount"], "amount: must be above zero.")


def _order_preview(ctx: ToolContext, params: OrderParams) -> Preview:
    item = item_get(ctx, params.item)
    line = PreviewLine("Priority", params.priority)
    label = item.label if item else params.item
    return Preview(
        f"Order {label} from the supplier.", params.to, format(params.amount, "f"), (line,), "Final."
    )


def _pay_preview(ctx: ToolContext, params: ReserveParams) -> Preview:
    return Preview(f"Write off {params.quantity} of {params.item}.")


def _declare() -> list[ToolContract]:
    """Declare the tools and take them out of the registry again: only `store` puts them there."""
    aliases = {"en": ("stock",)}

    @tool(
        key="store.find_items",
        title="Find items",
        summary="Finds items of the store by words.",
        aliases=aliases,
        when_not_to_use="",
        risk=Risk.LOW,
        effect=Effect.NONE,
        permission=READ,
    )
    def find_items(ctx: ToolContext, params: FindParams) -> Found:
        given = stage.enter("find_items", ctx, params)
        if isinstance(given, ToolResult):
            return given  # type: ignore[return-value]
        items = [
            FoundItem(item=code, name=name, price=Decimal("19.90"), contact=SUPPLIER_MAIL, account="AC-77-1")
            for code, name in ITEMS.get(ctx.workspace.slug, {}).items()
            if contains_words(name, params.words) or not params.words
        ]
        return Found(items=items, count=len(items))

    @tool(
        key="store.measure",
        title="Measure",
        summary="Gives back what it was given.",
        aliases=aliases,
        when_not_to_use="",
        risk=Risk.LOW,
        effect=Effect.NONE,
        permission=READ,
    )
    def measure(ctx: ToolContext, params: MeasureParams) -> Measured:
        given = stage.enter("measure", ctx, params)
        result = Measured(number=params.number, amount=params.amount, text=params.text)
        return given or result  # type: ignore[return-value]

    @tool(
        key="store.reserve",
        title="Reserve",
        summary="Reserves an item.",
        aliases=aliases,
        when_not_to_use="",
        risk=Risk.MEDIUM,
        effect=Effect.LOCAL,
        permission=WRITE,
    )
    def reserve(ctx: ToolContext, params: ReserveParams) -> Reserved:
        write_effect("reserve", ctx.idempotency_key, f"reserve {params.item} x{params.quantity}")
        given = stage.enter("reserve", ctx, params)
        return given or Reserved(item=params.item, quantity=params.quantity)  # type: ignore[return-value]

    @tool(
        key="store.write_off",
        title="Write off",
        summary="Writes an item off.",
        aliases=aliases,
        when_not_to_use="",
        risk=Risk.HIGH,
        effect=Effect.LOCAL,
        permission=COMMIT,
        preview=_pay_preview,
    )
    def write_off(ctx: ToolContext, params: ReserveParams) -> Reserved:
        write_effect("write_off", ctx.idempotency_key, f"write off {params.item} x{params.quantity}")
        given = stage.enter("write_off", ctx, params)
        return given or Reserved(item=params.item, quantity=params.quantity)  # type: ignore[return-value]

    @tool(
        key="store.order",
        title="Order",
        summary="Orders an item from its supplier.",
        aliases=aliases,
        when_not_to_use="",
        risk=Risk.HIGH,
        effect=Effect.EXTERNAL,
        permission=COMMIT,
        prepare=_order_final,
        guard=_order_guard,
        preview=_order_preview,
    )
    def order(ctx: ToolContext, params: OrderParams) -> Ordered:
        stage.send(ctx.idempotency_key, f"order {params.item} for {params.amount:f} to {params.to}")
        given = stage.enter("order", ctx, params)
        result = Ordered(item=params.item, amount=params.amount, reference=f"O-{ctx.idempotency_key[-4:]}")
        return given or result  # type: ignore[return-value]

    @tool(
        key="store.notify",
        title="Notify",
        summary="Tells the supplier about an item.",
        aliases=aliases,
        when_not_to_use="",
        risk=Risk.MEDIUM,
        effect=Effect.EXTERNAL,
        permission=WRITE,
    )
    def notify(ctx: ToolContext, params: ReserveParams) -> Reserved:
        stage.send(ctx.idempotency_key, f"notify {params.item}")
        given = stage.enter("notify", ctx, params)
        return given or Reserved(item=params.item, quantity=params.quantity)  # type: ignore[return-value]

    names = ("find_items", "measure", "reserve", "write_off", "order", "notify")
    declared = [contract for name in names if (contract := registry.get(f"store.{name}"))]
    for contract in declared:
        registry.remove(contract.key)
    return declared


CONTRACTS = _declare()
ITEM_REFERENCE = ReferenceType("store.item", "item", READ, item_get, item_search, r"[A-Z]-\d{3}")


def register() -> None:
    for contract in CONTRACTS:
        registry.add(contract)
    registry.add_reference(ITEM_REFERENCE)


def unregister() -> None:
    for contract in CONTRACTS:
        registry.remove(contract.key)
    registry.remove_reference(ITEM_REFERENCE.key)
