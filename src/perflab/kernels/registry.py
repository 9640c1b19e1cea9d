"""The kernels of the lab, by the names that notebooks use; Python's is ipykernel in the lab's own environment."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

from perflab.host.cpp import require_cpp
from perflab.kernels.csharp import CSharpKernel
from perflab.kernels.kernel import Kernel, LabkitTests
from perflab.kernels.kotlin import KotlinKernel
from perflab.kernels.rust import RustKernel
from perflab.model.errors import unknown
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from perflab.kernels.kernel import KernelStatus, Spec


# Nothing beside a notebook is taken for a part of ipykernel, which Jupyter starts to show one, for what completing a
# word imports, for the extension that IPython would load by its bare name, or for a plug-in of the debugger, which
# looks for those on the whole path. Cells may import it: it comes last, once all that has been loaded.
_START = (
    "import sys; from ipykernel.kernelapp import IPKernelApp; "
    "kernel = IPKernelApp.instance(default_extensions=['IPython.extensions.storemagic']); "
    "kernel.initialize(); sys.path.append(''); kernel.start()"
)


class PythonKernel(Kernel):
    """ipykernel, which finds `perflab` in the checkout, whichever Jupyter starts it."""

    name = "python3"

    def version(self) -> str:
        """Return the versions of ipykernel and Python."""
        return f"ipykernel {version('ipykernel')} on Python {platform.python_version()}"

    def kernelspec(self) -> Spec:
        """Return how ipykernel is started in this environment."""
        return {
            "display_name": "Python (perflab)",
            "language": "python",
            "argv": [sys.executable, "-P", "-c", _START, "-f", "{connection_file}"],
            "env": {"PYTHONPATH": str(CHECKOUT / "src")},
            "metadata": {"debugger": True, "perflab": self.version()},
        }


_KERNELS: tuple[Kernel, ...] = (PythonKernel(), KotlinKernel(), CSharpKernel(), RustKernel())


def prepare(name: str, notebook: Path) -> None:
    """Do ahead of time what a notebook's first cell would have to do; the kernel is installed."""
    _kernel(name).prepare(notebook)


def ensure(name: str, say: Callable[[str], None] = lambda _: None) -> None:
    """Install a kernel, unless it is installed and nothing that it needs has changed.

    Args:
        name: Kernel name in notebooks.
        say: Called with what takes long.
    """
    kernel = _kernel(name)
    if not kernel.is_installed():
        kernel.install(say)


def _kernel(name: str) -> Kernel:
    kernels = {kernel.name: kernel for kernel in _KERNELS}
    if name not in kernels:
        raise unknown("kernel", name, kernels)
    return kernels[name]


def labkits() -> dict[str, tuple[str, Callable[[], LabkitTests]]]:
    """Return the labkits that have a project of their own: their languages, and how each is checked.

    The latter raises `MissingError` if something that it needs is not on this machine.
    """
    found = {kernel.name: (kernel.labkit, kernel.labkit_tests) for kernel in _KERNELS if kernel.labkit}
    return {**found, "cpp": ("cpp", _cpp_labkit_tests)}


def _cpp_labkit_tests() -> LabkitTests:
    cpp = require_cpp()
    reports = "target/reports"
    test = [sys.executable, "-P", "-m", "perflab.topics.googletest", reports]
    return LabkitTests(
        lint=[[sys.executable, str(CHECKOUT / "tools" / "clang_format.py"), "."]],
        test=[*test, str(cpp.cmake.path), "--workflow", "--preset", "tests"],
        environment={**cpp.environment(), "PYTHONPATH": str(CHECKOUT / "src")},
        folder=CHECKOUT / "kernels" / "cpp" / "labkit",
        reports=f"{reports}/*.xml",
    )


def installed() -> list[KernelStatus]:
    """Return the status of each kernel; start none of them."""
    return [kernel.status() for kernel in _KERNELS]
