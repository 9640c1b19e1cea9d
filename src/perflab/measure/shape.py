"""The shape of a run's processes: how long each warms up, and how many samples of which length it makes.

A preset gives a shape that suits a slow start. Where probes show that shorter processes narrow the intervals faster,
they take its place, by the rule of Kalibera and Jones (2013). docs/measuring.md has the argument and the figures.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING

import msgspec

from perflab.host.machine import this_machine
from perflab.measure.presets import preset_of
from perflab.model.errors import LabError, StoreError, UsageError
from perflab.stats.arrays import np
from perflab.stats.diagnostics import changes_within
from perflab.stats.interval import student_quantile
from perflab.stats.metrics import NS_PER_S, Percentile, fork_value, parse_metric
from perflab.store.records import SHAPE, Unsettled
from perflab.store.runs import find_runs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from perflab.measure.plan import Plan
    from perflab.measure.presets import Preset
    from perflab.model.progress import Progress
    from perflab.model.protocol import Metric, Sample
    from perflab.store.records import Arm

    Floats = NDArray[np.float64]


_UNIT_MS = 10
"""Length of a probe's samples. The system hands out processors in slices of a few milliseconds, so a shorter sample
would mostly measure whether it was interrupted."""

_FIRST_LOOK = 3
_SEEN = 1.25
"""A probe lasts so many times the preset's warm-up, to be compared with what follows the warm-up."""

_LEAST_PROBES, _MOST_PROBES = 2, 5
_DEAREST = 0.25
"""The least probes may take this share of a run; where a start takes long, the preset's share."""

_SURE = 3.0
"""Samples of the warm-up differ from those that follow by more than so many standard errors."""

_SHORTEST, _LONGEST = 0.25, 4.0
"""Bounds of the measured time of a process, as a share of its start and warm-up: a spread estimated from a few probes
may be wrong by a factor of two, and measuring for as long as the start takes never has more than twice the least
variance that any length has."""

_LEAST_SAMPLES, _MOST_SAMPLES = 2, 10


@dataclass(frozen=True)
class Probes:
    """The results of the probes.

    Attributes:
        series: For each arm the headline's log values, one row per process and one column per sample.
        unit_ms: The requested length of a sample.
        start_s: Time of a process without its samples.
        sample_s: Time of a sample with its overhead.
    """

    series: Sequence[Floats]
    unit_ms: int
    start_s: float
    sample_s: float


@dataclass(frozen=True)
class _Probe:
    start_s: float
    sample_s: float
    values: list[float]


def fit_shape(plan: Plan, progress: Progress) -> Preset:
    """Return the plan's preset with the shape that the run's processes are to have.

    An earlier run on this machine that measured these variants in this scenario by the same preset gives its shape, so
    that the figures of both can be compared. Without one, processes are probed for at most the preset's share of the
    budget, and left out of the run. Where that would not pay, the preset keeps its own shape.
    """
    preset = plan.preset
    if not preset.pilot:
        return preset
    progress.update(0.0, f"{plan.component.name} {plan.scenario.name}: how long should a process last?")
    shape: Mapping[str, int] = known_shape(plan)
    if not shape:
        try:
            shape = _probed_shape(plan)
        except StoreError:
            raise
        except (LabError, ValueError, ArithmeticError):
            pass  # the run itself will say what is wrong with a process
    return msgspec.structs.replace(preset, pilot=0.0, **shape)


def known_shape(plan: Plan) -> dict[str, int]:
    """Return the shape of the newest comparable, complete run that had no less time; empty if there is none."""
    wanted = {arm.variant for arm in plan.arms}
    component = plan.component
    for run in reversed(find_runs(component.lab.results, component=component.name, scenario=plan.scenario.name)):
        header = run.header
        if (
            header.machine.id == this_machine().id
            and header.planned
            and header.preset == plan.preset_name
            and wanted <= {arm.variant for arm in header.arms}
            and run.complete
        ):
            with suppress(UsageError):  # of an earlier version of the lab
                found = preset_of(header.options)
                if found.budget_s >= plan.preset.budget_s:
                    return {name: getattr(found, name) for name in SHAPE}
    return {}


