"""Parameters that a sweep or a search varies: parsing of `--over`, a sweep's grid, and a search's space."""

from __future__ import annotations

import math
import random
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import product
from typing import TYPE_CHECKING, Literal

from perflab.model.errors import UsageError, unknown
from perflab.model.format import typed
from perflab.model.protocol import ParameterValue
from perflab.store.kept import MOST_SWEPT
from perflab.topics.catalogue import check_parameters

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from optuna.distributions import BaseDistribution

    from perflab.model.protocol import Parameter, Scenario


MOST_POINTS = 500
"""Maximum size of a grid; a larger one is a mistake, or takes weeks."""

_RANGE = re.compile(r"(?P<first>[^.:]+(?:\.\d+)?)\.\.(?P<last>[^:]+)(?::(?P<step>.+))?")
_FORMS = {"sweep": "name=1,2,3 or name=64..4096 or name=1..9:2", "search": "NAME=LOW..HIGH or NAME=a,b,c"}
_PAST = {"sweep": "swept", "search": "searched"}

Point = dict[str, ParameterValue]
"""The swept parameters of a point, in the order in which they were named."""


def read_over(
    scenario: Scenario, texts: Iterable[str], fixed: Collection[str], task: Literal["sweep", "search"]
) -> list[tuple[Parameter, str]]:
    """Read texts of the form `name=values`: the scenario's parameters, each with the text of its values."""
    parameters = {parameter.name: parameter for parameter in scenario.parameters}
    found: dict[str, str] = {}
    for text in texts:
        name, _, values = text.partition("=")
        if not name or not values:
            raise UsageError(f"cannot read {text!r}", f"write it as {_FORMS[task]}")
        if name not in parameters:
            raise unknown(f"parameter of {scenario.name}", name, parameters)
        if name in fixed:
            raise UsageError(
                f"the parameter {name!r} is {_PAST[task]} and fixed", f"it has a value: leave --param {name} out"
            )
        if name in found:
            raise UsageError(f"the parameter {name!r} is {_PAST[task]} twice", "give all its values in one --over")
        found[name] = values
    if not found:
        known = ", ".join(parameters) or f"none: {scenario.name} has no parameters"
        raise UsageError(f"nothing to {task}", f"--over {_FORMS[task]}, with one of: {known}")
    return [(parameters[name], values) for name, values in found.items()]


def read_axes(
    scenario: Scenario, over: Sequence[str], fixed: Collection[str], most: int = MOST_SWEPT
) -> dict[str, list[ParameterValue]]:
    """Read the swept parameters and their values, in the order of at most so many texts of the form `name=values`.

    Values are separated by commas; each is one value, `FIRST..LAST` (doubling) or `FIRST..LAST:STEP`.
    """
    if len(over) > most:
        raise UsageError(
            f"{len(over)} parameters are swept: what depends on more than two cannot be seen in a chart",
            "sweep one or two, and fix the others with --param",
        )
    axes = {
        parameter.name: _values(scenario, parameter, text)
        for parameter, text in read_over(scenario, over, fixed, "sweep")
    }
    _check_size(axes.values())
    return axes


def points_of(over: Mapping[str, Sequence[ParameterValue]]) -> list[Point]:
    """Return all points of a grid, the first parameter varying slowest."""
    return [dict(zip(over, values, strict=True)) for values in product(*over.values())]


def shuffled(points: Sequence[Point], seed: int) -> list[Point]:
    """Shuffle the points, so that drift of the machine does not look like a slope."""
    order = list(points)
    random.Random(seed).shuffle(order)  # noqa: S311 - an order that can be repeated, not a secret
    return order


def texts(point: Mapping[str, ParameterValue]) -> dict[str, str]:
    """Format a point's values as typed."""
    return {name: typed(value) for name, value in point.items()}


def point_text(point: Mapping[str, ParameterValue]) -> str:
    """Format a point as `size=64, batch=4`."""
    return ", ".join(f"{name}={text}" for name, text in texts(point).items())


