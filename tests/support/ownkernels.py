"""The lab's own C# and Rust kernels, installed into a prefix that is not the checkout's, and started."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING
from unittest.mock import patch

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from perflab.host.dotnet import provide_sdk
from perflab.host.toolchains import require_rust
from perflab.kernels import csharp, kernel, rust

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from jupyter_client.blocking.client import BlockingKernelClient

NAMES = {"csharp": csharp.CSharpKernel.name, "rust": rust.RustKernel.name}


def install(language: str, prefix: Path) -> KernelSpecManager:
    """Install the lab's own, whatever is chosen on this machine; that of Rust has its workplaces below the prefix."""
    if language == "csharp":
        sdk = provide_sdk()
        csharp.build(sdk)
        written = csharp.roslyn_spec(sdk)
    else:
        written = rust.kernelspec(rust.provide_evcxr(), require_rust())
        written["env"]["PERFLAB_RUST_WORK"] = str(prefix / "work")
    with patch.object(kernel, "JUPYTER_DIR", prefix):
        kernel.write(NAMES[language], written)
    return KernelSpecManager(kernel_dirs=[str(prefix / "kernels")])


@contextmanager
def started(
    language: str, specs: KernelSpecManager, cwd: Path, stderr: IO[bytes] | None = None, **environment: str
) -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    manager = KernelManager(kernel_name=NAMES[language], kernel_spec_manager=specs)
    manager.start_kernel(cwd=str(cwd), env={**os.environ, **environment}, stderr=stderr)
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=600)
        yield manager, client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
