"""A topic's table: what is void, what was not measured, and which runs count."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from runs import HEADER, write_run

from perflab.claims.standings import find_table_runs, standings
from perflab.host.machine import this_machine
from perflab.model.errors import UsageError
from perflab.model.protocol import Metric, Scenario
from perflab.store.records import Arm
from perflab.topics.catalogue import Component, find_component

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.model.lab import Lab
    from perflab.store.runs import Run

WORST = Metric(name="worst", of="p50", unit="ns", better="lower")


@pytest.fixture
def cups(own_lab: Lab) -> Component:
    return find_component(own_lab, "cups")


def measured(results: Path, scenario: str, name: str, **more: Any) -> Run:  # noqa: ANN401
    """A run of this machine; its worst case is the same for all, see `write_run`."""
    values = more.pop("values")
    header = msgspec.structs.replace(
        HEADER,
        component="cups",
        scenario=Scenario(name=scenario, operation="a cup", unit="ns", better="lower", metrics=[WORST]),
        arms=[Arm(label, label.removesuffix(" (again)"), "peer") for label in values],
        baseline=next(iter(values)),
        **more.pop("header", {}),
    )
    rounds = len(next(iter(values.values())))
    return write_run(results, name=name, header=header, values=values, rounds=rounds, **more)


def three(*rounds: float) -> list[float]:
    return list(rounds) * 3 if len(rounds) == 1 else list(rounds)


def test_shares_void_and_scores(cups: Component, results: Path) -> None:
    pour = measured(results, "pour", "1-pour", values={"mug": three(80), "glass": three(200), "sieve": three(50)})
    rim = measured(
        results,
        "rim",
        "2-rim",
        # It had two good rounds before it broke the rule; they do not count.
        values={"mug": three(400), "glass": three(200), "sieve": [10.0, 10.0, math.nan]},
        failures={"sieve": "nothing is left"},
        void=["sieve"],
    )
    found = standings(cups, [pour, rim])
    assert found.variants == ["glass", "mug", "sieve"]
    assert [one.mean.value for one in found.scores] == pytest.approx([0.625, 0.5625, 0.5])
    assert found.cells["sieve", "rim"].void == "nothing is left"
    assert found.cells["sieve", "rim"].summary is None
    glass = found.cells["glass", "rim"].share
    assert glass
    assert glass.value == 1
    assert [one.worst_scenario for one in found.scores] == ["pour", "rim", "rim"]


def test_the_worst_case_has_shares_and_scores_of_its_own(cups: Component, results: Path) -> None:
    runs = [
        measured(results, name, f"{number}-{name}", values={"mug": three(100), "glass": three(200)})
        for number, name in enumerate(("pour", "rim"))
    ]
    found = standings(cups, runs)
    assert found.worst == "worst"
    # By write_run's percentiles the worst cases are the same, unlike the headline.
    worst = found.cells["glass", "rim"].worst_share
    assert worst
    assert worst.value == 1
    assert {one.mean.value for one in found.worst_scores} == {1.0}


def test_a_defect_is_not_void_and_has_no_score(cups: Component, results: Path) -> None:
    run = measured(
        results,
        "pour",
        "1-pour",
        values={"mug": three(100), "glass": [50.0, 50.0, math.nan]},
        failures={"glass": "it fell"},
    )
    found = standings(cups, [run])
    assert found.cells["glass", "pour"].missing == "it fell"
    assert [one.label for one in found.scores] == ["mug"]
    assert found.variants == ["mug", "glass"], "it stays in the table"


def test_who_was_not_measured_in_a_scenario_has_no_score(cups: Component, results: Path) -> None:
    pour = measured(results, "pour", "1-pour", values={"mug": three(100), "glass": three(50)})
    rim = measured(results, "rim", "2-rim", values={"mug": three(100)})
    found = standings(cups, [pour, rim])
    assert found.cells["glass", "rim"].missing == "not measured"
    assert [(one.label, one.mean.value) for one in found.scores] == [("mug", pytest.approx(0.75))]


def test_the_ranking_of_each_scenario_tells_swaps(cups: Component, results: Path) -> None:
    run = measured(results, "pour", "1-pour", values={"mug": [1.0, 3.0, 1.0], "glass": [2.0, 2.0, 2.0]})
    (swap,) = standings(cups, [run]).rankings["pour"].swaps
    assert (swap.ahead, swap.behind, swap.swapped, swap.rounds) == ("mug", "glass", 1, 3)


def test_runs_of_two_machines_make_no_table(cups: Component, results: Path) -> None:
    runs = [
        measured(results, name, f"1-{name}", values={"mug": three(1)}, cpu=cpu)
        for name, cpu in (("pour", "one"), ("rim", "another"))
    ]
    with pytest.raises(UsageError, match="different machines"):
        standings(cups, runs)


def here(results: Path, name: str, values: dict[str, list[float]], **header: Any) -> Run:  # noqa: ANN401
    """A run that this machine made, unlike that of `write_run`, whose machine is made up."""
    run = measured(results, "pour", name, values=values, header=header)
    changed = msgspec.structs.replace(run.header, machine=this_machine())
    (run.folder / "run.json").write_bytes(msgspec.json.encode(changed))
    return run


def test_the_fullest_run_counts_and_of_these_the_newest(cups: Component, results: Path) -> None:
    full = {"mug": three(1), "glass": three(2)}
    here(results, "1-old", full)
    here(results, "2-full", full)
    here(results, "3-one", {"mug": three(1)})
    assert [run.id for run in find_table_runs(cups)] == ["2-full"]


def test_a_damaged_run_gives_way_to_the_next(cups: Component, results: Path) -> None:
    full = {"mug": three(1), "glass": three(2)}
    here(results, "1-whole", full)
    for path in here(results, "2-damaged", full).folder.glob("samples.*"):
        path.write_bytes(b"{}")
    assert [run.id for run in find_table_runs(cups)] == ["1-whole"]


def test_a_run_with_a_plug_in_owns_no_table_and_one_that_proves_nothing_only_for_want_of_another(
    cups: Component, results: Path
) -> None:
    here(results, "1-smoke", {"mug": three(1), "glass": three(2), "sieve": three(3)}, preset="smoke")
    assert [run.id for run in find_table_runs(cups)] == ["1-smoke"]
    here(results, "2-quick", {"mug": three(1), "glass": three(2)})
    here(results, "3-plugin", {"mug": three(1), "glass": three(2), "mine": three(3)}, plugin="mine.jar")
    assert [run.id for run in find_table_runs(cups)] == ["2-quick"]


def test_a_noise_run_or_one_of_another_machine_is_no_part_of_it(cups: Component, results: Path) -> None:
    here(results, "1-noise", {"mug": three(1), "mug (again)": three(1)}, kind="noise")
    measured(results, "pour", "2-there", values={"mug": three(1)})
    with pytest.raises(UsageError, match="no scenario of cups's table has been measured"):
        find_table_runs(cups)


def test_without_local_runs_the_reference_runs_count(cups: Component, results: Path) -> None:
    cups = replace(cups, lab=replace(cups.lab, reference=results / "reference"))
    measured(results / "reference", "pour", "1-reference", values={"mug": three(1)})
    found = standings(cups, find_table_runs(cups))
    assert found.runs["pour"].id == "1-reference"
    assert "not measured, and so not in the scores: rim" in found.notes
