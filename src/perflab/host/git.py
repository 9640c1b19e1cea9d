"""Git, as the lab asks it: without the user's hooks, and about the folder it names even where a hook runs the lab.

Git refuses a repository that belongs to another user, whose configuration may name programs to run. Of such a one the
lab reads the commit and its list of files, with all that could run something turned off, and compares the files itself.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import stat
import subprocess
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from perflab.host.processes import MOST_WHOLE, run_group
from perflab.model.errors import LabError, MissingError, UsageError
from perflab.model.files import open_regular, real
from perflab.model.names import OptionalId

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_TIMEOUT_S = 60.0
_WORKTREE_S = 600.0
"""One of a large repository takes minutes on a slow disk."""
_MOST_MEMORY = 1 << 30
"""Bytes of a git that only looks, beside the files that it maps: a kilobyte of objects may unfold to any number."""

_silent: set[Path] = set()
"""Where git did not end: its configuration may include a pipe, and each further command would wait for it, too."""

# Nor what a configuration names to watch files or check signatures: the repository may have come as an archive.
_WITHOUT_HOOKS = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false")
# Set where a hook runs the lab; the last one makes `git config` list another file than all others read.
_OF_ANOTHER_REPOSITORY = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_CONFIG"}
# Objects that are missing would be fetched, by a program that the repository's configuration may name: these variables
# forbid it whatever stands there. The lab itself fetches nothing.
_NO_FETCH = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
# Nor does the repository say that another object stands for one: a commit would name files that it never had.
_AS_NAMED = {"GIT_NO_REPLACE_OBJECTS": "1"}
# Who only looks does not write the index anew, of which a hook may be told.
_NO_WRITING = {"GIT_OPTIONAL_LOCKS": "0"}
_SUBMODULES = "--ignore-submodules=dirty"
# Hooks of a configuration (git 2.54), which are in no folder. An event that is empty takes back those before.
_HOOKS = r"hook\..*\.event"
_FILTERS = r"filter\..*"
_REFUSED = re.compile(r"(?:dubious ownership in repository at |unsafe repository \()'(.+?)'")


class RefusedError(UsageError):
    """There is a repository, but it belongs to another user, and git does not work in it."""


def run_git(folder: Path, *arguments: str) -> str:
    """What git prints.

    Args:
        folder: Where.
        arguments: The command.

    Raises:
        MissingError: If there is no git.
        RefusedError: If the repository belongs to another user.
        UsageError: If the command fails; with what git says.
    """
    return _run(folder, arguments, more=_without(folder, _HOOKS)).decode("utf-8", "replace").strip()


def _run(
    folder: Path,
    arguments: tuple[str, ...],
    settings: tuple[str, ...] = (),
    more: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    looks = arguments[0] != "worktree"
    timeout_s = _TIMEOUT_S if looks else _WORKTREE_S
    if folder in _silent:
        raise UsageError(f"git did not end in {folder}", "git status")
    try:
        done = run_group(
            ["git", "-C", str(folder), *_WITHOUT_HOOKS, *settings, *arguments],
            environment={name: os.environ[name] for name in os.environ.keys() - _OF_ANOTHER_REPOSITORY}
            | {**_NO_FETCH, **_AS_NAMED, **_NO_WRITING, **more},
            timeout_s=timeout_s,
            memory=_MOST_MEMORY if looks else None,
        )
    except subprocess.TimeoutExpired:
        _silent.add(folder)
        raise UsageError(f"git {arguments[0]} did not end within {timeout_s:g} s", "git status") from None
    except OSError:
        raise MissingError("git is not on this machine", "Debian: apt install git; conda: conda install git") from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()
        if refused := _REFUSED.search(said):
            raise RefusedError(
                f"{refused[1]} belongs to another user, so git refuses to work in it",
                f"if you trust its owner: git config --global --add safe.directory {shlex.quote(refused[1])}",
            )
        last = said.splitlines()[-1:] or ["it said nothing"]
        raise UsageError(f"git {arguments[0]} failed: {last[0]}", "git status")
    if len(done.stdout) > MOST_WHOLE:
        raise UsageError(f"git {arguments[0]} printed more than {MOST_WHOLE >> 20} MiB", "git status")
    return done.stdout


def ask_git(folder: Path, *arguments: str) -> str:
    """The same where git is not needed: nothing if it fails or is not here."""
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
    """The commit that a folder's repository is at.

    Args:
        folder: The folder.
        note: Called with a message if git refuses the repository, once in this process for each folder.
    """
    try:
        commit = run_git(folder, "rev-parse", "HEAD")
    except RefusedError as error:
        found, says = _revision_of_another_user(folder), "runs name no commit"
        if found.commit:
            says = f"runs name commit {found.commit[:10]}, which was read without running anything of that user's"
        if folder not in _noted:
            _noted.add(folder)
            note(f"{error.message}; {says} ({error.hint})")
        return found
    except LabError:
        return Revision()
    try:
        off = _without(folder, _HOOKS, _FILTERS)
        # It fails at the first difference; status would list all of a tree that may be without end.
        _run(folder, ("diff-index", "--cached", "--quiet", _SUBMODULES, "HEAD"), more=off)
        top = Path(os.fsdecode(_run(folder, ("rev-parse", "--show-toplevel"), more=off)[:-1]))
        # Its configuration may name another folder as the one with the files.
        elsewhere = top != next(one for one in (real(folder) / "_").parents if (one / ".git").exists())
        status = ("status", "--porcelain", "--untracked-files=no", _SUBMODULES)
        dirty = elsewhere or _run(folder, status, _BY_ALL, off) or _hides_changes(folder, top, off)
        return Revision(commit, dirty=bool(dirty))
    except (LabError, ValueError, StopIteration):
        return Revision(commit, dirty=True)  # nobody knows, and a configuration may make it fail


# What of a file's state says that it is as it was: with less than all, one of the same size and time does.
_BY_ALL = ("-c", "core.checkStat=default", "-c", "core.trustctime=true")


def _hides_changes(folder: Path, top: Path, off: Mapping[str, str]) -> bool:
    """Whether a file differs at which git does not look: its index says so of each, and may have come in an archive."""
    tagged = _run(top, ("ls-files", "-v", "-z"), more=off).split(b"\0")
    tags = {line[2:]: line[:1] for line in tagged if line[:1].islower() or line[:1] == b"S"}
    if not tags:
        return False
    # One that a sparse checkout leaves out is not there.
    hidden = {path for path, tag in tags.items() if tag not in b"Ss" or os.path.lexists(top / os.fsdecode(path))}
    if not hidden:
        return False  # of a partial clone the sizes of what is left out are not there, either
    files = _run(folder, (*_FILES, "HEAD"), more=off).split(b"\0")[:-1]
    return _differ(top, [line for line in files if line.partition(b"\t")[2] in hidden])


def _without(folder: Path, *names: str) -> dict[str, str]:
    """Variables that make git run none of what the repository's own configuration sets by keys of these names.

    It may have come with that, in an archive. What the user's configuration names runs.
    """
    listed = os.fsdecode(_run(folder, ("config", "--show-scope", "--name-only", "-z", "--list")))
    # Not by git: its expressions pass over a name that is no UTF-8.
    meant = re.compile("|".join(names), re.DOTALL)
    words = listed.split("\0")
    keys = [key for scope, key in pairwise(words) if scope in {"local", "worktree"} and meant.fullmatch(key)]
    numbered = list(enumerate(keys, int(os.environ.get("GIT_CONFIG_COUNT") or 0)))
    off = {f"GIT_CONFIG_KEY_{number}": key for number, key in numbered}
    off |= {f"GIT_CONFIG_VALUE_{number}": "" for number, _ in numbered}
    return off | {"GIT_CONFIG_COUNT": str(numbered[-1][0] + 1)} if numbered else {}


# Git honours safe.directory from its command line since 2.37. No command below looks at the index or the files, so that
# no filter runs.
_READ_ONLY = ("safe.directory=*", "core.fsmonitor=false")


def _revision_of_another_user(folder: Path) -> Revision:
    def ask(*arguments: str) -> bytes:
        return _run(folder, arguments, tuple(word for one in _READ_ONLY for word in ("-c", one)))

    if not (folder / ".git").exists():
        return Revision()  # somebody's repository around the folder says nothing of it
    try:
        commit = ask("rev-parse", "--verify", "HEAD").decode("ascii").strip()
    except (LabError, ValueError):
        return Revision()
    try:
        return Revision(commit, dirty=_differ(folder, ask(*_FILES, commit).split(b"\0")[:-1]))
    except (LabError, ValueError):
        return Revision(commit, dirty=True)


_FILES = ("ls-tree", "-r", "-z", "--long", "--full-tree")


def _differ(top: Path, files: list[bytes]) -> bool:
    """Whether one of these lines' files differs; they may be too large to be compared."""
    sizes = (line.partition(b"\t")[0].split()[-1] for line in files)
    large = sum(int(size) for size in sizes if size.isdigit()) > _LARGEST
    return large or any(_differs(top, line) for line in files)


