"""How often `./lab gate` blames unchanged code: suites drawn from recorded rounds.

`data/gate/unchanged.jsonl` has the log ratios of the rounds of sixty unchanged benchmarks of Google Benchmark, from a
gate of two minutes. A suite draws the rounds of each with replacement, and turns the sign of each at random, so that
nothing differs.

Run with `--write` it writes the table of `docs/gate.md`.
"""

from __future__ import annotations

import json
import math

import click
import numpy as np
from plan import DATA, PAGE, markdown, show

from perflab.stats.comparison import compare
from perflab.stats.suite import confirmed_confidence, gate_word, is_suspect, screen

RECORDED = DATA / "gate" / "unchanged.jsonl"
THRESHOLD = 0.02
SCREENED, CONFIRMED = 30, 30
SUITES = 100
DOCS = PAGE.with_name("gate.md")
HEADS = ("benchmarks", "suspects in a suite", "measured again", "suites in which anything is blamed")


def rates(size: int, suites: int, seed: int = 1) -> list[str]:
    """Return a row: what a gate says of suites of `size` unchanged benchmarks."""
    rng = np.random.default_rng(seed)
    rounds = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
    suspects = again = blamed = 0
    for _ in range(suites):
        waiting: list[list[float]] = []
        for _ in range(size):
            one = rounds[rng.integers(len(rounds))]
            told = screen(_drawn(one["best"], SCREENED, rng), _drawn(one["means"], SCREENED, rng), THRESHOLD)
            suspects += is_suspect(told, THRESHOLD)
            if told.word != "no difference":
                waiting.append(_drawn(one["means"], CONFIRMED, rng))
        again += len(waiting)
        level = confirmed_confidence(len(waiting) + 2)
        blamed += any(_word(scores, level) in {"slower", "faster"} for scores in waiting)
    return [str(size), f"{suspects / suites:.1f}", f"{again / suites:.1f}", f"{blamed} of {suites}"]


def _drawn(recorded: list[float], rounds: int, rng: np.random.Generator) -> list[float]:
    drawn = rng.choice(recorded, rounds) * rng.choice([-1, 1], rounds)
    return [float(one) for one in drawn]


def _word(scores: list[float], level: float) -> str:
    values = {"then": [1.0] * len(scores), "now": [math.exp(-one) for one in scores]}
    (found,) = compare(values, "then", "time", "ns/op", "lower", confidence=level, robust=True)
    return gate_word(found, THRESHOLD)


@click.command()
@click.option("--suites", default=SUITES, show_default=True)
@click.option("--write", is_flag=True, help="Write the table of docs/gate.md.")
def main(suites: int, *, write: bool) -> None:
    """Draw suites and print the table."""
    text = markdown(HEADS, [rates(60, suites), rates(214, suites)])
    click.echo(text)
    if write:
        show("gate table", text, DOCS)


if __name__ == "__main__":
    main()
