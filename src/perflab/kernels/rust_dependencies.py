"""Compiling what a Rust notebook depends on ahead of time, so that its first cell need not."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from perflab.errors import BenchError
from perflab.kernels.spec import JUPYTER_DIR
from perflab.toolchains import marked

if TYPE_CHECKING:
    from pathlib import Path

_START_LIMIT_S = 180
_COMPILE_LIMIT_S = 1800
_COMMANDS = (":dep ", ":opt ")


def compile_dependencies(kernel: str, notebook: Path) -> None:
    """Let a kernel compile them: it is the only one that knows with which settings.

    Raises:
        BenchError: If the kernel does not start, or they do not compile.
    """
    commands = dependencies(notebook)
    if not commands:
        return
    specs = KernelSpecManager(kernel_dirs=[str(JUPYTER_DIR / "kernels")])
    manager = KernelManager(kernel_name=kernel, kernel_spec_manager=specs)
    # What fails comes as a message; what the kernel's own process prints is cargo's progress.
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
    """The kernel's commands in a notebook that say what is compiled, and how."""
    cells = nbformat.read(notebook, as_version=4).cells  # type: ignore[no-untyped-call]
    lines = [line for cell in cells if cell.cell_type == "code" for line in cell.source.splitlines()]
    return [line.strip() for line in lines if line.startswith(_COMMANDS)]
