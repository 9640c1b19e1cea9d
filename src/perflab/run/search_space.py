"""What a search has found, and where that is written."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from perflab.components.catalogue import check_parameters
from perflab.model.errors import UsageError
from perflab.model.files import write_json
from perflab.model.paths import RESULTS_DIR
from perflab.model.protocol import ParameterValue
from perflab.run.grid import read_over, text_of
from perflab.stats.comparison import Comparison

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from optuna.distributions import BaseDistribution

    from perflab.model.estimate import Estimate
    from perflab.model.protocol import Parameter, Scenario


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
            return ",".join(map(text_of, self.values))
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

    Raises:
        UsageError: If one is unknown, comes twice, is fixed, or its values or bounds are not allowed.
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


FILE_NAME = "search.json"

Ended = Literal["under way", "trials", "minutes", "exhausted", "interrupted", "failed"]
"""Why it ended: as many trials as asked for, the time, every setting tried, Ctrl-C, or an error."""


class Trial(msgspec.Struct, frozen=True):
    """A setting that was tried: its own run against the default setting.

    `comparison` is that of `lab measure --json`, `None` where there is none; `failure` then says why.
    """

    number: int
    params: dict[str, ParameterValue]
    run: str = ""
    comparison: dict[str, Any] | None = None
    failure: str = ""

    @property
    def factor(self) -> Estimate | None:
        """The improvement over the default, for choosing only: the best of many is best by luck, too."""
        found = Comparison.from_dict(self.comparison) if self.comparison else None
        return found.estimate if found and found.scale == "ratio" else None


class Confirmation(msgspec.Struct, frozen=True):
    """The best few measured again with fresh forks: the only figures that a search reports."""

    run: str
    settings: dict[str, dict[str, ParameterValue]]
    comparisons: list[dict[str, Any]]


class SearchResult(msgspec.Struct):
    """A search, whole or cut short. `over` is as typed; `seconds` is how long it took."""

    search: str
    topic: str
    scenario: str
    variant: str
    over: dict[str, str]
    default: dict[str, ParameterValue]
    machine: dict[str, str] = {}
    trials: list[Trial] = []
    confirmed: Confirmation | None = None
    ended: Ended = "under way"
    seconds: float = 0.0
    notes: list[str] = []

    @property
    def ranked(self) -> list[Trial]:
        """Trials with a factor, the best first."""
        found = [(one.factor.value, one) for one in self.trials if one.factor]
        return [one for _, one in sorted(found, key=lambda pair: -pair[0])]

    @property
    def best(self) -> dict[str, Any] | None:
        """The confirmed setting that is surely better than the default, with its comparison; none if there is none."""
        if self.confirmed is None:
            return None
        faster = [one for one in self.confirmed.comparisons if one["verdict"] == "faster"]
        if not faster:
            return None
        found = max(faster, key=lambda one: float(one["estimate"]))
        return {**found, "params": self.confirmed.settings[found["candidate"]], "run": self.confirmed.run}

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return {**found, "best": self.best}


def write_search(result: SearchResult, results: Path | None = None) -> None:
    """Keep what was found until now.

    Raises:
        StoreError: If the results folder cannot be written.
    """
    write_json((results or RESULTS_DIR) / "searches" / result.search / FILE_NAME, result)


def newest_search(since: float, results: Path | None = None) -> SearchResult | None:
    """The newest search that was written after `since` (seconds since the epoch)."""
    paths = sorted(((results or RESULTS_DIR) / "searches").glob(f"*/{FILE_NAME}"))
    if not paths:
        return None
    try:
        if paths[-1].stat().st_mtime < since:
            return None
        return msgspec.json.decode(paths[-1].read_bytes(), type=SearchResult)
    except (OSError, msgspec.MsgspecError):
        return None
