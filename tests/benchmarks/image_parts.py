"""What `./lab setup` leaves on a disk, part by part, before and after `binder/slim`, which it runs.

PYTHONPATH=src .venv/bin/python tests/benchmarks/image_parts.py MAVEN_REPOSITORY CARGO_HOME

Both are emptied as on Binder, so they are folders of their own, and `./lab setup` has filled them in a fresh clone:

MAVEN_OPTS=-Dmaven.repo.local=/tmp/maven CARGO_HOME=/tmp/cargo ./lab setup
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click

from perflab.model.lab import CHECKOUT, Lab, user_cache
from perflab.topics.catalogue import find_components

LAB = Lab.from_environment()

MIB = 2**20
_HOMES = {Path.home() / ".m2", Path.home() / ".m2" / "repository", Path.home() / ".cargo"}


@click.command()
@click.argument("maven", type=click.Path(exists=True, path_type=Path))
@click.argument("cargo", type=click.Path(exists=True, path_type=Path))
def main(maven: Path, cargo: Path) -> None:
    """Print the table."""
    if {maven.resolve(), cargo.resolve()} & _HOMES:
        raise SystemExit("these are your own: make copies, or set up with others as the text above says")
    parts = _parts(maven, cargo)
    before = {name: _size(paths) for name, paths in parts.items()}
    subprocess.run([CHECKOUT / "binder" / "slim", CHECKOUT, maven, cargo], check=True)
    click.echo("| part | before | after |\n|---|---|---|")
    after = {name: _size(paths) for name, paths in parts.items()}
    for name in parts:
        click.echo(f"| {name} | {before[name]} MiB | {after[name]} MiB |")
    click.echo(f"| **together** | **{sum(before.values())} MiB** | **{sum(after.values())} MiB** |")


def _parts(maven: Path, cargo: Path) -> dict[str, list[Path]]:
    components = {f"`components/{one.name}`": [one.folder] for one in find_components(LAB)}
    return components | {
        "`kernels`": [CHECKOUT / "kernels"],
        "`.lab`: kernelspecs, what Rust cells are compiled with, the sequencer's module": [CHECKOUT / ".lab"],
        "the lab's cache: runtimes, SDK, profiler, C++ libraries": [user_cache()],
        "Maven's repository": [maven],
        "Cargo's sources": [cargo / "registry" / "src"],
        "Cargo's archives and index": [cargo / "registry" / "cache", cargo / "registry" / "index"],
        "`.git`, `datasets`, `notebooks` and the rest of the checkout": [
            path
            for path in CHECKOUT.iterdir()
            if path.name not in {"components", "kernels", ".lab", ".venv", "results"}
            and not path.name.endswith("_cache")
        ],
    }


def _size(paths: list[Path]) -> int:
    """In MiB, as `du` counts: what is linked twice counts once."""
    there = [str(path) for path in paths if path.exists()]
    if not there:
        return 0
    done = subprocess.run(["du", "-sc", "--block-size=1", *there], capture_output=True, text=True, check=True)  # noqa: S607
    return round(int(done.stdout.splitlines()[-1].split()[0]) / MIB)


if __name__ == "__main__":
    sys.exit(main())
