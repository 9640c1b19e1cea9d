"""The kernels of the lab, by the names that notebooks use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.kernels.csharp import CSharpKernel
from perflab.kernels.kotlin import KotlinKernel
from perflab.kernels.python import PythonKernel, cpp_labkit_tests
from perflab.kernels.rust import RustKernel
from perflab.model.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from perflab.kernels.kernel import Kernel, KernelStatus, LabkitTests


_KERNELS: tuple[Kernel, ...] = (PythonKernel(), KotlinKernel(), CSharpKernel(), RustKernel())


def prepare(name: str, notebook: Path) -> None:
    """Do ahead of time what a notebook's first cell would have to do; the kernel is installed.

    Raises:
        BenchError: If that fails.
        UsageError: If there is no kernel of this name.
    """
    _kernel(name).prepare(notebook)


def ensure(name: str, say: Callable[[str], None] = lambda _: None) -> None:
    """Install a kernel, unless it is installed and nothing that it stands on has changed.

    Args:
        name: As notebooks write it.
        say: Told what takes long.

    Raises:
        MissingError: If something that it needs is not on this machine.
        BenchError: If a part of it does not build.
        UsageError: If there is no kernel of this name.
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
    """The labkits that have a project of their own, those of kernels and that of C++: language and how each is checked.

    The latter raises `MissingError` if something that it needs is not on this machine.
    """
    found = {kernel.name: (kernel.labkit, kernel.labkit_tests) for kernel in _KERNELS if kernel.labkit}
    return {**found, "cpp": ("cpp", cpp_labkit_tests)}


def installed() -> list[KernelStatus]:
    """How each kernel stands; starts none of them."""
    return [kernel.status() for kernel in _KERNELS]
