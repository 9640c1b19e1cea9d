#!/usr/bin/env bash
# numpy 2.4.6, Python 3.11.
#
# The first call of numpy.median in a process imports numpy.ma, also for a plain array: the median looks whether its result
# is a masked array, and NumPy 2 imports that submodule at first use only. So do quantile, percentile and nanmean; mean, std
# and sort import nothing. A first median of three numbers takes over a hundred times as long as the second: whoever times a
# loop with a median in it, or a command by its first answer, has the import in the figure.
#
# Seen on 2026-11-28:
#   after mean, std and sort: numpy.ma loaded: False
#   after median: numpy.ma loaded: True, the first call took 27.7 ms, the second 0.15 ms
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from time import perf_counter

import numpy as np

laps = np.array([3.0, 1.0, 2.0])
np.mean(laps), np.std(laps), np.sort(laps)
print("after mean, std and sort: numpy.ma loaded:", "numpy.ma" in sys.modules)
assert "numpy.ma" not in sys.modules
times = [perf_counter()]
for _ in range(2):
    np.median(laps)
    times.append(perf_counter())
first, second = (1000 * (end - start) for start, end in zip(times, times[1:]))
loaded = "numpy.ma" in sys.modules
print(f"after median: numpy.ma loaded: {loaded}, the first call took {first:.1f} ms, the second {second:.2f} ms")
assert loaded
PYTHON
