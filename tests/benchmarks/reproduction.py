"""`./lab reproduce --quick mailbox`, twice: the first may still install and build, the second only measures.

It takes minutes, and the machine must be quiet meanwhile.
"""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

from timing import LAB, Figure, clean_environment, report, run

if TYPE_CHECKING:
    from collections.abc import Iterator

TOPIC = "mailbox"
GOAL_S = 240.0
_REFUTED = 1
"""The status when a claim that was expected to hold is refuted: a finding, and the run is whole."""


def measure() -> Iterator[Figure]:
    for which, goal in (("first", None), ("second", GOAL_S)):
        with tempfile.TemporaryDirectory() as results:
            ended = run(
                [LAB, "reproduce", "--quick", TOPIC, "--json"],
                environment=clean_environment(PERFLAB_RESULTS=results),
                statuses=(0, _REFUTED),
            )
        yield Figure(f"`./lab reproduce --quick {TOPIC}`, the {which}", ended.wall_s, "s", goal, "once")


if __name__ == "__main__":
    report(measure())
