"""The command line from outside: what it prints, and its exit status."""

from __future__ import annotations

import fcntl
import json
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
import pytest
from labs import FIXTURES, ROOT, Lab
from waiting import is_gone, wait_for

from perflab.cli.main import COMMANDS
from perflab.host.lock import lock_file
from perflab.site.downloads import repeat_run
from perflab.store.runs import find_run


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path, PERFLAB_COMPONENTS=str(FIXTURES / "components"), PERFLAB_CLAIMS=str(FIXTURES / "claims"))


def test_without_a_command_it_lists_commands_and_topics(lab: Lab) -> None:
    said = lab().stdout
    assert "reproduce" in said
    assert "toy    Sums: adding more numbers than needed" in said


def test_every_command_has_help_with_an_example(lab: Lab) -> None:
    for name in COMMANDS:
        assert f"./lab {name}" in lab(name, "--help").stdout, name


def test_measure_gives_ratios_with_intervals(lab: Lab) -> None:
    found = lab.json("measure", "toy", "--variant", "plain", "--variant", "wasteful")
    assert found["baseline"] == "wasteful"
    (comparison,) = found["comparisons"]  # type: ignore[misc]
    assert comparison["candidate"] == "plain"
    assert comparison["low"] <= comparison["estimate"] <= comparison["high"]
    assert comparison["rounds"] == 3
    assert list(found["figures"]) == ["plain"]  # type: ignore[call-overload]
    assert "x [" in found["figures"]["plain"]  # type: ignore[index]


def test_values_of_a_parameter_take_turns_in_one_run(lab: Lab) -> None:
    found = lab.json("measure", "toy", "-v", "plain", "-v", "wasteful", "--baseline", "plain", "--over", "size=1,50")
    assert found["baseline"] == "plain size=1"
    assert set(found["variants"]) == {f"{name} size={size}" for name in ("plain", "wasteful") for size in (1, 50)}  # type: ignore[call-overload]
    run = find_run("latest", lab.results)
    assert (run.header.kind, run.header.params) == ("scaling", {})
    assert Counter(round_ for round_, _ in set(run.samples().cells("round", "variant"))) == {0: 4, 1: 4, 2: 4}
    slower = next(one for one in found["comparisons"] if one["candidate"] == "plain size=50")  # type: ignore[attr-defined]
    assert slower["estimate"] < 1
    assert "--over size=1,50" in repeat_run(run.header)


def test_measure_shows_the_same_to_a_person(lab: Lab) -> None:
    said = lab("measure", "toy", "--variant", "plain", "--variant", "wasteful").stdout
    assert "toy sum: against wasteful" in said
    assert "run 20" in said


def test_measure_streams_progress_charts_and_the_result(lab: Lab) -> None:
    lines = lab("measure", "toy", "-v", "plain", "-v", "wasteful", "--stream").stdout.splitlines()
    messages = [json.loads(line) for line in lines]
    assert {message["type"] for message in messages} - {"note"} == {"progress", "display", "result"}
    assert messages[-1]["type"] == "result"
    shown = [message["data"] for message in messages if message["type"] == "display"]
    assert all("application/vnd.plotly.v1+json" in data and data["text/plain"] for data in shown)


