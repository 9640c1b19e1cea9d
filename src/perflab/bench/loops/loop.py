"""Calls a function of a file over and over: `loop.py FILE NAME WARMUP_MS SAMPLE_MS SAMPLES`.

Each sample is a line: how many calls, their nanoseconds, how many empty calls one takes at least, no bytes, and its CPU
time in nanoseconds. It takes SAMPLE_MS by both clocks, but at most four times as long on the wall. See functions.py.
"""

from __future__ import annotations

import functools
import inspect
import io
import itertools
import math
import runpy
import sys
import timeit
from collections.abc import AsyncIterable, Iterator
from concurrent.futures import Future
from time import perf_counter, process_time

SHORTEST_S = 1e-3
"""Minimum time between two readings of the clock."""
_LOOKED_AT = 10
"""Values of a container that are looked at."""
_EMPTY_CALLS, _BATCHES = 10_000, 5


_DEFERRED = (Iterator, AsyncIterable, Future, functools.partial)
_CONTAINERS = (list, tuple, set, dict)


def deferred(value: object) -> str | None:
    """Return the type of a value that does its work later, or of the first such in a container."""
    if isinstance(value, _CONTAINERS):
        several = value.values() if isinstance(value, dict) else value
        return next(filter(None, map(deferred, itertools.islice(several, _LOOKED_AT))), None)
    later = isinstance(value, _DEFERRED) or inspect.isawaitable(value) or inspect.isroutine(value)
    return type(value).__name__ if later and not isinstance(value, io.IOBase) else None


def empty() -> None:
    """Do nothing."""


def main(file: str, name: str, warmup_ms: str, sample_ms: str, samples: str) -> None:
    """Warm up, then measure."""
    function = runpy.run_path(file)[name]
    begun = perf_counter()
    if what := deferred(function()):
        sys.stdout.write(f"deferred {what}\n")
        return
    took_s = warm_s = perf_counter() - begun
    empty_s = min(timeit.repeat(empty, number=_EMPTY_CALLS, repeat=_BATCHES)) / _EMPTY_CALLS
    timer, calls = timeit.Timer(function), 1
    while took_s < SHORTEST_S or warm_s < float(warmup_ms) / 1000:
        calls *= 1 + (took_s < SHORTEST_S)
        took_s = timer.timeit(calls)
        warm_s += took_s
    sample_s = float(sample_ms) / 1000
    for _ in range(int(samples)):
        done, total_s, cpu_s, least_s, cpu_begun = 0, 0.0, 0.0, math.inf, process_time()
        while total_s < sample_s or (cpu_s < sample_s and total_s < 4 * sample_s):
            took_s = timer.timeit(calls)
            total_s += took_s
            least_s = min(least_s, took_s)
            done += calls
            cpu_s = process_time() - cpu_begun
        sys.stdout.write(f"{done} {total_s * 1e9:.0f} {least_s / calls / empty_s:.3f} nan {cpu_s * 1e9:.0f}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
