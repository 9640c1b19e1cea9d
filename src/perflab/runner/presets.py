"""How long a measurement takes and how precise it becomes: the presets that users choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perflab.environment import this_machine

if TYPE_CHECKING:
    from collections.abc import Mapping

_FORK_S = 1.0
"""Of a fork, about, all that is neither warm-up nor sample: its start, its validation, its end."""


class Preset(msgspec.Struct, frozen=True):
    """The knobs of a measurement.

    Attributes:
        warmup_ms: Warm-up in each fork, in milliseconds.
        sample_ms: Intended length of a sample, in milliseconds.
        samples: Samples in each fork.
        min_rounds: Rounds before the precision is looked at.
        max_rounds: Rounds after which it ends in any case.
        half_width: Target for the half width of the ratios' intervals, 0.05 for 5 %.
        budget_s: Seconds after which no further round is begun once there are `min_rounds`.
        fork_timeout_s: Seconds after which a fork is ended and counts as failed.
        pilot: Share of the time for finding a shape that suits the program better than `warmup_ms`, `sample_ms` and
            `samples`; 0 if these are fixed.
    """

    warmup_ms: int
    sample_ms: int
    samples: int
    min_rounds: int
    max_rounds: int
    half_width: float
    budget_s: float
    fork_timeout_s: float = 120.0
    pilot: float = 0.0

    def expected_s(self, variants: int) -> float:
        """About how many seconds a run takes: its budget, if that is enough for its least rounds but not its most."""
        round_s = variants * (_FORK_S + (self.warmup_ms + self.samples * self.sample_ms) / 1000)
        return max(self.min_rounds * round_s, min(self.budget_s, self.max_rounds * round_s))


def preset_of(options: Mapping[str, float]) -> Preset:
    """The preset that a run was made with, from its header, which keeps every field as a float."""
    whole = {field.name for field in msgspec.structs.fields(Preset) if field.type is int}
    return msgspec.convert({name: int(value) if name in whole else value for name, value in options.items()}, Preset)


def usual_preset() -> str:
    """The preset of whoever names none: a small machine has neither the memory nor the time for more than `quick`."""
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

PROVES_NOTHING = "smoke"
"""The preset that shows that everything works and no more: the lab's own tests use it, and no claim is judged by it."""
