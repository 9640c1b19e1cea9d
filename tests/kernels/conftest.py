"""A checkout with a stub in place of `./lab`, and a Kotlin kernel in its notebooks folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from perflab.host.jdk import find_jdk
from perflab.kernels.kernel import JUPYTER_DIR
from perflab.kernels.registry import ensure
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

USE = "%use perflab@file[../kernels/kotlin/perflab.json]"
CELL_LIMIT_S = 600


@dataclass
class Cell:
    """What came of a cell: its messages, and its outputs as a notebook would keep them."""

    number: int
    messages: list[dict[str, Any]] = field(default_factory=list)

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message["content"] for message in self.messages if message["msg_type"] == kind]

    @property
    def error(self) -> dict[str, Any]:
        (error,) = self.of("error")
        return error

    @property
    def text(self) -> str:
        (result,) = self.of("execute_result")
        return result["data"]["text/plain"]


@dataclass
class Kernel:
    """A running kernel."""

    manager: KernelManager
    client: Any
    log: Path

    def run(self, code: str, on_message: Callable[[dict[str, Any]], None] = lambda _: None) -> Cell:
        messages: list[dict[str, Any]] = []

        def take(message: dict[str, Any]) -> None:
            messages.append(message)
            on_message(message)

        reply = self.client.execute_interactive(code, output_hook=take, timeout=CELL_LIMIT_S)
        return Cell(reply["content"]["execution_count"], messages)

    def interrupt(self) -> None:
        """Interrupt it and wait for its answer, as the manager does not: one that is late would meet the next cell."""
        self.client.control_channel.send(self.client.session.msg("interrupt_request"))
        assert self.client.get_control_msg(timeout=CELL_LIMIT_S)["content"]["status"] == "ok"


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(Path(__file__).parent / "checkout", folder, dirs_exist_ok=True)
    (folder / "kernels").symlink_to(CHECKOUT / "kernels")
    toy = folder / "components" / "toy"
    sources = sorted((toy / "src").rglob("*.java"))
    javac = find_jdk(21).home / "bin" / "javac"
    subprocess.run([javac, "--release", "21", "-d", toy / "target" / "classes", *sources], check=True)
    return folder


@pytest.fixture(scope="session")
def kotlin(checkout: Path) -> Iterator[Kernel]:
    """A Kotlin kernel that has the lab; shared, because it takes seconds to start."""
    ensure("kotlin")
    specs = KernelSpecManager(kernel_dirs=[str(JUPYTER_DIR / "kernels")])
    manager = KernelManager(kernel_name="kotlin", kernel_spec_manager=specs)
    log = checkout / "kernel.log"
    with log.open("wb") as stderr:
        environment = {**os.environ, "TOY_JAVA_HOME": str(find_jdk(21).home)}
        manager.start_kernel(cwd=str(checkout / "notebooks"), env=environment, stderr=stderr)
        client = manager.client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=CELL_LIMIT_S)
            kernel = Kernel(manager, client, log)
            assert not kernel.run(USE).of("error")
            yield kernel
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