def test_a_variant_that_does_not_validate_is_a_finding_and_the_others_go_on(lab: Lab) -> None:
    found = lab.json("measure", "toy", status=4)
    assert "did not validate: sum wrong" in found["failures"]["wrong"]  # type: ignore[index]
    assert [one["candidate"] for one in found["comparisons"]] == ["plain"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["measure", "tay"], "did you mean 'toy'"),
        (["measure", "toy", "-s", "sun"], "did you mean 'sum'"),
        (["measure", "toy", "-v", "plane"], "did you mean 'plain'"),
        (["measure", "toy", "-p", "siz=1"], "did you mean 'size'"),
        (["measure", "toy", "-p", "size=1000"], "allowed: 1 to 100"),
        (["measure", "toy", "-p", "size"], "name=value"),
        (["measure", "toy", "--metric", "p99"], "no metric of sum 'p99'"),
        (["measure", "toy", "--baseline", "plan"], "did you mean 'plain'"),
        (["measure", "toy", "--over", "siz=1,2"], "did you mean 'size'"),
        (["measure", "toy", "--over", "size=1,2", "-p", "size=3"], "leave --param size out"),
        (["measure", "toy", "--over", "size=1,2", "--save-baseline", "x"], "--param in place of --over"),
        (["measure", "toy", "--over", "size=1,2", "--at", "HEAD"], "--param in place of --over"),
        (["compare", "latest"], "no runs yet"),
        (["claims", "toyz"], "did you mean 'toys'"),
        (["claims", "--verdict", "refutd"], "did you mean 'refuted'"),
        (["mesure", "toy"], "No such command 'mesure'"),
        (["profile", "toy", "-v", "plain"], "no profiler applies"),
        (["check", "toy", "--plugin", "lab"], "takes no plug-ins"),
        (["check", "toy"], "--plugin PATH, or --variant NAME"),
        (["check", "toy", "-v", "plane"], "did you mean 'plain'"),
    ],
)
def test_wrong_use_is_one_line_with_the_fix_and_status_2(lab: Lab, arguments: list[str], says: str) -> None:
    said = lab(*arguments, status=2)
    assert says in said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize("command", [("measure", "toy"), ("sweep", "toy", "--over", "size=1,2")])
def test_a_metric_that_does_not_exist_is_refused_before_anything_is_measured(
    lab: Lab, command: tuple[str, ...]
) -> None:
    assert "no metric of sum 'sun'" in lab(*command, "--metric", "sun", status=2).stderr
    assert not list(lab.results.glob("runs/*"))


def test_a_variant_is_checked_against_the_contract_and_a_known_finding_is_no_failure(lab: Lab) -> None:
    (passed,) = lab.json("check", "toy", "--variant", "plain")["checks"]  # type: ignore[misc]
    assert passed["passed"]
    (finding,) = lab.json("check", "toy", "--variant", "wrong")["checks"]  # type: ignore[misc]
    assert (finding["passed"], finding["known"]) == (False, True)
    assert "known to fail" in lab("check", "toy", "--variant", "wrong").stdout


def test_a_second_measurement_is_told_who_holds_the_lock(lab: Lab, tmp_path: Path) -> None:
    folder = tmp_path / "lock"
    folder.mkdir(parents=True)
    with lock_file(folder).open("w") as file:
        print("process 1: measure toy", file=file, flush=True)
        fcntl.flock(file, fcntl.LOCK_EX)
        said = lab("measure", "toy", "-v", "plain", status=3)
    assert "something else is being measured on this machine: process 1: measure toy" in said.stderr


def test_results_that_cannot_be_written_are_missing_not_a_crash(lab: Lab) -> None:
    lab.results.parent.mkdir(exist_ok=True)
    lab.results.write_text("a file where a folder should be")
    said = lab("measure", "toy", "-v", "plain", status=3)
    assert "point PERFLAB_RESULTS" in said.stderr
    assert "Traceback" not in said.stderr


def _until_it_has_samples(lab: Lab) -> None:
    wait_for(lambda: any(path.stat().st_size for path in lab.results.glob("runs/*/samples.jsonl")), "no sample")


def test_an_interrupt_keeps_what_was_measured_and_marks_it(lab: Lab) -> None:
    process = lab.start("measure", "rogue", "-v", "endless", "-v", "good")
    _until_it_has_samples(lab)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "what was measured until now is kept" in said
    (run,) = lab.json("runs")  # type: ignore[misc]
    assert run["state"] == "interrupted"  # type: ignore[index]
    assert "partial" in run["notes"][0]  # type: ignore[index]


