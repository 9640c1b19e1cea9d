"""A checkout of its own with the topic `cups`: in its commits it is not there, slower, does not build, has more."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from labs import FIXTURES, Lab

if TYPE_CHECKING:
    from pathlib import Path

CUPS = FIXTURES / "components" / "cups"
GLASS, SLOW_GLASS = '"glass": (200, 200)', '"glass": (260, 200)'
BUILDS, FAILS = '"pass"]', "\"import sys; sys.exit('no clay left')\"]"
IDENTITY = {
    "GIT_AUTHOR_NAME": "A Potter",
    "GIT_AUTHOR_EMAIL": "potter@example.org",
    "GIT_COMMITTER_NAME": "A Potter",
    "GIT_COMMITTER_EMAIL": "potter@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


class Repository:
    """A git repository in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cups = folder / "components" / "cups"
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        (folder / ".gitignore").write_text(".lab/\n__pycache__/\n")
        (folder / "perflab.toml").write_text('work = ".lab"\n')

    def git(self, *arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(self.folder), *arguments],  # noqa: S607 - whichever git there is
            env={**os.environ, **IDENTITY},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

    def commit(self, message: str) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")

    def replace(self, name: str, old: str, new: str) -> None:
        path = self.cups / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))


def make_repository(folder: Path) -> tuple[Repository, dict[str, str]]:
    """The repository, and its commits by what they are: empty, first, slow, broken, more."""
    repository = Repository(folder)
    commits = {"empty": repository.commit("Nothing yet")}
    shutil.copytree(CUPS, repository.cups, ignore=shutil.ignore_patterns("__pycache__"))
    commits["first"] = repository.commit("Cups")
    repository.replace("bench.py", GLASS, SLOW_GLASS)
    commits["slow"] = repository.commit("A thicker glass")
    repository.replace("bench.py", SLOW_GLASS, GLASS)
    repository.replace("component.toml", BUILDS, FAILS)
    commits["broken"] = repository.commit("Out of clay")
    repository.replace("component.toml", FAILS, BUILDS)
    repository.replace("bench.py", '"sieve": (50, 50)', '"sieve": (50, 50), "bowl": (90, 90)')
    repository.replace("bench.py", 'SCENARIOS = ("pour", "rim")', 'SCENARIOS = ("pour", "rim", "lid")')
    repository.replace("bench.py", "SCENARIOS.index(scenario)", "SCENARIOS.index(scenario) % 2")
    size = {"name": "size", "type": "int", "default": 1, "min": 1, "max": 9, "help": "how large"}
    repository.replace("bench.py", '"metrics": [WORST]', f'"metrics": [WORST], "parameters": [{json.dumps(size)}]')
    commits["more"] = repository.commit("A bowl, lids and sizes")
    return repository, commits


class CupsLab(Lab):
    """The lab of such a checkout."""

    def __init__(self, repository: Repository, folder: Path) -> None:
        super().__init__(
            folder,
            **IDENTITY,
            PERFLAB_ROOT=str(repository.folder),
            PERFLAB_COMPONENTS=str(repository.cups.parent),
        )
        self.place = repository.folder
