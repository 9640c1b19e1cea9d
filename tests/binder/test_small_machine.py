"""On one core with 2 GiB the lab notices, and every scenario of every topic gets through."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from smallmachine import NoGroupsError, SmallMachine

from perflab.model.lab import CHECKOUT, Lab
from perflab.topics.build import build
from perflab.topics.catalogue import find_component, find_components
from perflab.topics.program import describe, program_environment, run_command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LAB = Lab.from_environment()

TOPICS = [one.name for one in find_components(LAB)]
FORK_TIMEOUT_S = 120
LITTLE = 2**27


@pytest.fixture
def small() -> Iterator[SmallMachine]:
    try:
        made = SmallMachine.create()
    except NoGroupsError as error:
        pytest.skip(f"control groups with a limit of memory cannot be made here: {error}")
    with made:
        yield made


def test_its_limit_is_one() -> None:
    greedy = f"held = bytearray({2 * LITTLE})"
    try:
        made = SmallMachine.create(LITTLE)
    except NoGroupsError as error:
        pytest.skip(f"control groups with a limit of memory cannot be made here: {error}")
    with made:
        done = subprocess.run(made.command([sys.executable, "-c", greedy]), check=False)
        assert done.returncode in {-9, 137}
        assert made.kills == 1
    assert not made.folder.exists()


def test_the_lab_notices_and_says_so_beside_what_it_measures(small: SmallMachine, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": str(CHECKOUT / "src"),
        "PERFLAB_COMPONENTS": str(CHECKOUT / "tests" / "fixtures" / "components"),
        "PERFLAB_RESULTS": str(tmp_path / "results"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    command = [
        sys.executable,
        "-m",
        "perflab",
        "measure",
        "toy",
        "-v",
        "plain",
        "-v",
        "wasteful",
        "--rounds",
        "3",
        "--json",
    ]
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
