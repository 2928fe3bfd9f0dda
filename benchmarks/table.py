"""One table for all measurements."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A measurement: what, how much, and against what (a floor's ratio, or a budget)."""

    name: str
    value: str
    against: str = ""


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` (0 to 1) of `values` lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def show(rows: Sequence[Row]) -> str:
    """Return the rows as aligned text."""
    cells = [("measurement", "value", "against"), *((row.name, row.value, row.against) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(3)]
    lines = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) for line in cells]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])
