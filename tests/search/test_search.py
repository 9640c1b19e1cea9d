"""A search from end to end on a component whose best setting is known, and what Ctrl-C leaves."""

from __future__ import annotations

import json
import signal
import time
from typing import Any

import pytest
from labs import FIXTURES, Lab

from perflab.store.runs import find_run

BEST_LEVEL = 9


class SearchLab(Lab):
    """Searches for the best setting of the fixture component."""

    words = ("search", "kettle", "--variant", "copper")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> SearchLab:
    return SearchLab(tmp_path_factory.mktemp("search"), PERFLAB_COMPONENTS=str(FIXTURES / "tuning"))


@pytest.fixture(scope="module")
def found(lab: SearchLab) -> dict[str, Any]:
    """Level 9 with the lid closed is best; a level of 13 does not validate."""
    return lab.json("--over", "level=7,9,13", "--over", "lid=open,closed", "--trials", "10")


def test_it_finds_the_best_setting(found: dict[str, Any]) -> None:
    assert found["best"]["params"] == {"level": BEST_LEVEL, "lid": "closed"}
    assert found["default"]["level"] == 2


def test_the_reported_figure_is_of_fresh_forks_alone(found: dict[str, Any], lab: SearchLab) -> None:
    trials = {trial["run"] for trial in found["trials"]}
    again = found["confirmed"]["run"]
    assert again not in trials
    assert found["best"]["run"] == again
    run = find_run(again, lab.results)
    assert run.header.kind == "search"
    assert run.header.arms[0].label == run.header.baseline == "default"
    # Twice the rounds of a trial, and other seeds than any of them had.
    assert run.ending.rounds == 2 * find_run(found["trials"][0]["run"], lab.results).ending.rounds
    assert run.header.seed not in {find_run(one, lab.results).header.seed for one in trials if one}


def test_a_trial_is_a_run_of_the_setting_against_the_default(found: dict[str, Any], lab: SearchLab) -> None:
    trial = next(one for one in found["trials"] if one["comparison"])
    run = find_run(trial["run"], lab.results)
    assert [arm.params for arm in run.header.arms] == [{}, trial["params"]]
    assert {arm.variant for arm in run.header.arms} == {"copper"}
    assert trial["comparison"]["rounds"] == 3


def test_no_setting_is_tried_twice_and_it_ends_when_all_were(found: dict[str, Any]) -> None:
    settings = [tuple(sorted(trial["params"].items())) for trial in found["trials"]]
    assert len(settings) == len(set(settings)) == 6
    assert found["ended"] == "exhausted"


def test_a_setting_that_does_not_validate_is_a_finding_and_never_the_best(found: dict[str, Any]) -> None:
    failed = [trial for trial in found["trials"] if trial["params"]["level"] == 13]
    assert failed
    assert all("thirteen cups" in trial["failure"] and trial["comparison"] is None for trial in failed)


def test_where_nothing_is_better_nothing_is_confirmed_or_reported(lab: SearchLab) -> None:
    # The default is a level of 2, and is not tried against itself.
    found = lab.json("--over", "level=1,2", "--trials", "3")
    assert [trial["params"] for trial in found["trials"]] == [{"level": 1}]
    assert (found["best"], found["confirmed"]) == (None, None)
    assert "nothing to confirm" in found["notes"][0]


def test_a_person_sees_the_trials_and_where_the_figure_comes_from(lab: SearchLab) -> None:
    said = lab("--over", "level=8,9", "--trials", "2")
    assert "kettle boil: settings of copper" in said.stdout
    assert "best: level=" in said.stdout
    assert "from the confirming run" in said.stdout
    assert "trial 1 of 2" in said.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--over", "level=1..4"], "--trials N"),
        (["--over", "levl=1..4", "--trials", "2"], "did you mean 'level'"),
        (["--over", "level=1..4", "--param", "level=2", "--trials", "2"], "leave --param level out"),
        (["--over", "level=1..4", "--trials", "2", "--variant", "steel"], "exactly one variant"),
    ],
)
def test_wrong_use_is_named_with_what_is_allowed(lab: SearchLab, arguments: list[str], said: str) -> None:
    assert said in lab(*arguments, status=2).stderr


def test_a_default_that_cannot_be_measured_ends_the_search(lab: SearchLab) -> None:
    err = lab("--param", "level=13", "--over", "lid=open,closed", "--trials", "2", status=4).stderr
    assert "thirteen cups" in err


def test_interrupted_it_keeps_and_shows_what_it_had_found(lab: SearchLab) -> None:
    over = ("--over", "level=3..12", "--param", "wait_ms=150", "--trials", "10")
    # A kernel's thread starts its children so, and the stream must end by SIGINT all the same.
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = lab.start(*over, "--stream")
    finally:
        signal.signal(signal.SIGINT, heard)
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(json.loads(line))
        if "trial 2 of" in lines[-1].get("text", ""):
            break
    process.send_signal(signal.SIGINT)
    deadline = time.monotonic() + 120
    lines += [json.loads(line) for line in process.stdout]
    assert process.wait(max(deadline - time.monotonic(), 1)) == 130
    result = next(line["data"] for line in lines if line["type"] == "result")
    assert result["ended"] == "interrupted"
    assert result["best"] is None
    assert len(result["trials"]) >= 1
    assert any("no figure here is confirmed" in note for note in result["notes"])
    kept = json.loads((lab.results / "searches" / result["search"] / "search.json").read_text())
    assert kept["trials"] == result["trials"]
