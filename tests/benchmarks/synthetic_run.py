"""Writes a run of a million samples the way that a measurement does: one appended line a sample, then the seal."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from perflab.host.git import this_revision
from perflab.host.load import Load
from perflab.host.machine import this_machine
from perflab.model.lab import CHECKOUT
from perflab.model.protocol import Runtime, Sample, Scenario
from perflab.store.records import RESULT_VERSION, Arm, Ending, RunHeader
from perflab.store.runs import RunWriter

RUN_ID = "20260101-000000-synthetic-million-0000"
VARIANTS = {"before": 1.0, "after": 0.8, "peer": 0.9, "lab": 0.7}
"""Each variant's time relative to the first one's."""

ROUNDS = 50
SAMPLES_A_FORK = 5_000
SAMPLES = ROUNDS * len(VARIANTS) * SAMPLES_A_FORK

_PERCENTILES = {"p50": 0.9, "p90": 1.5, "p99": 4.0, "p99.9": 20.0, "max": 300.0}
"""Relative to the sample's mean time of an operation."""

_OPERATIONS = 1_000.0
_OPERATION_NS = 250.0


def header() -> RunHeader:
    first, *others = VARIANTS
    return RunHeader(
        id=RUN_ID,
        version=RESULT_VERSION,
        created="2026-01-01T00:00:00+00:00",
        kind="measure",
        component="synthetic",
        scenario=Scenario(name="million", operation="an operation", unit="op/s", better="higher"),
        arms=[Arm(first, first, "before"), *(Arm(name, name, "after") for name in others)],
        baseline=first,
        params={},
        preset="rigorous",
        seed=1,
        options={},
        machine=this_machine(),
        revision=this_revision(CHECKOUT),
        runtime=Runtime("none", "0"),
        perflab="0",
    )


def write_run(results: Path) -> None:
    """Write and seal the run: between forks 3 % of spread, within a fork 10 %."""
    rng = np.random.default_rng(1)
    writer = RunWriter(header(), results)
    for round_ in range(ROUNDS):
        for position, (label, factor) in enumerate(VARIANTS.items()):
            fork = factor * _OPERATION_NS * rng.lognormal(sigma=0.03)
            for i, ns in enumerate((fork * rng.lognormal(sigma=0.1, size=SAMPLES_A_FORK)).tolist()):
                writer.sample(round_, label, _sample(i, ns))
            writer.fork(round_, position, label, {"status": "ok", "wall_s": 1.0})
    writer.end(Ending("rounds", ROUNDS, 1.0, Load(0.0, 0.0)))


def _sample(i: int, operation_ns: float) -> Sample:
    percentiles = {name: round(operation_ns * factor, 1) for name, factor in _PERCENTILES.items()}
    return Sample(i, _OPERATIONS, round(_OPERATIONS * operation_ns), percentiles, {"refused": float(i % 7)})


if __name__ == "__main__":
    write_run(Path(sys.argv[1]))
