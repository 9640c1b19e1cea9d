"""What becomes of a measurement's processes when its lab is killed."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

import psutil
import pytest
from labs import FIXTURES, Lab
from waiting import is_gone, wait_for

from perflab.host import guard
from perflab.host.lock import measurement_lock
from perflab.model.errors import TakenError

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(
        tmp_path,
        PERFLAB_COMPONENTS=str(FIXTURES / "components"),
        PERFLAB_LOCK=str(tmp_path / "cache" / "perflab"),
        ROGUE_PIDS=str(tmp_path / "pids"),
        PERFLAB_PRESET="",
    )


@pytest.fixture
def measuring(lab: Lab, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], list[psutil.Process]]]:
    """A measurement whose bench program never ends, its process, and its child in a session of its own."""
    pids = tmp_path / "pids"
    os.mkfifo(pids)
    process = lab.start("measure", "rogue", "--variant", "runaway", "--quick")
    started = [psutil.Process(int(pid)) for pid in pids.read_text().split()]
    yield process, started
    for one in (process, *started):
        with suppress(psutil.NoSuchProcess):
            one.kill()
    process.communicate()


def gone(processes: list[psutil.Process]) -> bool:
    return all(is_gone(one.pid) for one in processes)


def test_a_killed_lab_takes_its_bench_and_all_that_it_started_with_it(
    measuring: tuple[subprocess.Popen[str], list[psutil.Process]],
) -> None:
    process, started = measuring
    process.kill()
    wait_for(lambda: gone(started))


def test_the_lock_is_not_free_while_the_bench_of_a_killed_lab_still_runs(
    measuring: tuple[subprocess.Popen[str], list[psutil.Process]], tmp_path: Path
) -> None:
    process, started = measuring
    (watcher,) = [
        one
        for one in psutil.process_iter(["cmdline"])
        if {guard.__file__, started[0].environ()[guard.VARIABLE]} <= set(one.info["cmdline"] or ())
    ]
    watcher.send_signal(signal.SIGSTOP)
    process.kill()
    process.wait()
    cache = tmp_path / "cache" / "perflab"
    assert not gone(started)
    with pytest.raises(TakenError), measurement_lock(cache):
        pytest.fail("the lock was free")
    watcher.send_signal(signal.SIGCONT)
    wait_for(lambda: gone(started))
    wait_for(lambda: gone([watcher]))
    with measurement_lock(cache):
        pass


def test_a_thread_that_holds_the_lock_may_take_it_again_and_another_one_may_not(tmp_path: Path) -> None:
    def take() -> None:
        with measurement_lock(tmp_path):
            pass

    with measurement_lock(tmp_path), ThreadPoolExecutor(1) as pool:
        take()
        with pytest.raises(TakenError):
            pool.submit(take).result()
    take()
