"""Searches on disk: the settings that were tried, and the best of them measured again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from perflab.model.files import write_json
from perflab.model.names import Id, Label, OptionalId
from perflab.model.protocol import ParameterValue, Whole
from perflab.stats.comparison import Comparison

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.model.estimate import Estimate


_FILE_NAME = "search.json"

Ended = Literal["under way", "trials", "minutes", "exhausted", "interrupted", "failed"]
"""Why it ended: as many trials as asked for, the time, every setting tried, Ctrl-C, or an error."""


class Trial(msgspec.Struct, frozen=True):
    """A setting that was tried: its own run against the default setting.

    `comparison` is that of `lab measure --json`, `None` where there is none; `failure` then says why.
    """

    number: Whole
    params: dict[Id, ParameterValue]
    run: OptionalId = ""
    comparison: dict[str, Any] | None = None
    failure: str = ""

    @property
    def factor(self) -> Estimate | None:
        """The improvement over the default, for choosing only: the best of many is best by luck, too."""
        found = Comparison.from_dict(self.comparison) if self.comparison else None
        return found.estimate if found and found.scale == "ratio" else None


class Confirmation(msgspec.Struct, frozen=True):
    """The best few measured again with fresh forks: the only figures that a search reports."""

    run: Id
    settings: dict[Label, dict[Id, ParameterValue]]
    comparisons: list[dict[str, Any]]


class SearchResult(msgspec.Struct):
    """A search, whole or cut short. `over` is as typed; `seconds` is how long it took."""

    search: Id
    topic: Id
    scenario: Id
    variant: Id
    over: dict[Id, str]
    default: dict[Id, ParameterValue]
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


def write_search(result: SearchResult, results: Path) -> None:
    """Keep what was found until now."""
    write_json(results / "searches" / result.search / _FILE_NAME, result)
