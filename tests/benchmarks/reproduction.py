"""`./lab reproduce --quick`, of one topic and of all of them: when the first verdict falls, and when it ends.

All topics are built before. It takes a quarter of an hour, and the machine must be quiet meanwhile.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from typing import TYPE_CHECKING

from timing import LAB, Figure, clean_environment, report, run

from perflab.claims.verdict import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterator

TOPIC = "mailbox"
FIRST_GOAL_S, GOAL_S = 40.0, 900.0


def measure() -> Iterator[Figure]:
    run([LAB, "build"])
    for what, topics, goal in ((TOPIC, [TOPIC], None), ("all topics", [], GOAL_S)):
        first, total = _reproduce(topics)
        yield Figure(f"`./lab reproduce --quick`, {what}, the first verdict", first, "s", FIRST_GOAL_S, "once")
        yield Figure(f"`./lab reproduce --quick`, {what}", total, "s", goal, "once")


def _reproduce(topics: list[str]) -> tuple[float, float]:
    """Seconds to the first verdict, and to the end."""
    begun, first = time.monotonic(), 0.0
    with tempfile.TemporaryDirectory() as results:
        process = subprocess.Popen(
            [LAB, "reproduce", *topics, "--quick"],
            env=clean_environment(PERFLAB_RESULTS=results),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        for line in process.stdout:
            if not first and line.startswith(tuple(f"{word}: " for word in VERDICTS)):
                first = time.monotonic() - begun
        process.wait()
    return first, time.monotonic() - begun


if __name__ == "__main__":
    report(measure())
