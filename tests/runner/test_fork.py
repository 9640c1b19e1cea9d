"""Bad bench programs: each one is named for what it did, and nothing of it is left running."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

from perflab.measure.fork import Fork, run_fork
from perflab.model.errors import BenchError, MissingError, VoidError
from perflab.topics.program import program_command, program_environment

if TYPE_CHECKING:
    from collections.abc import Callable

    from perflab.topics.catalogue import Component


def fork(component: Component, variant: str, timeout_s: float = 30, **more: Callable[..., None] | Fork) -> Fork:
    return run_fork(
        program_command(component, "run", "--scenario", "any", "--variant", variant),
        cwd=component.folder,
        environment=program_environment(component),
        timeout_s=timeout_s,
        samples=1,
        **more,  # type: ignore[arg-type]
    )


def test_a_good_fork_gives_its_samples_and_what_it_used(rogue: Component) -> None:
    done = fork(rogue, "good")
    assert [sample.ops for sample in done.samples] == [10]
    assert done.end is not None
    assert done.usage["os:max_rss_bytes"] > 2**20


@pytest.mark.parametrize(
    ("variant", "says"),
    [
        ("rubbish", "no protocol message: 'Hello, I am a log line'"),
        ("version", "speaks protocol version 9"),
        ("half-line", "in the middle of a line"),
        ("nothing", "printed nothing"),
        ("signal", "ended by SIGSEGV"),
        ("invalid", "did not validate: message 7 was lost"),
        ("no-end", "without an `end` line"),
        ("zero-ops", "above zero"),
        ("miscounted", "says it made 2 samples and printed 1"),
        ("endless-line", "a line without an end"),
        ("after-end", "after its last one"),
        ("flood", "more than the 1 samples that it was asked for"),
    ],
)
def test_misbehaviour_is_named(rogue: Component, variant: str, says: str) -> None:
    with pytest.raises(BenchError) as caught:
        fork(rogue, variant)
    assert says in str(caught.value)


def test_a_broken_rule_is_told_from_a_defect(rogue: Component) -> None:
    with pytest.raises(VoidError) as caught:
        fork(rogue, "over-the-limit")
    assert str(caught.value) == "1001 overruns, 1000 are allowed"


def test_one_that_never_ends_is_ended(rogue: Component) -> None:
    kept = Fork()
    with pytest.raises(BenchError, match="did not end within 1 s"):
        fork(rogue, "endless", timeout_s=1, fork=kept)
    assert kept.wall_s >= 1
    assert kept.usage["os:minor_faults"] > 0


def test_the_whole_process_group_is_ended(rogue: Component) -> None:
    group: list[int] = []
    with pytest.raises(BenchError, match="did not end"):
        fork(rogue, "child", timeout_s=2, on_start=group.append)
    deadline = time.monotonic() + 10
    while _alive(group[0]) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _alive(group[0])


def test_an_interrupt_ends_the_child(rogue: Component) -> None:
    group: list[int] = []

    def interrupt_soon(pid: int) -> None:
        group.append(pid)
        threading.Timer(0.5, lambda: os.kill(os.getpid(), 2)).start()

    with pytest.raises(KeyboardInterrupt):
        fork(rogue, "endless", on_start=interrupt_soon)
    assert not _alive(group[0])


def test_a_program_that_is_not_there_is_missing(rogue: Component) -> None:
    with pytest.raises(MissingError, match="cannot start"):
        run_fork(["/no/such/program"], cwd=rogue.folder, environment={}, timeout_s=1)


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
