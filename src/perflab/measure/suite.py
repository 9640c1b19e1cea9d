"""Measure all benchmarks of a suite at two revisions: a screen of all, then a confirmation of those that it suspects.

docs/gate.md says what the verdicts mean; `perflab.stats.suite` why so few of them are false alarms.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from perflab.bench.interface import choose, completed, find_harness, reason
from perflab.host.spawner import Spawner
from perflab.measure.analysis import fork_table, precision_target
from perflab.measure.harnessed import PreparedBench, local_path, open_bench, parsing_output, scratch, user_environment
from perflab.measure.measure import execute
from perflab.measure.pairs import WAYS
from perflab.measure.plan import PRESET_VARIABLE, BuiltVersion, Plan
from perflab.measure.presets import PRESETS
from perflab.model.errors import BenchError, LabError, MissingError, one_line
from perflab.model.protocol import PROTOCOL_VERSION, Description, Runtime
from perflab.stats.comparison import compare, direction
from perflab.stats.metrics import fork_value
from perflab.stats.suite import Screened, confirmed_confidence, gate_word, is_suspect, screen
from perflab.store.records import Arm
from perflab.store.runs import find_run
from perflab.topics.catalogue import bench_component

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from perflab.measure.presets import Preset
    from perflab.model.lab import Lab
    from perflab.model.progress import Progress
    from perflab.model.project import SavedBench
    from perflab.model.protocol import Metric, Sample
    from perflab.stats.comparison import Comparison
    from perflab.stats.suite import GateWord
    from perflab.store.runs import Run


_BUILD_S = 3600
_SAMPLES = 4
_MEASURED_MS = 20, 400
"""The least and the most that a process of the screen measures; in between, half of what its start takes."""
_GREEDY = 4.0
"""A benchmark may take so many times its share of the screen's time before others go first."""
_FEWEST, _LEAST_S = 8, 3.0
"""Rounds, and seconds, that a confirmation takes at least."""
_SCREEN_SHARE = 0.5
_ENOUGH_ROUNDS, _AMPLY = 8, 4.0
"""Rounds of the screen after which what is open may be confirmed, if that has so many times the time it takes."""
_CONTROLS = 2
"""Confirmations of a benchmark against itself: if one of them alarms, the machine is unfit."""
_TIMEOUT_S = 60.0
_TOGETHER = 50
"""The most benchmarks in one process."""


@dataclass(frozen=True)
class Part:
    """Some benchmarks of a suite: a target of a harness, or commands.

    Attributes:
        name: As it is shown.
        bench: The harness and its target, from the project's folder; of commands, all that a saved bench says.
        build: A command that builds the target in the project's folder; empty if the harness builds, or nothing does.
    """

    name: str
    bench: SavedBench
    build: str = ""


@dataclass(frozen=True)
class Side:
    """A tree of the project: at a revision, or the working tree; `folder` is the project's in it."""

    name: str
    folder: Path


@dataclass(eq=False)
class Pair:
    """A benchmark in both trees, and what was seen of it so far.

    Attributes:
        plan: Of two arms, the earlier one first.
        best: Log ratios of the screen's rounds, of the best samples; above 0 the new one is better.
        means: The same of the means.
        alone: Whether its processes are its own, although the harness could have several benchmarks in one.
        start_s: Seconds that a process takes besides its samples.
        round_s: Seconds of its last round.
        spent_s: Seconds of all of them.
        failed: Why it cannot be measured.
        failed_in_both: Whether it failed in both trees from the first.
        run: The run that confirms or clears it.
        comparison: Of that run.
    """

    name: str
    plan: Plan
    best: list[float] = field(default_factory=list)
    means: list[float] = field(default_factory=list)
    alone: bool = False
    start_s: float = 0.0
    round_s: float = 0.0
    spent_s: float = 0.0
    failed: str = ""
    failed_in_both: bool = False
    run: Run | None = None
    comparison: Comparison | None = None

    @property
    def bench(self) -> PreparedBench:
        """Its bench in the working tree."""
        assert self.plan.build.bench is not None  # noqa: S101 - a suite's versions are benches
        return self.plan.build.bench

    def screened(self, threshold: float) -> Screened:
        """Return what the screen says of it."""
        return screen(self.best, self.means, threshold)

    def word(self, threshold: float) -> GateWord | str:
        """Return the verdict: a `GateWord`, `not reached` or `failed`."""
        if self.failed:
            return "failed"
        if self.comparison is not None:
            return gate_word(self.comparison, threshold)
        found = self.screened(threshold).word
        return found if found in {"not reached", "no difference"} else "undecided"


