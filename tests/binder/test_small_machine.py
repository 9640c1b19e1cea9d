"""On one core with 2 GiB the lab notices, and every scenario of every topic gets through."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from perflab.host.machine import CGROUPS, GIB, OWN
from perflab.model.lab import CHECKOUT, Lab
from perflab.topics.build import build
from perflab.topics.catalogue import find_component, find_components
from perflab.topics.program import describe, program_environment, run_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


PATIENCE_S = 120


class SmallMachine:
    """A control group with 2 GiB."""

    def __init__(self) -> None:
        self.core = min(os.sched_getaffinity(0))
        reason = "no control groups are mounted"
        for parent, self.version, limits in _places():
            self.folder = parent / f"perflab-{os.getpid()}-{secrets.token_hex(2)}"
            try:
                self.folder.mkdir()
                for name, value in limits.items():
                    if (self.folder / name).exists() or name == next(iter(limits)):
                        (self.folder / name).write_text(str(value))
            except OSError as error:
                reason = f"{parent}: {error.strerror}"
                if self.folder.exists():
                    self.folder.rmdir()
                continue
            return
        pytest.skip(f"control groups with a limit of memory cannot be made here: {reason}")

    def command(self, command: Sequence[str]) -> list[str]:
        """A command that enters the group, keeps to one core, and becomes the one given."""
        enter = f'echo $$ > "{self.folder}/cgroup.procs" && exec taskset -c {self.core} "$@"'
        return ["sh", "-c", enter, "sh", *command]

    @property
    def kills(self) -> int:
        """How many of its processes the kernel has ended for want of memory."""
        file = self.folder / ("memory.oom_control" if self.version == 1 else "memory.events")
        rows = dict(line.split() for line in file.read_text().splitlines())
        return int(rows.get("oom_kill", 0))

    def end(self) -> None:
        """End all that is still in it, and remove it."""
        deadline = time.monotonic() + PATIENCE_S
        while self.folder.exists() and time.monotonic() < deadline:
            with suppress(OSError):
                for pid in (self.folder / "cgroup.procs").read_text().split():
                    os.kill(int(pid), 9)
            with suppress(OSError):
                self.folder.rmdir()
            time.sleep(0.05)


def _places() -> Iterator[tuple[Path, int, dict[str, int]]]:
    """Where a group could be made, the version of control groups there, and what limits it."""
    for line in OWN.read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        relative = path.lstrip("/")
        if "memory" in controllers.split(","):
            limits = {"memory.limit_in_bytes": 2 * GIB, "memory.memsw.limit_in_bytes": 2 * GIB}
            yield CGROUPS / "memory" / relative, 1, {**limits, "memory.swappiness": 0}
        if not controllers:
            yield CGROUPS / relative, 2, {"memory.max": 2 * GIB, "memory.swap.max": 0}


LAB = Lab.from_environment()

TOPICS = [one.name for one in find_components(LAB)]
FORK_TIMEOUT_S = 120


@pytest.fixture
def small() -> Iterator[SmallMachine]:
    made = SmallMachine()
    yield made
    made.end()


def test_the_lab_notices_and_says_so_beside_what_it_measures(small: SmallMachine, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": str(CHECKOUT / "src"),
        "PERFLAB_COMPONENTS": str(CHECKOUT / "tests" / "fixtures" / "components"),
        "PERFLAB_RESULTS": str(tmp_path / "results"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    words = ["measure", "toy", "-v", "plain", "-v", "wasteful", "--rounds", "3", "--json"]
    command = [sys.executable, "-m", "perflab", *words]
    done = subprocess.run(small.command(command), env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["preset"] == "quick"
    assert found["notes"][0].startswith("measured on one core with 2 GiB")
    assert "limited to one core with 2 GiB" in found["machine"]["title"]


@pytest.mark.build
@pytest.mark.parametrize("topic", TOPICS)
def test_every_scenario_fits(small: SmallMachine, topic: str) -> None:
    component = find_component(LAB, topic)
    build(component)
    description = describe(component)
    failed = {}
    for scenario in description.scenarios:
        able = [one for one in description.variants if scenario.name in one.scenarios]
        variant = next(one for role in ("lab", "before", "after", "peer") for one in able if one.role == role)
        command = run_command(component, scenario.name, variant.name, {}, warmup_ms=20, sample_ms=20, samples=1, seed=1)
        done = subprocess.run(
            small.command(command),
            cwd=component.folder,
            env=program_environment(component, variant.name),
            capture_output=True,
            text=True,
            timeout=FORK_TIMEOUT_S,
            check=False,
        )
        if done.returncode:
            failed[f"{scenario.name} of {variant.name}"] = (done.returncode, (done.stdout + done.stderr)[-300:])
    assert failed == {}
    assert small.kills == 0
