"""Axes of tables; ticks of logarithmic axes that read as numbers, and where in the plane a value stands on one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.charts.quantities import axis_scale, factor, quantity

if TYPE_CHECKING:
    from collections.abc import Iterable

_FACTORS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000)
_FINE_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
_MOST_TICKS = 9
_NARROW = 2.5
_LOG_FROM_RANGE = 20
_LOG_ROOM = 1.25


def column_axis(title: str) -> dict[str, Any]:
    """For plotly: the names below a table's columns, and nothing else."""
    return {"title": {"text": title}, "type": "category", "showgrid": False, "showline": False, "ticks": ""}


def row_axis() -> dict[str, Any]:
    """For plotly: the names beside a table's rows, from the top."""
    return {
        "type": "category",
        "autorange": "reversed",
        "showgrid": False,
        "showline": False,
        "ticks": "",
        "ticklabelstandoff": 8,
    }


def ratio_range(low: float, high: float) -> tuple[float, float]:
    """What a ratio's axis should span so that the values and 1 are well inside."""
    low, high = min(low, 1.0), max(high, 1.0)
    room = (high / low) ** 0.08 * 1.02
    return low / room, high * room


def ratio_ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    """Ticks such as 0.5x, 1x, 2x, 3x; finer ones where the range is narrow, always with 1x."""
    if high / low < _NARROW:
        step = next((step for step in _FINE_STEPS if (high - low) / step <= _MOST_TICKS), _FINE_STEPS[-1])
        first = math.ceil((low - 1) / step)
        last = math.floor((high - 1) / step)
        values = [round(1 + step * number, 6) for number in range(first, last + 1)]
    else:
        values = [value for value in _FACTORS if low <= value <= high]
        if not values or max(values) < high / 10 or min(values) > low * 10:
            values = [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
    return values, [_factor_tick(value) for value in values]


def decade_ticks(low: float, high: float, unit: str) -> tuple[list[float], list[str]]:
    """Ticks of a logarithmic axis at decades, or at 1, 2 and 5 where there are few decades, with the unit at each."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if last - first <= 3 else (1,)  # noqa: PLR2004 - four decades fill an axis
    values = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    values = [value for value in values if low * 0.99 <= value <= high * 1.01]
    return values, [quantity(value, unit).replace(".00", "").replace(".0 ", " ") for value in values]


@dataclass(frozen=True)
class ValueAxis:
    """An axis for the values of a metric.

    Args:
        layout: For plotly: title with unit and direction, type, range, ticks.
        divisor: By which the values have to be divided for this axis.
        unit: Of the values after that.
    """

    layout: dict[str, Any]
    divisor: float
    unit: str


def value_axis(
    values: Iterable[float], *, metric: str, unit: str, better: str = "", from_zero: bool = False
) -> ValueAxis:
    """Logarithmic where the largest value exceeds the smallest by more than twenty times, else linear.

    Args:
        values: All that will stand on it.
        metric: What they are.
        unit: In which they are.
        better: `higher` or `lower`; may be empty.
        from_zero: Whether a linear axis starts at zero, as it must where lengths are compared.
    """
    known = list(values)
    smallest, largest = min(known), max(known)
    direction = [f"{better} is better"] if better else []
    if smallest > 0 and largest / smallest > _LOG_FROM_RANGE:
        low, high = smallest / _LOG_ROOM, largest * _LOG_ROOM
        ticks, texts = decade_ticks(low, high, unit)
        # Each tick names its own unit here.
        title = f"{metric} ({'; '.join([_kind(unit), 'log scale', *direction])})"
        span = [math.log10(low), math.log10(high)]
        layout = {"type": "log", "tickvals": ticks, "ticktext": texts, "range": span, "title": {"text": title}}
        return ValueAxis(layout, 1.0, unit)
    shown, divisor = axis_scale(largest, unit)
    layout = {"title": {"text": f"{metric} ({'; '.join([shown, *direction])})"}}
    if from_zero:
        layout["range"] = [min(0.0, smallest) / divisor, largest * 1.05 / divisor]
    return ValueAxis(layout, divisor, shown)


def _kind(unit: str) -> str:
    kind, _, per = unit.partition("/")
    word = {"ns": "time", "bytes": "memory"}.get(kind)
    return unit if word is None else f"{word} per {per}" if per else word


def _factor_tick(value: float) -> str:
    return factor(value) if value != round(value, 2) else f"{value:g}x"
