"""Ticks of logarithmic axes that read as numbers, and where in the plane a value stands on one."""

from __future__ import annotations

import math

from perflab.charts.quantities import factor, quantity

_FACTORS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000)
_FINE_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
_MOST_TICKS = 9
_NARROW = 2.5


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


def _factor_tick(value: float) -> str:
    return factor(value) if value != round(value, 2) else f"{value:g}x"
