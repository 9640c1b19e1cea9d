"""The `.net-csharp` kernel: .NET Interactive where it is installed, else the lab's own on the SDK's compiler."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from perflab.kernels import spec
from perflab.kernels.kernel import Kernel
from perflab.kernels.roslyn.process import COMPILER_VARIABLE, HOST_VARIABLE
from perflab.machine.dotnet import Sdk, find_sdk, provide_sdk, require_sdk
from perflab.machine.processes import build_lock, run_build
from perflab.model.errors import MissingError
from perflab.model.paths import LAB_DIR, ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_FOLDER = ROOT / "kernels" / "dotnet"
_PROJECTS = {
    _FOLDER / "roslyn-kernel": _FOLDER / "roslyn-kernel" / "target" / "roslyn-kernel.dll",
    _FOLDER / "labkit" / "Lab" / "src": _FOLDER / "labkit" / "Lab" / "target" / "Perflab.Lab.dll",
}
HOST = _PROJECTS[_FOLDER / "roslyn-kernel"]

_STAMP = LAB_DIR / "builds" / "csharp-kernel.built"


def is_built(sdk: Sdk) -> bool:
    """Whether both are there, from the present sources, by this SDK."""
    return (
        all(product.is_file() for product in _PROJECTS.values())
        and _STAMP.is_file()
        and _STAMP.read_text() == _fingerprint(sdk)
    )


def build(sdk: Sdk) -> None:
    """Build both, unless they are built.

    Raises:
        BenchError: If one does not build; the message ends with the last lines of the log.
    """
    with build_lock(_STAMP):
        if is_built(sdk):
            return
        sources = _fingerprint(sdk)
        # Until all are built nothing is: an older stamp may fit sources that have been put back.
        _STAMP.unlink(missing_ok=True)
        for project in _PROJECTS:
            _build(sdk, project)
        _STAMP.write_text(sources)


def _build(sdk: Sdk, project: Path) -> None:
    command: list[str | Path] = [
        sdk.dotnet,
        "build",
        "--configuration",
        "Release",
        "-nologo",
        "-verbosity:quiet",
        str(project),
    ]
    environment = {**os.environ, **sdk.environment()}
    run_build(command, str(project.relative_to(ROOT)), _STAMP.with_suffix(".log"), environment)


def _fingerprint(sdk: Sdk) -> str:
    digest = hashlib.sha256(repr((str(sdk.root), sdk.version)).encode())
    for path in sorted(_sources()):
        digest.update(str(path.relative_to(ROOT)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    yield _FOLDER / "Perflab.props"
    for project in _PROJECTS:
        yield from project.glob("*.csproj")
        # What MSBuild itself writes there changes with each build.
        yield from (path for path in project.rglob("*.cs") if "obj" not in path.parts)


Choice = Literal["auto", "interactive", "lab"]
CHOICES: tuple[Choice, ...] = ("auto", "interactive", "lab")

_CHOICE_FILE = LAB_DIR / "csharp-kernel"
_TOOLS = Path.home() / ".dotnet" / "tools"


def choose(choice: Choice) -> None:
    """Say which of the two is to be installed, now and later: `auto` takes .NET Interactive if it is there."""
    _CHOICE_FILE.parent.mkdir(parents=True, exist_ok=True)
    _CHOICE_FILE.write_text(choice + "\n", encoding="utf-8")


def chosen() -> Choice:
    """What was chosen; `auto` until something is."""
    try:
        said = _CHOICE_FILE.read_text(encoding="utf-8").strip()
    except OSError:
        return "auto"
    return next((one for one in CHOICES if one == said), "auto")


def find_interactive() -> Path | None:
    """.NET Interactive's program, which is both the kernel and its installer."""
    found = shutil.which("dotnet-interactive") or shutil.which("dotnet-interactive", path=str(_TOOLS))
    return Path(found) if found else None


class CSharpKernel(Kernel):
    """One of two; both are called `.net-csharp`, so that a notebook opens with either."""

    name = ".net-csharp"

    def version(self) -> str:
        """Which of the two it is, and what it stands on."""
        if interactive := _interactive():
            return f".NET Interactive in {interactive.parent}"
        return f"the lab's own on {require_sdk().title}"

    def is_installed(self) -> bool:
        """Whether its kernelspec is that of the present choice, and what notebooks load is built."""
        interactive, sdk = _interactive(), find_sdk()
        if sdk is None or not is_built(sdk):
            return False
        return spec.is_current(self.name, interactive_spec(interactive) if interactive else roslyn_spec(sdk))

    def install(self, say: Callable[[str], None] = lambda _: None) -> None:
        """Fetch an SDK if there is none, build with it, then write the kernelspec."""
        interactive = _interactive()
        sdk = provide_sdk(say)
        build(sdk)
        spec.write(self.name, interactive_spec(interactive) if interactive else roslyn_spec(sdk))


def _interactive() -> Path | None:
    choice = chosen()
    found = find_interactive() if choice != "lab" else None
    if choice == "interactive" and found is None:
        raise MissingError(
            ".NET Interactive is not on this machine",
            "conda: conda install dotnet-interactive; or ./lab setup --csharp-kernel lab",
        )
    return found


def interactive_spec(program: Path) -> spec.Spec:
    """How .NET Interactive is started."""
    return {
        "display_name": ".NET (C#)",
        "language": "C#",
        "argv": [str(program), "jupyter", "--default-kernel", "csharp", "{connection_file}"],
        "env": {"DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1"},
        "metadata": {"perflab": "interactive"},
    }


def roslyn_spec(sdk: Sdk) -> spec.Spec:
    """How the lab's own kernel is started with this SDK."""
    return {
        "display_name": ".NET (C#)",
        "language": "C#",
        "interrupt_mode": "message",
        "argv": [sys.executable, "-m", "perflab.kernels.roslyn", "-f", "{connection_file}"],
        "env": {
            "PYTHONPATH": str(ROOT / "src"),
            **sdk.environment(),
            # The collector's own choice follows the processor's cache and keeps tens of megabytes of garbage.
            "DOTNET_GCgen0size": "0x1000000",
            HOST_VARIABLE: str(HOST),
            COMPILER_VARIABLE: str(sdk.compiler),
        },
        "metadata": {"perflab": f"roslyn on {sdk.title}"},
    }
