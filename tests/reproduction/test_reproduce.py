"""`./lab reproduce` from outside: the order of its work, what it leaves behind however it ends, and how it goes on."""

from __future__ import annotations

import json
import random
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from unittest.mock import Mock

import msgspec
import pytest
from runs import HEADER, write_run
from silent import Silent
from waiting import wait_for

from perflab.claims.reproduce import Reproduction, Settings, plan_topics, reproduce
from perflab.cli.reference import keep_as_reference
from perflab.host.git import Revision
from perflab.host.machine import this_machine
from perflab.model.errors import BenchError
from perflab.model.files import write_json
from perflab.store.records import Arm
from perflab.store.runs import find_runs

if TYPE_CHECKING:
    from labs import Lab

    from perflab.model import lab as project

QUICK = ("reproduce", "--quick", "--minutes", "0.02")


def record(lab: Lab) -> dict[str, Any]:
    (path,) = lab.results.glob("reproductions/*/reproduction.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def runs(lab: Lab) -> list[Path]:
    return sorted(lab.results.glob("runs/*/end.json"))


def verdicts(said: str) -> list[str]:
    """The claims of the lines that say a verdict."""
    return [line.split(": ")[1] for line in said.splitlines() if ": toys " in line and not line.startswith(" ")]


def test_a_plan_needs_no_toolchain_and_does_nothing(lab: Lab) -> None:
    found: Any = lab.json("reproduce", "--quick", "--dry-run")
    assert [(one["topic"], one["claims"]) for one in found] == [
        ("toy", ["faster", "quick"]),
        ("unbuildable", ["faster", "quick"]),
    ]
    assert "999" in found[1]["missing"]
    assert not lab.results.exists()


def test_quick_judges_headlines_and_leaves_out_what_cannot_be_built(lab: Lab) -> None:
    done = lab(*QUICK)
    assert verdicts(done.stdout) == ["toys faster", "toys quick"]
    assert "2 of 4 claims judged" in done.stdout
    assert "left out: unbuildable: no JDK 999" in done.stdout
    assert "fix: install one" in done.stdout
    kept = record(lab)
    assert kept["ended"]
    assert [one["id"] for one in kept["claims"]] == ["faster", "quick"]
    assert list(kept["left_out"]) == ["unbuildable"]
    assert len(runs(lab)) == 2


def test_all_claims_are_judged_headlines_first(lab: Lab) -> None:
    found: Any = lab.json("reproduce", "toy", "--quick", "--all", "--minutes", "0.02")
    assert [one["id"] for one in found["claims"]] == ["faster", "quick", "aside"]
    assert {Path(path).parent for path in found["charts"]} == {Path(found["folder"]) / "charts"}


def test_a_topic_that_cannot_be_built_is_an_error_if_there_is_no_other(lab: Lab) -> None:
    said = lab("reproduce", "unbuildable", "--quick", status=3).stderr
    assert "no JDK 999" in said


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_what_was_judged_before_it_ended_is_not_measured_again(lab: Lab, sign: signal.Signals) -> None:
    process = lab.start(*QUICK)
    # While the second run is under way.
    wait_for(lambda: len(list(lab.results.glob("runs/*/run.json"))) == 2, "the second run")
    process.send_signal(sign)
    said, _ = process.communicate(timeout=600)
    assert verdicts(said) == ["toys faster"]
    before = record(lab)
    assert [one["id"] for one in before["claims"]] == ["faster"]
    assert not before["ended"]
    if sign is signal.SIGINT:
        assert process.returncode == 130
        assert "./lab reproduce --resume" in said
    resumed = lab("reproduce", "--resume").stdout
    assert verdicts(resumed) == ["toys quick"]
    assert "2 of 4 claims judged" in resumed
    after = record(lab)
    assert after["ended"]
    assert [one["id"] for one in after["claims"]] == ["faster", "quick"]
    assert after["claims"][0] == before["claims"][0]
    assert "the last reproduction is complete" in lab("reproduce", "--resume", status=2).stderr


def test_resuming_takes_no_other_options(lab: Lab) -> None:
    assert "leave the other options out" in lab("reproduce", "--resume", "--quick", status=2).stderr
    assert "there are no reproductions yet" in lab("reproduce", "--resume", status=2).stderr


def test_two_at_once_do_not_measure_each_other(lab: Lab) -> None:
    first = lab.start(*QUICK)
    wait_for(lambda: list(lab.results.glob("runs/*/run.json")), "the first run")
    assert "something else is being measured" in lab(*QUICK, status=3).stderr
    first.communicate(timeout=600)
    assert first.returncode == 0


def test_a_resumed_one_that_ends_at_once_has_what_the_first_had_judged(own_lab: project.Lab) -> None:
    first = Reproduction.start(own_lab, Settings(["toy"], "quick"))
    first.save()
    path = first.folder / "reproduction.json"
    judged = {"report": "toys", "id": "faster", "verdict": "reproduced"}
    write_json(path, json.loads(path.read_text()) | {"claims": [judged]})
    Reproduction.resume(own_lab).save()  # as it does before it judges anything
    assert json.loads(path.read_text())["claims"] == [judged]


@pytest.mark.parametrize("begun", [True, False])
def test_a_measurement_that_fails_is_judged_by_its_own_run_or_by_none(
    own_lab: project.Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, begun: bool
) -> None:
    lab = replace(own_lab, claims=tmp_path)
    about = "{id: quick, kind: bound, statement: It is., candidate: wrong, scenario: sum, at_most: 1000000000}"
    (tmp_path / "toys.yaml").write_text(f"report: toys\ntitle: Sums\ncomponent: toy\nclaims:\n  - {about}\n")
    theirs = msgspec.structs.replace(HEADER, arms=[Arm("wrong", "wrong", "peer")], baseline="wrong")
    write_run(lab.results, name="z-theirs", header=theirs, values={"wrong": [1.0, 2.0, 3.0]})
    if not begun:
        monkeypatch.setattr("perflab.measure.measure.execute", Mock(side_effect=BenchError("it does not build")))
    result = Reproduction.start(lab, Settings(["toy"], "quick", minutes=0.02))
    reproduce(result, plan_topics(lab, result.settings, print), Silent(), lambda *_: None)
    own = [run.id for run in find_runs(lab.results) if run.id != "z-theirs"]
    (verdict,) = result.verdicts.values()
    assert (verdict.word, verdict.evidence.runs, len(own)) == ("not run", [], begun)
    assert all(f"the nearest is {name}, which did not end" in verdict.reason for name in own)


@pytest.mark.long
def test_killed_at_any_moment_nothing_is_lost_and_no_verdict_falls_twice(lab: Lab) -> None:
    moments = random.Random(20)  # noqa: S311 - moments, not secrets
    fallen: list[str] = []
    for _ in range(10):
        started = list(lab.results.glob("reproductions/*/reproduction.json"))
        if started and record(lab)["ended"]:
            break
        process = lab.start("reproduce", "--resume") if started else lab.start(*QUICK, "toy", "--all")
        try:
            said, _ = process.communicate(timeout=moments.uniform(0.2, 6.0))
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
        fallen += verdicts(said)
    else:
        fallen += verdicts(lab("reproduce", "--resume").stdout)
    kept = record(lab)
    assert kept["ended"]
    assert [one["id"] for one in kept["claims"]] == ["faster", "quick", "aside"]
    assert len(set(fallen)) == len(fallen)
    assert len(runs(lab)) == len(kept["claims"])


@pytest.fixture
def kept(own_lab: project.Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reproduction:
    """A reproduction that made a run and a notebook, in a project whose reference has a run that a claim names."""
    lab = replace(own_lab, reference=own_lab.root / "reference", results=tmp_path / "results")
    lab.notebooks.mkdir()
    for name in ("1-old", "2-named"):
        write_run(lab.reference, name=name)
    write_run(lab.results, name="3-new", machine=this_machine(), cpu=this_machine().cpu)
    (tmp_path / "one.ipynb").write_text("{}")
    rests_on = [["2-named"], ["3-new"]]
    monkeypatch.setattr("perflab.cli.reference.this_revision", lambda _: Revision("abc"))
    result: Any = SimpleNamespace(
        problems=[],
        left_out={},
        settings=SimpleNamespace(headlines=False),
        lab=lab,
        ledgers=[SimpleNamespace(component="toy")],
        verdicts={str(runs): SimpleNamespace(evidence=SimpleNamespace(runs=runs)) for runs in rests_on},
        tables=[],
        notebooks=[tmp_path / "one.ipynb"],
    )
    return cast("Reproduction", result)


def test_a_new_reference_takes_the_old_ones_place_but_for_what_claims_name(kept: Any) -> None:  # noqa: ANN401
    lab = kept.lab
    write_run(lab.results, name="2-named", values={"a": [9.0], "b": [1.0]})
    named = (lab.reference / "runs" / "2-named" / "samples.npz").read_bytes()
    written = [lab.reference / "runs" / "3-new", lab.reference / "tests.jsonl", lab.notebooks / "one.ipynb"]
    assert keep_as_reference(kept) == written
    assert sorted(path.name for path in (lab.reference / "runs").iterdir()) == ["2-named", "3-new"]
    # What somebody else measured under its name takes no place.
    assert (lab.reference / "runs" / "2-named" / "samples.npz").read_bytes() == named
