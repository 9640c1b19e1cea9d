"""The `rust` kernel: evcxr behind the lab's own relay."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from perflab.kernels import evcxr_build, spec
from perflab.kernels.evcxr.settings import PROGRAM_VARIABLE, TOOLS_VARIABLE, WORK_VARIABLE
from perflab.kernels.kernel import Kernel, LabkitTests
from perflab.kernels.rust_dependencies import compile_dependencies
from perflab.paths import LAB_DIR, ROOT
from perflab.toolchains import Rust, require_rust

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LABKIT = ROOT / "kernels" / "rust" / "labkit"

WORK_DIR = LAB_DIR / "rust"
"""Where its kernels compile their cells, and keep what they have compiled for the next one."""


class RustKernel(Kernel):
    """conda's evcxr, or one built with cargo and kept in the per-user cache."""

    name = "rust"
    labkit = "rust"

    def version(self) -> str:
        """Which evcxr, and the compiler's version."""
        program = evcxr_build.find_evcxr()
        rust = require_rust() if program else require_rust(evcxr_build.MINIMUM_RUST, "the Rust kernel")
        return f"{_title(program)} on Rust {rust.version}"

    def is_installed(self) -> bool:
        """Whether evcxr is there, and its kernelspec is for this toolchain."""
        program = evcxr_build.find_evcxr()
        return program is not None and spec.is_current(self.name, kernelspec(program, require_rust()))

    def install(self, say: Callable[[str], None] = lambda _: None) -> None:
        """Build evcxr unless it is there, then write the kernelspec."""
        program = evcxr_build.provide_evcxr(say)
        spec.write(self.name, kernelspec(program, require_rust()))

    def prepare(self, notebook: Path) -> None:
        """Compile the crates that it depends on."""
        compile_dependencies(self.name, notebook)

    def labkit_tests(self) -> LabkitTests:
        """Both halves: rustfmt, Clippy and their own tests; they need no kernel."""
        rust = require_rust()
        cargo = str(rust.cargo)
        report = "target/test-reports/TEST-labkit.xml"
        test = [sys.executable, "-m", "perflab.toolchains.cargo_test", report, cargo, "test", "--locked", "--workspace"]
        return LabkitTests(
            lint=[
                [cargo, "fmt", "--check"],
                [cargo, "clippy", "--quiet", "--locked", "--workspace", "--all-targets", "--", "--deny", "warnings"],
            ],
            test=test,
            environment={**rust.environment(), "PYTHONPATH": str(ROOT / "src")},
            folder=LABKIT,
            reports=report,
        )


def kernelspec(program: Path, rust: Rust) -> spec.Spec:
    """How this evcxr is started with this toolchain."""
    return {
        "display_name": "Rust",
        "language": "rust",
        "interrupt_mode": "message",
        "argv": [sys.executable, "-m", "perflab.kernels.evcxr", "{connection_file}"],
        "env": {
            "PYTHONPATH": str(ROOT / "src"),
            PROGRAM_VARIABLE: str(program),
            TOOLS_VARIABLE: str(rust.bin),
            WORK_VARIABLE: str(WORK_DIR),
        },
        "metadata": {"perflab": f"{_title(program)} on {rust.title}"},
    }


def _title(program: Path | None) -> str:
    if program is None or program.is_relative_to(evcxr_build.EVCXR_DIR):
        return f"evcxr {evcxr_build.VERSION}"
    return f"evcxr in {program.parent}"