def best_shape(probes: Probes, preset: Preset, *, least_warmup_ms: int, left_s: float) -> Mapping[str, int]:
    """Return the shape with the fastest narrowing intervals: sqrt(start / sample x within / between) samples.

    By Kalibera and Jones, bounded by the preset's rounds, warm-up and length of samples, by the topic's warm-up and by
    the seconds that are left. It is empty if a process does not reach a steady state within a probe.
    """
    settled = settled_after(probes.series, preset.half_width)
    if settled is None:
        return {}
    unit_ms, sample_s = probes.unit_ms, probes.sample_s
    warmup_ms = max(min(settled * unit_ms, preset.warmup_ms), least_warmup_ms)
    within, between = spreads([rows[:, settled:] for rows in probes.series])
    fixed = probes.start_s + warmup_ms / unit_ms * sample_s
    even = fixed / sample_s
    best = math.sqrt(even * within / between) if between > 0 else math.inf
    # So many samples a process may make if twice the least rounds are to fit.
    most = (left_s / (len(probes.series) * 2 * preset.min_rounds) - fixed) / sample_s
    best = min(max(best, _SHORTEST * even), _LONGEST * even, most)
    measured_ms = max(round(best), _LEAST_SAMPLES) * unit_ms
    sample_ms = max(min(math.ceil(measured_ms / _MOST_SAMPLES), preset.sample_ms), unit_ms)
    return {"warmup_ms": warmup_ms, "sample_ms": sample_ms, "samples": round(measured_ms / sample_ms)}


def rounds_of_probes(preset: Preset, arms: int, start_s: float, probe_s: float) -> int:
    """Return how many probes of each arm pay: none where they would take too much of the run's time.

    A probe takes `start_s` for the process and `probe_s` for its samples; a round has as many processes as `arms`.
    """
    planned_s = start_s + (preset.warmup_ms + preset.samples * preset.sample_ms) / 1000
    run_s = max(preset.budget_s, preset.min_rounds * arms * planned_s)
    affordable = int(preset.pilot * run_s / (arms * (start_s + probe_s)))
    # What starts slowly has little to gain.
    most = _DEAREST if start_s <= preset.warmup_ms / 1000 else preset.pilot
    dear = _LEAST_PROBES * arms * (start_s + probe_s) > most * run_s
    return 0 if dear else min(max(affordable, _LEAST_PROBES), _MOST_PROBES)