def _differs(top: Path, line: bytes) -> bool:
    """Whether a file differs, byte by byte, from what `git ls-tree --long` says of it."""
    about, _, path = line.partition(b"\t")
    mode, kind, name, size = about.decode("ascii").split()
    if kind != "blob":
        return False  # a submodule
    if path.startswith(b"/") or b".." in path.split(b"/"):
        return True  # git makes no such name, but somebody's tree may hold one
    place = top / os.fsdecode(path)
    try:
        found = place.lstat()
        # A file of holes takes no room, whatever its size.
        sized = found.st_size == int(size) and found.st_size <= _LARGEST
        if not sized or stat.S_ISLNK(found.st_mode) != (mode == "120000"):
            return True
        digest = hashlib.new("sha1" if len(name) == _SHA1_DIGITS else "sha256", usedforsecurity=False)
        digest.update(b"blob %d\0" % found.st_size)
        if stat.S_ISLNK(found.st_mode):
            digest.update(os.fsencode(place.readlink()))
        elif stat.S_ISREG(found.st_mode):
            with open_regular(place) as file:
                hashlib.file_digest(file, lambda: digest)
        else:
            return True
    except OSError:
        return True
    return digest.hexdigest() != name


_LARGEST = 1 << 30
"""Bytes."""
_SHA1_DIGITS = 40
