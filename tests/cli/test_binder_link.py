"""`lab binder-link` from outside, in a checkout whose remote is on a forge that nobody asks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
LAUNCHED = "https://mybinder.org/v2/gh/jane/lab/main?urlpath="
REMOTE = "https://jane:s3cret@github.com/jane/lab.git"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "1-cups.ipynb").write_text("{}")
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    git(tmp_path, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "--allow-empty", "-m", "m")
    return tmp_path


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)  # noqa: S607


def link(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "perflab", "binder-link", *arguments],
        env={**os.environ, "PYTHONPATH": str(SOURCE), "PERFLAB_ROOT": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_lab_and_each_notebook_have_a_link_in_every_form(checkout: Path) -> None:
    git(checkout, "remote", "add", "origin", REMOTE)
    git(checkout, "update-ref", "refs/remotes/origin/main", "HEAD")
    notebook = LAUNCHED + "lab%2Ftree%2Fnotebooks%2F1-cups.ipynb"
    assert json.loads(link(checkout, "--json").stdout) == {
        "remote": "https://github.com/jane/lab.git",
        "ref": "main",
        "lab": LAUNCHED + "lab",
        "notebooks": [{"notebook": "notebooks/1-cups.ipynb", "url": notebook}],
    }
    assert [line.split()[-1] for line in link(checkout).stdout.splitlines()] == [LAUNCHED + "lab", notebook]
    assert link(checkout, "--markdown").stdout.splitlines() == [
        f"[![Launch the lab on Binder](https://mybinder.org/badge_logo.svg)]({LAUNCHED}lab)",
        "",
        f"- [notebooks/1-cups.ipynb]({notebook})",
    ]


def test_where_nothing_can_be_launched_it_says_what_would_help(checkout: Path) -> None:
    done = link(checkout)
    assert (done.returncode, done.stdout) == (3, "")
    assert "no git remote" in done.stderr
    assert "git remote add origin" in done.stderr
    git(checkout, "remote", "add", "origin", REMOTE)
    done = link(checkout)
    assert (done.returncode, done.stdout) == (3, "")
    assert "main is not pushed" in done.stderr
    assert "s3cret" not in done.stderr
