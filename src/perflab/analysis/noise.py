"""The machine's noise band for a scenario: made from the newest A/A run in the store, drawn in every chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.statistics import fork_values, noise_band
from perflab.store import find_runs

if TYPE_CHECKING:
    from perflab.statistics import NoiseBand
    from perflab.store import Run, RunHeader

LEAST_ROUNDS = 3


def noise_for(header: RunHeader, of: str, rounds: int) -> NoiseBand | None:
    """The band in which a metric's ratios in a run of so many rounds would fall if its variants were the same.

    Returns:
        None if nobody has measured this scenario against itself on this machine with forks as long as these, or the
        run is too short for a band.
    """
    if rounds < LEAST_ROUNDS:
        return None
    for run in reversed(find_runs(component=header.component, scenario=header.scenario.name)):
        whole = run.ending is not None and run.ending.complete and not run.ending.failures
        alike = (run.header.machine.id, run.header.settings, run.header.shape) == (
            header.machine.id,
            header.settings,
            header.shape,
        )
        if run.header.kind == "noise" and whole and alike:
            band = band_of(run, of, rounds)
            if band is not None:
                return band
    return None


def band_of(run: Run, of: str, rounds: int | None = None) -> NoiseBand | None:
    """The band that an A/A run gives for a metric, for so many rounds; for its own number without it."""
    try:
        values = fork_values(run.samples(), of).unstack("variant")
    except ValueError:
        return None
    first, second = (arm.label for arm in run.header.arms)
    if first not in values or second not in values:
        return None
    pairs = (values[first] / values[second]).dropna()
    usable = len(pairs) >= LEAST_ROUNDS and (pairs > 0).all() and (pairs < float("inf")).all()
    return noise_band(pairs.tolist(), rounds=rounds) if usable else None
