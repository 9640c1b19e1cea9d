"""What describes and lists asks for no toolchain, as the first command with an empty home and empty caches."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from perflab.host.git import run_git
from perflab.model.lab import CHECKOUT, Lab
from perflab.topics.catalogue import find_components

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LAB = Lab.from_environment()

PATIENCE_S = 900
# What the launcher takes, and git, which is a prerequisite; no compiler, no Java, no cargo, no dotnet, no npm.
PROGRAMS = ("sh", "dirname", "cmp", "git", "uname")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout as git has it, with what is changed and not committed, and with this Python's packages."""
    folder = tmp_path_factory.mktemp("bare") / "clone"
    clone = ["git", "clone", "--quiet", "--shared", str(CHECKOUT), str(folder)]
    subprocess.run(clone, check=True)
    for name in filter(None, run_git(CHECKOUT, "diff", "--name-only", "--diff-filter=d", "-z", "HEAD").split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / name, folder / name)
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    for lock in ("requirements.lock", "requirements-dev.lock"):
        shutil.copy(folder / lock, folder / ".venv" / lock)
    return folder


@pytest.fixture
def first_command(clone: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in PROGRAMS:
        (programs / name).symlink_to(shutil.which(name) or f"/nowhere/{name}")
    # A lock of its own: that of the machine is held while `./lab setup` builds, which may be beside this.
    environment = {"PATH": str(programs), "PERFLAB_LOCK": str(tmp_path / "lock")}
    for variable in ("HOME", "XDG_CACHE_HOME", "TMPDIR"):
        environment[variable] = str(tmp_path / variable)
        (tmp_path / variable).mkdir()

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [clone / "lab", *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    return run


TOPICS = [component.name for component in find_components(LAB)]


@pytest.mark.parametrize(
    ("command", "status", "says"),
    [
        ("topics", 0, TOPICS),
        ("test --list", 0, TOPICS),
        ("reproduce --quick --dry-run", 0, TOPICS),
        ("doctor", 3, ["apt install g++"]),
        (
            "setup supervisor --no-kernels",
            3,
            ["left out: topic supervisor: no Rust", "fix: install it with rustup"],
        ),
    ],
)
def test_what_describes_and_lists_gets_through_or_says_what_would_fix_it(
    first_command: Callable[..., subprocess.CompletedProcess[str]], command: str, status: int, says: list[str]
) -> None:
    done = first_command(*command.split())
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert [text for text in says if text not in done.stdout] == []
