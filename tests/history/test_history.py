"""Histories from runs that are made by hand: which runs stand in one series, and where the level changed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from runs import HEADER, MACHINE, write_run

from perflab.charts.estimates import history_chart
from perflab.claims.history import Series, collect
from perflab.host.git import Revision
from perflab.model.errors import UsageError
from perflab.model.protocol import Metric, Parameter, Runtime, Scenario
from perflab.store.records import Arm

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = Scenario(
    name="sum",
    operation="a sum",
    unit="ns",
    better="lower",
    metrics=[Metric("p50", "p50", "ns", "lower")],
    parameters=[Parameter("size", "int", 1)],
)
SHAPE = {"warmup_ms": 1.0, "sample_ms": 1.0, "samples": 2.0, "half_width": 0.01}


def made(results: Path, day: int, factor: float, seed: int = 0, **changes: object) -> None:
    """A run in which `b` takes `factor` of the time that `a` takes, on a machine whose speed is another each day."""
    chance = random.Random(f"{seed} {day} {changes}")  # noqa: S311 - a fixture
    speed = chance.uniform(0.5, 2)
    values = {
        "a": [100 * speed * chance.lognormvariate(0, 0.02) for _ in range(5)],
        "b": [100 * speed * factor * chance.lognormvariate(0, 0.02) for _ in range(5)],
    }
    known: dict[str, object] = {
        "created": f"2026-01-{day:02}T00:00:00+00:00",
        "revision": Revision(f"{day:040x}"),
        "scenario": SCENARIO,
        "options": SHAPE,
    }
    cpu, reason = str(changes.pop("cpu", MACHINE.cpu)), str(changes.pop("reason", "rounds"))
    header = msgspec.structs.replace(HEADER, **(known | changes))
    name = f"202601{day:02}-000000-toy-sum-{chance.randrange(16**4):04x}"
    write_run(results, name=name, header=header, values=values, cpu=cpu, reason=reason)


def only(results: Path, **wanted: Any) -> Series:  # noqa: ANN401 - as `collect` takes them
    (series,) = collect(results, "toy", **wanted)
    return series


@pytest.mark.parametrize("seed", range(5))
def test_a_step_lies_between_the_commits_that_made_it(results: Path, seed: int) -> None:
    for day in range(1, 21):
        made(results, day, 0.5 if day < 13 else 0.6, seed)
    series = only(results)
    assert (series.variant, series.baseline, len(series.points)) == ("b", "a", 20)
    (change,) = series.changes
    assert (change.before.commit, change.after.commit) == (f"{12:040x}", f"{13:040x}")
    assert change.step.verdict == "slower"
    assert change.step.estimate is not None
    low, high = change.step.estimate.interval or (0.0, 0.0)
    assert low < 0.5 / 0.6 < high
    assert [round(level, 1) for _, _, level in series.levels] == [2.0, 1.7]
    assert series.to_dict()["changes"][0]["between"] == [change.before.run, change.after.run]


def test_a_point_is_told_no_more_precisely_than_its_run_was_to_be(results: Path) -> None:
    made(results, 1, 0.5, options=SHAPE | {"half_width": 0.2}, reason="precision")
    made(results, 2, 0.5, options=SHAPE | {"half_width": 0.2}, reason="rounds")
    stopped, whole = only(results).points
    assert stopped.estimate.interval == pytest.approx((stopped.estimate.value / 1.2, stopped.estimate.value * 1.2))
    low, high = whole.estimate.interval or (0.0, 0.0)
    assert high / low < 1.2


def test_a_machine_that_is_faster_or_slower_each_day_is_no_change(results: Path) -> None:
    for day in range(1, 21):
        made(results, day, 0.5)
    assert only(results).changes == []
    points = [point.estimate.value for point in only(results, variants=["b"], absolute=True).points]
    assert max(points) / min(points) > 2


def test_a_runtime_that_changed_at_the_same_place_is_named(results: Path) -> None:
    for day in range(1, 13):
        made(results, day, 0.5 if day < 7 else 0.8, runtime=Runtime("JVM", "25" if day < 7 else "26"))
    (change,) = only(results).changes
    assert change.also == ("the runtime: JVM 25 before, JVM 26 after",)


@pytest.mark.parametrize(
    "other",
    [
        {"cpu": "another"},
        {"params": {"size": 2}},
        {"options": SHAPE | {"warmup_ms": 500.0}},
        {"scenario": msgspec.structs.replace(SCENARIO, unit="ops/s", better="higher")},
    ],
)
def test_what_is_not_comparable_is_never_in_one_series(results: Path, other: dict[str, object]) -> None:
    for day in range(1, 4):
        made(results, day, 0.5)
        made(results, day, 0.9, **other)
    made(results, 4, 0.5)
    first, second = collect(results, "toy")
    assert (len(first.points), len(second.points)) == (4, 3)
    assert {round(point.estimate.value) for point in first.points} == {2}


def test_what_others_measured_chooses_no_scenario_and_no_baseline(results: Path) -> None:
    made(results, 1, 0.5)
    for day in (2, 3):
        made(results, day, 0.5, cpu="another", baseline="b")
    made(results, 4, 0.5, cpu="another", scenario=msgspec.structs.replace(SCENARIO, name="other"))
    series = only(results, machine=MACHINE.id)
    assert (series.scenario, series.variant, series.baseline, len(series.points)) == ("sum", "b", "a", 1)
    with pytest.raises(UsageError, match="no complete run of toy of this machine"):
        collect(results, "toy", machine="a third")


def test_two_series_of_one_variant_say_how_long_their_processes_were(results: Path) -> None:
    for warmup_ms in (100, 500):
        made(results, 1, 0.5, options=SHAPE | {"warmup_ms": warmup_ms})
    told = [(one.shape, history_chart(one).text) for one in collect(results, "toy")]
    assert {shape for shape, _ in told} == {f"a process: {ms} ms of warm-up, 2 x 1 ms" for ms in (100, 500)}
    assert all(shape in text for shape, text in told)


def test_what_took_part_as_another_commits_build_is_no_point(results: Path) -> None:
    made(results, 1, 0.5)
    made(results, 2, 0.5, arms=[Arm("a", "a", "before"), Arm("b", "b", "after", commit="c0ffee")])
    made(results, 3, 0.5, plugin="mine.jar")
    made(results, 4, 0.5, kind="noise")
    assert len(only(results).points) == 1


def test_a_run_over_several_values_is_a_point_at_each_of_them(results: Path) -> None:
    times = {("a", 1): 100.0, ("a", 9): 1000.0, ("b", 1): 50.0, ("b", 9): 100.0}
    arms = [Arm(f"{name} size={size}", name, "lab", params={"size": size}) for name, size in times]
    values = {f"{name} size={size}": [time, time + 1, time + 2] for (name, size), time in times.items()}
    turns = msgspec.structs.replace(HEADER, scenario=SCENARIO, options=SHAPE, kind="scaling")

    def write(name: str, arms: list[Arm]) -> None:
        header = msgspec.structs.replace(turns, arms=arms, baseline=arms[0].label)
        write_run(results, name=name, header=header, values={arm.label: values[arm.label] for arm in arms})

    write("1-alone", arms[:2])
    alone = collect(results, "toy")
    assert [(one.variant, one.baseline, one.settings) for one in alone] == [("a", "", {"size": n}) for n in (1, 9)]
    write("2-both", arms)
    made(results, 2, 0.5)
    once, nine = collect(results, "toy")
    assert (once.variant, once.baseline, once.settings, nine.settings) == ("b", "a", {"size": 1}, {"size": 9})
    assert [[round(point.estimate.value) for point in one.points] for one in (once, nine)] == [[2, 2], [10]]


def test_few_runs_are_too_few_and_how_many_are_missing_is_said(results: Path) -> None:
    for day in range(1, 10):
        made(results, day, 0.5 if day < 5 else 5)
    series = only(results)
    assert (series.missing, series.changes) == (1, [])
    made(results, 10, 5)
    assert only(results).missing == 0
    assert [change.index for change in only(results).changes] == [4]


def test_what_there_is_nothing_of_is_an_error_that_helps(results: Path) -> None:
    with pytest.raises(UsageError, match="the store has no complete run of toy"):
        collect(results, "toy")
    made(results, 1, 0.5)
    with pytest.raises(UsageError, match="no metric of sum 'p5'") as raised:
        collect(results, "toy", metric="p5")
    assert "did you mean 'p50'" in raised.value.hint
    with pytest.raises(UsageError, match="no scenario in the runs of toy 'sun'"):
        collect(results, "toy", scenario="sun")
    with pytest.raises(UsageError, match="compares a with a"):
        collect(results, "toy", variants=["a"])
