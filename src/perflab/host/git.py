"""Run git without the hooks, filters and file watchers of a repository, which may be from an archive.

Git itself refuses repositories of other users.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from perflab.host.processes import run_group
from perflab.model.errors import LabError, MissingError, UsageError
from perflab.model.names import OptionalId

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


_TIMEOUT_S = 60.0
_WORKTREE_S = 600.0

_OPTIONS = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false")
# Set by git if a hook, perhaps of another repository, runs perflab.
_OF_A_HOOK = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_CONFIG"}
# Do not fetch, since the configuration may name a program for it, and do not write the index.
_ENVIRONMENT = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}
_PROGRAMS = re.compile(r"(hook\..*\.event|filter\..*)", re.DOTALL)
_REFUSED = re.compile(r"(?:dubious ownership in repository at |unsafe repository \()'(.+?)'")


class RefusedError(UsageError):
    """The repository belongs to another user, so git refuses it."""


def run_git(folder: Path, *arguments: str) -> str:
    """Return the output of a git command in a folder."""
    return _run(folder, arguments, _without_programs(folder)).decode("utf-8", "replace").strip()


def _run(folder: Path, arguments: tuple[str, ...], more: Mapping[str, str]) -> bytes:
    timeout_s = _WORKTREE_S if arguments[0] == "worktree" else _TIMEOUT_S
    inherited = {name: value for name, value in os.environ.items() if name not in _OF_A_HOOK}
    try:
        done = run_group(
            ["git", "-C", str(folder), *_OPTIONS, *arguments],
            environment={**inherited, **_ENVIRONMENT, **more},
            timeout_s=timeout_s,
        )
    except subprocess.TimeoutExpired:
        raise UsageError(f"git {arguments[0]} did not end within {timeout_s:g} s", "git status") from None
    except OSError:
        raise MissingError("git is not on this machine", "Debian: apt install git; conda: conda install git") from None
    if done.returncode != 0:
        message = done.stderr.decode("utf-8", "replace").strip()
        if refused := _REFUSED.search(message):
            raise RefusedError(
                f"{refused[1]} belongs to another user, so git refuses to work in it",
                f"if you trust its owner: git config --global --add safe.directory {shlex.quote(refused[1])}",
            )
        last = message.splitlines()[-1:] or ["no message"]
        raise UsageError(f"git {arguments[0]} failed: {last[0]}", "git status")
    return done.stdout


def _without_programs(folder: Path) -> dict[str, str]:
    """Return variables that disable the hooks and filters of the repository's configuration, but not the user's."""
    listed = os.fsdecode(_run(folder, ("config", "--show-scope", "--name-only", "-z", "--list"), {}))
    keys = [key for scope, key in pairwise(listed.split("\0")) if scope in {"local", "worktree"}]
    off = list(enumerate(filter(_PROGRAMS.fullmatch, keys), int(os.environ.get("GIT_CONFIG_COUNT") or 0)))
    if not off:
        return {}
    variables = {f"GIT_CONFIG_KEY_{number}": key for number, key in off}
    variables |= {f"GIT_CONFIG_VALUE_{number}": "" for number, _ in off}
    return {**variables, "GIT_CONFIG_COUNT": str(off[-1][0] + 1)}


def ask_git(folder: Path, *arguments: str) -> str:
    """Return the output of a git command; empty if it fails or git is missing."""
    try:
        return run_git(folder, *arguments)
    except LabError:
        return ""


class Revision(msgspec.Struct, frozen=True):
    """A git commit; empty outside a repository. `dirty`: tracked files differed from it."""

    commit: OptionalId = ""
    dirty: bool = False


_noted: set[Path] = set()


def this_revision(folder: Path, note: Callable[[str], None] = lambda _: None) -> Revision:
    """Return the current commit of a folder's repository.

    Args:
        folder: The folder.
        note: Called with a message if git refuses the repository, once per process and folder.
    """
    try:
        commit = run_git(folder, "rev-parse", "HEAD")
        status = run_git(folder, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty")
        return Revision(commit, dirty=bool(status))
    except RefusedError as error:
        if folder not in _noted:
            _noted.add(folder)
            note(f"{error.message}; runs name no commit ({error.hint})")
        return Revision()
    except LabError:
        return Revision()
