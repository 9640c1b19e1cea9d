"""How long a measurement takes and how precise it becomes: the presets that users choose from."""

from __future__ import annotations

import math
from statistics import stdev
from typing import TYPE_CHECKING, Annotated

import msgspec

from perflab.host.machine import this_machine
from perflab.model.errors import UsageError, one_line
from perflab.stats.comparison import simultaneous_confidence
from perflab.stats.interval import CONFIDENCE
from perflab.stats.metrics import fork_value
from perflab.stats.precision import precise_enough

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from perflab.model.protocol import Metric, Sample


_Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=86_400_000)]
_Seconds = Annotated[float, msgspec.Meta(ge=0, le=31_536_000)]
MOST_ROUNDS = 3_000
_Rounds = Annotated[int, msgspec.Meta(ge=0, le=MOST_ROUNDS)]  # some statistics take the square of it


class Preset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long a measurement takes, and how precise it is.

    Attributes:
        warmup_ms: Warm-up in each fork.
        sample_ms: Intended length of a sample.
        samples: Samples in each fork.
        min_rounds: Rounds before the precision is checked.
        half_width: Target for the half width of the ratios' intervals, 0.05 for 5 %.
        budget_s: No round starts after it, except to reach `min_rounds`.
        fork_timeout_s: A fork is killed after it, and counts as failed.
        warmup_runs: Runs of a whole command before those that count.
        pilot: Share of the time for finding a shape that suits the program better than `warmup_ms`, `sample_ms` and
            `samples`; 0 if these are fixed.
    """

    warmup_ms: _Milliseconds
    sample_ms: _Milliseconds
    samples: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    min_rounds: _Rounds
    max_rounds: _Rounds
    half_width: Annotated[float, msgspec.Meta(gt=0, le=1)]
    budget_s: _Seconds
    fork_timeout_s: _Seconds = 120.0
    pilot: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0
    warmup_runs: _Rounds = 0


def preset_of(options: Mapping[str, float]) -> Preset:
    """Make a preset of options; raise a UsageError if they make none, as those of another version of perflab."""
    try:
        # Not strict: a header keeps every field as a float.
        return msgspec.convert(dict(options), Preset, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"these options make no preset: {one_line(error)}", "measure anew with a preset") from None


def usual_preset() -> str:
    """Return the default preset: `quick` on a machine with little memory or few processors, else `normal`."""
    return "quick" if this_machine().small else "normal"


PRESETS = {
    # Three rounds, because fewer have no interval, and so no chart.
    "smoke": Preset(
        warmup_ms=50,
        sample_ms=50,
        samples=2,
        min_rounds=3,
        max_rounds=3,
        half_width=1.0,
        budget_s=10,
        fork_timeout_s=60,
    ),
    # Short forks, many of them: intervals narrow with the number of forks, not of samples.
    "quick": Preset(
        warmup_ms=250,
        sample_ms=100,
        samples=2,
        min_rounds=6,
        max_rounds=250,
        half_width=0.01,
        budget_s=12,
        fork_timeout_s=60,
        pilot=0.15,
    ),
    "normal": Preset(
        warmup_ms=1000,
        sample_ms=500,
        samples=5,
        min_rounds=8,
        max_rounds=500,
        half_width=0.01,
        budget_s=300,
        pilot=0.05,
    ),
    # Half an hour even with the twenty variants of a topic at its largest.
    "rigorous": Preset(
        warmup_ms=2000,
        sample_ms=500,
        samples=4,
        min_rounds=12,
        max_rounds=1000,
        half_width=0.005,
        budget_s=1800,
        pilot=0.05,
    ),
}

QUICK_BENCH_S, FURTHER_S = 9.0, 6.0
"""Budget of a quick bench of two, which with its start and its end takes twelve seconds, and for each further one."""

UNTIL_S = 86_400.0
"""Budget of a run that goes on until it is precise enough."""

PROVES_NOTHING = "smoke"
"""The preset that shows that everything works and no more: the lab's own tests use it, and no claim is judged by it."""


_NORMAL_95 = 1.96


class Precision:
    """Collects each fork's value of the headline metric, and decides whether the intervals are narrow enough.

    `pairs` has the baseline of each candidate's label; `half_width` is the target, 0.05 for 5 %; `robust` as for
    `compare`; `confidence` is that of all intervals together.
    """

    def __init__(
        self,
        metric: Metric,
        pairs: Mapping[str, str],
        half_width: float,
        *,
        robust: bool = False,
        confidence: float = CONFIDENCE,
    ) -> None:
        self._robust, self._confidence = robust, confidence
        self._metric = metric
        self._pairs = pairs
        self._half_width = half_width
        self._values: dict[str, dict[int, float]] = {}

    def add(self, round_: int, label: str, samples: Sequence[Sample]) -> None:
        """Add a fork."""
        self._values.setdefault(label, {})[round_] = fork_value(samples, self._metric.of)

    def log_ratios(self) -> dict[str, list[float]]:
        """Return the log ratios of all rounds by candidate, its baseline's values above its own."""
        return {
            name: [
                math.log(ours[round_] / value)
                for round_, value in self._values.get(name, {}).items()
                if round_ in ours and ours[round_] > 0 < value
            ]
            for name, baseline in self._pairs.items()
            if (ours := self._values.get(baseline, {}))
        }

    def rounds_needed(self) -> float:
        """Estimate how many rounds it takes in all until the intervals are narrow enough."""
        spreads = [stdev(ratios) for ratios in self.log_ratios().values() if len(ratios) > 1]
        return (_NORMAL_95 * max(spreads, default=0.0) / math.log1p(self._half_width)) ** 2

    def reached(self, dropped: Collection[str]) -> bool:
        """Say whether all comparisons are precise enough; candidates that dropped out do not count."""
        kept = {label: values for label, values in self._values.items() if label not in dropped}
        if not kept:
            return False
        rounds = range(1 + max(round_ for values in kept.values() for round_ in values))
        columns = {label: [values.get(round_, float("nan")) for round_ in rounds] for label, values in kept.items()}
        pairs = [(name, baseline) for name, baseline in self._pairs.items() if name in columns]
        if not pairs:
            return self._alone(columns)
        level = simultaneous_confidence(self._confidence, len(pairs))
        return all(
            baseline in columns
            and precise_enough(
                {one: columns[one] for one in (baseline, name)},
                baseline,
                self._metric.better,
                target_half_width=self._half_width,
                confidence=level,
                robust=self._robust,
            )
            for name, baseline in pairs
        )

    def _alone(self, columns: Mapping[str, Sequence[float]]) -> bool:
        """Without a comparison, say whether each label is precise enough as a ratio to one."""
        if any(value <= 0 for values in columns.values() for value in values):
            return False
        ones = [1.0] * max(map(len, columns.values()))
        return precise_enough({"": ones, **columns}, "", self._metric.better, target_half_width=self._half_width)
