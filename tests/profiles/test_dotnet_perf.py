"""A real .NET program under a real perf, where the machine has both."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perflab.host.toolchains import expand, require
from perflab.model.errors import BenchError
from perflab.profile.dotnet import ENVIRONMENT, Recording, StartGate, collect, unavailable_reason
from perflab.profile.profile import off_cpu
from perflab.profile.threads import ThreadTimes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perflab.profile.profile import Mode, Profile

pytestmark = pytest.mark.build

RUN_MS = 1500
PROJECT = Path(__file__).parent / "programs" / "dotnet"


@pytest.fixture(scope="module")
def environment() -> Mapping[str, str]:
    return {**os.environ, **require(["dotnet"])}


@pytest.fixture(scope="module")
def program(environment: Mapping[str, str]) -> list[str]:
    build = ["{dotnet}", "build", "Waiting.csproj", "--configuration", "Release", "--verbosity", "quiet", "--nologo"]
    subprocess.run(expand(build, environment), cwd=PROJECT, env=environment, check=True)
    return expand(["{dotnet}", str(PROJECT / "target" / "Waiting.dll"), str(RUN_MS)], environment)


def profiled(program: list[str], environment: Mapping[str, str], mode: Mode, folder: Path) -> Profile:
    if missing := unavailable_reason(mode):
        pytest.skip(missing)
    gate = StartGate(folder)
    with (
        subprocess.Popen(
            gate.hold(program), env={**environment, **ENVIRONMENT}, stdout=subprocess.PIPE, text=True
        ) as process,
        Recording(mode, process.pid, folder) as recording,
    ):
        gate.open()
        said, _ = process.communicate()
        profile = collect(mode, recording.lines())
    gate.close()
    assert said == '{"type": "end"}\n', "standard output belongs to the bench protocol"
    assert list(Path("/tmp").glob(f"perf*-{process.pid}.map")) == []  # noqa: S108 - where perf looks
    assert [path.name for path in folder.iterdir()] == ["perf.log"]
    return profile


def weight(profile: Profile, frame: str) -> float:
    return sum(ns for stack, ns in profile.stacks.items() if frame in stack)


def test_cpu_time_is_that_of_the_spinning_method(
    program: list[str], environment: Mapping[str, str], tmp_path: Path
) -> None:
    profile = profiled(program, environment, "cpu", tmp_path)
    assert weight(profile, "Waiting.Spin") > 0.5 * profile.total
    assert weight(profile, "Waiting.Nap") < 0.2 * weight(profile, "Waiting.Spin")


def test_wall_time_shows_who_sleeps_and_who_waits_for_them(
    program: list[str], environment: Mapping[str, str], tmp_path: Path
) -> None:
    profile = profiled(program, environment, "wall", tmp_path)
    napped = {stack: ns for stack, ns in profile.stacks.items() if "Waiting.Nap" in stack}
    assert sum(ns for stack, ns in napped.items() if off_cpu(stack)) > 0.8 * sum(napped.values())
    # The main thread waits for a monitor, where the C library hides its frames.
    assert weight(profile, "(main thread)") > 0.3 * RUN_MS * 1e6
    # Three threads, and none of the runtime's dozen: their waits are a counter.
    assert profile.total < 4 * 1.5 * RUN_MS * 1e6
    assert profile.counters["runtime_threads_idle_ns"] > RUN_MS * 1e6


def test_the_system_knows_each_threads_time_without_perf(program: list[str], environment: Mapping[str, str]) -> None:
    with (
        subprocess.Popen(program, env=environment, stdout=subprocess.DEVNULL) as process,
        ThreadTimes(process.pid) as times,
    ):
        process.wait()
        counters = times.finish().counters
    assert counters["thread:napper:asleep_ns"] > 0.8 * 0.5 * RUN_MS * 1e6
    assert counters["thread:spinner:running_ns"] > counters["thread:napper:running_ns"]


@pytest.mark.skipif(shutil.which("perf") is None, reason="there is no perf")
def test_a_process_that_is_gone_is_an_error_with_perfs_words(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with Recording("cpu", gone.pid, tmp_path) as recording, pytest.raises(BenchError):
        collect("cpu", recording.lines())
