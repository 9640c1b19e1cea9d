"""The `python3` kernel: ipykernel in the lab's own environment."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

from perflab.host.cpp import require_cpp
from perflab.kernels.kernel import Kernel, LabkitTests
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from perflab.kernels.kernel import Spec


# Nothing beside a notebook is taken for a part of ipykernel, which Jupyter starts to show one, for what completing a
# word imports, for the extension that IPython would load by its bare name, or for a plug-in of the debugger, which
# looks for those on the whole path. Cells may import it: it comes last, once all that has been loaded.
_START = (
    "import sys; from ipykernel.kernelapp import IPKernelApp; "
    "kernel = IPKernelApp.instance(default_extensions=['IPython.extensions.storemagic']); "
    "kernel.initialize(); sys.path.append(''); kernel.start()"
)


class PythonKernel(Kernel):
    """It finds `perflab` in the checkout, whichever Jupyter starts it."""

    name = "python3"

    def version(self) -> str:
        """The versions of ipykernel and Python."""
        return f"ipykernel {version('ipykernel')} on Python {platform.python_version()}"

    def kernelspec(self) -> Spec:
        """How ipykernel, a dependency of the lab, is started in this environment."""
        return {
            "display_name": "Python (perflab)",
            "language": "python",
            "argv": [sys.executable, "-P", "-c", _START, "-f", "{connection_file}"],
            "env": {"PYTHONPATH": str(CHECKOUT / "src")},
            "metadata": {"debugger": True, "perflab": self.version()},
        }


LABKIT = CHECKOUT / "kernels" / "cpp" / "labkit"

_REPORTS = "target/reports"


def cpp_labkit_tests() -> LabkitTests:
    """Its format and its own tests.

    Raises:
        MissingError: If the toolchain is not complete.
    """
    cpp = require_cpp()
    test = [sys.executable, "-m", "perflab.topics.googletest", _REPORTS]
    return LabkitTests(
        lint=[[sys.executable, str(CHECKOUT / "tools" / "clang_format.py"), "."]],
        test=[*test, str(cpp.cmake.path), "--workflow", "--preset", "tests"],
        environment={**cpp.environment(), "PYTHONPATH": str(CHECKOUT / "src")},
        folder=LABKIT,
        reports=f"{_REPORTS}/*.xml",
    )
