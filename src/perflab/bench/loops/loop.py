"""Calls a function of a file over and over: `loop.py FILE NAME WARMUP_MS SAMPLE_MS SAMPLES`.

Each sample is a line: how many calls, and their nanoseconds. See functions.py.
"""

from __future__ import annotations

import runpy
import sys
import timeit

SHORTEST_S = 1e-3
"""Minimum time between two readings of the clock."""


def main(file: str, name: str, warmup_ms: str, sample_ms: str, samples: str) -> None:
    """Warm up, then measure."""
    timer = timeit.Timer(runpy.run_path(file)[name])
    calls, warm_s = 1, 0.0
    while True:
        took_s = timer.timeit(calls)
        warm_s += took_s
        if took_s < SHORTEST_S:
            calls *= 2
        elif warm_s >= float(warmup_ms) / 1000:
            break
    for _ in range(int(samples)):
        done, total_s = 0, 0.0
        while total_s < float(sample_ms) / 1000:
            total_s += timer.timeit(calls)
            done += calls
        sys.stdout.write(f"{done} {total_s * 1e9:.0f}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
