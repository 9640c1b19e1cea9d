"""Saved output of harnesses, and short runs of real ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from perflab.bench.interface import Ended
from perflab.host.spawner import Spawner
from perflab.measure.harnessed import PreparedBench
from perflab.measure.presets import PRESETS
from perflab.store.records import Arm

if TYPE_CHECKING:
    from perflab.bench.interface import Harness
    from perflab.model.protocol import Sample

SAVED = Path(__file__).parents[1] / "fixtures" / "harness"
SMOKE = PRESETS["smoke"]


def ended(output: bytes | str, result: bytes = b"") -> Ended:
    return Ended(output if isinstance(output, bytes) else output.encode(), 1.0, {}, result)


def real(harness: Harness, benchmark: str, prepared: str) -> list[Sample]:
    arm = Arm("one", "one", "yours")
    with Spawner() as spawner:
        run = PreparedBench(harness, {"one": (prepared, benchmark)}, Path.cwd(), spawner)
        return run.fork(arm, SMOKE, lambda _: None, None).samples
