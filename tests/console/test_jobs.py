"""A job: how its stream is taken in, and the ways in which it ends."""

from __future__ import annotations

import itertools
import threading
from typing import TYPE_CHECKING

import pytest
from waiting import wait_for

from perflab.cli.console.form import LAUNCHER_VARIABLE

from .conftest import job

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("launcher")


def test_a_job_takes_in_progress_charts_and_the_result() -> None:
    told, one = [], job("fine")
    one.run(lambda now: told.append((now.state, now.done, now.text, now.seconds_left)))
    assert told[0] == ("running", 0.0, "", None)
    assert ("running", 0.25, "round 2, steel", 3.0) in told
    assert told[-1][:2] == ("done", 1.0)
    assert one.result == {"words": ["measure", "fine", "--stream"]}
    assert one.displays == [{"text/plain": "a chart"}]
    assert one.over
    assert one.seconds > 0


def test_a_clock_that_jumps_back_makes_no_job_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(2_000_000_000, -3600)
    monkeypatch.setattr("time.time", lambda: next(clock))
    one = job("fine")
    one.run(lambda _: None)
    assert 0 < one.seconds < 3600


def test_a_result_that_falls_short_is_a_result() -> None:
    one = job("short")
    one.run(lambda _: None)
    assert one.state == "done"


@pytest.mark.parametrize(
    ("topic", "failure", "hint"), [("broken", "no such kettle", "buy one"), ("dumb", "it went up in steam", "")]
)
def test_a_failure_says_why(topic: str, failure: str, hint: str) -> None:
    one = job(topic)
    one.run(lambda _: None)
    assert (one.state, one.failure, one.hint) == ("failed", failure, hint)


def test_a_line_that_is_no_message_is_kept_and_ends_nothing() -> None:
    one = job("rubbish")
    one.run(lambda _: None)
    assert one.state == "done"
    assert one.notes == ["this is no JSON", "[1, 2]", '{"type": "progress"}', "\N{REPLACEMENT CHARACTER}"]
    assert one.result is not None


def test_a_command_that_says_much_on_standard_error_does_not_get_stuck() -> None:
    one = job("loud")
    one.run(lambda _: None)
    assert one.state == "done"


def test_stop_interrupts_and_keeps_what_was_said() -> None:
    one = job("slow")
    thread = threading.Thread(target=one.run, args=(lambda _: None,))
    thread.start()
    wait_for(lambda: one.done)
    one.stop()
    assert one.state == "stopping"
    thread.join(20)
    assert one.state == "stopped"
    assert one.notes == ["what was measured is kept"]


def test_a_job_that_was_stopped_before_its_turn_never_starts() -> None:
    one = job("fine")
    one.stop()
    one.run(lambda _: None)
    assert (one.state, one.result, one.started) == ("stopped", None, 0.0)


def test_a_launcher_that_is_not_there_is_a_failure_with_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LAUNCHER_VARIABLE, str(tmp_path / "nowhere"))
    one = job("fine")
    one.run(lambda _: None)
    assert one.state == "failed"
    assert "nowhere" in one.failure
    assert one.hint
