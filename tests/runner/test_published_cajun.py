"""Cajun as published, on the one Java release that loads it: each scenario validates, a lost message is a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from ownruntimes import built_with, fork

from perflab.model.errors import BenchError
from perflab.topics.program import describe

if TYPE_CHECKING:
    from perflab.topics.catalogue import Component

pytestmark = pytest.mark.build

VARIANTS = ["cajun", "cajun-mpsc", "cajun-logging"]
DROPPING = ["cajun", "cajun-logging"]
OVERLOAD = {"rate": 500_000, "window-ms": 100, "work": 10_000}
"""More messages than a mailbox holds, to an actor that is slower than their sender."""

SHORT = {"warmup_ms": 50, "sample_ms": 50}
SMALL: dict[str, dict[str, int]] = {"idle": {"actors": 20}, "spawn": {"actors": 20}}


@pytest.fixture(scope="module")
def mailbox() -> Component:
    return built_with("mailbox", VARIANTS)


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_scenario_validates(mailbox: Component, variant: str) -> None:
    scenarios = {one.name: one.scenarios for one in describe(mailbox).variants}[variant]
    for scenario in scenarios:
        done = fork(mailbox, scenario, variant, **SHORT, **SMALL.get(scenario, {}))
        assert done.end is not None, scenario
        assert done.runtime.split()[-1].startswith("21."), done.runtime
    # Its published log configuration writes there.
    assert not (mailbox.folder / "logs").exists()


@pytest.mark.parametrize("variant", DROPPING)
def test_messages_that_its_full_mailbox_drops_are_found(mailbox: Component, variant: str) -> None:
    with pytest.raises(BenchError, match=r"did not validate: every accepted message is handled: \d+ of 50000 were"):
        fork(mailbox, "throughput", variant, **SHORT, **OVERLOAD)