def test_a_terminated_lab_ends_its_children_and_keeps_what_was_measured(lab: Lab) -> None:
    process = lab.start("measure", "rogue", "-v", "endless", "-v", "good")
    _until_it_has_samples(lab)
    time.sleep(0.5)
    children = [child.pid for child in psutil.Process(process.pid).children(recursive=True)]
    process.terminate()
    process.communicate(timeout=600)
    # One of them is the watcher, which ends when it has seen that nothing is left.
    wait_for(lambda: all(is_gone(pid) for pid in children), "a child runs on")
    assert [one["state"] for one in lab.json("runs")] == ["interrupted"]  # type: ignore[index]


def test_a_stream_that_nobody_reads_any_more_ends_what_it_measured(lab: Lab) -> None:
    process = lab.start("measure", "rogue", "-v", "endless", "-v", "good", "--stream")
    _until_it_has_samples(lab)
    time.sleep(0.5)  # into the fork that has no end and says nothing
    process.stdout.close()  # type: ignore[union-attr]
    assert process.wait(timeout=600) == 130
    process.stderr.close()  # type: ignore[union-attr]
    assert [one["state"] for one in lab.json("runs")] == ["interrupted"]  # type: ignore[index]


def test_noise_is_kept_and_drawn(lab: Lab) -> None:
    band = lab.json("noise", "toy", "-v", "plain")["noise"]
    assert band["low"] <= 1 <= band["high"]  # type: ignore[index]
    measured = lab.json("measure", "toy", "-v", "plain", "-v", "wasteful")
    assert measured["noise"] == band


def test_two_runs_are_compared_and_said_not_to_be_interleaved(lab: Lab) -> None:
    first = lab.json("measure", "toy", "-v", "plain")["run"]
    second = lab.json("measure", "toy", "-v", "plain")["run"]
    process = lab.start("compare", str(first), str(second), "--variant", "plain", "--json")
    found = json.loads(process.communicate(timeout=600)[0])
    assert process.returncode in {0, 1}
    assert "not interleaved" in found["notes"][0]
    process = lab.start("compare", str(first), str(second), "--variant", "plain", "--stream")
    messages = [json.loads(line) for line in process.communicate(timeout=600)[0].splitlines()]
    assert process.returncode in {0, 1}
    assert [one for one in messages if one["type"] == "display"], "notebooks show it as a chart"
    larger = lab.json("measure", "toy", "-v", "plain", "-p", "size=20")["run"]
    process = lab.start("compare", str(first), str(larger), "--variant", "plain", "--json")
    (found,) = json.loads(process.communicate(timeout=600)[0])["comparisons"]
    assert (found["baseline"], found["candidate"]) == ("plain size=1", "plain size=20")


