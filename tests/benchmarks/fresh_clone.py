"""Set-up without kernels in a fresh clone of the last commit: with uv and with pip, with empty and with full caches."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from timing import Figure, clean_environment, report, run

from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

GOAL_S = 120.0
_UV = {"uv", "uvx"}


def measure() -> Iterator[Figure]:
    for installer in ("uv", "pip") if shutil.which("uv") else ("pip",):
        with tempfile.TemporaryDirectory() as folder:
            environment = _environment(Path(folder), installer)
            for caches in ("empty", "full"):
                seconds = _set_up(Path(folder) / "clone", environment)
                yield Figure(f"`./lab setup --no-kernels`, {installer}, {caches} caches", seconds, "s", GOAL_S, "once")


def _set_up(clone: Path, environment: dict[str, str]) -> float:
    """Clone, set up, and remove the clone; cloning is not in the time."""
    run([shutil.which("git") or "git", "clone", "--quiet", str(CHECKOUT), str(clone)])
    try:
        return run([str(clone / "lab"), "setup", "--no-kernels"], cwd=clone, environment=environment).wall_s
    finally:
        shutil.rmtree(clone)


def _environment(folder: Path, installer: str) -> dict[str, str]:
    """Caches of packages in a folder of our own, and no uv on the path if pip is to do it."""
    path = os.environ["PATH"].split(os.pathsep)
    if installer == "pip":
        path = [_without_uv(Path(entry), folder / f"path-{number}") for number, entry in enumerate(path)]
    return clean_environment(
        PATH=os.pathsep.join(path),
        UV_CACHE_DIR=str(folder / "uv"),
        PIP_CACHE_DIR=str(folder / "pip"),
        MAVEN_OPTS=f"{os.environ.get('MAVEN_OPTS', '')} -Dmaven.repo.local={folder / 'maven'}".strip(),
    )


def _without_uv(entry: Path, stand_in: Path) -> str:
    """This entry of the path, or links to all that is in it but uv."""
    if not any((entry / name).exists() for name in _UV):
        return str(entry)
    stand_in.mkdir()
    for program in entry.iterdir():
        if program.name not in _UV:
            (stand_in / program.name).symlink_to(program)
    return str(stand_in)


if __name__ == "__main__":
    report(measure())
