"""A lab: the folders of a project, passed explicitly to all code that needs them."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.model.errors import MissingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perflab.model.project import SavedBench

CHECKOUT = Path(os.environ.get("PERFLAB_ROOT") or Path(__file__).resolve().parents[3])
"""The checkout of this code, with the kernels' sources, and their builds in `.lab`: shared by all labs of a process.
An installed package has none."""


def is_installed() -> bool:
    """Check for an installed package without a checkout: topics' kernels and perflab's own tests are missing."""
    return not os.environ.get("PERFLAB_ROOT") and not (CHECKOUT / "lab").is_file()


def program() -> str:
    """Return the command that runs perflab."""
    return "perflab" if is_installed() else "./lab"


NO_HOME = Path("/nonexistent")
"""Debian's home for users without one; it does not exist."""


def user_home() -> Path:
    """Return the user's home; `NO_HOME` if there is none, as in a container with a foreign id, or no access."""
    try:
        home = Path.home()
    except RuntimeError:
        return NO_HOME
    return home if os.access(home, os.X_OK) else NO_HOME


def user_cache() -> Path:
    """Return the user's cache for downloads, which `XDG_CACHE_HOME` overrides.

    If the home is not writable, the cache is in `temporary_folder()`.
    """
    caches = Path(os.environ.get("XDG_CACHE_HOME") or user_home() / ".cache")
    return (caches if has_usual_cache() else temporary_folder() / ".cache") / "perflab"


def has_usual_cache() -> bool:
    """Check that the cache is in its usual place."""
    if os.environ.get("XDG_CACHE_HOME"):
        return True
    return user_home() != NO_HOME and can_make(user_home() / ".cache" / "perflab")


def nearest(folder: Path) -> Path:
    """Return the folder, or its nearest parent that exists."""
    return next(one for one in (folder, *folder.parents) if os.path.exists(one))  # noqa: PTH110 - it never raises


def can_make(folder: Path) -> bool:
    """Check that a folder is writable, or can be created."""
    there = nearest(folder)
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def temporary_folder() -> Path:
    """Return a private temporary folder of this user, in `TMPDIR`."""
    import tempfile  # noqa: PLC0415 - costs every command its start, and few need it

    folder = Path(tempfile.gettempdir()) / f"perflab-{os.geteuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
        raise MissingError(f"{folder} is not a folder of yours alone", "set TMPDIR to a folder of yours")
    return folder


SHARED = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108 - the lock is safe there
"""Local folders that all users of a machine may write to, independent of `HOME` and `TMPDIR`."""


_SHARED = stat.S_ISVTX | stat.S_IWOTH
"""Everybody may create files, but only remove their own."""


def machine_folder() -> Path:
    """Return the first of `SHARED` where everybody may create files but only remove their own, else `user_cache()`."""
    for folder in SHARED:
        with suppress(OSError):
            if folder.stat().st_mode & _SHARED == _SHARED:
                return folder
    return user_cache()


@dataclass(frozen=True)
class Lab:
    """A project with topics, claims about them, and results.

    Attributes:
        root: The project's folder.
        components: One folder per system under test.
        claims: The ledgers.
        reference: Committed results, with the layout of `results`.
        results: Runs, profiles, executed notebooks and charts.
        lock: The folder of the measurement lock, shared by all users of this machine.
        made: The path of `work` in the root.
        benches: Saved benches by name.
        inner: Folders of other projects in the root, whose reports are included in its site; none if other claims are
            used.
        within: This project's path in the outer project that lists it.
    """

    root: Path
    components: Path
    claims: Path
    reference: Path
    results: Path
    lock: Path
    made: str = ".lab"
    benches: Mapping[str, SavedBench] = field(default_factory=dict)
    inner: Sequence[str] = ()
    within: str = ""

    @classmethod
    def from_environment(cls) -> Lab:
        """Return the current project, with overrides from `PERFLAB_COMPONENTS`, `_CLAIMS`, `_RESULTS` and `_LOCK`.

        It is the nearest folder with a `perflab.toml`, else the checkout, or for an installed package this folder.
        """
        from perflab.model.project import nearest_project  # noqa: PLC0415 - `--help` needs no project

        here = None
        with suppress(OSError):  # the current folder was removed
            here = None if os.environ.get("PERFLAB_ROOT") else Path.cwd()
        project = nearest_project(here) if here else None
        return cls._at(project or (here if here and is_installed() else CHECKOUT), os.environ)

    def with_inner(self) -> list[Lab]:
        """This project and its inner projects."""
        from perflab.model.project import FILE  # noqa: PLC0415 - as above

        found = [self]
        for folder in dict.fromkeys(map(os.path.normpath, self.inner)):
            if not (self.root / folder / FILE).is_file():
                raise UsageError(f"{self.root / folder} is no project", f"take it out of {self.root / FILE}")
            inner = self._at(self.root / folder, {"PERFLAB_LOCK": str(self.lock)})
            found.append(replace(inner, within=folder))
        return found

    @classmethod
    def _at(cls, root: Path, environment: Mapping[str, str]) -> Lab:
        from perflab.model.project import FILE, Project, read_project  # noqa: PLC0415 - as above

        project = read_project(root / FILE) if (root / FILE).is_file() else Project()

        def place(name: str, usual: str) -> Path:
            return Path(environment.get(f"PERFLAB_{name}") or root / usual)

        return cls(
            root,
            place("COMPONENTS", project.components),
            place("CLAIMS", project.claims),
            root / project.reference,
            place("RESULTS", project.results),
            Path(environment.get("PERFLAB_LOCK") or machine_folder()),
            project.work,
            project.bench,
            () if environment.get("PERFLAB_CLAIMS") else project.projects,
        )

    @property
    def published(self) -> Path:
        """The figures of the reports, as published."""
        return self.root / "datasets" / "published"

    @property
    def notebooks(self) -> Path:
        """The notebooks as committed."""
        return self.root / "notebooks"

    @property
    def work(self) -> Path:
        """Generated files: build stamps, modules, work trees. Never committed."""
        return self.root / self.made
