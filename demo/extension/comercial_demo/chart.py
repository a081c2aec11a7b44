"""A bar chart as plain numbers; the template draws them as SVG. Units are those of its view box."""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from attrs import frozen

WIDTH: Final = 720
HEIGHT: Final = 230
_LEFT, _TOP, _BOTTOM = 52, 18, 26
_GAP: Final = 0.34
"""Share of a bar's place that stays empty."""

_MOST_LABELS: Final = 14
_TICKS: Final = 4
_STEPS: Final = (Decimal(1), Decimal(2), Decimal("2.5"), Decimal(5), Decimal(10))


@frozen
class Bar:
    """One bar: its rectangle, the middle of its place, and its texts (empty where they would not fit)."""

    x: float
    y: float
    width: float
    height: float
    middle: float
    label: str
    value: Decimal
    highest: bool


@frozen
class Line:
    """A horizontal line at a round value."""

    y: float
    value: Decimal


@frozen
class BarChart:
    """The whole chart; `base` is the y of zero."""

    width: int
    height: int
    left: int
    base: float
    bars: tuple[Bar, ...]
    lines: tuple[Line, ...]


def bar_chart(points: Sequence[tuple[str, Decimal]]) -> BarChart:
    """Lay out one bar for each pair of label and value; a negative value makes no bar."""
    highest = max((value for _, value in points), default=Decimal(0))
    step = _step(highest)
    top = step * max(1, math.ceil(highest / step))
    base = HEIGHT - _BOTTOM
    scale = (base - _TOP) / float(top)
    place = (WIDTH - _LEFT) / max(1, len(points))
    every = math.ceil(len(points) / _MOST_LABELS)
    bars = []
    for number, (label, value) in enumerate(points):
        height = max(0.0, float(value) * scale)
        left = _LEFT + number * place
        bars.append(
            Bar(
                x=round(left + place * _GAP / 2, 2),
                y=round(base - height, 2),
                width=round(place * (1 - _GAP), 2),
                height=round(height, 2),
                middle=round(left + place / 2, 2),
                label=label if number % every == 0 else "",
                value=value,
                highest=value == highest,
            )
        )
    lines = tuple(
        Line(round(base - float(step * number) * scale, 2), step * number)
        for number in range(int(top / step) + 1)
    )
    return BarChart(WIDTH, HEIGHT, _LEFT, base, tuple(bars), lines)


def _step(highest: Decimal) -> Decimal:
    """Return a round distance between lines, so that about four of them reach the highest value."""
    if highest <= 0:
        return Decimal(1)
    rough = highest / _TICKS
    power = Decimal(1).scaleb(rough.adjusted())
    return next(step * power for step in _STEPS if step * power >= rough)
