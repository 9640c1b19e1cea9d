"""Where threads meet: how much of the spread between processes belongs to placement, pages, addresses, GC and JIT?

Each round has two fresh processes of each setting, the two variants of a claim, in random order. What was measured is
kept round by round; the table is made of all that is kept.
"""

from __future__ import annotations

import json
import math
import random
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from plan import DATA, markdown, show

from perflab.measure.fork import run_fork
from perflab.model.lab import Lab
from perflab.stats.diagnostics import modality
from perflab.stats.metrics import fork_value
from perflab.topics.catalogue import find_component
from perflab.topics.program import program_environment, run_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SAMPLES, LONG = 4, 20
EQUAL_TIME_S = 60
HEADS = (
    *("scenario", "setting", "rounds", "sd of logs between processes", "within", "correlation of the two"),
    *("sd of the log ratio, of the usual one", "ratio", f"half width after {EQUAL_TIME_S} s"),
)
PINNED = Path(__file__).with_name("pinned.c")


@dataclass(frozen=True)
class Scenario:
    """A scenario that two variants take part in; `threads` are the names, or their beginnings, of those that meet."""

    topic: str
    name: str
    variants: tuple[str, str]
    metrics: tuple[str, ...]
    threads: str
    settings: Mapping[str, Mapping[str, str]]
    params: Mapping[str, Any] = field(default_factory=dict)
    warmup_ms: int = 250
    turns: str = "0,1"


_NATIVE = {"huge pages": {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}}
_DOTNET = {"GC not concurrent": {"DOTNET_gcConcurrent": "0"}, "JIT at once": {"DOTNET_TieredCompilation": "0"}}
_JVM = {
    "huge pages": {"_JAVA_OPTIONS": "-XX:+UseTransparentHugePages"},
    "objects on cache lines": {"_JAVA_OPTIONS": "-XX:ObjectAlignmentInBytes=64"},
    "GC serial": {"_JAVA_OPTIONS": "-XX:-UseG1GC -XX:+UseSerialGC"},
    "JIT C1 only": {"_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1"},
}
SCENARIOS = {
    "mailbox burst": Scenario(
        *("mailbox", "burst", ("resizable", "linked"), ("rate",), "producer,ForkJoinPool", _JVM),
        params={"messages": 100000, "capacity": 100000},
        warmup_ms=1000,
    ),
    "mailbox wake-up": Scenario(
        *("mailbox", "wakeup", ("resizable", "linked"), ("p50", "p99"), "ForkJoinPool", _JVM),
        params={"min-gap-us": 300, "max-gap-us": 900},
        warmup_ms=1000,
    ),
    "pool burst": Scenario(
        *("thread-pool", "burst", ("dotnet", "catga-after"), ("p50",), ".NET TP Worker,catga worker", _DOTNET),
        warmup_ms=500,
    ),
    "broker broadcast": Scenario("supervisor", "broadcast", ("published", "lab"), ("time",), "tokio", _NATIVE),
    "sequencer push": Scenario("sequencer", "push", ("mutex", "lab"), ("rate",), "", _NATIVE, turns="0,0,1"),
}


@click.command(epilog="Example: PYTHONPATH=src .venv/bin/python benchmarks/spread.py --scenario 'sequencer push'")
@click.option("--scenario", "names", multiple=True, type=click.Choice(list(SCENARIOS)), help="By default all.")
@click.option("--setting", "only", multiple=True, help="Only these beside the usual one.")
@click.option("--rounds", type=click.IntRange(0), default=20, show_default=True, help="Until there are so many.")
@click.option("--seconds", type=float, default=math.inf, help="Stop before a round would end later.")
@click.option("--write", is_flag=True, help="Only write the table of all that is kept into docs/measuring.md.")
def main(*, names: tuple[str, ...], only: tuple[str, ...], rounds: int, seconds: float, write: bool) -> None:
    """Measure what narrows the spread between processes, and keep it. Topics must be built."""
    if write:
        show("spread table", table())
        return
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "pinned.so")
        subprocess.run(["/usr/bin/cc", "-shared", "-fPIC", "-O2", "-o", library, PINNED, "-ldl"], check=True)
        for name in names or SCENARIOS:
            longest = 0.0
            while len(kept := _kept(name)) < rounds and time.monotonic() + longest < end:
                begun = time.monotonic()
                done = _round(SCENARIOS[name], only, len(kept), library)
                longest = max(longest, time.monotonic() - begun)
                with _file(name).open("a", encoding="utf-8") as file:
                    file.write(json.dumps(done) + "\n")


