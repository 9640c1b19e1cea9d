"""Cache a value per fork and metric of a sealed run in a small file, so that samples are rarely read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from perflab.model.errors import UsageError
from perflab.model.files import UNREADABLE, write_json
from perflab.stats.metrics import fork_values, median_of
from perflab.store.records import SAMPLES
from perflab.store.runs import decoded

if TYPE_CHECKING:
    from collections.abc import Collection

    from perflab.stats.columns import Columns
    from perflab.store.runs import Run

FIGURES_FILE = "forks.json"
_KEYS = ("round", "variant", "ops", "ns")


class ForkFigures(msgspec.Struct, frozen=True):
    """The figures of a run's successful forks, without void labels.

    Attributes:
        rounds: Number of rounds.
        labels: Labels with samples, sorted.
        figures: By metric expression and label, a value per round; `None` where a fork is missing or failed.
        lacking: By metric expression without values, the reason.
        operations: By label, the median number of operations per sample.
        runtimes: By label, the runtimes of its forks.
        size: Size of the sealed samples in bytes, to detect changes.
    """

    rounds: int
    labels: list[str]
    figures: dict[str, dict[str, list[float | None]]]
    lacking: dict[str, str]
    operations: dict[str, float]
    runtimes: dict[str, list[str]]
    size: int = 0


def fork_figures(run: Run, metrics: Collection[str]) -> ForkFigures:
    """Return the figures of these metric expressions: from the cache, else from the samples."""
    try:
        sealed = decoded(run.folder / FIGURES_FILE, ForkFigures)
        whole = sealed.size == (run.folder / f"{SAMPLES}.npz").stat().st_size
        if whole and set(metrics) <= sealed.figures.keys() | sealed.lacking.keys():
            return sealed
    except (OSError, *UNREADABLE):
        pass  # of an earlier version, or not sealed yet
    return _computed(run, metrics)


def write_figures(run: Run) -> None:
    """Write the figures of all metrics of a sealed run, if it has samples."""
    try:
        found = _computed(run, dict.fromkeys(metric.of for metric in run.header.scenario.all_metrics.values()))
    except UsageError:
        return
    size = (run.folder / f"{SAMPLES}.npz").stat().st_size
    write_json(run.folder / FIGURES_FILE, msgspec.structs.replace(found, size=size))


def _computed(run: Run, metrics: Collection[str]) -> ForkFigures:
    samples = run.samples(set(_KEYS).union(*map(columns_of, metrics)))
    if not samples.rows:
        raise UsageError(f"run {run.id} holds no samples", "measure again")
    labels = sorted(set(samples["variant"].tolist()) & {arm.label for arm in run.header.arms} - set(run.void))
    rounds = int(samples["round"].max()) + 1
    if rounds > run.forks(("round",)).rows + 1:  # a row for each round would fill the memory
        raise UsageError(f"run {run.id} has samples of rounds without forks", "measure again")
    whole = without_failed_forks(run, samples)
    values, lacking = dict[str, dict[str, list[float | None]]](), dict[str, str]()
    for of in metrics:
        try:
            found = fork_values(whole, of)
            if any(map(math.isinf, found.values())):
                raise ValueError("it is infinite in a process")  # noqa: TRY301 - as those of `fork_values`
        except ValueError as error:
            lacking[of] = str(error)
            continue
        table = [[found.get((round_, label), math.nan) for round_ in range(rounds)] for label in labels]
        values[of] = {
            label: [None if math.isnan(value) else value for value in row]
            for label, row in zip(labels, table, strict=True)
        }
    medians = {label: median_of(whole["ops"][whole["variant"] == label]) for label in labels}
    operations = {label: value for label, value in medians.items() if math.isfinite(value)}
    return ForkFigures(rounds, labels, values, lacking, operations, _runtimes(run))


def without_failed_forks(run: Run, samples: Columns) -> Columns:
    """Return the samples without those of failed or interrupted forks, void variants and unknown ones.

    Those stay in the store but do not count: a fork is validated only at its end.
    """
    forks = run.forks(("round", "variant", "status"))
    ended = forks.where(forks["status"] == "ok").cells("round", "variant") if "status" in forks else []
    labels = {arm.label for arm in run.header.arms} - set(run.void)
    return samples.among({fork for fork in ended if fork[1] in labels}, "round", "variant")


def _runtimes(run: Run) -> dict[str, list[str]]:
    forks = run.forks(("variant", "runtime"))
    found: dict[str, list[str]] = {}
    if "runtime" in forks:
        for label, name in sorted(set(forks.cells("variant", "runtime"))):
            if name:
                found.setdefault(label, []).append(name)
    return found


def columns_of(of: str) -> set[str]:
    """Return the columns of the samples that a metric needs."""
    counter = of.removeprefix("counter:").rpartition("/")[0]
    return {*_KEYS, f"p:{of}", f"c:{counter}"}