@dataclass
class Suite:
    """A suite in two trees.

    Attributes:
        pairs: The benchmarks that both have.
        only: Those that one tree has, by its name.
        left_out: Why others cannot be measured, by their names.
        controls: Confirmations of a benchmark against itself.
        threshold: The share that does not matter.
    """

    then: Side
    now: Side
    threshold: float
    pairs: list[Pair] = field(default_factory=list)
    only: dict[str, list[str]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    controls: list[Pair] = field(default_factory=list)

    @property
    def unfit(self) -> list[Pair]:
        """The controls that differ from themselves."""
        differs = {"slower", "faster"}
        return [one for one in self.controls if one.comparison and gate_word(one.comparison, 0.0) in differs]

    @property
    def counts(self) -> Counter[str]:
        """Number of benchmarks by verdict."""
        return Counter(one.word(self.threshold) for one in self.pairs)


def build_both(suite: Suite, parts: Iterable[Part], progress: Progress) -> None:
    """Run each build command in both trees, once."""
    for command in dict.fromkeys(one.build for one in parts if one.build):
        for side in (suite.then, suite.now):
            progress.update(0.0, f"building {side.name}: {command}")
            done = completed(["/bin/sh", "-c", command], folder=side.folder, timeout_s=_BUILD_S)
            if done.returncode:
                said = reason(done.stderr) or reason(done.stdout) or "it says nothing"
                raise BenchError(f"{side.name} does not build: {command} failed: {said}", "--build COMMAND builds both")


def open_part(suite: Suite, part: Part, lab: Lab, progress: Progress) -> None:
    """Add the benchmarks of a part to the suite; one that cannot be opened is left out, with the reason."""
    opened: list[PreparedBench] = []
    for side in (suite.then, suite.now):
        progress.update(0.0, f"{part.name}: asking {side.name} for its benchmarks")
        try:
            opened.append(_opened(part.bench, side, progress))
        except LabError as error:
            suite.left_out[part.name] = f"{side.name}: {error.message}"
            return
    names = [_by_name(one) for one in opened]
    for one, side in zip(opened, (suite.then, suite.now), strict=True):
        found = Counter(name for _, name in one.runs.values())
        suite.left_out |= {
            f"{part.name}: {name}": f"{side.name} has {n} of this name" for name, n in found.items() if n > 1
        }
        suite.left_out |= {f"{part.name}: {name}": why for name, why in one.harness.left_out.items()}
    for side, own, others in zip((suite.then, suite.now), names, names[::-1], strict=True):
        suite.only.setdefault(side.name, []).extend(name for name in own if name not in others)
    component = bench_component(lab, part.name, part.bench)
    then, now = (BuiltVersion(component, _description(part, one), bench=one) for one in opened)
    taken = {one.name for one in suite.pairs}
    for name in names[1]:
        if name in names[0]:
            shown = f"{part.name}: {name}" if name in taken else name
            arms = [Arm(f"{name} @ {suite.then.name}", names[0][name], "before"), Arm(name, names[1][name], "yours")]
            suite.pairs.append(Pair(shown, _plan(then, now, arms)))


def _by_name(bench: PreparedBench) -> dict[str, str]:
    """Return the variants of a tree by their benchmarks' names, without names that occur twice."""
    counts = Counter(name for _, name in bench.runs.values())
    return {name: variant for variant, (_, name) in bench.runs.items() if counts[name] == 1}


def _description(part: Part, bench: PreparedBench) -> Description:
    return Description(PROTOCOL_VERSION, part.name, Runtime(bench.harness.about, ""), [bench.harness.scenario], [])


def _plan(then: BuiltVersion, now: BuiltVersion, arms: list[Arm]) -> Plan:
    assert now.bench is not None  # noqa: S101 - a suite's versions are benches
    harness = now.bench.harness
    shape = {"warmup_ms": harness.warmup_ms, "sample_ms": _MEASURED_MS[0] // _SAMPLES, "samples": _SAMPLES}
    if harness.whole:
        shape = {"warmup_ms": 0, "sample_ms": 0, "samples": 1}
    preset = msgspec.structs.replace(PRESETS["quick"], **shape, pilot=0.0, fork_timeout_s=_TIMEOUT_S)
    base = arms[0].label
    name = os.environ.get(PRESET_VARIABLE, "quick")
    return Plan(now, harness.scenario, arms, base, preset, name, kind="gate", builds={base: then})


def _opened(bench: SavedBench, side: Side, progress: Progress) -> PreparedBench:
    """Open all benchmarks of a part in a tree; Python imports modules from there, whatever is installed."""
    paths = [str(one) for one in (side.folder / "src", side.folder) if one.is_dir()]
    if users := user_environment().get("PYTHONPATH"):
        paths.append(users)
    variables = {"PYTHONPATH": os.pathsep.join(paths)}
    folder = side.folder / (bench.folder or "")
    if not bench.harness:
        return replace(open_bench(bench, folder, progress), environment=variables)
    harness, place = find_harness(bench.harness), scratch()
    opened = PreparedBench(harness, {}, folder, Spawner(), scratch=place, environment=variables)
    with opened.as_there(), parsing_output(harness):
        ready = harness.prepare(local_path(bench.of[0]), Path(place.name))
        names = harness.benchmarks(ready)
    wanted = [choose(one, names, bench.of[0], harness.left_out) for one in bench.compare] or names
    return replace(opened, runs={f"b{i}": (ready, name) for i, name in enumerate(wanted)}, known={ready: names})


def screen_all(
    suite: Suite, total_s: float, order: random.Random, progress: Progress, on_round: Callable[[Pair], None]
) -> None:
    """Compare all benchmarks, round by round, until each is suspect or clear, or the rest had better be confirmed.

    That is so after half of all seconds, or as soon as what is left has time for an ample confirmation of each.

    Those with the fewest rounds go first, in random order. `on_round` is called after each round of a pair.
    """
    begun, seconds = time.monotonic(), total_s * _SCREEN_SHARE
    share_s = seconds / max(len(suite.pairs), 1)
    while True:
        waiting = [one for one in suite.pairs if not one.failed and _is_open(one, suite.threshold)]
        spent_s = time.monotonic() - begun
        fitting = [one for one in waiting if spent_s + one.round_s < seconds]
        modest = [one for one in fitting if one.spent_s < _GREEDY * share_s or one.spent_s == 0] or fitting
        if not modest or _may_be_confirmed(suite, waiting, total_s - spent_s):
            return
        fewest = min(len(one.best) for one in modest)
        batch = [one for one in modest if len(one.best) == fewest]
        for pairs in _processes(order.sample(batch, len(batch))):
            if (spent_s := time.monotonic() - begun) + sum(one.round_s for one in pairs) >= seconds:
                continue
            decided = len(suite.pairs) - len(waiting)
            progress.update(spent_s / seconds, f"screen: {decided} of {len(suite.pairs)} decided; {pairs[0].name}")
            for pair in _round(pairs, order):
                on_round(pair)
        # What fails in both trees is not the change's.
        suite.left_out |= {one.name: one.failed for one in suite.pairs if one.failed_in_both}
        suite.pairs = [one for one in suite.pairs if not one.failed_in_both]


def _may_be_confirmed(suite: Suite, waiting: Sequence[Pair], seconds: float) -> bool:
    """Return whether there is time to confirm amply what waits, and everything has been seen often enough."""
    suspects = [one for one in suite.pairs if one.screened(suite.threshold).word == "suspect"]
    seen = all(len(one.best) >= _ENOUGH_ROUNDS for one in suite.pairs if not one.failed)
    return seen and _AMPLY * sum(map(_needed_s, [*waiting, *suspects])) + _CONTROLS * _LEAST_S < seconds


def _processes(pairs: Iterable[Pair]) -> list[list[Pair]]:
    """Return the pairs whose processes may be one."""
    found: dict[tuple[int, str], list[Pair]] = {}
    alone: list[list[Pair]] = []
    for pair in pairs:
        bench = pair.bench
        if bench.harness.together and not pair.alone:
            group = found.setdefault((id(bench), bench.runs[pair.plan.arms[1].variant][0]), [])
            group.append(pair)
        else:
            alone.append([pair])
    return alone + [each[i : i + _TOGETHER] for each in found.values() for i in range(0, len(each), _TOGETHER)]


def _is_open(pair: Pair, threshold: float) -> bool:
    return pair.screened(threshold).word in {"open", "not reached"}


def _round(pairs: Sequence[Pair], order: random.Random) -> list[Pair]:
    """Run both processes of a round, which several pairs may share, and return the pairs that both have figures of.

    The first round of a pair alone tells how long its start takes, and so how long its processes should be. Where a
    process of several fails, each is measured alone.
    """
    begun = time.monotonic()
    sides: list[dict[str, list[Sample]]] = [{}, {}]
    whys, starts_s = ["", ""], [0.0, 0.0]
    for side in order.sample((0, 1), 2):
        sides[side], starts_s[side], whys[side] = _one_side(pairs, side)
        if whys[side] and len(pairs) > 1:
            for one in pairs:
                one.alone = True
            return [pair for one in pairs for pair in _round([one], order)]
    took_s = (time.monotonic() - begun) / len(pairs)
    seen = []
    for pair in pairs:
        pair.start_s = min(starts_s)
        if pair.spent_s == 0 and len(pairs) == 1:
            pair.plan = replace(pair.plan, preset=_shaped(pair.plan.preset, pair.start_s))
        pair.round_s = took_s
        pair.spent_s += took_s
        then, now = (side.get(arm.label, []) for side, arm in zip(sides, pair.plan.arms, strict=True))
        failed = [
            f"{arm.label}: {why or 'it gave no result'}"
            for arm, samples, why in zip(pair.plan.arms, (then, now), whys, strict=True)
            if not samples
        ]
        if failed:
            pair.failed = "; ".join(failed)
            pair.failed_in_both = len(failed) > 1 and not pair.best
            continue
        try:
            best, mean = _log_ratios(then, now, pair.plan.scenario.headline)
        except ValueError as error:
            pair.failed = one_line(error)
            continue
        pair.best.append(best)
        pair.means.append(mean)
        seen.append(pair)
    return seen


def _log_ratios(then: list[Sample], now: list[Sample], metric: Metric) -> tuple[float, float]:
    """Return how much better the best sample and the mean of a process are than those of the other."""
    sign = direction(metric.better)
    best = [max(sign * math.log(fork_value([one], metric.of)) for one in samples) for samples in (then, now)]
    means = [sign * math.log(fork_value(samples, metric.of)) for samples in (then, now)]
    return best[1] - best[0], means[1] - means[0]


def _one_side(pairs: Sequence[Pair], side: int) -> tuple[dict[str, list[Sample]], float, str]:
    """Return the samples of a side's process by label, the seconds of its start, and why it failed."""
    first = pairs[0].plan
    arms = [one.plan.arms[side] for one in pairs]
    try:
        if len(pairs) == 1:
            fork = first.fork(arms[0], len(pairs[0].best))
            samples = {arms[0].label: fork.samples}
        else:
            build = first.builds.get(arms[0].label, first.build)
            assert build.bench is not None  # noqa: S101 - a suite's versions are benches
            samples, fork = build.bench.fork_together(arms, first.preset)
    except (BenchError, MissingError) as error:
        return {}, 0.0, one_line(f"{error.message} ({error.hint})" if error.hint else error.message)
    return samples, fork.wall_s - sum(one.ns for one in fork.samples) / 1e9, ""


def _shaped(preset: Preset, start_s: float) -> Preset:
    """Return the preset with a length that suits the start."""
    if not preset.sample_ms:
        return preset
    least, most = _MEASURED_MS
    return msgspec.structs.replace(preset, sample_ms=round(min(max(500 * start_s, least), most) / preset.samples))


def confirm_all(
    suite: Suite, seconds: float, order: random.Random, progress: Progress, on_run: Callable[[Pair], None]
) -> None:
    """Measure what the screen leaves open again, in runs of its own, the suspects first; and some against themselves.

    How many intervals hold together is fixed before the first of them. What there is no time for stays undecided.
    """
    begun = time.monotonic()
    waiting = [one for one in suite.pairs if one.word(suite.threshold) == "undecided"]
    waiting.sort(key=lambda one: _urgency(one, suite.threshold), reverse=True)
    if not waiting:
        return
    calm = [one for one in suite.pairs if not one.failed and one not in waiting and one.best] or waiting
    suite.controls = [_control(one) for one in order.sample(calm, min(_CONTROLS, len(calm)))]
    everything = [*suite.controls, *waiting]
    first = _CONTROLS + sum(is_suspect(one.screened(suite.threshold), suite.threshold) for one in waiting)
    level = confirmed_confidence(len(everything))
    quiet = Quiet(progress)
    for number, pair in enumerate(everything):
        left_s = seconds - (time.monotonic() - begun)
        if pair.run is None and (left_s >= _needed_s(pair) or number <= len(suite.controls)):
            progress.update(number / len(everything), f"confirming {pair.name}")
            share_s = left_s / ((first if number < first else len(everything)) - number)
            confirm(pair, level, share_s, max(suite.threshold / 2, 0.002), order=order, progress=quiet)
        if pair.run is not None:
            pair.comparison = compared(pair.run, level)
            on_run(pair)


def confirm(
    pair: Pair, level: float, seconds: float, half_width: float, *, order: random.Random, progress: Progress
) -> None:
    """Measure a pair in a run of its own, until an interval of this level has this half width, or time is up."""
    preset = _longer(pair, max(seconds, _LEAST_S), half_width)
    planned = replace(pair.plan, preset=preset, ways=WAYS, confidence=level, seed=order.randrange(2**31))
    try:
        pair.run = execute(planned, progress)
        pair.failed = "; ".join(f"{label}: {why}" for label, why in pair.run.failures.items())
    except (BenchError, MissingError) as error:
        pair.failed = one_line(error)


def _urgency(pair: Pair, threshold: float) -> tuple[bool, bool, float]:
    found = pair.screened(threshold)
    return pair.run is not None, is_suspect(found, threshold), found.suspicion


def _longer(pair: Pair, budget_s: float, half_width: float) -> Preset:
    """Return the preset of a confirmation, whose processes measure for twice as long as those of the screen."""
    preset = _shaped(pair.plan.preset, pair.start_s)
    sample_ms = 2 * preset.sample_ms
    warmup_ms = max(preset.warmup_ms, sample_ms)
    limits = {"budget_s": budget_s, "half_width": half_width, "min_rounds": _FEWEST}
    return msgspec.structs.replace(preset, **limits, sample_ms=sample_ms, warmup_ms=warmup_ms)


def _needed_s(pair: Pair) -> float:
    """Return the seconds that a confirmation takes at least: its rounds, and as many to find out how pairs run."""
    preset = _longer(pair, 0.0, 1.0)
    measured_s = (preset.warmup_ms + preset.samples * preset.sample_ms) / 1000
    return max(_LEAST_S, 2 * _FEWEST * max(2 * (pair.start_s + measured_s), pair.round_s))


class Quiet:
    """Hands on notes, and each kind of note once: a confirmation is a part of the whole."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._said: set[str] = set()

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:
        """Say nothing."""

    def note(self, text: str) -> None:
        """Hand it on, unless it differs from an earlier one in figures alone."""
        kind = re.sub(r"[\d.]+", "", text)
        if kind not in self._said:
            self._said.add(kind)
            self._progress.note(text)


def _control(pair: Pair) -> Pair:
    """Return the earlier build of a benchmark beside itself."""
    arm, then = pair.plan.arms[0], pair.plan.builds[pair.plan.baseline]
    again = msgspec.structs.replace(arm, label=f"{arm.label} (again)")
    return Pair(f"{pair.name} (against itself)", replace(pair.plan, build=then, builds={}, arms=[arm, again]))


def compared(run: Run, level: float) -> Comparison | None:
    """Compare the two arms of a confirmation; `None` if it has no figures of both."""
    header = run.header
    headline = header.scenario.headline
    then, now = (arm.label for arm in header.arms)
    try:
        table = fork_table(run, headline)
        (found,) = compare(
            {then: table[then], now: table[now]},
            then,
            headline.name,
            headline.unit,
            headline.better,
            confidence=level,
            target_half_width=precision_target(run, headline),
            robust=bool(header.pairs),
        )
    except (LabError, KeyError, ValueError):
        return None
    return found


def take_up(suite: Suite, lines: Iterable[Mapping[str, Any]], results: Path) -> None:
    """Take what an interrupted gate has seen: the rounds of the screen, and the runs that confirm."""
    pairs = {one.name: one for one in suite.pairs}
    for line in lines:
        pair = pairs.get(line["pair"])
        if pair is None:
            continue
        if "best" in line:
            pair.best.append(float(line["best"]))
            pair.means.append(float(line["mean"]))
        elif line["run"]:
            pair.run = find_run(line["run"], results)