def settled_after(series: Sequence[Floats], tolerance: float) -> int | None:
    """Return after how many samples the level changes by no more than `tolerance`; `None` if it changes to the end.

    `series` are, for each arm, log values: one row a process and one column a sample.
    """
    length = series[0].shape[1]
    edges = [0, *(2**power for power in range(length.bit_length()) if 2**power <= length / 2), 3 * length // 4]
    # Of neighbours, so that a trend does not count as noise.
    noise = float(np.mean([(np.diff(rows, axis=1) ** 2).mean() for rows in series])) / 2
    settled: int | None = 1
    for begin, end in pairwise(edges):
        changes = [rows[:, begin:end].mean(axis=1) - rows[:, end:].mean(axis=1) for rows in series]
        expected = noise * (1 / (end - begin) + 1 / (length - end))
        # Two probes say little about their own spread: Student's quantile allows for it.
        freedom = sum(len(change) - 1 for change in changes)
        quantile = student_quantile(NormalDist().cdf(_SURE), freedom + 1)
        surely = max(_SURE * math.sqrt(expected), quantile * math.sqrt(_pooled(changes)))
        for change in changes:
            if abs(change.mean()) > max(tolerance, surely / math.sqrt(len(change))):
                settled = end if end < edges[-1] else None
    return settled


def _pooled(groups: Sequence[Floats]) -> float:
    """Return the variance within groups; 0 if each has one value."""
    freedom = sum(len(group) - 1 for group in groups)
    return sum(float(((group - group.mean()) ** 2).sum()) for group in groups) / freedom if freedom else 0.0


def spreads(series: Sequence[Floats]) -> tuple[float, float]:
    """Return the variance within processes and that between them, pooled over arms; `series` are warm rows."""
    samples = series[0].shape[1]
    within = float(np.mean([rows.var(axis=1, ddof=1).mean() for rows in series]))
    between = _pooled([rows.mean(axis=1) for rows in series])
    return within, max(between - within / samples, 0.0)


def _probed_shape(plan: Plan) -> Mapping[str, int]:
    preset, scenario = plan.preset, plan.scenario
    begun = time.monotonic()
    # A percentile is one of the operations in a sample, whose length decides what it means.
    percentiles = any(isinstance(parse_metric(one.of), Percentile) for one in scenario.all_metrics.values())
    unit_ms = preset.sample_ms if percentiles else _UNIT_MS
    first = _probe(plan, plan.arms[0], unit_ms, _FIRST_LOOK)
    looks = max(math.ceil(_SEEN * preset.warmup_ms / 1000 / first.sample_s), 2 * _FIRST_LOOK)
    if first.sample_s > preset.sample_ms / 1000:
        return {}
    rounds = [
        [_probe(plan, arm, unit_ms, looks) for arm in plan.arms]
        for _ in range(rounds_of_probes(preset, len(plan.arms), first.start_s, looks * first.sample_s))
    ]
    if not rounds:
        return {}
    series = [np.log([one[i].values for one in rounds]) for i in range(len(plan.arms))]
    if not all(np.isfinite(rows).all() for rows in series):
        return {}
    start_s, sample_s = (
        float(np.median([getattr(probe, name) for one in rounds for probe in one])) for name in ("start_s", "sample_s")
    )
    return best_shape(
        Probes(series, unit_ms, start_s, sample_s),
        preset,
        least_warmup_ms=plan.component.manifest.bench.warmup_ms,
        left_s=preset.budget_s - (time.monotonic() - begun),
    )


def _probe(plan: Plan, arm: Arm, unit_ms: int, samples: int) -> _Probe:
    """Run a process without warm-up."""
    came: list[float] = []

    def on_sample(_: Sample) -> None:
        came.append(time.monotonic())

    preset = plan.preset
    timeout_s = min(preset.fork_timeout_s, preset.budget_s)
    shape = msgspec.structs.replace(preset, warmup_ms=0, sample_ms=unit_ms, samples=samples, fork_timeout_s=timeout_s)
    begun = time.monotonic()
    fork = replace(plan, preset=shape).fork(arm, 0, on_sample)
    total_s = time.monotonic() - begun
    if len(came) < _LEAST_SAMPLES:
        raise ValueError("the harness itself says how long a process lasts")
    # A program that buffers its output prints all samples at the end, so arrivals alone would give 0 s a sample: take
    # no less than the requested length and the reported one. What `samples` of these do not explain is the start.
    took_s = float(np.median([sample.ns for sample in fork.samples])) / NS_PER_S
    sample_s = max(float(np.median(np.diff(came))), unit_ms / 1000, took_s)
    of = plan.scenario.headline.of
    return _Probe(
        max(total_s - samples * sample_s, 0.001), sample_s, [fork_value([sample], of) for sample in fork.samples]
    )


class SteadyStateCheck:
    """Compares each metric at the beginning and at the end of each fork, and lists those that still changed."""

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self._metrics = metrics
        self._ends: dict[tuple[str, str], tuple[list[float], list[float]]] = {}

    def add(self, label: str, samples: Sequence[Sample]) -> None:
        """Add a fork's samples, in their order."""
        if len(samples) == 1:
            return
        third = max(1, len(samples) // 3)
        for name, metric in self._metrics.items():
            with suppress(ValueError):  # it has no such figure
                both = fork_value(samples[:third], metric.of), fork_value(samples[-third:], metric.of)
                for values, value in zip(self._ends.setdefault((label, name), ([], [])), both, strict=True):
                    values.append(value)

    def unsettled(self) -> list[Unsettled]:
        """Return the labels and metrics that changed."""
        return [
            Unsettled(label, name, fmean(first), fmean(last))
            for (label, name), (first, last) in self._ends.items()
            if changes_within(first, last)
        ]
