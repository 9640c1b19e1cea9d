"""A result's figures as rows: what was compared, by which factor, how sure, and what could have been seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.model.format import factor, percent, quantity, signed_quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True)
class Row:
    """A comparison.

    Attributes:
        setting: The parameters at which it was made, as in `size=4`; empty for the defaults.
        candidate: What is compared.
        baseline: What it is compared with.
        estimate: The improvement factor, above 1 is better; a difference in `unit` where `scale` is `difference`.
        low: Lower end of the interval; `None` if there is none.
        high: Upper end.
        verdict: In a word.
        detectable: The minimum detectable effect, 0.04 for 4 %, or in `unit`.
        rounds: Paired rounds.
        run: The run's name.
        scale: `ratio` or `difference`.
        unit: Of the metric.
    """

    setting: str
    candidate: str
    baseline: str
    estimate: float | None
    low: float | None
    high: float | None
    verdict: str
    detectable: float | None
    rounds: int
    run: str
    scale: str = "ratio"
    unit: str = ""

    @property
    def figure(self) -> str:
        """The estimate, as people write it."""
        if self.estimate is None:
            return "no estimate"
        return factor(self.estimate) if self.scale == "ratio" else signed_quantity(self.estimate, self.unit)

    @property
    def interval(self) -> str:
        """The interval, as people write it."""
        if self.low is None or self.high is None:
            return "too few rounds"
        if self.scale == "ratio":
            return f"{factor(self.low)} to {factor(self.high)}"
        return f"{signed_quantity(self.low, self.unit)} to {signed_quantity(self.high, self.unit)}"

    @property
    def visible(self) -> str:
        """The smallest effect that this many rounds would have found."""
        if self.detectable is None:
            return "unknown"
        return percent(self.detectable) if self.scale == "ratio" else quantity(self.detectable, self.unit)


def rows(result: Mapping[str, Any]) -> list[Row]:
    """The rows of what `measure`, `compare`, `sweep` or `search` found."""
    if "points" in result:
        return [row for point in result["points"] for row in _of(point["comparisons"], point["run"], point["params"])]
    if "trials" in result:
        confirmed = result.get("confirmed")
        return _of(confirmed["comparisons"], confirmed["run"], {}) if confirmed else []
    return _of(result.get("comparisons", []), str(result.get("run", "")), result.get("params", {}))


def setting(params: Mapping[str, Any]) -> str:
    """Parameters as people write them."""
    return ", ".join(f"{name}={value}" for name, value in params.items())


def _of(comparisons: Iterable[Mapping[str, Any]], run: str, params: Mapping[str, Any]) -> list[Row]:
    return [
        Row(
            setting=setting(params),
            candidate=one["candidate"],
            baseline=one["baseline"],
            estimate=one["estimate"],
            low=one["low"],
            high=one["high"],
            verdict=one["verdict"],
            detectable=one["minimum_detectable_effect"],
            rounds=one["rounds"],
            run=run,
            scale=one.get("scale", "ratio"),
            unit=one.get("unit", ""),
        )
        for one in comparisons
    ]
