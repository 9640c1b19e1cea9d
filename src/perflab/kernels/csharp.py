"""The `.net-csharp` kernel: the lab's own on the SDK's compiler, or .NET Interactive if it was chosen."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from perflab.host.builds import StampedBuild, run_build
from perflab.host.dotnet import Sdk, find_sdk, provide_sdk, require_sdk
from perflab.kernels.kernel import Kernel
from perflab.model.errors import MissingError
from perflab.model.files import atomic, hash_files
from perflab.model.lab import CHECKOUT, user_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from perflab.kernels.kernel import Spec


_FOLDER = CHECKOUT / "kernels" / "dotnet"
LABKIT = _FOLDER / "labkit" / "Lab" / "src"
HOST = _FOLDER / "roslyn-kernel" / "target" / "roslyn-kernel.dll"
_PROJECTS = {
    _FOLDER / "roslyn-kernel": HOST,
    LABKIT: _FOLDER / "labkit" / "Lab" / "target" / "Perflab.Lab.dll",
}
_STAMP = CHECKOUT / ".lab" / "builds" / "csharp-kernel.built"

Choice = Literal["lab", "interactive"]

_CHOICE_FILE = CHECKOUT / ".lab" / "csharp-kernel"
_TOOLS = user_home() / ".dotnet" / "tools"


def host_build(sdk: Sdk) -> StampedBuild:
    """Return the build of the kernel's program and of the labkit by this SDK."""
    return StampedBuild(
        _STAMP,
        lambda: hash_files(CHECKOUT, _sources(), str(sdk.root), sdk.version, str(_other_compiler())),
        list(_PROJECTS.values()),
    )


def build(sdk: Sdk) -> None:
    """Build both, unless they are built; a `BenchError` ends with the last lines of the log."""
    stamped = host_build(sdk)

    def work() -> None:
        for project in _PROJECTS:
            command = [str(sdk.dotnet), "build", "--configuration", "Release", "-nologo", "-verbosity:quiet"]
            command.append(str(project))
            if project == LABKIT and (compiler := _other_compiler()):
                command.append(f"-p:RoslynFolder={compiler}")
            environment = {**os.environ, **sdk.environment()}
            run_build(command, str(project.relative_to(CHECKOUT)), stamped.log, environment, project)

    stamped.run(work)


def _sources() -> Iterator[Path]:
    yield _FOLDER / "Perflab.props"
    for project in _PROJECTS:
        yield from project.glob("*.csproj")
        # MSBuild's own output there changes with each build.
        yield from (path for path in project.rglob("*.cs") if "obj" not in path.parts)


def choose(choice: Choice) -> None:
    """Choose which of the two kernels is installed, now and later."""
    with atomic(_CHOICE_FILE) as draft:
        draft.write_text(choice + "\n", encoding="utf-8")


def chosen() -> Choice:
    """Return the choice: the lab's own until another is made."""
    try:
        return "interactive" if _CHOICE_FILE.read_text(encoding="utf-8").strip() == "interactive" else "lab"
    except OSError:
        return "lab"


def find_interactive() -> Path | None:
    """Find .NET Interactive's program, which is both the kernel and its installer."""
    found = shutil.which("dotnet-interactive") or shutil.which("dotnet-interactive", path=str(_TOOLS))
    return Path(found) if found else None


def _other_compiler() -> Path | None:
    """Find the folder of the compiler that .NET Interactive brings, if that is chosen.

    An assembly does not load that was compiled against a later version than the process has loaded, and the SDK's may
    be later.
    """
    program = find_interactive() if chosen() == "interactive" else None
    if program is None:
        return None
    # A .NET tool is a launcher beside the folder that it was unpacked into.
    found = program.resolve().parent.glob(".store/microsoft.dotnet-interactive/**/Microsoft.CodeAnalysis.CSharp.dll")
    return next((path.parent for path in sorted(found)), None)


class CSharpKernel(Kernel):
    """One of two kernels of the same name, so that a notebook opens with either."""

    name = ".net-csharp"

    def version(self) -> str:
        """Return which of the two it is, and its runtime."""
        if interactive := _interactive():
            return f".NET Interactive in {interactive.parent}"
        return f"the lab's own on {require_sdk().title}"

    def kernelspec(self) -> Spec:
        """Return that of the present choice."""
        interactive = _interactive()
        return interactive_spec(interactive, require_sdk()) if interactive else roslyn_spec(require_sdk())

    def is_built(self) -> bool:
        """Return whether there is an SDK, and what notebooks load was built with it."""
        sdk = find_sdk()
        return sdk is not None and host_build(sdk).is_current()

    def build(self, say: Callable[[str], None]) -> None:
        """Fetch an SDK if there is none, and build with it."""
        _interactive()  # reports a missing one before anything is fetched
        build(provide_sdk(say))


def _interactive() -> Path | None:
    if chosen() == "lab":
        return None
    found = find_interactive()
    if found is None:
        raise MissingError(
            ".NET Interactive is not on this machine",
            "conda: conda install dotnet-interactive; or ./lab setup --csharp-kernel lab",
        )
    return found


def interactive_spec(program: Path, sdk: Sdk) -> Spec:
    """Return how .NET Interactive is started: on the SDK's runtime, if that is newer than its own.

    What the fetched SDK builds is for .NET Core 3.1, which any runtime loads.
    """
    runtime = {} if sdk.fetched else {"DOTNET_ROOT": str(sdk.root), "DOTNET_ROLL_FORWARD": "LatestMajor"}
    return {
        "display_name": ".NET (C#)",
        "language": "C#",
        "argv": [str(program), "jupyter", "--default-kernel", "csharp", "{connection_file}"],
        "env": {"DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1", **runtime},
        "metadata": {"perflab": "interactive"},
    }


def roslyn_spec(sdk: Sdk) -> Spec:
    """Return how the lab's own kernel is started with this SDK."""
    return {
        "display_name": ".NET (C#)",
        "language": "C#",
        "interrupt_mode": "message",
        "argv": [sys.executable, "-P", "-m", "perflab_kernels.csharp", "-f", "{connection_file}"],
        "env": {
            "PYTHONPATH": str(CHECKOUT / "src"),
            **sdk.environment(),
            # The default depends on the CPU cache and keeps tens of megabytes of garbage.
            "DOTNET_GCgen0size": "0x1000000",
            "PERFLAB_CSHARP_HOST": str(HOST),
            "PERFLAB_CSHARP_COMPILER": str(sdk.compiler),
        },
        "metadata": {"perflab": f"roslyn on {sdk.title}"},
    }
