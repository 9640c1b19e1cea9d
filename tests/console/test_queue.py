"""The queue: one job at a time, in the order in which they were asked for."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from waiting import wait_for

from perflab.cli.console.form import Command
from perflab.cli.console.jobs import Queue

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path


def add(queue: Queue, topic: str, name: str = "measure", *, first: bool = False):  # noqa: ANN201 - a job
    return queue.add(Command(name, topic), first=first)


def test_jobs_run_one_after_the_other_in_their_order(launcher: Path) -> None:
    assert launcher.exists()
    at_once, ended = [], []

    def tell(job) -> None:  # noqa: ANN001
        at_once.append(sum(one.state == "running" for one in queue.jobs))
        if job.state == "done" and job not in ended:
            ended.append(job)

    queue = Queue(tell)
    jobs = [add(queue, "fine") for _ in range(3)]
    wait_for(lambda: all(job.over for job in jobs))
    queue.close()
    assert ended == jobs
    assert max(at_once) == 1
    assert all(one.ended <= two.started for one, two in itertools.pairwise(jobs))


def test_what_goes_first_goes_before_all_that_wait(queue: Queue) -> None:
    under_way, later = add(queue, "slow"), add(queue, "fine")
    wait_for(lambda: under_way.done)
    sooner = add(queue, "fine", "describe", first=True)
    assert queue.waiting == [sooner, later]
    queue.stop(under_way)
    wait_for(lambda: later.over)
    assert sooner.ended <= later.started


def test_a_failure_does_not_hold_up_the_next(queue: Queue) -> None:
    add(queue, "broken")
    later = add(queue, "fine")
    wait_for(lambda: later.over)
    assert later.state == "done"


def test_output_that_is_no_message_does_not_hold_up_the_next(queue: Queue) -> None:
    jobs = [add(queue, "rubbish"), add(queue, "fine")]
    wait_for(lambda: all(job.over for job in jobs))
    assert [job.state for job in jobs] == ["done", "done"]


def test_a_defect_of_the_console_ends_the_job_and_not_those_that_wait(launcher: Path) -> None:
    assert launcher.exists()

    def tell(job) -> None:  # noqa: ANN001
        if job.done and job.command.topic == "slow":
            processes.append(job._process)  # noqa: SLF001
            raise RuntimeError("a defect")

    processes: list[subprocess.Popen[str]] = []
    queue = Queue(tell)
    slow, later = add(queue, "slow"), add(queue, "fine")
    wait_for(lambda: later.over)
    queue.close()
    assert (slow.state, later.state) == ("failed", "done")
    assert "a defect" in slow.failure
    assert processes[0].returncode is not None
    assert slow.ended <= later.started


def test_one_that_waits_can_be_taken_out(queue: Queue) -> None:
    under_way, unwanted, wanted = add(queue, "slow"), add(queue, "fine"), add(queue, "fine")
    wait_for(lambda: under_way.done)
    queue.stop(unwanted)
    assert queue.waiting == [wanted]
    queue.stop(under_way)
    wait_for(lambda: wanted.over)
    assert unwanted.started == 0


def test_stop_all_starts_nothing_more(queue: Queue) -> None:
    jobs = [add(queue, "slow"), add(queue, "fine"), add(queue, "fine")]
    wait_for(lambda: jobs[0].done)
    queue.stop_all()
    wait_for(lambda: all(job.over for job in jobs))
    assert [job.state for job in jobs] == ["stopped"] * 3
    assert [bool(job.started) for job in jobs] == [True, False, False]


def test_closing_ends_the_process_under_way(launcher: Path) -> None:
    assert launcher.exists()
    queue = Queue(lambda _: None)
    job = add(queue, "slow")
    wait_for(lambda: job.done)
    queue.close()
    assert job.state == "stopped"
    assert queue.running is None
