"""Comparing a run of a million samples: time and peak memory of a fresh process, from Parquet and from raw lines."""

from __future__ import annotations

import tempfile
from pathlib import Path

from synthetic_run import RUN_ID, SAMPLES
from timing import LAB, PYTHON, Figure, clean_environment, median_figure, report, run

from perflab.model.lab import CHECKOUT

GOAL_S = 2.0
GOAL_MB = 400.0
REPETITIONS = 5

_ANALYSE = f"""
from perflab.model.lab import Lab
from perflab.measure.analysis import analyse
from perflab.store.runs import find_run

analyse(find_run({RUN_ID!r}, Lab.from_environment().results))
"""
_IMPORT = "import perflab.measure.analysis, perflab.store.runs, pandas, scipy.special"


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder)
        # In a process of its own, which keeps this one's peak memory out of the figures: see `Ended`.
        making = run(
            [PYTHON, str(Path(__file__).with_name("synthetic_run.py")), folder], environment=_environment(results)
        )
        figures = [
            Figure(f"writing and sealing {SAMPLES:,} samples", making.wall_s, "s", spread="once"),
            *_figures("`analyse` from Parquet", [PYTHON, "-c", _ANALYSE], results, goals=True),
            *_figures("`./lab compare` from Parquet", [LAB, "compare", RUN_ID, "--json"], results, goals=True),
        ]
        (results / "runs" / RUN_ID / "samples.parquet").unlink()
        figures += _figures("`analyse` from raw lines", [PYTHON, "-c", _ANALYSE], results, goals=True)
    figures += _figures("of these, interpreter and libraries", [PYTHON, "-c", _IMPORT], Path(), goals=False)
    return figures


def _figures(what: str, command: list[str], results: Path, *, goals: bool) -> list[Figure]:
    ended = [run(command, environment=_environment(results)) for _ in range(REPETITIONS)]
    times, peaks = [one.wall_s for one in ended], [one.max_rss_bytes / 1e6 for one in ended]
    return [
        median_figure(f"{what}, wall", times, "s", GOAL_S if goals else None),
        median_figure(f"{what}, peak memory", peaks, "MB", GOAL_MB if goals else None),
    ]


def _environment(results: Path) -> dict[str, str]:
    return clean_environment(PYTHONPATH=str(CHECKOUT / "src"), PERFLAB_RESULTS=str(results))


if __name__ == "__main__":
    report(measure())
