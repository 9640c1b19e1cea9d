"""The shape of the processes: what is made of probes, what is written down, and who takes it over."""

from __future__ import annotations

import math
import threading
from collections import Counter
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from silent import Silent

from perflab.host.lock import measurement_lock
from perflab.measure import shape
from perflab.measure.fork import Fork
from perflab.measure.measure import measure, measure_noise
from perflab.measure.plan import Plan, Request, _shortened
from perflab.measure.presets import PRESETS
from perflab.measure.shape import Probes, best_shape, rounds_of_probes, settled_after, spreads
from perflab.model.errors import BenchError, TakenError
from perflab.model.protocol import Sample
from perflab.store.runs import find_runs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from perflab.store.records import Arm
    from perflab.topics.catalogue import Component

    Floats = NDArray[np.float64]

QUICK = PRESETS["quick"]
LIMITS = {"max_rounds": 3, "budget_s": 10}


def probes(between: float, within: float, start_s: float = 0.03, warm: int = 0, arms: int = 2) -> Probes:
    """Samples of 10 ms of processes that take twice as long for their first `warm` samples."""
    rng = np.random.default_rng(3)

    def arm() -> Floats:
        rows = rng.normal(0, between, (5, 1)) + rng.normal(0, within, (5, 32))
        rows[:, :warm] += math.log(2)
        return rows

    return Probes([arm() for _ in range(arms)], 10, start_s, 0.01)


def found(one: Probes, left_s: float = 10, least_warmup_ms: int = 0) -> dict[str, int]:
    return dict(best_shape(one, QUICK, least_warmup_ms=least_warmup_ms, left_s=left_s))


def measured_ms(one: Probes, left_s: float = 10) -> int:
    made = found(one, left_s)
    return made["samples"] * made["sample_ms"]


@pytest.mark.parametrize(("warm", "settled"), [(0, 1), (1, 1), (2, 2), (3, 4), (7, 8), (15, 16), (31, None)])
def test_the_warm_up_is_over_when_the_level_no_longer_changes(warm: int, settled: int | None) -> None:
    assert settled_after(probes(0.1, 0.02, warm=warm).series, 0.01) == settled


def test_a_change_that_is_too_small_to_matter_is_no_warm_up() -> None:
    one = probes(0.1, 1e-4)
    one.series[0][:, :8] += 0.005
    assert settled_after(one.series, 0.01) == 1
    assert settled_after(one.series, 0.001) == 8


def test_spreads_are_told_apart() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(0, 0.1, (400, 1)) + rng.normal(0, 0.2, (400, 30))
    within, between = spreads([rows])
    assert math.sqrt(within) == pytest.approx(0.2, rel=0.05)
    assert math.sqrt(between) == pytest.approx(0.1, rel=0.15)
    assert spreads([np.tile(rng.normal(0, 0.2, 30), (4, 1))])[1] == 0


def test_processes_that_differ_are_short_and_many() -> None:
    assert measured_ms(probes(0.2, 0.01)) < measured_ms(probes(0.03, 0.1)) < measured_ms(probes(0, 0.1))


def test_the_length_is_that_of_kalibera_and_jones() -> None:
    one = probes(0.05, 0.1, start_s=0.15)
    within, between = spreads([rows[:, 1:] for rows in one.series])
    best = math.sqrt((0.15 + 0.01) / 0.01 * within / between)
    assert measured_ms(one, 100) == pytest.approx(10 * best, abs=10)


def test_a_slow_start_is_worth_longer_samples_but_the_rounds_must_fit() -> None:
    one = probes(0, 0.1, start_s=0.3)
    for rows in one.series:
        rows[:] = rows[0]
    assert measured_ms(one, 10_000) == pytest.approx(4 * (300 + found(one, 10_000)["warmup_ms"]), rel=0.05)
    made = found(one, 20)
    round_s = 2 * (0.3 + (made["warmup_ms"] + made["samples"] * made["sample_ms"]) / 1000)
    assert 20 / round_s == pytest.approx(2 * QUICK.min_rounds, rel=0.05)


