"""A background load for as long as standard input is open: one thread that computes and sleeps by turns.

A share of one core on average, by default a half, and unsteady: that is what neighbours on a shared machine look like.
"""

from __future__ import annotations

import random
import select
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_TURN_S = 2.0  # both of a turn, on average


@contextmanager
def beside(load: str, *, share: float = 0.5) -> Iterator[None]:
    """Keep the load going if it is to be busy."""
    if load != "busy":
        yield
        return
    process = subprocess.Popen([sys.executable, __file__, str(share)], stdin=subprocess.PIPE)
    try:
        yield
    finally:
        process.communicate()


def _turns(share: float) -> None:
    turns = random.Random(1)  # noqa: S311 - a load that can be repeated
    while True:
        end = time.monotonic() + turns.uniform(0, 2 * share * _TURN_S)
        while time.monotonic() < end:
            pass
        if select.select([sys.stdin], [], [], turns.uniform(0, 2 * (1 - share) * _TURN_S))[0]:
            return


if __name__ == "__main__":
    _turns(float(sys.argv[1]))
