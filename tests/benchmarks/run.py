"""Runs the benchmarks of this folder and prints their table.

Usage: PYTHONPATH=src .venv/bin/python tests/benchmarks/run.py [NAME...]
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import click
from timing import report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from timing import Figure

BENCHMARKS = ("startup", "million_samples", "overhead", "fresh_clone", "reproduction")
BY_NAME_ONLY = {"reproduction"}
"""Those that need the machine for many minutes."""


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(BENCHMARKS))
def main(names: tuple[str, ...]) -> None:
    """Run the benchmarks NAMES, or all that take a few minutes."""
    report(_figures(names or [name for name in BENCHMARKS if name not in BY_NAME_ONLY]))


def _figures(names: Sequence[str]) -> Iterator[Figure]:
    for name in names:
        yield from importlib.import_module(name).measure()


if __name__ == "__main__":
    main()
