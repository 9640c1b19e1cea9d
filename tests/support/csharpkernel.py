"""The lab's own C# kernel, installed into a prefix that is not the checkout's, and started."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest.mock import patch

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from perflab.host.dotnet import provide_sdk
from perflab.kernels import csharp as csharp_build
from perflab.kernels import kernel
from perflab.kernels.csharp import CSharpKernel, roslyn_spec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from jupyter_client.blocking.client import BlockingKernelClient

NAME = CSharpKernel.name
START_LIMIT_S = 600


def install(prefix: Path) -> KernelSpecManager:
    """Whatever is chosen on this machine, this is the lab's own."""
    sdk = provide_sdk()
    csharp_build.build(sdk)
    with patch.object(kernel, "JUPYTER_DIR", prefix):
        kernel.write(NAME, roslyn_spec(sdk))
    return KernelSpecManager(kernel_dirs=[str(prefix / "kernels")])


@contextmanager
def started(
    specs: KernelSpecManager, cwd: Path, **environment: str
) -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    manager = KernelManager(kernel_name=NAME, kernel_spec_manager=specs)
    manager.start_kernel(cwd=str(cwd), env={**os.environ, **environment})
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=START_LIMIT_S)
        yield manager, client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
