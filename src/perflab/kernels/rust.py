"""The `rust` kernel: evcxr, behind the lab's own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from perflab.host.guard import marked
from perflab.host.processes import ask, end_group, start
from perflab.host.toolchains import Rust, require_rust, toolchain_of
from perflab.kernels.kernel import JUPYTER_DIR, Kernel, LabkitTests, Spec, read_notebook
from perflab.model.errors import BenchError, MissingError
from perflab.model.lab import CHECKOUT, user_cache

if TYPE_CHECKING:
    from collections.abc import Callable


VERSION = "0.22.0"
MINIMUM_RUST = (1, 95)
"""The least that this version builds with."""

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
    """Find the kernel's program: conda's, else the one that the lab has built."""
    if conda := os.environ.get("CONDA_PREFIX"):
        program = Path(conda, "bin", _PROGRAM)
        if program.is_file():
            return program
    return _built() if _built().is_file() else None


def provide_evcxr(say: Callable[[str], None] = lambda _: None) -> Path:
    """Find the kernel's program, and build it if there is none; `say` is called with what is being compiled.

    A build that was ended has left its compiled crates, and the next one goes on from there.
    """
    found = find_evcxr()
    if found is not None:
        return found
    require_rust(MINIMUM_RUST, f"building the Rust kernel, evcxr {VERSION}")
    try:
        cache = _cache()
        cache.mkdir(parents=True, exist_ok=True)
        # Another process may have built it; the final rename makes it appear whole.
        with FileLock(cache / "building.lock"):
            if not _built().is_file():
                _build(say)
    except OSError as error:
        raise MissingError(f"cannot keep the Rust kernel: {error}", f"make room in {_cache()}") from None
    return _built()


def lacks_sources(rust: Rust) -> str:
    """Return the name of a rustup toolchain that lacks the standard library's sources, else nothing.

    Without them evcxr cannot infer the type of any variable.
    """
    sysroot, name = toolchain_of(rust.rustc)
    if sysroot is None or not (rust.bin / "rustup").is_file():
        return ""
    # Where rust-analyzer, which evcxr embeds, looks for them.
    places = [sysroot / "lib/rustlib/src/rust/library", *map(Path, filter(None, [os.environ.get("RUST_SRC_PATH")]))]
    return "" if any((place / "core").is_dir() for place in places) else name


def provide_sources(say: Callable[[str], None] = lambda _: None) -> None:
    """Have rustup fetch the standard library's sources, unless they are there."""
    rust = require_rust()
    if name := lacks_sources(rust):
        say("fetching the sources of Rust's standard library")
        command = [str(rust.bin / "rustup"), "component", "add", "rust-src", "--toolchain", name]
        if ask(command, timeout_s=300) is None or lacks_sources(rust):
            raise MissingError("the Rust kernel lacks the sources of the standard library", " ".join(command))


def _cache() -> Path:
    return user_cache() / "evcxr"


def _built() -> Path:
    return _cache() / VERSION / "bin" / _PROGRAM


def _build(say: Callable[[str], None]) -> None:
    rust = require_rust(MINIMUM_RUST)
    work = _cache() / "building"
    draft = work / "installed"
    # With its lock file: newer versions of what it is made of do not fit together. Without mimalloc, which takes a C
    # compiler.
    command = [str(rust.cargo), "install", "--locked", _PROGRAM, "--version", f"={VERSION}", "--no-default-features"]
    command += ["--root", str(draft), "--no-track", "--force"]
    environment = {**os.environ, **rust.environment(), **_CHEAPLY, "CARGO_TARGET_DIR": str(work / "target")}
    # Its build script looks for the compiler there.
    environment["PATH"] = os.pathsep.join([str(rust.bin), environment.get("PATH", "")])
    work.mkdir(exist_ok=True)
    _run(command, environment, _cache() / "build.log", say)
    draft.rename(_cache() / VERSION)
    shutil.rmtree(work)


def _run(command: list[str], environment: dict[str, str], log: Path, say: Callable[[str], None]) -> None:
    tail: deque[str] = deque(maxlen=_LOG_LINES_SHOWN)
    # Not in the cache, which may lie below a folder that all share: rustup does what it finds in those around it.
    cargo = start(command, folder=Path("/"), environment=environment, stdout=subprocess.DEVNULL)
    try:
        compiled = 0
        with log.open("w", encoding="utf-8") as kept:
            for raw in cargo.stderr or ():
                line = raw.decode("utf-8", "replace")
                kept.write(line)
                tail.append(line.rstrip())
                if match := _COMPILING.match(line):
                    compiled += line.lstrip().startswith("Compiling")
                    number = f", crate {compiled}" if compiled else ""
                    say(f"building the Rust kernel, once: {match['crate']}{number}")
        cargo.wait()
    finally:
        end_group(cargo)
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


_START_LIMIT_S = 180
_COMPILE_LIMIT_S = 1800
_COMMANDS = (":dep ", ":opt ")


