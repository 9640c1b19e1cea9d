"""`lab bench` with the options of hyperfine."""

from __future__ import annotations

import csv
import json
import signal
from typing import TYPE_CHECKING

import pytest
from labs import Lab
from waiting import wait_for

from perflab.store.runs import find_run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    found = Lab(tmp_path)
    found.place = tmp_path
    (tmp_path / "words").write_text("b\na\nb\n")
    return found


def test_commands_around_run_in_their_order_and_are_not_measured(lab: Lab, tmp_path: Path) -> None:
    found = lab.json(
        *("bench", "echo $HYPERFINE_ITERATION >> log", "true", "-n", "one", "--warmup", "2", "--runs", "2"),
        *("-s", "echo setup >> log", "-p", "sleep 0.2; echo prepare >> log", "-p", "sleep 0.2"),
        *("-C", "echo conclude >> log", "-C", "sleep 0.2", "-c", "echo cleanup >> log"),
    )
    runs = [["prepare", one, "conclude"] for one in ("warmup-0", "warmup-1", "0", "1")]
    assert (tmp_path / "log").read_text().split() == ["setup", *(line for run in runs for line in run), "cleanup"]
    assert all(one["mean"] < 1e8 for one in found["variants"].values())
    assert list(found["variants"]) == ["one", "true"]
    header = find_run("latest", lab.results).header
    assert header.options["warmup_runs"] == 2
    assert header.arms[0].params == {
        "command": "echo $HYPERFINE_ITERATION >> log",
        "shell": "/bin/sh",
        "name": "one",
        "setup": "echo setup >> log",
        "prepare": "sleep 0.2; echo prepare >> log",
        "conclude": "echo conclude >> log",
        "cleanup": "echo cleanup >> log",
    }


def test_a_state_that_one_command_sets_up_is_not_the_others(lab: Lab, tmp_path: Path) -> None:
    found = lab.json(
        *("bench", "test $(cat state) = {n}", "grep -q {n} state", "-L", "n", "1,2", "--runs", "3"),
        *("--setup", "echo {n} > state", "--cleanup", "test $(cat state) = {n} && rm state"),
    )
    assert found["failures"] == {}
    assert [note for note in found["notes"] if note.startswith("--setup and --cleanup run around each run")]
    assert not (tmp_path / "state").exists()


def test_a_server_that_prepare_starts_serves_the_command(lab: Lab) -> None:
    prepare = "sleep 300 & echo $! > pid"
    found = lab.json("bench", "kill -0 $(cat pid)", "true", "--prepare", prepare, "--conclude", "kill $(cat pid)")
    assert found["failures"] == {}


@pytest.mark.parametrize("option", ["setup", "prepare", "conclude", "cleanup"])
def test_a_failure_around_ends_the_run_with_its_output(lab: Lab, tmp_path: Path, option: str) -> None:
    cleanup = [] if option == "cleanup" else ["--cleanup", "echo x > cleaned"]
    said = lab("bench", "true", "false", "-i", f"--{option}", "echo no disk >&2; exit 3", *cleanup, status=4).stderr
    assert f"error: --{option} ended with status 3: echo no disk" in said
    assert "log: no disk" in said
    assert (tmp_path / "cleaned").exists() is (option != "cleanup")


