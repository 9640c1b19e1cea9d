"""Programs that the lab starts: how they run, how they end, and what they say when they fail."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from waiting import is_gone, wait_for

from perflab.host import processes
from perflab.host.fetch import fetch
from perflab.host.git import run_git
from perflab.host.guard import VARIABLE
from perflab.host.processes import ask, end_group, read, run_group, start
from perflab.model.errors import MissingError
from perflab.topics.program import program_environment

if TYPE_CHECKING:
    from perflab.topics.catalogue import Component


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("echo 'Picked up JAVA_TOOL_OPTIONS: -Dx' >&2; echo '[ERROR] no such artifact'", "[ERROR] no such artifact"),
        (
            "echo 'npm warn old' >&2; echo 'npm error code 404' >&2; echo 'npm error not found' >&2",
            "npm error not found",
        ),
        ("echo 'no route' >&2", "no route"),
        ("true", "it printed nothing"),
    ],
)
def test_the_error_is_found_on_whichever_stream_it_is(printed: str, said: str) -> None:
    with pytest.raises(MissingError) as caught:
        fetch(["sh", "-c", f"{printed}; exit 1"], "the jar", 10, "check the network")
    assert caught.value.message == f"the jar cannot be fetched: {said}"
    assert caught.value.hint == "check the network"


def test_every_program_dies_with_this_process_and_opens_files_of_any_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    for said in (run_group(["env"]).stdout.decode(), ask(["env"]) or "", run_git(Path(), "-c", "alias.e=!env", "e")):
        assert "LC_ALL=C.UTF-8" in said.splitlines()
        assert f"{VARIABLE}=" in said
    assert "LC_ALL=C" in run_group(["env"], locale="C").stdout.decode().splitlines()


def test_what_is_captured_of_an_endless_output_is_its_beginning_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_KEPT_BYTES", 100_000)
    said = run_group(["sh", "-c", "echo first; seq 1000000; echo last; echo other >&2"])
    assert said.stdout.startswith(b"first\n1\n2\n")
    assert said.stdout.endswith(b"1000000\nlast\n")
    assert b"bytes are left out" in said.stdout
    assert len(said.stdout) < 400_000
    assert said.stderr == b"other\n"


def test_one_that_takes_too_long_takes_those_that_it_has_started_with_it(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    process = start(["sh", "-c", f"sleep 1000 & echo $! > {pid}; wait"])
    wait_for(lambda: pid.is_file() and pid.read_text())
    with pytest.raises(subprocess.TimeoutExpired):
        read(process, lambda *_: None, time.monotonic())
    end_group(process)
    assert is_gone(int(pid.read_text()))


def test_a_program_of_dotnet_leaves_no_socket_unless_one_is_asked_for(
    toy: Component, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DOTNET_EnableDiagnostics", raising=False)
    assert program_environment(toy)["DOTNET_EnableDiagnostics"] == "0"
    monkeypatch.setenv("DOTNET_EnableDiagnostics", "1")
    assert program_environment(toy)["DOTNET_EnableDiagnostics"] == "1"
