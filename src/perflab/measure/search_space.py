"""Where a search looks: parameters between bounds, or among values."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflab.measure.grid import read_over
from perflab.model.errors import UsageError
from perflab.model.format import typed
from perflab.topics.catalogue import check_parameters

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from optuna.distributions import BaseDistribution

    from perflab.model.protocol import Parameter, ParameterValue, Scenario


BETWEEN = ".."
_LOG_FROM = 100
"""Bounds that are so many times apart are searched on a log scale."""
_MOST_LISTED = 5000


@dataclass(frozen=True)
class Dimension:
    """A parameter to search.

    Attributes:
        name: The parameter.
        values: What it may be; empty where it lies between bounds.
        low: Its lower bound, which it may be.
        high: Its upper bound, which it may be.
        whole: Whether it is a whole number.
    """

    name: str
    values: tuple[ParameterValue, ...] = ()
    low: float = 0.0
    high: float = 0.0
    whole: bool = False

    @property
    def log(self) -> bool:
        """Whether ratios matter more than differences."""
        return not self.values and self.low > 0 and self.high / self.low >= _LOG_FROM

    @property
    def size(self) -> float:
        """How many values there are; infinite for a fraction."""
        if self.values:
            return len(self.values)
        return self.high - self.low + 1 if self.whole else math.inf

    @property
    def text(self) -> str:
        """As it is typed."""
        if self.values:
            return ",".join(map(typed, self.values))
        return f"{self.low:.15g}{BETWEEN}{self.high:.15g}"

    def distribution(self) -> BaseDistribution:
        """For Optuna."""
        from optuna.distributions import (  # noqa: PLC0415 - half a second
            CategoricalDistribution,
            FloatDistribution,
            IntDistribution,
        )

        if self.values:
            return CategoricalDistribution(self.values)
        if self.whole:
            return IntDistribution(int(self.low), int(self.high), log=self.log)
        return FloatDistribution(self.low, self.high, log=self.log)


def read_space(scenario: Scenario, texts: Iterable[str], fixed: Collection[str] = ()) -> list[Dimension]:
    """What `--over NAME=LOW..HIGH` and `--over NAME=a,b,c` mean.

    Args:
        scenario: Whose parameters they are.
        texts: As typed, at least one.
        fixed: Parameters that have a value already.
    """
    found = read_over(scenario, texts, fixed, "search")
    return [_dimension(scenario, parameter, values) for parameter, values in found]


def every_setting(dimensions: Sequence[Dimension]) -> list[dict[str, ParameterValue]]:
    """All settings, where they can be listed: none if there are more than some thousands."""
    if settings_in(dimensions) > _MOST_LISTED:
        return []
    columns = [one.values or tuple(range(int(one.low), int(one.high) + 1)) for one in dimensions]
    return [dict(zip((one.name for one in dimensions), values, strict=True)) for values in itertools.product(*columns)]


def settings_in(dimensions: Sequence[Dimension]) -> float:
    """How many settings there are in all."""
    return math.prod(one.size for one in dimensions)


def _dimension(scenario: Scenario, parameter: Parameter, text: str) -> Dimension:
    name = parameter.name

    def value(text: str) -> ParameterValue:
        return check_parameters(scenario, {name: text})[name]

    low, between, high = text.partition(BETWEEN)
    if not between:
        values = tuple(dict.fromkeys(map(value, text.split(","))))
        if len(values) == 1:
            raise UsageError(f"{name} has one value only", f"write it as --param {name}={text}, or name more values")
        return Dimension(name, values)
    if parameter.type not in {"int", "float"}:
        raise UsageError(f"{name} is no number and has no bounds", f"name its values: --over {name}=a,b")
    first, last = float(value(low)), float(value(high))
    if first >= last:
        raise UsageError(f"{name}: the lower bound {low} is not below {high}", f"--over {name}=LOW..HIGH")
    return Dimension(name, low=first, high=last, whole=parameter.type == "int")


def setting_text(params: dict[str, ParameterValue]) -> str:
    """A setting as people write it; the same for the same values, in whatever order they come."""
    return ", ".join(f"{name}={_rounded(value)}" for name, value in sorted(params.items()))


def _rounded(value: ParameterValue) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
