"""A background load for as long as standard input is open: one thread that computes, with or without sleep.

With it, it takes half of one core on average, unsteadily: that is what neighbours on a shared machine look like.
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

_LONGEST_S = 2.0


@contextmanager
def beside(load: str, *, steady: bool = False) -> Iterator[None]:
    """Keep the load going if it is to be busy; if `steady`, it never sleeps."""
    if load != "busy":
        yield
        return
    process = subprocess.Popen([sys.executable, __file__, *(["steady"] if steady else [])], stdin=subprocess.PIPE)
    try:
        yield
    finally:
        process.communicate()


def _turns(longest_sleep_s: float) -> None:
    turns = random.Random(1)  # noqa: S311 - a load that can be repeated
    while True:
        end = time.monotonic() + turns.uniform(0, _LONGEST_S)
        while time.monotonic() < end:
            pass
        if select.select([sys.stdin], [], [], turns.uniform(0, longest_sleep_s))[0]:
            return


if __name__ == "__main__":
    _turns(0 if "steady" in sys.argv else _LONGEST_S)
