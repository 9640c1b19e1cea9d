"""Other tools on the programs of `decisive.py`: each measures a pair in its own way and says its word.

Ratios are those of perflab: the baseline's time over the other's. A tool that gives no interval of the ratio gets one
that follows from its figures: of hyperfine and pyperf Welch's, of benchstat the root of the squares of its two.
"""

from __future__ import annotations

import csv
import json
import math
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from tools import t_test
from trial import clean_environment

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAMS = Path(__file__).parent / "programs"
BUILT = PROGRAMS / "target"
_PROCESSES = 20
_BENCHSTAT_COUNT = 10


@dataclass(frozen=True)
class Said:
    """What a tool says of a pair: ratio, 95 % interval, and whether the two differ by its own rule."""

    ratio: float
    low: float
    high: float
    word: str


def hyperfine(base: Sequence[str], other: Sequence[str], seconds: float, folder: Path) -> Said:
    """As many runs of one command and then of the other as fill the time; Welch's t-test."""
    runs = max(10, round(seconds / 2 / _seconds(base) - 1))
    options = ["-N", "--style", "none", "--warmup", "1", "--runs", str(runs), "--export-json", "out.json"]
    _run(["hyperfine", *options, *(_line(one) for one in (base, other))], folder)
    a, b = (np.asarray(one["times"]) for one in _json(folder / "out.json")["results"])
    return _of_times(a, b, equal_var=False)


def pyperf(base: Sequence[str], other: Sequence[str], seconds: float, folder: Path) -> Said:
    """Processes of a warm-up and three values, twenty if the time allows; Student's t-test, as `compare_to`."""
    processes = max(2, min(_PROCESSES, round(seconds / 2 / (0.15 + 4 * _seconds(base)))))
    values = []
    for number, command in enumerate((base, other)):
        shape = ["-p", str(processes), "-w", "1", "-n", "3", "-l", "1", "--copy-env"]
        _run(["pyperf", "command", "-q", *shape, "-o", f"{number}.json", "--", *command], folder)
        (benchmark,) = _json(folder / f"{number}.json")["benchmarks"]
        values.append(np.asarray([value for run in benchmark["runs"] for value in run.get("values", ())]))
    return _of_times(*values, equal_var=True)


def benchstat(base: str, other: str, seconds: float, folder: Path) -> Said:
    """Ten lines of each by `go test`, one after the other; Mann and Whitney's test of medians."""
    lasts = f"{seconds / 2 / _BENCHSTAT_COUNT / 1.3:.2f}s"  # Go's trials for the number of iterations take time, too
    for name, work in (("a", base), ("b", other)):
        options = ["-test.run", "^$", "-test.bench", "^BenchmarkWork$", "-test.count", str(_BENCHSTAT_COUNT)]
        printed = _run([str(BUILT / "collect"), *options, "-test.benchtime", lasts], folder, WORK=work)
        (folder / name).write_text(printed, encoding="utf-8")
    return read_benchstat(_run(["benchstat", "-format", "csv", "a", "b"], folder))


def read_benchstat(printed: str) -> Said:
    """Read benchstat's CSV of one benchmark."""
    row = next(row for row in csv.reader(printed.splitlines()) if row and row[0].startswith("Work"))
    ratio = float(row[1]) / float(row[3])
    half = math.hypot(*(float(cell.rstrip("%")) / 100 if cell != "∞" else math.inf for cell in (row[2], row[4])))
    word = "no difference" if row[5] == "~" else "slower" if row[5].startswith("+") else "faster"
    return Said(ratio, ratio * (1 - half), ratio * (1 + half), word)


def criterion(base: str, other: str, seconds: float, folder: Path) -> Said:
    """A process of each, the second against the first's saved baseline; criterion's own words."""
    program = bench_of_criterion()
    each = ["--warm-up-time", "1", "--measurement-time", f"{max(1, seconds / 2 - 1.5):g}", "--noplot"]
    for what, work in (("--save-baseline", base), ("--baseline", other)):
        options = ["--bench", "^work$", *each, what, "before"]
        printed = _run([program, *options], folder, WORK=work, CRITERION_HOME=str(folder))
    mean = _json(folder / "work" / "change" / "estimates.json")["mean"]
    within = mean["confidence_interval"]
    high, low = (1 / (1 + within[name]) for name in ("lower_bound", "upper_bound"))
    return Said(1 / (1 + mean["point_estimate"]), low, high, _word_of_criterion(printed))


def _word_of_criterion(printed: str) -> str:
    words = {"Performance has regressed": "slower", "Performance has improved": "faster"}
    return next((word for text, word in words.items() if text in printed), "no difference")


def bench_of_criterion() -> str:
    """Return the bench program, built if it is not."""
    lines = _run(["cargo", "bench", "--no-run", "-q", "--message-format", "json"], PROGRAMS / "sums").splitlines()
    made = [json.loads(line) for line in lines]
    return next(one["executable"] for one in made if one.get("executable") and one["target"]["name"] == "sums")


def build() -> None:
    """Build the programs."""
    BUILT.mkdir(exist_ok=True)
    _run(["g++", "-O2", "-o", "target/allocate", "allocate.cpp"], PROGRAMS)
    for name in ("chase", "stream"):
        _run(["gcc", "-O2", "-o", f"target/{name}", f"{name}.c"], PROGRAMS)
    _run(["go", "test", "-c", "-o", "../target/collect"], PROGRAMS / "collect")
    bench_of_criterion()


def _of_times(a: np.ndarray, b: np.ndarray, *, equal_var: bool) -> Said:
    logs = math.log(a.mean() / b.mean())
    parts = [one.var(ddof=1) / len(one) / one.mean() ** 2 for one in (a, b)]
    freedom = sum(parts) ** 2 / sum(part**2 / (len(one) - 1) for part, one in zip(parts, (a, b), strict=True))
    half = stats.t.ppf(0.975, freedom) * math.sqrt(sum(parts))
    return Said(
        math.exp(logs),
        math.exp(logs - half),
        math.exp(logs + half),
        t_test(a, b, equal_var=equal_var) or "no difference",
    )


def _seconds(command: Sequence[str]) -> float:
    def once() -> float:
        begun = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - begun

    return min(once() for _ in range(3))


def _line(command: Sequence[str]) -> str:
    return " ".join(f"'{word}'" for word in command)


def _json(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _run(command: Sequence[str], folder: Path, **changes: str) -> str:
    environment = clean_environment(**changes)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ChildProcessError(f"{' '.join(command)}: {done.stderr or done.stdout}")
    return done.stdout
