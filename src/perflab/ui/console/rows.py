"""A result's figures as rows: what was compared, by which factor, how sure, and what could have been seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perflab.stats.comparison import Comparison

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True)
class Row:
    """A comparison, the parameters at which it was made, as in `size=4`, empty for the defaults, and its run."""

    setting: str
    run: str
    comparison: Comparison

    @property
    def interval(self) -> tuple[float, float] | None:
        """That of the estimate, if there is one."""
        return self.comparison.estimate.interval if self.comparison.estimate else None


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
    return [Row(setting(params), run, Comparison.from_dict(one)) for one in comparisons]
