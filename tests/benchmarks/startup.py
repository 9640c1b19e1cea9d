"""How long `./lab --help` takes: what every command pays before it does anything."""

from __future__ import annotations

from timing import LAB, Figure, median_figure, report, run

GOAL_S = 0.4
REPETITIONS = 20


def measure() -> list[Figure]:
    run([LAB, "--help"])  # fills the page cache and writes the byte code
    times = [run([LAB, "--help"]).wall_s for _ in range(REPETITIONS)]
    return [median_figure("`./lab --help`, warm", times, "s", GOAL_S)]


if __name__ == "__main__":
    report(measure())
