"""The Rust kernel, installed into a prefix that is not the checkout's, with workplaces of its own, and started."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING
from unittest.mock import patch

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from perflab.host.toolchains import require_rust
from perflab.kernels import kernel
from perflab.kernels import rust as evcxr_build
from perflab.kernels.rust import RustKernel, kernelspec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from jupyter_client.blocking.client import BlockingKernelClient

NAME = RustKernel.name
START_LIMIT_S = 600


def install(prefix: Path) -> KernelSpecManager:
    written = kernelspec(evcxr_build.provide_evcxr(), require_rust())
    written["env"]["PERFLAB_RUST_WORK"] = str(prefix / "work")
    with patch.object(kernel, "JUPYTER_DIR", prefix):
        kernel.write(NAME, written)
    return KernelSpecManager(kernel_dirs=[str(prefix / "kernels")])


@contextmanager
def started(
    specs: KernelSpecManager, cwd: Path, stderr: IO[bytes] | None = None, **environment: str
) -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    manager = KernelManager(kernel_name=NAME, kernel_spec_manager=specs)
    manager.start_kernel(cwd=str(cwd), env={**os.environ, **environment}, stderr=stderr)
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=START_LIMIT_S)
        yield manager, client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
