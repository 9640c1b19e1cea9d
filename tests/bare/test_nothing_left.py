"""No command leaves a process behind: no compile daemon, no build server, no browser, no bench program."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from labs import FIXTURES, Lab
from waiting import wait_for

from perflab.host.toolchains import require
from perflab.model.lab import Lab as InProcess
from perflab.topics.catalogue import find_component

if TYPE_CHECKING:
    from collections.abc import Iterator

LAB = InProcess.from_environment()

VARIABLE = "PERFLAB_TEST_MARK"


def started_with(mark: str) -> Iterator[str]:
    """What still runs and has inherited the mark."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                if f"{VARIABLE}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                    yield (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")[:200]
            except OSError:
                continue


@pytest.mark.parametrize("command", ["doctor --json", "measure toy", "noise toy", "check toy --variant fast"])
def test_nothing_of_a_command_is_left(tmp_path: Path, command: str) -> None:
    mark = secrets.token_hex()
    lab = Lab(tmp_path, PERFLAB_COMPONENTS=str(FIXTURES / "components"), **{VARIABLE: mark})
    process = lab.start(*command.split())
    # A process that is just being replaced by another program has no environment for a moment.
    wait_for(lambda: list(started_with(mark)), "the control: it carries no mark")
    process.communicate()
    wait_for(lambda: not list(started_with(mark)), "left: " + "; ".join(started_with(mark)))


# Kotlin's compiler and MSBuild would each leave a daemon.
@pytest.mark.build
@pytest.mark.parametrize("topic", ["mailbox", "thread-pool"])
def test_nothing_of_a_build_is_left(tmp_path: Path, topic: str) -> None:
    require(find_component(LAB, topic).manifest.requires)
    mark = secrets.token_hex()
    # The machine's lock is another test's; the per-user cache, with its toolchains, is not.
    lab = Lab(tmp_path, **{VARIABLE: mark, "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", "")})
    process = lab.start("build", topic, "--force")
    _, err = process.communicate()
    assert process.returncode == 0, err
    wait_for(lambda: not list(started_with(mark)), "left: " + "; ".join(started_with(mark)))
