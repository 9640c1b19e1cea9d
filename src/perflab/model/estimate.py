"""A figure with its interval, and its format."""

from __future__ import annotations

import dataclasses
import math
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.model.format import factor, quantity, signed_percent, signed_quantity, split_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval; `str` writes it, as in `1.83x [1.70, 1.95]` or `990 ns [971 ns, 1.01 µs]`.

    Attributes:
        value: The figure.
        low: Lower end of its interval; `None` where there is none.
        high: Upper end.
        unit: `x` for a factor, above 1 is better; else a unit of `quantity`.
        signed: True for a difference, written with its sign.
        level: The confidence level of its interval; `None` where there is no interval.
    """

    value: float
    low: float | None = None
    high: float | None = None
    unit: str = ""
    signed: bool = False
    level: float | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, or `None`."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def ends(self) -> tuple[float, ...]:
        """The values that an axis must include: the figure, and both ends of an interval."""
        return (self.value, *(self.interval or ()))

    @property
    def is_factor(self) -> bool:
        """True if 1 means equal; for a difference it is 0."""
        return self.unit == "x"

    @property
    def value_text(self) -> str:
        """The figure alone, as in `2.48 µs/op`."""
        return "".join(self._parts(self.value))

    @property
    def interval_text(self) -> str:
        """The interval alone, as in `[2.44, 2.52] µs/op`; `(no interval)` where there is none."""
        if self.interval is None:
            return "(no interval)"
        (low, unit), (high, other) = map(self._parts, self.interval)
        if unit == other:
            return f"[{low}, {high}]{'' if self.is_factor else unit}"
        return f"[{low}{unit}, {high}{other}]"

    @property
    def columns(self) -> list[str]:
        """Return figure and interval as table cells."""
        return [self.value_text, self.interval_text]

    def __str__(self) -> str:
        """Format with the unit once, after the interval if all three numbers share it; a factor's is before it."""
        number, unit = self._parts(self.value)
        once = not self.is_factor and self.interval and {unit} == {self._parts(end)[1] for end in self.interval}
        return f"{number if once else self.value_text} {self.interval_text}"

    @property
    def reverse(self) -> Estimate:
        """Return the reverse comparison: the reciprocal of a factor, the negative of a difference."""
        return self.map((lambda times: 1 / times if times else math.inf) if self.is_factor else operator.neg)

    def map(self, function: Callable[[float], float], **changes: Any) -> Estimate:  # noqa: ANN401 - as of `replace`
        """Apply a monotone function, rising or falling; the ends stay in order.

        Args:
            function: Applied to the figure and to both ends.
            changes: Other fields of the result.
        """
        low, high = sorted(map(function, self.interval)) if self.interval else (None, None)
        return dataclasses.replace(self, value=function(self.value), low=low, high=high, **changes)

    def _parts(self, value: float) -> tuple[str, str]:
        """Return a number, and its unit with the separator."""
        if self.is_factor:
            return factor(value).removesuffix("x"), "x"
        if self.signed and split_unit(self.unit) == ("share", ""):
            text = signed_percent(value)
            # From tenfold on it is a factor, with the x in front.
            return (text.removesuffix(" %"), " %") if text.endswith(" %") else (text, "")
        number, space, unit = (signed_quantity if self.signed else quantity)(value, self.unit).partition(" ")
        return number, space + unit


def interval_name(estimates: Iterable[Estimate]) -> str:
    """Return the heading of intervals: `95 % interval`, or `interval` if their levels differ."""
    levels = {one.level for one in estimates if one.interval is not None}
    level = levels.pop() if len(levels) == 1 else None
    return "interval" if level is None else f"{100 * level:.3g} % interval"


def flat(estimate: Estimate | None, name: str = "estimate") -> dict[str, float | None]:
    """Return JSON-ready fields: the figure under a name, and its ends; `None` for missing and infinite values."""
    found = (estimate.value, estimate.low, estimate.high) if estimate else (None, None, None)
    finite = [one if one is not None and math.isfinite(one) else None for one in found]
    return dict(zip((name, "low", "high"), finite, strict=True))


def flat_fields(record: Any, name: str = "estimate") -> dict[str, Any]:  # noqa: ANN401 - any dataclass
    """Return a dataclass's fields as JSON-ready values, with the ends of the estimate of this name after it."""
    found: dict[str, Any] = {}
    for one in dataclasses.fields(record):
        value = getattr(record, one.name)
        found |= flat(value, name) if one.name == name else {one.name: value}
    return found


def finite(data: Any) -> Any:  # noqa: ANN401 - JSON
    """Replace infinities and NaN with null, since JSON has neither."""
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, dict):
        return {key: finite(value) for key, value in data.items()}
    return [finite(one) for one in data] if isinstance(data, (list, tuple)) else data