def _file(name: str) -> Path:
    return DATA / "spread" / f"{name.replace(' ', '-')}.jsonl"


def _kept(name: str) -> list[dict[str, Any]]:
    path = _file(name)
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def table() -> str:
    """Return the table of all rounds that are kept."""
    return markdown(
        HEADS,
        [
            row
            for name, one in SCENARIOS.items()
            if (kept := _kept(name))
            for metric in one.metrics
            for row in _rows(name, metric, kept)
        ],
    )


def _round(scenario: Scenario, only: tuple[str, ...], number: int, library: Path) -> dict[str, Any]:
    preload = {"LD_PRELOAD": str(library), "PINNED_NAMES": scenario.threads}
    pinned = {"own cores": {**preload, "PINNED": scenario.turns}, "one core": {**preload, "PINNED": "1"}}
    settings = {**pinned, "addresses fixed": {}, "long": {}, **scenario.settings}
    chosen = ["usual", *(name for name in settings if name in only or not only)]
    jobs = [(setting, random.sample(scenario.variants, 2)) for setting in random.sample(chosen, len(chosen))]
    return {s: {v: _fork(scenario, v, s, settings.get(s, {}), number) for v in order} for s, order in jobs}


def _fork(scenario: Scenario, variant: str, setting: str, changes: Mapping[str, str], seed: int) -> dict[str, Any]:
    component = find_component(Lab.from_environment(), scenario.topic)
    samples = LONG if setting == "long" else SAMPLES
    shape = {"warmup_ms": scenario.warmup_ms, "sample_ms": 100, "samples": samples, "seed": seed}
    command = run_command(component, scenario.name, variant, scenario.params, **shape)
    fork = run_fork(
        [*(("setarch", "-R") if setting == "addresses fixed" else ()), *command],
        cwd=component.folder,
        environment={**program_environment(component, variant), **changes},
        timeout_s=60,
    )
    parts = {"fork": fork.samples, "first": fork.samples[:SAMPLES], "last": fork.samples[-SAMPLES:]}
    figures = {
        metric: {
            **{name: fork_value(part, metric) for name, part in parts.items()},
            "samples": [fork_value([sample], metric) for sample in fork.samples],
        }
        for metric in scenario.metrics
    }
    return {"wall_s": fork.wall_s, "figures": figures, "usage": fork.usage}


def _rows(name: str, metric: str, rounds: list[dict[str, Any]]) -> Iterator[list[str]]:
    variants, usual = SCENARIOS[name].variants, None
    for setting in dict.fromkeys(["usual", *(one for round_ in rounds for one in round_)]):
        pairs = [[one[setting][variant] for variant in variants] for one in rounds if setting in one]
        seconds = fmean(sum(fork["wall_s"] for fork in pair) for pair in pairs)
        samples = np.log([[fork["figures"][metric]["samples"] for fork in pair] for pair in pairs])
        within = np.sqrt(samples.var(axis=2, ddof=1).mean(axis=0))
        for part in ("first", "last", "fork") if setting == "long" else ("fork",):
            logs = np.log([[fork["figures"][metric][part] for fork in pair] for pair in pairs])
            scores = (logs[:, 1] - logs[:, 0]) * (1 if metric == "rate" else -1)
            usual = scores if usual is None else usual
            modes = ["*" if (found := modality(np.exp(column))) and found.bimodal else "" for column in logs.T]
            yield [
                f"{name}, {metric}",
                setting if part == "fork" else f"{setting}, its {part} {SAMPLES}",
                str(len(pairs)),
                ", ".join(f"{sd:.2f}{mode}" for sd, mode in zip(logs.std(axis=0, ddof=1), modes, strict=True)),
                ", ".join(f"{sd:.2f}" for sd in within),
                f"{np.corrcoef(logs.T)[0, 1]:.2f}",
                _relative(scores, usual),
                f"{math.exp(scores.mean()):.2f}x",
                f"±{math.expm1(1.96 * scores.std(ddof=1) * math.sqrt(seconds / EQUAL_TIME_S)):.0%}",
            ]


def _relative(scores: Floats, usual: Floats) -> str:
    """Return the spread as a share of the usual one's, with its 95 % interval by the bootstrap."""
    chance = np.random.default_rng(1)
    drawn = [np.std(chance.choice(one, (2000, one.size)), axis=1, ddof=1) for one in (scores, usual)]
    low, high = np.quantile(drawn[0] / drawn[1], [0.025, 0.975])
    return f"{scores.std(ddof=1):.2f}, {scores.std(ddof=1) / usual.std(ddof=1):.2f} [{low:.2f}, {high:.2f}]"


if __name__ == "__main__":
    main()
