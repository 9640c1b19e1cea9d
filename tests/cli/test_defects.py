"""What no other code handles: a defect of the lab is one line and status 70, and never looks like a regression."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, NoReturn

import click
import pytest
from click.testing import CliRunner, Result
from labs import Lab as Outside

import perflab.__main__
from perflab.cli import main
from perflab.cli.crash import FOLDER, MOST_KEPT

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.model.lab import Lab


def fail(*_: object, **__: object) -> NoReturn:
    raise RecursionError("too deep [/here]\nsecond line")


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lab with a defect where topics are found."""
    monkeypatch.setattr("perflab.topics.catalogue.find_components", fail)


def run(lab: Lab, *arguments: str) -> Result:
    return CliRunner().invoke(main.lab, list(arguments), obj=lab)


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("form", [(), ("--json",), ("--stream",)], ids=["human", "json", "stream"])
def test_a_defect_is_one_line_and_status_70_and_its_traceback_is_kept(own_lab: Lab, form: tuple[str, ...]) -> None:
    done = run(own_lab, "topics", *form)
    assert done.exit_code == 70
    (kept,) = (own_lab.results / FOLDER).iterdir()
    error, fix = done.stderr.splitlines()
    assert error == "error: perflab has a defect: RecursionError: too deep [/here] second line"
    assert str(kept) in fix
    assert "in fail" in kept.read_text()
    if form == ("--stream",):
        message = json.loads(done.stdout)
        assert (message["type"], message["exit"]) == ("error", 70)
        assert str(kept) in message["hint"]
    else:
        assert done.stdout == ""


@pytest.mark.parametrize("defect", [ValueError("x"), subprocess.TimeoutExpired(["cc"], 1), UnicodeEncodeError])
def test_a_defect_of_the_gate_is_not_a_regression(
    own_lab: Lab, monkeypatch: pytest.MonkeyPatch, defect: Exception | type[Exception]
) -> None:
    def broken(*_: object, **__: object) -> NoReturn:
        raise defect if isinstance(defect, Exception) else UnicodeEncodeError("ascii", "±", 0, 1, "no")

    monkeypatch.setattr("perflab.measure.versions.find_version", broken)
    assert run(own_lab, "compare", "one", "other").exit_code == 70


@pytest.mark.usefixtures("broken")
def test_the_newest_tracebacks_are_kept_and_no_more(own_lab: Lab) -> None:
    folder = own_lab.results / FOLDER
    folder.mkdir(parents=True)
    for number in range(MOST_KEPT + 5):
        path = folder / f"20260101-000000-{number:04}.txt"
        path.touch()
        os.utime(path, (number, number))
    run(own_lab, "topics")
    assert len(list(folder.iterdir())) == MOST_KEPT
    assert not (folder / "20260101-000000-0005.txt").exists()
    assert (folder / "20260101-000000-0006.txt").exists()


@pytest.mark.usefixtures("broken")
def test_a_traceback_that_the_results_cannot_hold_is_kept_elsewhere(
    own_lab: Lab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own_lab.results.write_text("a file where a folder should be")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = run(own_lab, "topics")
    assert done.exit_code == 70
    (kept,) = tmp_path.glob(f"perflab-*/{FOLDER}/*.txt")
    assert str(kept) in done.stderr


@pytest.mark.parametrize(("raised", "status"), [(ImportError("half a package"), 70), (click.Abort(), 130)])
def test_what_fails_before_a_command_starts_has_its_status_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, raised: Exception, status: int
) -> None:
    def broken(**_: object) -> NoReturn:
        raise raised

    monkeypatch.setenv("PERFLAB_RESULTS", str(tmp_path))
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr(main.lab, "main", broken)
    with pytest.raises(SystemExit) as end:
        perflab.__main__.main()
    assert end.value.code == status


def test_a_reader_that_has_gone_is_not_a_regression(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command, environment = [sys.executable, "-m", "perflab", "topics", "--json"], Outside(tmp_path).environment
    with os.fdopen(writing, "w") as pipe:
        done = subprocess.run(command, env=environment, stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")