def compile_dependencies(kernel: str, notebook: Path) -> None:
    """Let a kernel compile a notebook's dependencies: it alone knows with which settings."""
    commands = dependencies(notebook)
    if not commands:
        return
    specs = KernelSpecManager(kernel_dirs=[str(JUPYTER_DIR / "kernels")])
    manager = KernelManager(kernel_name=kernel, kernel_spec_manager=specs)
    # Errors arrive as messages; the kernel process itself prints only cargo's progress.
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    manager.start_kernel(cwd=str(notebook.parent), env=marked(), **quiet)
    client = manager.client()
    client.start_channels()
    errors: list[str] = []

    def look(message: dict[str, Any]) -> None:
        if message["msg_type"] == "error":
            errors.extend(message["content"]["traceback"])

    try:
        client.wait_for_ready(timeout=_START_LIMIT_S)
        client.execute_interactive("\n".join([*commands, "()"]), output_hook=look, timeout=_COMPILE_LIMIT_S)
    except (RuntimeError, TimeoutError) as error:
        errors.append(str(error))
    finally:
        client.stop_channels()
        manager.shutdown_kernel()
    if errors:
        raise BenchError(f"what {notebook.name} depends on does not compile:\n" + "\n".join(errors))


def dependencies(notebook: Path) -> list[str]:
    """Return the kernel's commands in a notebook that say what is compiled, and how."""
    cells = read_notebook(notebook).cells
    lines = [line for cell in cells if cell.cell_type == "code" for line in cell.source.splitlines()]
    return [line.strip() for line in lines if line.startswith(_COMMANDS)]


LABKIT = CHECKOUT / "kernels" / "rust" / "labkit"

WORK_DIR = CHECKOUT / ".lab" / "rust"
"""Build folder shared by kernels, which keeps compiled crates for the next one."""


class RustKernel(Kernel):
    """conda's evcxr, or one built with cargo and kept in the per-user cache."""

    name = "rust"
    labkit = "rust"

    def version(self) -> str:
        """Return which evcxr it is, and the compiler's version."""
        program = find_evcxr()
        rust = require_rust() if program else require_rust(MINIMUM_RUST, "the Rust kernel")
        return f"{_title(program)} on Rust {rust.version}"

    def is_built(self) -> bool:
        """Return whether evcxr is there, and what it needs."""
        return find_evcxr() is not None and not lacks_sources(require_rust())

    def build(self, say: Callable[[str], None]) -> None:
        """Build evcxr."""
        provide_evcxr(say)
        provide_sources(say)

    def kernelspec(self) -> Spec:
        """Return how it is started with this toolchain."""
        program = find_evcxr()
        if program is None:
            raise MissingError("the Rust kernel is not built", "./lab setup")
        return kernelspec(program, require_rust())

    def prepare(self, notebook: Path) -> None:
        """Compile the crates that cells depend on."""
        compile_dependencies(self.name, notebook)

    def labkit_tests(self) -> LabkitTests:
        """Return rustfmt, Clippy and the tests of both halves; they need no kernel."""
        rust = require_rust()
        cargo = str(rust.cargo)
        report = "target/test-reports/TEST-labkit.xml"
        test = [sys.executable, "-m", "perflab.topics.cargo_test", report, cargo, "test", "--locked", "--workspace"]
        return LabkitTests(
            lint=[
                [cargo, "fmt", "--check"],
                [cargo, "clippy", "--quiet", "--locked", "--workspace", "--all-targets", "--", "--deny", "warnings"],
            ],
            test=test,
            environment={**rust.environment(), "PYTHONPATH": str(CHECKOUT / "src")},
            folder=LABKIT,
            reports=report,
        )


def kernelspec(program: Path, rust: Rust) -> Spec:
    """Return how this evcxr is started with this toolchain."""
    sysroot, toolchain = toolchain_of(rust.rustc)
    # Else rustup runs the toolchain that a file beside the notebook names, which may lie there, too.
    pinned = {"RUSTUP_TOOLCHAIN": toolchain or str(sysroot)} if sysroot else {}
    return {
        "display_name": "Rust",
        "language": "rust",
        "interrupt_mode": "message",
        "argv": [sys.executable, "-P", "-m", "perflab_kernels.rust", "{connection_file}"],
        "env": {
            "PYTHONPATH": str(CHECKOUT / "src"),
            "PERFLAB_EVCXR": str(program),
            "PERFLAB_RUST_BIN": str(rust.bin),
            "PERFLAB_RUST_RELEASE": rust.version,
            "PERFLAB_RUST_WORK": str(WORK_DIR),
            # evcxr compiles cells with cargo's profile `dev`, at the level that evcxr.toml sets.
            "CARGO_PROFILE_DEV_OVERFLOW_CHECKS": "false",
            "CARGO_PROFILE_DEV_DEBUG_ASSERTIONS": "false",
            **pinned,
        },
        "metadata": {"perflab": f"{_title(program)} on {rust.title}"},
    }


def _title(program: Path | None) -> str:
    if program is None or program.is_relative_to(_cache()):
        return f"evcxr {VERSION}"
    return f"evcxr in {program.parent}"