def label_at(label: str, point: Mapping[str, ParameterValue]) -> str:
    """Return the label of a variant with values of its own, as in `linked size=1000`."""
    return f"{label} {point_text(point)}" if point else label


def _values(scenario: Scenario, parameter: Parameter, text: str) -> list[ParameterValue]:
    found: list[ParameterValue] = []
    for one in text.split(","):
        match = _RANGE.fullmatch(one) if parameter.type in {"int", "float"} else None
        values = _range(parameter, one, match) if match else [one]
        found += [check_parameters(scenario, {parameter.name: value})[parameter.name] for value in values]
    return list(dict.fromkeys(found))


def _range(parameter: Parameter, text: str, match: re.Match[str]) -> list[str]:
    """Return the values of a range as texts, computed in decimal, so that 0.1..0.3:0.1 ends with 0.3."""
    try:
        first, last = Decimal(match["first"]), Decimal(match["last"])
        step = Decimal(match["step"]) if match["step"] else None
    except InvalidOperation:
        raise UsageError(f"cannot read the range {parameter.name}={text}", "as in 64..4096 or 1..9:2") from None
    finite = all(one is None or one.is_finite() for one in (first, last, step))
    if not finite or first > last or (step is not None and step <= 0):
        raise UsageError(f"the range {parameter.name}={text} has no values", "from the smallest up, step above zero")
    if step is None and first <= 0:
        raise UsageError(f"{parameter.name}={text} doubles, and never leaves {first}", f"say the step: {text}:1")
    values: list[str] = []
    while first <= last:
        values.append(format(first, "f"))
        first = first * 2 if step is None else first + step
        _check_size([values])
    return values


def _check_size(axes: Iterable[Sequence[object]]) -> None:
    size = math.prod(map(len, axes))
    if size > MOST_POINTS:
        raise UsageError(f"the grid has {size} points or more; {MOST_POINTS} is the most", "fewer values")


BETWEEN = ".."
_LOG_FROM = 100
"""Bounds that are so many times apart are searched on a log scale."""
_MOST_LISTED = 5000


@dataclass(frozen=True)
class Dimension:
    """A parameter to search."""

    name: str
    values: tuple[ParameterValue, ...] = ()
    low: float = 0.0
    high: float = 0.0
    whole: bool = False

    @property
    def log(self) -> bool:
        """Return whether ratios matter more than differences."""
        return not self.values and self.low > 0 and self.high / self.low >= _LOG_FROM

    @property
    def size(self) -> float:
        """Number of values; infinite for floats."""
        if self.values:
            return len(self.values)
        return self.high - self.low + 1 if self.whole else math.inf

    @property
    def text(self) -> str:
        """The dimension as typed on the command line."""
        if self.values:
            return ",".join(map(typed, self.values))
        return f"{self.low:.15g}{BETWEEN}{self.high:.15g}"

    def distribution(self) -> BaseDistribution:
        """Return the dimension as an Optuna distribution."""
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
    """Parse `--over NAME=LOW..HIGH` and `--over NAME=a,b,c`."""
    found = read_over(scenario, texts, fixed, "search")
    return [_dimension(scenario, parameter, values) for parameter, values in found]


def every_setting(dimensions: Sequence[Dimension]) -> list[dict[str, ParameterValue]]:
    """Return all settings, or none if there are more than a few thousand."""
    if settings_in(dimensions) > _MOST_LISTED:
        return []
    columns = [one.values or tuple(range(int(one.low), int(one.high) + 1)) for one in dimensions]
    return [dict(zip((one.name for one in dimensions), values, strict=True)) for values in product(*columns)]


def settings_in(dimensions: Sequence[Dimension]) -> float:
    """Return the number of settings in the search space."""
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
    """Format a setting, independent of the order of its parameters."""
    return ", ".join(f"{name}={_rounded(value)}" for name, value in sorted(params.items()))


def _rounded(value: ParameterValue) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
