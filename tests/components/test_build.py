"""When a topic is built, and when it is not."""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perflab.host.toolchains import require_rust
from perflab.model.errors import BenchError, MissingError
from perflab.model.lab import Lab
from perflab.topics.build import build
from perflab.topics.catalogue import find_component

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.topics.catalogue import Component

MOUNT, UMOUNT = "/bin/mount", "/bin/umount"


def test_what_was_built_is_not_built_again(steady: Component) -> None:
    assert not build(steady)
    assert build(steady, force=True)


def test_after_a_build_that_failed_the_sources_of_before_are_built_again(steady: Component) -> None:
    program = steady.folder / "build.py"
    before = program.read_text()
    program.write_text("raise SystemExit('half of the products are new now')")
    with pytest.raises(BenchError):
        build(steady)
    program.write_text(before)
    assert build(steady)


def test_two_builds_at_once_take_turns(steady: Component, tmp_path: Path) -> None:
    log = tmp_path / "log"
    (steady.folder / "build.py").write_text(
        "import os, time\nfrom pathlib import Path\n"
        f"log = Path({str(log)!r})\n"
        "with log.open('a') as stream: stream.write('begin\\n')\n"
        "time.sleep(0.3)\n"
        "with log.open('a') as stream: stream.write('end\\n')\n"
        "Path('bench.py').touch()\n"
    )
    with ThreadPoolExecutor(2) as pool:
        built = list(pool.map(lambda _: build(steady), range(2)))
    assert sorted(built) == [False, True]
    assert log.read_text().split() == ["begin", "end"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_is_named_and_what_was_built_on_it_is_built_again(steady: Component, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run([MOUNT, "-t", "tmpfs", "-o", "size=64k", "none", disk], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        steady = replace(steady, lab=replace(steady.lab, root=disk))
        (disk / "filler").write_bytes(bytes(64 << 10))
        with pytest.raises(MissingError, match="No space left") as raised:
            build(steady)
        assert "make room" in raised.value.hint
        (disk / "filler").unlink()
        assert build(steady)
        assert not build(steady)
    finally:
        subprocess.run([UMOUNT, disk], check=True)


@pytest.mark.build
def test_a_notebooks_cell_whose_environment_names_no_compiler_builds_nothing_of_the_topic_again() -> None:
    topic = find_component(Lab.from_environment(), "supervisor")
    build(topic)
    rust = require_rust()
    without = {name: value for name, value in os.environ.items() if name not in rust.environment()}
    without["PATH"] = os.pathsep.join([str(rust.bin), os.environ.get("PATH", "")])
    command = [*topic.manifest.build.command[1:], "--offline", "--message-format", "json"]
    said = subprocess.run([rust.cargo, *command], cwd=topic.folder, env=without, stdout=subprocess.PIPE, check=True)
    units = [json.loads(line) for line in said.stdout.splitlines()]
    crates = [unit for unit in units if unit["reason"] == "compiler-artifact"]
    assert crates
    assert [unit["target"]["name"] for unit in crates if not unit["fresh"]] == []