def test_a_topic_keeps_its_warm_up() -> None:
    assert found(probes(0.1, 0.1))["warmup_ms"] == 10
    assert found(probes(0.1, 0.1), least_warmup_ms=1000)["warmup_ms"] == 1000


def test_what_does_not_settle_down_keeps_the_preset() -> None:
    assert found(probes(0.1, 0.01, warm=31)) == {}


@pytest.mark.parametrize(
    ("arms", "start_s", "budget_s", "rounds"),
    # A program in C, one in Python beside many, virtual machines, a virtual machine with time.
    [(2, 0.01, 12, 2), (8, 0.04, 12, 2), (2, 0.4, 12, 0), (2, 0.5, 12, 0), (2, 0.5, 300, 5)],
)
def test_probes_take_a_small_part_of_the_time(arms: int, start_s: float, budget_s: float, rounds: int) -> None:
    preset = msgspec.structs.replace(QUICK, budget_s=budget_s)
    assert rounds_of_probes(preset, arms, start_s, 0.32) == rounds


@pytest.fixture
def probed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Probes with made-up samples; the list says whose they were."""
    asked: list[str] = []

    def fork(
        plan: Plan,
        arm: Arm,
        round_: int,
        on_sample: Callable[[Sample], None],
        whole: Fork | None = None,
        **more: Callable[[int], None] | None,
    ) -> Fork:
        preset = plan.preset
        if whole is not None:
            return real(plan, arm, round_, on_sample, whole, **more)
        asked.append(arm.variant)
        made = Fork([Sample(i, 10, preset.sample_ms * 1_000_000) for i in range(preset.samples)])
        for sample in made.samples:
            on_sample(sample)
        return made

    real = Plan.fork
    monkeypatch.setattr(Plan, "fork", fork)
    return asked


@pytest.fixture
def request_of(toy: Component) -> Callable[..., Request]:
    def request(**more: float) -> Request:
        return Request(toy, variants=["plain", "wasteful"], preset="quick", overrides={**LIMITS, **more})

    return request


def test_the_shape_that_was_found_is_in_the_record(request_of: Callable[..., Request], probed: list[str]) -> None:
    run = measure(request_of(), Silent())
    assert set(probed) == {"plain", "wasteful"}
    assert run.header.shape == {"warmup_ms": 10, "sample_ms": 10, "samples": 4}
    assert run.header.planned == msgspec.to_builtins(msgspec.structs.replace(QUICK, min_rounds=3, **LIMITS))
    samples = run.samples()
    assert set(samples["round"]) == {0, 1, 2}
    assert set(Counter(samples.cells("round", "variant")).values()) == {run.header.shape["samples"]}


def test_the_next_run_takes_it_over(request_of: Callable[..., Request], probed: list[str]) -> None:
    first = measure(request_of(), Silent())
    probed.clear()
    assert measure(request_of(budget_s=5), Silent()).header.shape == first.header.shape
    assert not probed
    measure(request_of(budget_s=20), Silent())
    assert probed


def test_who_names_a_length_gets_it(request_of: Callable[..., Request], probed: list[str]) -> None:
    run = measure(request_of(samples=1, sample_ms=1, warmup_ms=0), Silent())
    assert run.header.shape == {"warmup_ms": 0, "sample_ms": 1, "samples": 1}
    assert not probed
    assert not run.header.planned


@pytest.mark.usefixtures("probed")
def test_a_session_takes_its_own_run_for_the_same_again(
    request_of: Callable[..., Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFLAB_REUSE_SINCE", "2020-01-01T00:00:00+00:00")
    first = measure(request_of(), Silent())
    assert measure(request_of(), Silent()).id == first.id
    assert measure(request_of(half_width=0.5), Silent()).id != first.id
    noise = measure_noise(request_of(), Silent())
    assert noise.id != first.id
    assert measure_noise(request_of(), Silent()).id == noise.id


@pytest.mark.usefixtures("probed")
def test_a_notebook_of_a_reproduction_waits_until_something_else_has_been_measured(
    request_of: Callable[..., Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = request_of().component.lab.lock
    taken, over = threading.Event(), threading.Event()

    def hold() -> None:
        with measurement_lock(lock):
            taken.set()
            over.wait(60)

    class Told(Silent):
        def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
            if text.startswith("waiting until something else has been measured"):
                over.set()
            super().update(done, text, seconds_left)

    other = threading.Thread(target=hold)
    other.start()
    try:
        assert taken.wait(60)
        with pytest.raises(TakenError):
            measure(request_of(), Told())
        monkeypatch.setenv("PERFLAB_REUSE_SINCE", "2020-01-01T00:00:00+00:00")
        assert measure(request_of(), Told()).complete
        assert over.is_set()
    finally:
        over.set()
        other.join()


def test_probes_of_different_lengths_keep_the_preset(
    request_of: Callable[..., Request], probed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Plan.fork

    def ragged(plan: Plan, *arguments: object, **more: object) -> Fork:
        made = whole(plan, *arguments, **more)  # type: ignore[arg-type]
        if len(probed) % 3 == 0:
            made.samples = made.samples[:-1]
        return made

    monkeypatch.setattr(Plan, "fork", ragged)
    run = measure(request_of(), Silent())
    assert run.header.shape == {name: getattr(QUICK, name) for name in run.header.shape}


@pytest.mark.usefixtures("probed")
@pytest.mark.filterwarnings("error")
def test_processes_of_one_sample_keep_the_preset(
    request_of: Callable[..., Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Plan.fork

    def alone(
        plan: Plan, arm: Arm, round_: int, on_sample: Callable[[Sample], None], *more: object, **options: object
    ) -> Fork:
        given: list[Sample] = []
        made = whole(plan, arm, round_, given.append, *more, **options)  # type: ignore[arg-type]
        made.samples = made.samples[:1]
        on_sample(given[0])
        return made

    monkeypatch.setattr(Plan, "fork", alone)
    run = measure(request_of(), Silent())
    assert run.header.shape == {name: getattr(QUICK, name) for name in run.header.shape}


@pytest.mark.usefixtures("probed")
def test_a_probe_that_fails_leaves_it_to_the_run_to_say_why(
    request_of: Callable[..., Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise BenchError("no")

    monkeypatch.setattr(shape, "_probe", fails)
    run = measure(request_of(), Silent())
    assert run.header.shape == {name: getattr(QUICK, name) for name in run.header.shape}
    assert run.ending is not None
    assert not run.ending.failures


@pytest.mark.usefixtures("probed")
def test_ctrl_c_while_probing_seals_the_run(
    request_of: Callable[..., Request], results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(shape, "_probe", interrupted)
    with pytest.raises(KeyboardInterrupt):
        measure(request_of(), Silent())
    (run,) = find_runs(results)
    assert run.ending is not None
    assert run.ending.reason == "interrupted"


def test_a_fork_that_fails_keeps_its_time_and_what_it_used(toy: Component) -> None:
    run = measure(Request(toy, variants=["plain", "wrong"], preset="smoke"), Silent())
    failed = run.forks().among({("wrong", 0)}, "variant", "round")
    assert failed["status"] != "ok"
    assert failed["wall_s"] > 0
    assert failed["os:user_s"] + failed["os:system_s"] > 0


@pytest.mark.parametrize(("budget_s", "arms"), [(30, 2), (5, 4), (300, 2)])
def test_the_least_rounds_of_a_harness_fit_into_the_time_that_was_asked_for(budget_s: float, arms: int) -> None:
    usual = PRESETS["normal"]
    found = _shortened(msgspec.structs.replace(usual, budget_s=budget_s), arms)
    process_s = (found.warmup_ms + found.samples * found.sample_ms) / 1000
    assert found.min_rounds * arms * process_s <= budget_s
    assert (found.sample_ms == usual.sample_ms) is (budget_s == usual.budget_s)
