"""A background load: one thread that computes and sleeps by turns, for as long as standard input is open.

Half of one core on average, and unsteady: that is what neighbours on a shared machine look like.
"""

from __future__ import annotations

import random
import select
import sys
import time

_LONGEST_S = 2.0


def _turns() -> None:
    turns = random.Random(1)  # noqa: S311 - a load that can be repeated
    while True:
        end = time.monotonic() + turns.uniform(0, _LONGEST_S)
        while time.monotonic() < end:
            pass
        if select.select([sys.stdin], [], [], turns.uniform(0, _LONGEST_S))[0]:
            return


if __name__ == "__main__":
    _turns()
