"""Fetching libraries that are not here: the distribution's own packages, unpacked without being installed.

`apt-get download` takes no rights and compares each package with the signed index of the distribution.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from perflab.errors import MissingError
from perflab.toolchains.cpp import libraries
from perflab.toolchains.cpp.toolchain import Cpp, require_cpp, require_programs
from perflab.toolchains.processes import run_fetch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from perflab.toolchains.cpp.libraries import Library

_FETCH_TIMEOUT_S = 600
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")


def provide_cpp(say: Callable[[str], None] = lambda _: None) -> Cpp:
    """As `find_cpp`, and libraries fetched that are not here yet; compiler and CMake must be.

    Args:
        say: Told what is being fetched.

    Raises:
        MissingError: If something is missing that cannot be fetched.
    """
    require_programs()
    if libraries.missing_libraries():
        target = libraries.own_prefix().parent
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            # Whoever waits here finds them fetched.
            with FileLock(target.parent / "fetching.lock"):
                for library in libraries.missing_libraries():
                    say(f"fetching {library.title}")
                    _fetch(library, target)
        except OSError as error:
            raise MissingError(f"cannot keep C++ libraries: {error}", f"make {target.parent} writable") from None
    return require_cpp()


def _fetch(library: Library, target: Path) -> None:
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise _unavailable(library, f"this system has no {tool}")
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=target.parent) as scratch:
        folder = Path(scratch)
        draft = folder / "root"
        for package in _download([library.debian], library, folder):
            _run(["dpkg-deb", "--extract", str(package), str(draft)], library)
        if not (draft / "usr" / "include" / library.header).is_file():
            raise _unavailable(library, f"{library.debian} does not hold {library.header}")
        _merge(draft, target, last=draft / "usr" / "include" / library.header)


def _download(names: Sequence[str], library: Library, folder: Path) -> list[Path]:
    """The packages, and what they depend on that is called like the library: its next version, its shared objects."""
    before = set(folder.glob("*.deb"))
    _apt(["download", *names], library, folder)
    arrived = sorted(set(folder.glob("*.deb")) - before)
    stem = library.debian.removesuffix("-dev")
    further = {name for package in arrived for name in _dependencies(package, library) if name.startswith(stem)}
    known = {package.name.partition("_")[0] for package in folder.glob("*.deb")}
    return [*arrived, *(_download(sorted(further - known), library, folder) if further - known else [])]


def _dependencies(package: Path, library: Library) -> Iterable[str]:
    listed = _run(["dpkg-deb", "--field", str(package), "Depends"], library)
    return (match[0] for one in listed.split(",") if (match := _PACKAGE.match(one.strip())))


def _apt(arguments: Sequence[str], library: Library, folder: Path) -> None:
    done = run_fetch(["apt-get", "--quiet", *arguments], library.title, _FETCH_TIMEOUT_S, folder)
    if done.returncode == 0:
        return
    # An image often comes without the distribution's index. It can be had without rights, into a folder of one's own.
    state = folder.parent / "apt"
    options = [f"-oDir::State={state / 'state'}", f"-oDir::Cache={state / 'cache'}"]
    options.append("-oDir::State::status=/var/lib/dpkg/status")
    for needed in ("state/lists/partial", "cache/archives/partial"):
        (state / needed).mkdir(parents=True, exist_ok=True)
    for words in (["update"], arguments):
        done = run_fetch(["apt-get", "--quiet", *options, *words], library.title, _FETCH_TIMEOUT_S, folder)
    if done.returncode != 0:
        raise _unavailable(library, _reason(done.stderr))


def _run(command: Sequence[str], library: Library) -> str:
    done = run_fetch(command, library.title, _FETCH_TIMEOUT_S)
    if done.returncode != 0:
        raise _unavailable(library, _reason(done.stderr))
    return done.stdout


def _merge(draft: Path, target: Path, last: Path) -> None:
    """Move every file to its place; the header by which a library is found comes last, so that half a one is none."""
    files = [Path(place, name) for place, _, names in os.walk(draft) for name in names]
    for path in sorted(files, key=lambda path: path == last):
        place = target / path.relative_to(draft)
        place.parent.mkdir(parents=True, exist_ok=True)
        path.replace(place)


def _reason(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next((line for line in reversed(lines) if line.startswith("E:")), lines[-1] if lines else "it said nothing")


def _unavailable(library: Library, why: str) -> MissingError:
    ways = [
        f"Debian: apt install {library.debian}",
        *([f"conda: conda install {library.conda}"] if library.conda else []),
    ]
    return MissingError(f"{library.title} cannot be fetched: {why}", "; ".join(ways))
