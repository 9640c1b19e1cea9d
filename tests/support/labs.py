"""The lab from outside: `python -m perflab` in processes of their own, with results, a cache and a lock of a test's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from forking import server

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
_PATIENCE_S = 600


class Lab:
    """A lab whose results, cache and measurement lock are in `folder`; variables replace what is set here.

    Attributes:
        words: What each command begins with.
        place: Where its processes start.
    """

    words: tuple[str, ...] = ()

    def __init__(self, folder: Path, **environment: str) -> None:
        self.place = ROOT
        self.results = folder / "results"
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]),
            "PERFLAB_RESULTS": str(self.results),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "PERFLAB_LOCK": str(folder / "lock"),
            "PERFLAB_PRESET": "smoke",
            **environment,
        }

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Begin a command, with these variables for it alone."""
        return subprocess.Popen(
            [sys.executable, "-m", "perflab", *self.words, *arguments],
            env={**self.environment, **environment},
            cwd=self.place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments: str, status: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
        """A whole command, which must end with this status and in no case with a traceback."""
        words = [*self.words, *arguments]
        done = server(ROOT / "src").run(words, {**self.environment, **environment}, self.place, _PATIENCE_S)
        assert done.returncode == status, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        return done

    def json(self, *arguments: str, status: int = 0, **environment: str) -> Any:  # noqa: ANN401 - JSON
        """What it says with `--json`."""
        return json.loads(self(*arguments, "--json", status=status, **environment).stdout)


def commit(folder: Path, message: str) -> None:
    """Commit all that is there."""
    who = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b.c"}
    who |= {"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b.c"}
    for words in (["add", "--all"], ["commit", "--quiet", "--allow-empty", "-m", message]):
        subprocess.run(["git", "-C", folder, *words], check=True, env={**os.environ, **who})  # noqa: S607
