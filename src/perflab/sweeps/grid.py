"""The grid of a sweep: which parameters, which values, and in which order its points are measured."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import product
from typing import TYPE_CHECKING

from perflab.components import check_parameters
from perflab.errors import UsageError, unknown
from perflab.protocol import ParameterValue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perflab.protocol import Parameter, Scenario

MOST_POINTS = 500
"""A grid larger than this is a mistake, or weeks of measuring."""

_MOST_AXES = 2
_RANGE = re.compile(r"(?P<first>[^.:]+(?:\.\d+)?)\.\.(?P<last>[^:]+)(?::(?P<step>.+))?")

Point = dict[str, ParameterValue]
"""The swept parameters of a point, in the order in which they were named."""


@dataclass(frozen=True)
class Axis:
    """A swept parameter, and its values as they were given, in that order."""

    parameter: Parameter
    values: list[ParameterValue]

    @property
    def name(self) -> str:
        """The parameter's name."""
        return self.parameter.name


def read_axes(scenario: Scenario, over: Sequence[str], params: Mapping[str, str]) -> list[Axis]:
    """The axes that texts of the form `name=values` mean.

    Values are separated by commas; each is one value, `FIRST..LAST` (doubling) or `FIRST..LAST:STEP`.

    Args:
        scenario: Whose parameters are swept.
        over: One or two such texts.
        params: The fixed parameters.

    Raises:
        UsageError: If a text, a name or any of the values is wrong, or the grid is too large.
    """
    if not over:
        raise UsageError("nothing to sweep", f"--over NAME=VALUES, with one of: {_names(scenario)}")
    if len(over) > _MOST_AXES:
        raise UsageError(
            f"{len(over)} parameters are swept: what depends on more than two cannot be seen in a chart",
            "sweep one or two, and fix the others with --param",
        )
    parameters = {parameter.name: parameter for parameter in scenario.parameters}
    axes: list[Axis] = []
    for text in over:
        name, equals, values = text.partition("=")
        if not equals or not name or not values:
            raise UsageError(f"cannot read {text!r}", "write it as name=1,2,3 or name=64..4096 or name=1..9:2")
        if name not in parameters:
            raise unknown(f"parameter of {scenario.name}", name, parameters)
        if name in params:
            raise UsageError(f"the parameter {name!r} is swept and fixed", "leave one of --over and --param out")
        if name in {axis.name for axis in axes}:
            raise UsageError(f"the parameter {name!r} is swept twice", "name all its values in one --over")
        axes.append(Axis(parameters[name], _values(scenario, parameters[name], values)))
    _check_size([len(axis.values) for axis in axes])
    return axes


def points_of(over: Mapping[str, Sequence[ParameterValue]]) -> list[Point]:
    """All points of a grid, the first parameter slowest."""
    return [dict(zip(over, values, strict=True)) for values in product(*over.values())]


def shuffled(points: Sequence[Point], seed: int) -> list[Point]:
    """The points in the order in which they are measured: a machine that drifts must not look like a slope."""
    order = list(points)
    random.Random(seed).shuffle(order)  # noqa: S311 - an order that can be repeated, not a secret
    return order


def texts(point: Mapping[str, ParameterValue]) -> dict[str, str]:
    """Values as one would type them, which read back are the same."""
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in point.items()}


def label(point: Mapping[str, ParameterValue]) -> str:
    """A point as people write it: `size=64, batch=4`."""
    return ", ".join(f"{name}={text}" for name, text in texts(point).items())


def _values(scenario: Scenario, parameter: Parameter, text: str) -> list[ParameterValue]:
    found: list[ParameterValue] = []
    for one in text.split(","):
        match = _RANGE.fullmatch(one) if parameter.type in {"int", "float"} else None
        values = _range(parameter, one, match) if match else [one]
        found += [check_parameters(scenario, {parameter.name: value})[parameter.name] for value in values]
    return list(dict.fromkeys(found))


def _range(parameter: Parameter, text: str, match: re.Match[str]) -> list[str]:
    """The values of a range as texts: in decimal, so that 0.1..0.3:0.1 ends with 0.3."""
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
        _check_size([len(values)])
    return values


def _check_size(lengths: Sequence[int]) -> None:
    size = 1
    for length in lengths:
        size *= length
    if size > MOST_POINTS:
        raise UsageError(f"the grid has {size} points or more; {MOST_POINTS} is the most", "fewer values")


def _names(scenario: Scenario) -> str:
    return ", ".join(parameter.name for parameter in scenario.parameters) or f"none: {scenario.name} has no parameters"
