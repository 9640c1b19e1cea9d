"""The kernels of the lab, by the names that notebooks use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.errors import unknown
from perflab.kernels.csharp import CSharpKernel
from perflab.kernels.kotlin import KotlinKernel
from perflab.kernels.python import PythonKernel

if TYPE_CHECKING:
    from perflab.kernels.kernel import Kernel, KernelStatus, LabkitTests

_KERNELS: tuple[Kernel, ...] = (PythonKernel(), KotlinKernel(), CSharpKernel())


def known() -> list[str]:
    """The names of all kernels."""
    return [kernel.name for kernel in _KERNELS]


def ensure(name: str) -> None:
    """Install a kernel, unless it is installed and nothing that it stands on has changed.

    Raises:
        MissingError: If something that it needs is not on this machine.
        BenchError: If a part of it does not build.
        UsageError: If there is no kernel of this name.
    """
    kernels = {kernel.name: kernel for kernel in _KERNELS}
    if name not in kernels:
        raise unknown("kernel", name, kernels)
    if not kernels[name].is_installed():
        kernels[name].install()


def labkit_tests() -> dict[str, LabkitTests]:
    """How each kernel's labkit is checked, for those that have a project of their own.

    Raises:
        MissingError: If something that one needs is not on this machine.
    """
    return {kernel.name: tests for kernel in _KERNELS if (tests := kernel.labkit_tests()) is not None}


def installed() -> list[KernelStatus]:
    """How each kernel stands; starts none of them."""
    return [kernel.status() for kernel in _KERNELS]
