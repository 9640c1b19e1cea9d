"""The doctor's checks, one row each."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from perflab.components import find_components, runtime_state
from perflab.environment import this_machine
from perflab.errors import MissingError
from perflab.kernels import installed
from perflab.paths import CACHE_DIR, RESULTS_DIR
from perflab.profiles import asyncprofiler, dotnet
from perflab.toolchains import find_chromium, java_at, require, require_cpp, require_rust, require_sdk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perflab.profiles import Mode

_LEAST_DISK = 2 * 2**30
_VERSION_TIMEOUT_S = 20
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


class Check(msgspec.Struct, frozen=True):
    """A row. `state`: `found`, `missing` (a topic does not work), or `optional` (something is less good without it)."""

    area: str
    name: str
    state: Literal["found", "missing", "optional"]
    version: str
    needed_for: str
    fix: str = ""


def examine() -> list[Check]:
    """Look at the whole machine."""
    return [*_machine(), *_toolchains(), *_runtimes(), *_kernels(), *_profilers(), *_charts()]


def _machine() -> Iterator[Check]:
    machine = this_machine()
    yield Check("machine", "processor", "found", machine.title, "everything")
    yield Check("machine", "python", "found", platform.python_version(), "everything")
    for folder in (RESULTS_DIR, CACHE_DIR):
        yield _folder(folder)


def _folder(folder: Path) -> Check:
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(there).free
    shown = f"{free / 2**30:.0f} GiB free"
    if not os.access(there, os.W_OK):
        return Check("machine", folder.name, "missing", "read-only", "results and downloads", f"make {there} writable")
    if free < _LEAST_DISK:
        return Check(
            "machine", folder.name, "missing", shown, "results and downloads", f"free some space below {there}"
        )
    return Check("machine", folder.name, "found", shown, "results and downloads")


def _toolchains() -> Iterator[Check]:
    wanted: dict[str, list[str]] = {}
    for component in find_components():
        for requirement in component.manifest.requires:
            wanted.setdefault(requirement, []).append(component.name)
    for requirement, topics in wanted.items():
        needed_for = "topic " + ", ".join(topics)
        try:
            require([requirement])
            yield Check("toolchain", requirement, "found", _version(requirement), needed_for)
        except MissingError as error:
            yield Check("toolchain", requirement, "missing", error.message, needed_for, error.hint)


def _runtimes() -> Iterator[Check]:
    for component in find_components():
        for runtime in component.manifest.runtime:
            state = runtime_state(runtime)
            yield Check(
                "runtime",
                ", ".join(runtime.requires),
                "found" if state.ready else "optional",
                "; ".join(map(_version, runtime.requires)) if state.ready else "",
                f"variants {', '.join(runtime.variants)} of {component.name}",
                "" if state.ready else f"{state.fix}, and so does the first measurement",
            )


def _version(requirement: str) -> str:
    home = require([requirement]).get("JAVA_HOME")
    if home and (java := java_at(Path(home))):
        return f"{java.full} in {java.home}"
    tool = requirement.partition(">=")[0]
    if tool == "dotnet":
        return require_sdk().title
    if tool == "rust":
        return require_rust().title
    if tool == "cpp":
        return require_cpp().title
    program = {"maven": "mvn", "cxx": "c++"}.get(tool, tool)
    return _first_line([program, "--version"])


def _kernels() -> Iterator[Check]:
    used = {one.manifest.kernel: one.name for one in find_components() if one.manifest.kernel}
    for kernel in installed():
        # Without a kernel that no topic uses, every topic works.
        absent: Literal["missing", "optional"] = "missing" if kernel.name in {"python3", *used} else "optional"
        state = "found" if kernel.installed else absent
        needed_for = f"notebook of {used[kernel.name]}" if kernel.name in used else "notebooks"
        yield Check("kernel", kernel.name, state, kernel.version, needed_for, "" if kernel.installed else kernel.fix)


def _profilers() -> Iterator[Check]:
    library = asyncprofiler.find()
    state: Literal["found", "optional"] = "found" if library else "optional"
    fix = "" if library else "fetched by the first ./lab profile"
    yield Check("profiler", "async-profiler", state, asyncprofiler.VERSION, "profiles of JVM and native programs", fix)
    perf = shutil.which("perf")
    yield Check(
        "profiler",
        "perf",
        "found" if perf else "optional",
        _first_line(["perf", "--version"]) if perf else "",
        "counting futex calls",
        "" if perf else "Debian: apt install linux-perf",
    )
    modes: tuple[Mode, ...] = ("cpu", "wall")
    for mode in modes:
        missing = dotnet.why_not(mode)
        yield Check("profiler", f"perf ({mode})", "optional" if missing else "found", "", ".NET stacks", missing)


def _charts() -> Iterator[Check]:
    chromium = find_chromium()
    yield Check(
        "charts",
        "chromium",
        "found" if chromium else "optional",
        _first_line([str(chromium), "--version"]) if chromium else "",
        "charts as PNG, the browser test",
        "" if chromium else "Debian: apt install chromium",
    )


def _first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_VERSION_TIMEOUT_S,
            check=False,
            env={**os.environ, "TERM": "dumb"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = _ESCAPES.sub("", done.stdout).splitlines()
    return lines[0].strip() if lines else ""
