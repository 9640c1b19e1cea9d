"""Which preset a request means."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from perflab.measure.plan import Request, chosen_preset
from perflab.measure.presets import PRESETS

if TYPE_CHECKING:
    from perflab.topics.catalogue import Component


@pytest.mark.parametrize(
    ("preset", "needed", "warmup_ms"), [("quick", 900, 900), ("quick", 10, 250), ("smoke", 900, 50)]
)
def test_a_runtime_is_given_the_warm_up_that_it_needs(toy: Component, preset: str, needed: int, warmup_ms: int) -> None:
    bench = msgspec.structs.replace(toy.manifest.bench, warmup_ms=needed)
    slow = replace(toy, manifest=msgspec.structs.replace(toy.manifest, bench=bench))
    assert chosen_preset(Request(slow, preset=preset)) == (
        preset,
        msgspec.structs.replace(PRESETS[preset], warmup_ms=warmup_ms),
    )


def test_who_names_a_warm_up_gets_it(toy: Component) -> None:
    assert chosen_preset(Request(toy, preset="quick", overrides={"warmup_ms": 1}))[1].warmup_ms == 1
