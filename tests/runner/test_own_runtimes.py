"""Variants on the one Java release that they run on: each scenario validates, and a lost message is a finding."""

from __future__ import annotations

import pytest

from perflab.measure.fork import Fork, run_fork
from perflab.model.errors import BenchError, UsageError
from perflab.model.lab import Lab
from perflab.topics.build import build
from perflab.topics.catalogue import find_component
from perflab.topics.program import describe, own_runtime, program_environment, provide_runtime, run_command
from perflab.topics.testing import check_variant

LAB = Lab.from_environment()

pytestmark = pytest.mark.build

QUASAR = ["quasar", "quasar-fair", "rxjava-agent", "rxjava-jre11"]
VARIANTS = {
    **dict.fromkeys(("cajun", "cajun-mpsc", "cajun-logging"), ("mailbox", "21.")),
    **dict.fromkeys(QUASAR, ("queues", "11.")),
}
SMALL: dict[str, dict[str, int]] = {
    "idle": {"actors": 20},
    "spawn": {"actors": 20},
    "all": {"num-hash": 20},
    "burn": {"words": 20, "burn-hashes": 1000},
    "cost": {"num-hash": 20},
    "delay": {"words": 1000},
    "effort": {"words": 1000},
}
# More messages than a mailbox holds, to an actor that is slower than their sender.
OVERLOAD = {"rate": 500_000, "window-ms": 100, "work": 10_000}


def fork(variant: str, scenario: str, **params: int) -> Fork:
    """Build the variant's topic, provide its runtime, and run a scenario for a moment."""
    component = find_component(LAB, VARIANTS[variant][0])
    build(component)
    runtime = own_runtime(component, variant)
    assert runtime is not None
    provide_runtime(runtime)
    return run_fork(
        run_command(component, scenario, variant, params, warmup_ms=20, sample_ms=20, samples=2, seed=1),
        cwd=component.folder,
        environment=program_environment(component, variant),
        timeout_s=600,
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_scenario_validates(variant: str) -> None:
    topic, java = VARIANTS[variant]
    component = find_component(LAB, topic)
    build(component)
    scenarios = {one.name: one.scenarios for one in describe(component).variants}[variant]
    assert scenarios
    for scenario in scenarios:
        done = fork(variant, scenario, **SMALL.get(scenario, {}))
        assert done.end is not None, scenario
        assert done.runtime.split()[-1].startswith(java), done.runtime
    # Cajun's published log configuration writes there.
    assert not (component.folder / "logs").exists()


@pytest.mark.parametrize("variant", QUASAR)
def test_each_keeps_the_contract_of_a_pipeline(variant: str) -> None:
    queues = find_component(LAB, "queues")
    fork(variant, "fast")
    checks = check_variant(queues, variant)
    assert {one.name for one in checks} == {one.name for one in check_variant(queues, "direct")}
    assert [one for one in checks if not one.passed] == []


def test_its_program_refuses_what_the_other_one_refuses() -> None:
    fork("quasar-fair", "fast")
    fast = next(one for one in describe(find_component(LAB, "queues")).scenarios if one.name == "fast")
    for knob in fast.parameters:
        if knob.min is not None:
            with pytest.raises(UsageError, match=f"'{knob.name}' cannot be '-1'"):
                fork("quasar-fair", "fast", **{knob.name: -1})


@pytest.mark.parametrize("variant", ["cajun", "cajun-logging"])
def test_messages_that_its_full_mailbox_drops_are_found(variant: str) -> None:
    with pytest.raises(BenchError, match=r"did not validate: every accepted message is handled: \d+ of 50000 were"):
        fork(variant, "throughput", **OVERLOAD)
