"""Runs made by hand, for tests that need one on disk."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from perflab.host.git import Revision
from perflab.host.machine import Load, Machine
from perflab.model.protocol import Runtime, Sample, Scenario
from perflab.stats.columns import Columns
from perflab.store.records import RESULT_VERSION, Arm, Ending, RunHeader
from perflab.store.runs import Run, RunWriter, find_run
from perflab.store.tables import write_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from perflab.store.records import Unsettled

MACHINE = Machine("a processor", 2, 2**34, "6.1", "Debian", "KVM", "performance")
HEADER = RunHeader(
    id="20260101-000000-toy-sum-0000",
    version=RESULT_VERSION,
    created="2026-01-01T00:00:00+00:00",
    kind="measure",
    component="toy",
    scenario=Scenario(name="sum", operation="a sum", unit="ns", better="lower"),
    arms=[Arm("a", "a", "before"), Arm("b", "b", "after")],
    baseline="a",
    params={},
    preset="quick",
    seed=1,
    options={},
    machine=MACHINE,
    revision=Revision("abc"),
    runtime=Runtime("CPython", "3"),
    perflab="0",
    reproduction=True,
)


def sample(
    i: int = 0,
    ns: float = 100.0,
    percentiles: Mapping[str, float] | None = None,
    counters: Mapping[str, float] | None = None,
) -> Sample:
    return Sample(i=i, ops=1, ns=ns, percentiles=dict(percentiles or {}), counters=dict(counters or {}))


def write_run(
    results: Path,
    *,
    name: str = HEADER.id,
    cpu: str = MACHINE.cpu,
    rounds: int = 5,
    values: Mapping[str, Sequence[float]] | None = None,
    header: RunHeader = HEADER,
    failures: Mapping[str, str] | None = None,
    void: Sequence[str] = (),
    warnings: Sequence[str] = (),
    reason: str = "rounds",
    unsettled: Sequence[Unsettled] = (),
    machine: Machine = MACHINE,
    load: Load = Load(0.0, 0.0),  # noqa: B008 - frozen
) -> Run:
    """A run with two samples in each fork; `values` are each label's nanoseconds per round, NaN for none."""
    made_on = msgspec.structs.replace(machine, cpu=cpu)
    writer = RunWriter(msgspec.structs.replace(header, id=name, machine=made_on), results)
    times = values or {
        "a": [100.0 + round_ for round_ in range(rounds)],
        "b": [50.0 + round_ for round_ in range(rounds)],
    }
    for round_ in range(max(map(len, times.values()))):
        for position, (label, series) in enumerate(times.items()):
            for i in range(0 if math.isnan(series[round_]) else 2):
                writer.sample(round_, label, sample(i, series[round_], {"p50": 10.0}, {"refused": 1}))
            writer.fork(round_, position, label, {"status": "ok", "wall_s": 0.1})
    dropped = dict(failures or {}), list(warnings), list(void)
    writer.end(Ending(reason, rounds, 1.0, load, *dropped, list(unsettled)))
    return find_run(name, results)


def write_samples(run: Run, rows: Sequence[Mapping[str, Any]]) -> None:
    """Seal these samples in place of a run's own."""
    kinds = {"round": np.int32, "variant": np.str_, "i": np.int32}
    names = dict.fromkeys(name for row in rows for name in row)
    cells = {name: np.array([row.get(name, math.nan) for row in rows], kinds.get(name, np.float64)) for name in names}
    write_table(run.folder / "samples.npz", Columns(cells))
