"""The labkit of C++, half of one: C++ components have bench programs, and their notebooks are in Python."""

from __future__ import annotations

import sys

from perflab.kernels.kernel import LabkitTests
from perflab.paths import ROOT
from perflab.toolchains import require_cpp

LABKIT = ROOT / "kernels" / "cpp" / "labkit"

_REPORTS = "target/reports"


def labkit_tests() -> LabkitTests:
    """Its format and its own tests.

    Raises:
        MissingError: If the toolchain is not complete.
    """
    cpp = require_cpp()
    test = [sys.executable, "-m", "perflab.toolchains.googletest", _REPORTS]
    return LabkitTests(
        lint=[[sys.executable, "-m", "perflab.toolchains.clang_format", "."]],
        test=[*test, str(cpp.cmake.path), "--workflow", "--preset", "tests"],
        environment={**cpp.environment(), "PYTHONPATH": str(ROOT / "src")},
        folder=LABKIT,
        reports=f"{_REPORTS}/*.xml",
    )
