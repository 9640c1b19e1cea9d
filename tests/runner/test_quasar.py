"""Quasar, and RxJava beside its agent, on the one Java release that they run on: the results are the direct loop's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from ownruntimes import built_with, fork

from perflab.model.errors import UsageError
from perflab.topics.program import describe
from perflab.topics.testing import check_variant

if TYPE_CHECKING:
    from perflab.topics.catalogue import Component

pytestmark = pytest.mark.build

VARIANTS = ["quasar", "quasar-fair", "rxjava-agent", "rxjava-jre11"]

SHORT = {"warmup_ms": 0, "sample_ms": 20}
SMALL: dict[str, dict[str, int]] = {
    "fast": {},
    "all": {"num-hash": 20},
    "burn": {"words": 20, "burn-hashes": 1000},
    "cost": {"num-hash": 20},
    "delay": {"words": 1000},
    "effort": {"words": 1000},
}


@pytest.fixture(scope="module")
def queues() -> Component:
    return built_with("queues", VARIANTS)


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_scenario_validates(queues: Component, variant: str) -> None:
    scenarios = {one.name: one.scenarios for one in describe(queues).variants}[variant]
    assert scenarios
    for scenario in scenarios:
        done = fork(queues, scenario, variant, **SHORT, **SMALL[scenario])
        assert done.end is not None, scenario
        assert done.runtime.split()[-1].startswith("11."), done.runtime


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_keeps_the_contract_of_a_pipeline(queues: Component, variant: str) -> None:
    checks = check_variant(queues, variant)
    assert {one.name for one in checks} == {one.name for one in check_variant(queues, "direct")}
    assert [one for one in checks if not one.passed] == []


def test_its_program_refuses_what_the_other_one_refuses(queues: Component) -> None:
    fast = next(one for one in describe(queues).scenarios if one.name == "fast")
    for knob in fast.parameters:
        if knob.min is not None:
            with pytest.raises(UsageError, match=f"'{knob.name}' cannot be '-1'"):
                fork(queues, "fast", "quasar-fair", **SHORT, **{knob.name: -1})
