"""Do processes that run one after the other see the same machine? From the committed reference runs.

If the nearer halves of two neighbours are alike and the farther ones are not, the machine changes within a round, and
processes that take turns sample by sample would be compared more narrowly. If both are alike, pairing has it already.

PYTHONPATH=src .venv/bin/python benchmarks/neighbours.py --write    # the table, into docs/measuring.md
"""

from __future__ import annotations

import sys
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from plan import markdown, show

from perflab.model.lab import CHECKOUT
from perflab.stats.metrics import rows_of_forks
from perflab.store.runs import find_runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from perflab.store.runs import Run

_LEAST, _HALF = 40, 2
HEADS = ("scenario", "neighbours", "correlation of their means", "of the nearer halves", "of the farther halves")


def _processes(run: Run) -> list[tuple[str, NDArray[np.float64]]]:
    """Return the variant and the log figures (first half, last half, all) of each process, in the order of starts."""
    headline, samples = run.header.scenario.headline.of, run.samples()
    column = next((name for name in (f"p:{headline}", f"c:{headline}") if name in samples), None)
    figures = samples[column] if column else samples["ns"] / samples["ops"]
    by_process = {key: figures[rows] for key, rows in rows_of_forks(samples).items()}
    found = []
    for _, *key in sorted(run.forks().cells("started", "round", "variant")):
        values = by_process.get(tuple(key), np.array([]))
        half = len(values) // 2
        if half >= _HALF and (values > 0).all():
            found.append((key[1], np.log([part.mean() for part in (values[:half], values[-half:], values)])))
    return found


def table() -> str:
    """Return the correlations of each scenario with enough neighbours as Markdown."""
    pairs = defaultdict(list)
    for run in find_runs(CHECKOUT / "datasets" / "reference"):
        processes = _processes(run)
        logs = {name: np.array([one for other, one in processes if other == name]) for name, _ in processes}
        scaled = [(name, (one - logs[name].mean(axis=0)) / (logs[name].std(axis=0) + 1e-12)) for name, one in processes]
        pairs[f"{run.header.component}, {run.header.scenario.name}"] += [
            (one, other) for (name, one), (second, other) in pairwise(scaled) if name != second
        ]
    rows = []
    for name, found in sorted(pairs.items()):
        if len(found) >= _LEAST:
            ours, theirs = (np.array(side).T for side in zip(*found, strict=True))
            alike = (np.corrcoef(ours[i], theirs[j])[0, 1] for i, j in ((2, 2), (1, 0), (0, 1)))
            rows.append([name, str(len(found)), *(f"{r:.2f}" for r in alike)])
    return markdown(HEADS, rows)


if __name__ == "__main__":
    if "--write" in sys.argv:
        show("neighbours table", table())
    else:
        print(table())