def test_ctrl_c_cleans_up(lab: Lab, tmp_path: Path) -> None:
    process = lab.start("bench", "echo > begun; sleep 300", "true", "-C", "echo > concluded", "-c", "echo > cleaned")
    wait_for(lambda: (tmp_path / "begun").exists() or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    assert (tmp_path / "concluded").exists()
    assert (tmp_path / "cleaned").exists()


def test_input_and_output_are_where_they_are_told(lab: Lab, tmp_path: Path) -> None:
    two = ("cat", "sort -r", "--output", "./one-{n}", "--output", "null", "--input", "words", "-L", "n", "7")
    assert lab.json("bench", *two)["failures"] == {}
    assert (tmp_path / "one-7").read_text() == "b\na\nb\n"
    assert find_run("latest", lab.results).header.arms[0].params["output"] == "./one-{n}"
    assert lab("bench", "echo seen", "--show-output", "--runs", "2").stderr.splitlines().count("seen") == 3


def test_some_failures_may_be_ignored(lab: Lab) -> None:
    commands = ("true", "sh -c 'exit 2'", "sh -c 'exit 3'")
    assert list(lab.json("bench", *commands, "-i=2,7", status=4)["failures"]) == [commands[2]]
    assert lab.json("bench", "--ignore-failure", *commands)["failures"] == {}
    assert "ended by SIGKILL" in lab("bench", "-i", "true", "kill -9 $$", status=4).stderr


def test_exports_are_hyperfines(lab: Lab, tmp_path: Path) -> None:
    files = [text for form in ("json", "csv", "markdown") for text in (f"--export-{form}", form)]
    told = ("sh -c 'exit {n}'", "-i", "sleep 0.0{n}", "-L", "n", "1,2", "-L", "m", "a|b", "-n", "say\n{n}", "-r", "3")
    lab("bench", *told, *files, "--prepare", "true '{m}'")
    results = json.loads((tmp_path / "json").read_text())["results"]
    assert [one["command"] for one in results] == ["say\n1", "sleep 0.01", "say\n2", "sleep 0.02"]
    assert [one["exit_codes"] for one in results] == [[1] * 3, [0] * 3, [2] * 3, [0] * 3]
    one = results[1]
    figures = ["mean", "stddev", "median", "user", "system", "min", "max"]
    assert [name for name in one if name != "memory_usage_byte"] == [
        "command",
        *figures,
        "times",
        "exit_codes",
        "parameters",
    ]
    assert 0.01 <= one["min"] <= one["median"] <= one["max"]
    assert one["mean"] == pytest.approx(sum(one["times"]) / 3)
    assert one["parameters"] == {"m": "a|b", "n": "1"}
    rows = list(csv.DictReader((tmp_path / "csv").read_text().splitlines()))
    assert list(rows[0]) == ["command", *figures, "parameter_m", "parameter_n"]
    assert float(rows[-1]["mean"]) == pytest.approx(results[-1]["mean"])
    head, _, first, *_, last = (tmp_path / "markdown").read_text().splitlines()
    assert head == "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |"
    assert first.startswith("| `say 1 (m = a\\|b)` | ")
    assert last.startswith("| `sleep 0.02 (m = a\\|b)` | ")
    lab("bench", "true", "--runs", "1", "--export-json", "once")
    assert json.loads((tmp_path / "once").read_text())["results"][0]["stddev"] is None


def test_values_replace_what_is_typed_and_no_more(lab: Lab) -> None:
    lab("bench", "true {a} {b} {c}", "-L", "a", "{b},x", "-L", "b", "007,x:2", "--runs", "2")
    arms = find_run("latest", lab.results).header.arms
    assert [(arm.params["a"], arm.params["b"]) for arm in arms] == [
        ("{b}", "007"),
        ("{b}", "x:2"),
        ("x", "007"),
        ("x", "x:2"),
    ]
    lab("bench", "test {a} != 0.2", "-P", "a", "0.3", "0.75", "-D", "0.2", "--runs", "2")
    assert [arm.params["a"] for arm in find_run("latest", lab.results).header.arms] == ["0.3", "0.5", "0.7"]
    lab("bench", "true", "--setup", "test {a} -gt -2", "-P", "a", "-1", "1", "--runs", "2")
    assert [arm.params["a"] for arm in find_run("latest", lab.results).header.arms] == [-1, 0, 1]


def test_unusual_names_stay_apart(lab: Lab) -> None:
    names = ["-n", "zwei Wörter\n'x'", "-n", "", "-n", "zwei Wörter\n'x'"]
    found = lab.json("bench", "true", "true", "true", "true", *names, "--runs", "2")
    assert list(found["variants"]) == ["zwei Wörter 'x'", "true", "zwei Wörter 'x'-2", "true-2"]


def test_a_saved_bench_has_all_of_them(lab: Lab, tmp_path: Path) -> None:
    lab("init")
    told = (
        "-n",
        "one",
        "-p",
        "echo p",
        "-C",
        "true",
        "-s",
        "true {n}",
        "-c",
        "true",
        "--input",
        "words",
        "--output",
        "null",
    )
    lab("bench", "cat", "sort", *told, "-S", "bash", "-i=3", "-L", "n", "1,2", "--runs", "2", "--save", "all")
    typed = find_run("latest", lab.results).header.arms
    lab("bench", "all", "--runs", "2", "--warmup", "0", "--export-json", "again")
    again = find_run("latest", lab.results).header
    assert [arm.params for arm in again.arms] == [arm.params for arm in typed]
    assert again.options["warmup_runs"] == 0
    assert len(json.loads((tmp_path / "again").read_text())["results"]) == 4


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["a", "b", "-p", "x", "-p", "y", "-p", "z"], "--prepare is given 3 times for 2 commands"),
        (["a", "--output", "nul"], "none of null, pipe and inherit"),
        (["a", "--pattern", "(1) ns", "--output", "null"], "--pattern reads what commands print"),
        (["a", "-n", "b", "-n", "c"], "there are 2 names for 1 commands"),
        (["a", "--gbench", "x", "--setup", "true"], "--setup is for commands"),
        (["a", "--gbench", "x", "--export-json", "y"], "--export-json is for commands"),
        (["a", "-i=x"], "cannot read --ignore-failure=x"),
        (["a", "-r", "3", "-m", "2"], "contradict each other"),
        (["a", "-m", "3", "-M", "2"], "contradict each other"),
        (["a {n}", "-L", "n", "1\\,2"], "has a comma"),
        (["a {n}", "-L", "n", "1..3"], "is a range for --over"),
        (["a {n}", "-P", "n", "3", "1"], "cannot scan n from 3 to 1"),
        (["a {n}", "-P", "n", "1", "2.5"], "cannot scan n"),
        (["a {n}", "-P", "n", "1", "9", "-D", "0"], "cannot scan n"),
        (["a", "-D", "1"], "is that of --parameter-scan"),
        (["a", "-L", "n", "1,2"], "no command has {n}"),
        (["a", "-S", "bash 'x"], "No closing quotation"),
        (["a", "--samples", "3"], "leave --sample and --samples out"),
    ],
)
def test_what_cannot_be_is_one_line_before_anything_runs(lab: Lab, arguments: Sequence[str], says: str) -> None:
    assert says in lab("bench", *arguments, status=2).stderr
