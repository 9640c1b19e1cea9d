"""What the spawner starts gets what it is given and nothing else, and what it used is its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import psutil
import pytest
from waiting import is_gone, wait_for

from perflab.host.processes import end_group, read
from perflab.host.spawner import Spawned, Spawner


def run(spawner: Spawner, *command: str, **environment: str) -> tuple[Spawned, dict[str, bytes]]:
    said = {"stdout": b"", "stderr": b""}
    process = spawner.start(command, folder=Path("/"), environment={"PATH": os.environ["PATH"], **environment})
    try:
        read(process, lambda stream, data: said.update({stream: said[stream] + data}))
        process.wait(30)
    finally:
        end_group(process)
    return process, said


def test_streams_folder_environment_and_status_are_as_asked_for() -> None:
    with Spawner() as spawner:
        for status in (7, 0):
            command = f"pwd; cat; echo $NAME >&2; exit {status}"
            process, said = run(spawner, "sh", "-c", command, NAME="a\N{SNOWMAN} b")
            assert process.returncode == status
            assert said == {"stdout": b"/\n", "stderr": "a\N{SNOWMAN} b\n".encode()}


def ignored(status: bytes) -> set[int]:
    bits = int(re.findall(rb"SigIgn:\t(\w+)", status)[0], 16)
    return {number for number in range(1, 65) if bits >> (number - 1) & 1}


def test_no_descriptor_and_no_ignored_signal_is_handed_on() -> None:
    with Spawner() as spawner:
        assert run(spawner, "sh", "-c", "ls /proc/self/fd | wc -l")[1]["stdout"].strip() == b"4"  # the folder's own
        # Python ignores two; others, as under nohup, are the user's wish.
        given = ignored(Path("/proc/self/status").read_bytes()) - {signal.SIGPIPE, signal.SIGXFSZ}
        assert ignored(run(spawner, "cat", "/proc/self/status")[1]["stdout"]) == given


def test_what_cannot_be_started_is_an_error_and_the_next_one_runs() -> None:
    with Spawner() as spawner:
        for command in ("/no/such/program", "no-such-program", "/"):
            with pytest.raises(OSError, match=r"No such file|Permission denied"):
                run(spawner, command)
        assert run(spawner, "true")[0].returncode == 0


def test_a_program_that_goes_on_is_ended_with_all_that_it_has_started() -> None:
    with Spawner() as spawner:
        process = spawner.start(["sh", "-c", "sleep 100 & sleep 100"], folder=Path("/"), environment=os.environ)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.05)
        wait_for(lambda: len(psutil.Process(process.pid).children()) == 2)
        tree = [process.pid, *(one.pid for one in psutil.Process(process.pid).children())]
        end_group(process)
        assert process.returncode == -signal.SIGTERM
        assert all(map(is_gone, tree))
        assert run(spawner, "true")[0].returncode == 0


def test_peak_memory_is_the_programs_and_not_this_ones() -> None:
    here = bytearray(100 << 20)
    here[::4096] = here[::4096]
    with Spawner() as spawner:
        small, _ = run(spawner, "true")
        assert small.rusage is not None
        assert small.rusage.ru_maxrss * 1024 <= spawner.floor_bytes < 20 << 20
        large, _ = run(spawner, "python3", "-c", "b = bytearray(60 << 20); b[::4096] = b[::4096]")
        assert large.rusage is not None
        assert large.rusage.ru_maxrss * 1024 > 60 << 20
