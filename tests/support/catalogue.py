"""A catalogue of as many tools as a test wants: reading tools of a shop, each about one thing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import islice, product
from typing import Annotated, Any

from activities.discovery.index import refresh
from activities.tools import Control, ControlledBy, Effect, ToolContext, ToolContract, ToolParams, ToolResult
from activities.tools import registry as tools
from activities.tools.contract import Risk
from activities.tools.declaring import tool
from activities.tools.registry import Registry
from tests.support.stage import stage
from tests.support.store import READ

ASPECTS = (
    "price", "colour", "weight", "supplier", "warranty", "origin", "rating", "discount", "material",
    "delivery", "packaging", "barcode", "insurance", "assembly", "recycling",
)  # fmt: skip
THINGS = (
    "chairs", "lamps", "tables", "carpets", "mirrors", "curtains", "sofas", "shelves", "clocks", "vases",
    "pillows", "benches", "ladders", "buckets", "candles", "hammers", "drills", "saws", "ropes", "tents",
    "boots", "gloves", "kettles", "pans", "knives", "bottles", "pencils", "folders", "stamps", "printers",
    "keyboards", "cables", "radios", "guitars", "drums",
)  # fmt: skip


class AskParams(ToolParams):
    note: Annotated[str | None, ControlledBy(Control.AGENT, Control.FIXED)] = None


class Told(ToolResult):
    what: str


def names(count: int) -> list[str]:
    """The first `count` things one may ask about: "price of chairs"."""
    return [f"{aspect} of {thing}" for thing, aspect in islice(product(THINGS, ASPECTS), count)]


#: Ten of them, no two about the same but the first and the last.
SOME = (
    "price of chairs", "weight of lamps", "recycling of lamps", "insurance of lamps", "colour of carpets",
    "rating of sofas", "origin of clocks", "warranty of vases", "delivery of drums", "price of tables",
)  # fmt: skip


def key_of(name: str) -> str:
    return f"shop.{name.replace(' ', '_')}"


def reading(name: str, *, tags: Sequence[str] = ("reading",), **changes: Any) -> ToolContract:
    """A reading tool that says `name`. What is given in `changes` replaces parts of its contract."""
    return replace(_template(name), tags=tuple(tags), **changes)


@cache
def _template(name: str) -> ToolContract:
    def tell(ctx: ToolContext, params: AskParams) -> Told:
        given = stage.enter(name, ctx, params)
        return given or Told(what=name)  # type: ignore[return-value]

    key = key_of(name)
    tool(
        key=key,
        title=name.capitalize(),
        summary=f"Tells the {name}.",
        aliases={"en": (f"know the {name}",)},
        when_not_to_use="",
        risk=Risk.LOW,
        effect=Effect.NONE,
        permission=READ,
    )(tell)
    contract = tools.get(key)
    assert contract is not None
    tools.remove(key)
    return contract


@contextmanager
def catalogue(*contracts: ToolContract, registry: Registry = tools) -> Iterator[None]:
    """These tools are installed and indexed while the block runs."""
    for contract in contracts:
        registry.add(contract)
    refresh(keys=[contract.key for contract in contracts])
    try:
        yield
    finally:
        for contract in contracts:
            registry.remove(contract.key)


def replaced(contract: ToolContract) -> None:
    """The tool's app was updated: this is its contract from now on."""
    tools.remove(contract.key)
    tools.add(contract)
    refresh(keys=[contract.key])