def test_claims_are_judged_by_local_reproductions(lab: Lab) -> None:
    before = {one["id"]: one for one in lab.json("claims", "toys")["claims"]}  # type: ignore[attr-defined]
    assert before["plain-is-faster"]["verdict"] == "not run"
    lab.json("measure", "toy", "-v", "plain", "-v", "wasteful")
    smoke = {one["id"]: one for one in lab.json("claims", "toys")["claims"]}  # type: ignore[attr-defined]
    assert smoke["plain-is-faster"]["verdict"] == "not run", "a smoke run proves nothing"
    lab.environment["PERFLAB_PRESET"] = "quick"
    lab("measure", "toy", "-v", "plain", "-v", "wasteful")
    explored = {one["id"]: one for one in lab.json("claims", "toys")["claims"]}  # type: ignore[attr-defined]
    assert explored["plain-is-faster"]["verdict"] == "not run", "no reproduction made it"
    lab.start("reproduce", "toy", "--all", "--minutes", "0.1").communicate()
    after = {one["id"]: one for one in lab.json("claims", "toys")["claims"]}  # type: ignore[attr-defined]
    assert after["plain-is-faster"]["runs"]
    assert after["plain-is-faster"]["interval"] is not None
    # Of a run that other work disturbed nothing is decided, and tests run beside others.
    ending = find_run(after["sum-is-quick"]["runs"][-1], lab.results).ending
    assert ending is not None
    busy = ending.load.disturbs_threads
    assert after["sum-is-quick"]["verdict"] == ("undecided" if busy else "reproduced")
    assert busy or lab.json("claims", "toys")["chance"]["toys"]["decided"] >= 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("component: toy", "component: tay", "toys.yaml:3: no topic 'tay'"),
        ("scenario: sum", "scenario: sun", "toys.yaml:5: claim 'plain-is-faster': no scenario of toy 'sun'"),
        ("candidate: plain", "candidate: plane", "did you mean 'plain'"),
        ("scenario: sum", "scenario: sum\n    metric: allocs", "no metric of sum 'allocs'"),
        ("scenario: sum", "scenario: sum\n    params: {sise: 2}", "did you mean 'size'"),
        ("scenario: sum", "scenario: sum\n    params: {size: '2'}", "size is '2', and must be 2"),
    ],
)
def test_a_name_that_is_misspelt_in_a_ledger_is_not_a_run_that_is_missing(
    lab: Lab, tmp_path: Path, old: str, new: str, says: str
) -> None:
    text = (FIXTURES / "claims" / "toys.yaml").read_text()
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "toys.yaml").write_text(text.replace(old, new, 1))
    lab("build", "toy")
    said = lab("claims", status=2, PERFLAB_CLAIMS=str(tmp_path / "claims"))
    assert says in said.stderr


def test_a_folder_of_ledgers_that_is_not_there_is_an_error(lab: Lab, tmp_path: Path) -> None:
    folder = str(tmp_path / "nowhere")
    assert folder in lab("claims", status=2, PERFLAB_CLAIMS=folder).stderr


def test_reproduce_measures_judges_and_draws(lab: Lab) -> None:
    found = lab.json("reproduce", "toy")
    assert {one["id"] for one in found["claims"]} == {"plain-is-faster", "sum-is-quick"}  # type: ignore[attr-defined]
    assert all(Path(path).stat().st_size for path in found["charts"])  # type: ignore[attr-defined]
    assert (Path(str(found["folder"])) / "reproduction.json").exists()


def test_charts_are_written_as_pages_that_need_no_network(lab: Lab) -> None:
    lab.json("measure", "toy", "-v", "plain", "-v", "wasteful")
    pages = [Path(path) for path in lab.json("chart")["charts"]]  # type: ignore[attr-defined]
    assert [page.stem for page in pages] == ["ratios", "values", "distribution"]
    assert all('src="plotly.min.js"' in page.read_text() for page in pages)


def test_a_table_is_made_of_the_fullest_runs_and_says_what_is_void(lab: Lab) -> None:
    assert "no scenario of cups's table has been measured" in lab("table", "cups", status=2).stderr
    lab("measure", "cups", "-s", "pour")
    lab("measure", "cups", "-s", "rim")
    lab("measure", "cups", "-s", "pour", "-v", "mug")
    found: Any = lab.json("table", "cups")
    shares = {
        name: [cell["share"]["value"] for cell in one["scenarios"].values()] for name, one in found["variants"].items()
    }
    assert shares == {
        "mug": pytest.approx([0.625, 0.5]),
        "glass": pytest.approx([0.25, 1]),
        "sieve": pytest.approx([1, 0]),
    }
    assert found["variants"]["sieve"]["scenarios"]["rim"]["void"] == "nothing is left at the rim"
    assert found["variants"]["glass"]["score"]["mean"]["value"] == pytest.approx(0.625)
    assert list(found["variants"]) == ["glass", "mug", "sieve"]
    said = lab("table", "cups").stdout
    assert "cups: all variants" in said
    assert "sieve is void in rim: nothing is left at the rim" in said
    assert "measured by the preset smoke, which proves nothing: pour, rim" in said


