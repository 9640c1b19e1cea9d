"""Building evcxr, the Rust kernel, with cargo: once per user, in minutes; nothing asks the network afterwards."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from perflab.errors import BenchError, MissingError
from perflab.paths import CACHE_DIR
from perflab.toolchains import marked, require_rust

if TYPE_CHECKING:
    from collections.abc import Callable

VERSION = "0.22.0"
MINIMUM_RUST = (1, 95)
"""What this version says it needs to be built."""

EVCXR_DIR = CACHE_DIR / "evcxr"

_PROGRAM = "evcxr_jupyter"
_LOG_LINES_SHOWN = 30
_COMPILING = re.compile(r"\s*(?:Compiling|Downloaded) (?P<crate>\S+)")
_NETWORK = re.compile(r"download|network|resolve host|timed? ?out|could not connect|spurious", re.IGNORECASE)

# The crate's own profile takes twice as long to build and saves nothing that can be felt. No optimisation at all would
# save minutes once and cost forty seconds in each session: rust-analyzer is in there, to find the types of variables.
_CHEAPLY = {
    "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1",
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
    "CARGO_PROFILE_RELEASE_DEBUG": "0",
    "CARGO_PROFILE_RELEASE_STRIP": "debuginfo",
}


def find_evcxr() -> Path | None:
    """The kernel's program: conda's, else the one that the lab has built; asks no network."""
    if conda := os.environ.get("CONDA_PREFIX"):
        program = Path(conda, "bin", _PROGRAM)
        if program.is_file():
            return program
    return _built() if _built().is_file() else None


def provide_evcxr(say: Callable[[str], None] = lambda _: None) -> Path:
    """As `find_evcxr`, and built if there is none yet.

    A build that was ended in the middle has left its compiled crates, and the next one goes on from there.

    Args:
        say: Told what is being compiled.

    Raises:
        MissingError: If there is no Rust that is new enough, or the sources cannot be fetched or kept.
        BenchError: If it does not build.
    """
    found = find_evcxr()
    if found is not None:
        return found
    require_rust(MINIMUM_RUST, f"building the Rust kernel, evcxr {VERSION}")
    try:
        EVCXR_DIR.mkdir(parents=True, exist_ok=True)
        # Whoever waits here finds it built; the last step is a rename, so nobody sees half of it.
        with FileLock(EVCXR_DIR / "building.lock"):
            if not _built().is_file():
                _build(say)
    except OSError as error:
        raise MissingError(f"cannot keep the Rust kernel: {error}", f"make room in {EVCXR_DIR}") from None
    return _built()


def _built() -> Path:
    return EVCXR_DIR / VERSION / "bin" / _PROGRAM


def _build(say: Callable[[str], None]) -> None:
    rust = require_rust(MINIMUM_RUST)
    work = EVCXR_DIR / "building"
    draft = work / "installed"
    # With its lock file: newer versions of what it is made of do not fit together. Without mimalloc, which takes a C
    # compiler.
    command = [str(rust.cargo), "install", "--locked", _PROGRAM, "--version", f"={VERSION}", "--no-default-features"]
    command += ["--root", str(draft), "--no-track", "--force"]
    environment = {**os.environ, **rust.environment(), **_CHEAPLY, "CARGO_TARGET_DIR": str(work / "target")}
    # Its build script looks for the compiler there.
    environment["PATH"] = os.pathsep.join([str(rust.bin), environment.get("PATH", "")])
    work.mkdir(exist_ok=True)
    _run(command, environment, EVCXR_DIR / "build.log", say)
    draft.rename(EVCXR_DIR / VERSION)
    shutil.rmtree(work)


def _run(command: list[str], environment: dict[str, str], log: Path, say: Callable[[str], None]) -> None:
    tail: deque[str] = deque(maxlen=_LOG_LINES_SHOWN)
    with (
        log.open("w", encoding="utf-8") as kept,
        subprocess.Popen(
            command,
            env=marked(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        ) as cargo,
    ):
        compiled = 0
        for line in cargo.stderr or ():
            kept.write(line)
            tail.append(line.rstrip())
            if match := _COMPILING.match(line):
                compiled += line.lstrip().startswith("Compiling")
                say(f"building the Rust kernel, once: {match['crate']}" + (f", crate {compiled}" if compiled else ""))
    if cargo.returncode != 0:
        raise _failure("\n".join(tail), cargo.returncode, log)


def _failure(said: str, status: int, log: Path) -> BenchError | MissingError:
    reason, *causes = said[max(0, said.find("error")) :].splitlines() or [""]
    if "could not compile" not in said and _NETWORK.search("\n".join([reason, *causes])) and reason.startswith("error"):
        return MissingError(
            f"the sources of the Rust kernel cannot be fetched: {reason}",
            "it takes the network once; try again, or conda: conda install evcxr",
        )
    return BenchError(f"the build of evcxr {VERSION} failed with status {status}:\n{said}", f"whole log: {log}")
