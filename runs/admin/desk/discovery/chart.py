"""The chart of searches over time, as shapes for a template. What it shows stands in the table below it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from django.utils.formats import date_format, localize
from django.utils.translation import gettext as _

from runs.admin.desk.discovery.figures import Figures

WIDTH, HEIGHT, LEFT, BOTTOM = 720, 200, 44, 22
_GAP = 0.2
#: The width of a date.
_LABEL = 70


@dataclass(frozen=True)
class Bar:
    css: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Column:
    """One day or week: its bars from below, and what they say."""

    bars: tuple[Bar, ...]
    title: str
    label: str
    x: float


@dataclass(frozen=True)
class Chart:
    columns: tuple[Column, ...]
    lines: tuple[tuple[float, int], ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT

    @property
    def floor(self) -> float:
        return HEIGHT - BOTTOM


def chart(parts: Sequence[Figures]) -> Chart:
    """Return stacked bars: found, unclear, nothing fits; what was missed as a mark beside them."""
    most = max((part.searches for part in parts), default=0) or 1
    top = _round_up(most)
    scale = (HEIGHT - BOTTOM - 10) / top
    step = (WIDTH - LEFT) / max(len(parts), 1)
    every = ceil(len(parts) / 8)
    columns = tuple(
        _column(part, LEFT + place * step, step, scale, labelled=place % every == 0)
        for place, part in enumerate(parts)
    )
    lines = tuple((HEIGHT - BOTTOM - value * scale, value) for value in dict.fromkeys((0, top // 2, top)))
    return Chart(columns, lines)


def _round_up(most: int) -> int:
    """Return the next round number, so that the lines have round values."""
    size = 10 ** (len(str(most)) - 1)
    return max(ceil(most / size) * size, 2)


def _column(part: Figures, x: float, step: float, scale: float, *, labelled: bool) -> Column:
    wide, left = step * (1 - _GAP), x + step * _GAP / 2
    bars, floor = [], float(HEIGHT - BOTTOM)
    for css, count in (("found", part.found), ("unclear", part.unclear), ("none", part.none)):
        height = count * scale
        floor -= height
        if count:
            bars.append(Bar(css, round(left, 1), round(floor, 1), round(wide * 0.7, 1), round(height, 1)))
    if part.missed:
        height = part.missed * scale
        y = HEIGHT - BOTTOM - height
        bars.append(
            Bar("missed", round(left + wide * 0.75, 1), round(y, 1), round(wide * 0.25, 1), round(height, 1))
        )
    assert part.day is not None  # noqa: S101 - parts are of a day
    label = date_format(part.day, "SHORT_DATE_FORMAT")
    fits = labelled and left + _LABEL <= WIDTH
    return Column(tuple(bars), _title(part, label), label if fits else "", round(left, 1))


def _title(part: Figures, label: str) -> str:
    words = _(
        "%(day)s: %(searches)s searches, %(found)s found, %(unclear)s unclear, %(none)s nothing, "
        "%(missed)s missed"
    )
    counts = {
        name: localize(getattr(part, name)) for name in ("searches", "found", "unclear", "none", "missed")
    }
    return words % {"day": label, **counts}