def test_a_tables_charts_are_drawn_for_any_run_of_its_topic(lab: Lab) -> None:
    lab("measure", "cups", "-s", "pour")
    (page,) = lab.json("chart", "latest", "--kind", "heat")["charts"]  # type: ignore[misc]
    assert Path(page).name == "heat.html"
    assert "not measured, and so not in the scores: rim" in lab("table", "cups").stdout


def test_reproducing_ends_with_the_table_and_void_is_no_problem(lab: Lab) -> None:
    found: Any = lab.json("reproduce", "cups")
    assert found["problems"] == []
    (table,) = found["tables"]
    assert set(table["runs"]) == {"pour", "rim"}
    assert {Path(path).stem for path in found["charts"]} >= {"cups-heat", "cups-scores"}


def test_a_topic_without_a_table_says_so(lab: Lab) -> None:
    assert "rogue has no table" in lab("table", "rogue", status=2).stderr


def test_what_is_void_is_a_result_and_no_failure(lab: Lab) -> None:
    found = lab.json("measure", "rogue", "-v", "good", "-v", "over-the-limit")
    assert found["void"] == ["over-the-limit"]
    assert found["failures"] == {"over-the-limit": "1001 overruns, 1000 are allowed"}
    assert "over-the-limit is void" in lab("compare", "latest").stdout


def test_what_is_known_to_break_its_contract_is_void_however_it_ends(lab: Lab) -> None:
    found = lab.json("measure", "rogue", "-v", "good", "-v", "known")
    assert found["void"] == ["known"]
    assert "SIGSEGV" in found["failures"]["known"]
    assert "known to break its contract: nothing is lost" in lab("measure", "rogue", "-v", "known", status=4).stderr


def test_a_timeline_is_drawn_from_spans(lab: Lab, tmp_path: Path) -> None:
    stall = tmp_path / "stall.json"
    spans = [{"thread": "consumer", "state": "waits", "start_ns": 0, "end_ns": 95_000_000}]
    stall.write_text(json.dumps({"title": "a stall", "spans": spans, "moments": [{"at_ns": 1, "label": "sent"}]}))
    shown = lab("timeline", str(stall)).stdout
    assert "consumer" in shown
    assert "95.0 ms" in shown
    assert lab.json("timeline", str(stall)) == {"title": "a stall", "spans": 1, "moments": 1}


@pytest.mark.parametrize("broken", ["", "[]", '{"spans": []}', '{"spans": [{"thread": "a"}]}'])
def test_what_is_no_timeline_is_refused_with_the_shape_of_one(lab: Lab, tmp_path: Path, broken: str) -> None:
    file = tmp_path / "broken.json"
    file.write_text(broken)
    refused = lab("timeline", str(file), status=2)
    assert '"start_ns"' in refused.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed_for_each_shell(lab: Lab, shell: str) -> None:
    assert "_LAB_COMPLETE" in lab("completion", shell).stdout


def test_report_writes_a_site_and_counts_what_is_in_it(lab: Lab, tmp_path: Path) -> None:
    target = tmp_path / "report"
    found = lab.json("report", "toys", "--no-notebook", "--out", str(target))
    assert Path(found["index"]) == target / "index.html"  # type: ignore[arg-type]
    assert len(list(target.rglob("*.html"))) == found["pages"]
    (report,) = found["reports"]  # type: ignore[misc]
    assert (report["report"], report["claims"], report["verdicts"]["not run"]) == ("toys", 2, 2)
    # Again, over the one that is there; a folder of anything else is not touched.
    lab("report", "--no-notebook", "--out", str(target))
    assert "something else than a report" in lab("report", "--out", str(ROOT / "docs"), status=2).stderr


def test_report_writes_badges_alone(lab: Lab, tmp_path: Path) -> None:
    lab("report", "--badges", "--out", str(tmp_path / "badges"))
    assert [path.name for path in (tmp_path / "badges").iterdir()] == ["toys.svg"]
    assert "no report 'toyz'" in lab("report", "toyz", "--badges", status=2).stderr
