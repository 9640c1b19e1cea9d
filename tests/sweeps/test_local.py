"""Sweeps of this machine from outside: what is measured, kept, shown and taken up again."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from kettles import parameters
from waiting import wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from kettles import Kettles

    from conftest import Here

TWO = ("-v", "plain", "-v", "wide")


def comparison(point: dict[str, Any]) -> dict[str, Any]:
    (found,) = point["comparisons"]
    return dict(found)


def test_a_curve_has_a_run_of_all_variants_at_each_point(here: Here) -> None:
    found = here.sweep("kettle", *TWO, "--over", "batch=1..8", "--param", "size=100")
    assert set(found) >= {"sweep", "topic", "scenario", "baseline", "over", "points", "missing"}
    assert (found["topic"], found["scenario"], found["baseline"]) == ("kettle", "boil", "plain")
    assert found["over"] == {"batch": [1, 2, 4, 8]}
    assert [point["params"] for point in found["points"]] == [{"batch": n} for n in (1, 2, 4, 8)]
    assert found["missing"] == []
    assert {point["run"] for point in found["points"]} == {folder.name for folder in here.runs()}
    for point, factor in zip(found["points"], (1, 1, 2, 2), strict=True):
        one = comparison(point)
        assert one["estimate"] == pytest.approx(factor, rel=0.03)
        assert one["low"] <= one["estimate"] <= one["high"]
        assert point["machine"]["id"]
    again = json.loads(here("compare", found["points"][0]["run"], "--json").stdout)
    assert again["comparisons"] == found["points"][0]["comparisons"], "a point says what its run says"


def test_points_are_measured_in_the_seeds_order_and_listed_in_the_grids(here: Here) -> None:
    sizes = [1, 2, 3, 4, 5, 6]
    found = here.sweep("kettle", "-v", "plain", "--over", "size=1..6:1", "--seed", "3", "--rounds", "2")
    assert [point["params"]["size"] for point in found["points"]] == sizes
    order = [parameters(folder)["size"] for folder in here.runs()]
    assert sorted(order) == sizes
    assert order not in (sizes, sizes[::-1])


def test_two_parameters_make_a_map_and_a_person_sees_a_table(here: Here) -> None:
    said = here("sweep", "kettle", *TWO, "--over", "size=10,20", "--over", "batch=1,4").stdout
    assert "kettle boil over size, batch, against plain" in said
    assert len([line for line in said.splitlines() if " wide " in line and "size=" not in line]) == 4
    assert "(smoke, 4 points) on " in said
    (page,) = here.results.glob("charts/*/*.html")
    assert page.name == "factors-wide.html"
    assert str(page) in said


def test_values_out_of_range_are_refused_before_anything_is_measured(here: Here) -> None:
    said = here("sweep", "kettle", "--over", "size=1,5000", status=2)
    assert "allowed: 1 to 4096" in said.stderr
    assert not here.results.exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "sweep what?"),
        (["kettle"], "nothing to sweep"),
        (["kettle", "--over", "size=1,2", "-p", "size=3"], "swept and fixed"),
        (["kettle", "--over", "size=1,2", "-v", "wid"], "did you mean 'wide'"),
        (["kettle", "--over", "size=1,2", "--baseline", "thermos"], "no baseline"),
        (["--resume", "latest"], "there are no sweeps yet"),
        (["kettle", "--resume", "latest"], "takes everything from the sweep"),
        (["--show", "latest", "--seed", "4"], "takes everything from the sweep"),
        (["--show", "latest", "--resume", "latest"], "leave --show out"),
    ],
)
def test_wrong_use_is_one_line_with_the_fix(here: Here, arguments: list[str], says: str) -> None:
    said = here("sweep", *arguments, status=2)
    assert says in said.stderr
    assert "Traceback" not in said.stderr


def test_a_point_that_cannot_be_measured_is_missing_with_its_reason_and_the_others_go_on(here: Here) -> None:
    found = here.sweep("kettle", *TWO, "--over", "size=12..14:1", status=4)
    assert [point["params"]["size"] for point in found["points"]] == [12, 14]
    (gap,) = found["missing"]
    assert gap["params"] == {"size": 13}
    assert "nobody boils 13 litres" in gap["why"]


def test_a_variant_that_is_void_at_a_point_is_no_failure_and_leaves_the_others_there(here: Here) -> None:
    found = here.sweep("kettle", "--over", "size=32,64")
    assert [[one["candidate"] for one in point["comparisons"]] for point in found["points"]] == [
        ["wide", "leaky"],
        ["wide"],
    ]
    assert found["points"][1]["void"] == ["leaky"]


def wait_for_points(lab: Kettles, number: int) -> None:
    def kept() -> int:
        return sum(len(path.read_text().splitlines()) for path in lab.results.glob("sweeps/*/points.jsonl"))

    wait_for(lambda: kept() >= number, "too few points were kept")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_sweep_keeps_its_points_and_measures_only_what_is_missing(
    lab: Kettles, how: signal.Signals
) -> None:
    arguments = ("sweep", "kettle", *TWO, "--over", "size=1..5:1", "--budget", "1")
    process = lab.start(*arguments, PERFLAB_TEST_PACE_S="0.1")
    wait_for_points(lab, 2)
    process.send_signal(how)
    _, said = process.communicate(timeout=600)
    kept = lab.sweep("--show", "latest", status=4)
    first = {point["run"] for point in kept["points"]}
    assert 2 <= len(first) < 5
    assert {gap["why"] for gap in kept["missing"]} == {"not measured yet"}
    if how is signal.SIGINT:
        assert process.returncode == 130, said
        assert f"./lab sweep --resume {kept['sweep']}" in said
    before = set(lab.runs())
    lab.environment["PERFLAB_PRESET"] = "normal"
    whole = lab.sweep("--resume", kept["sweep"])
    assert whole["sweep"] == kept["sweep"]
    assert [point["params"]["size"] for point in whole["points"]] == [1, 2, 3, 4, 5]
    assert whole["missing"] == []
    assert first < {point["run"] for point in whole["points"]}
    assert len(set(lab.runs()) - before) == 5 - len(first), "what was there is not measured again"
    options = [json.loads((folder / "run.json").read_text())["options"] for folder in lab.runs()]
    assert all(one == options[0] for one in options), "it goes on as it began, whatever the presets are now"
    again = lab.sweep("--resume", "latest")
    assert again["points"] == whole["points"]
    assert len(lab.runs()) == len(before) + 5 - len(first)


def test_a_sweep_is_shown_again_and_its_charts_drawn(here: Here) -> None:
    whole = here.sweep("kettle", *TWO, "--over", "lid=no,yes")
    assert here.sweep("--show", whole["sweep"]) == whole
    messages = [json.loads(line) for line in here("sweep", "--show", "latest", "--stream").stdout.splitlines()]
    figures = [one["data"] for one in messages if one["type"] == "display"]
    assert [one["text/plain"].splitlines()[0] for one in figures if "application/vnd.plotly.v1+json" in one] == [
        "kettle boil over lid",
        "kettle boil over lid: over plain",
    ]
    assert messages[-1] == {"type": "result", "data": whole}
    assert len(here.runs()) == 2


def test_a_second_measurement_waits_for_no_gap_in_a_sweep(lab: Kettles) -> None:
    process = lab.start("sweep", "kettle", "-v", "plain", "--over", "size=1..4:1", PERFLAB_TEST_PACE_S="0.5")
    wait_for_points(lab, 1)
    said = lab("measure", "kettle", "-v", "plain", status=3)
    process.communicate(timeout=600)
    assert "something else is being measured" in said.stderr
    assert process.returncode == 0


def test_a_notebook_sweeps_with_python_values_and_goes_on_with_what_it_got(lab: Kettles, tmp_path: Path) -> None:
    launcher = tmp_path / "lab"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m perflab "$@"\n')
    launcher.chmod(0o755)
    code = (
        "from perflab.labkit import lab\n"
        "found = lab.sweep('kettle', over={'size': [1, 2], 'heat': '0.5..1'}, variants=['plain', 'wide'])\n"
        "assert [p['params'] for p in found['points']][0] == {'size': 1, 'heat': 0.5}, found\n"
        "assert lab.sweep(resume=found) == lab.sweep(show=found['sweep']) == found\n"
    )
    environment = {**lab.environment, "PERFLAB_LAUNCHER": str(launcher)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(lab.runs()) == 4
