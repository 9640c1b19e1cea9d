"""A gate with a verdict of each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from runs import HEADER, write_run

from perflab.claims.regression import Gate, judge_regressions
from perflab.measure.versions import VersionComparison
from perflab.model.protocol import Metric, Scenario
from perflab.store.records import Arm

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from perflab.topics.catalogue import Component

HOSTILE = 'a|b <script> [x](y) `q` *e* "&" \x00'
COMMAND = "./lab measure toy --at 1a2b3c4"
# Nanoseconds of five rounds, then and now.
TIMES = {
    "same": ([100.0, 101, 99, 100, 100], [100.0, 99, 101, 100, 100]),
    "slower": ([100.0, 101, 99, 100, 100], [130.0, 131, 129, 130, 130]),
    "faster": ([100.0, 101, 99, 100, 100], [70.0, 71, 69, 70, 70]),
    "noisy": ([100.0, 60, 180, 90, 140], [140.0, 100, 60, 190, 90]),
}


@pytest.fixture
def toy_gate(toy: Component, results: Path) -> Callable[..., Gate]:
    """A gate of these variants, in a scenario with a metric that was not there then."""

    def make(*names: str, note: str = "a note", command: str = COMMAND) -> Gate:
        new = Metric("p50", "p50", "ns", "lower")
        scenario = Scenario(name="sum", operation="a sum", unit="ns", better="lower", metrics=[new])
        earlier = msgspec.structs.replace(scenario, metrics=[])
        kept = {name: f"{name} @ 1a2b3c4" for name in names}
        arms = [Arm(kept.get(label, label), label, "lab") for label in names]
        header = msgspec.structs.replace(
            HEADER,
            kind="regression",
            scenario=scenario,
            arms=[*arms, *(Arm(name, name, "lab") for name in names)],
            baseline=arms[0].label,
            options={"half_width": 0.01},
        )
        times = {name: TIMES.get(name, TIMES["same"]) for name in names}
        values = {kept[name]: times[name][0] for name in names} | {name: times[name][1] for name in names}
        run = write_run(
            results, header=header, values=values, failures={"lost": f"a child was lost {note}"}, warnings=[note]
        )
        compared = VersionComparison(
            baseline="1a2b3c4",
            run=run,
            scenario=earlier,
            variants=list(names),
            candidate="5d6e7f8+changes",
            left_out={"new": f"is not there {note}"},
        )
        return Gate([judge_regressions(compared, toy.manifest)], command)

    return make


@pytest.fixture
def gate(toy_gate: Callable[..., Gate]) -> Gate:
    return toy_gate(*TIMES)
