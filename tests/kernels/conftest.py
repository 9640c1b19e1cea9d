"""Kernels started once a session, and checkouts with a stub in place of `./lab`."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ownkernels
import psutil
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from perflab.host.jdk import find_jdk
from perflab.host.toolchains import expand, require
from perflab.kernels.kernel import JUPYTER_DIR
from perflab.kernels.registry import ensure
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CELL_LIMIT_S = 600


@dataclass
class Cell:
    """What came of a cell: its messages, and its outputs as a notebook would keep them."""

    number: int
    messages: list[dict[str, Any]] = field(default_factory=list)

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message["content"] for message in self.messages if message["msg_type"] == kind]

    def streamed(self, name: str = "") -> str:
        return "".join(one["text"] for one in self.of("stream") if name in {"", one["name"]})

    @property
    def error(self) -> dict[str, Any]:
        (error,) = self.of("error")
        return error

    @property
    def text(self) -> str:
        (result,) = self.of("execute_result")
        return str(result["data"]["text/plain"])


@dataclass
class Kernel:
    """A running kernel."""

    manager: KernelManager
    client: Any
    folder: Path

    def run(
        self, code: str, on_message: Callable[[dict[str, Any]], None] = lambda _: None, limit_s: int = CELL_LIMIT_S
    ) -> Cell:
        messages: list[dict[str, Any]] = []

        def take(message: dict[str, Any]) -> None:
            messages.append(message)
            on_message(message)

        reply = self.client.execute_interactive(code, output_hook=take, timeout=limit_s)
        return Cell(reply["content"]["execution_count"], messages)

    def interrupt(self) -> None:
        """Interrupt it and wait until it has dealt with that.

        The manager does not wait for the answer to its message. Kotlin's kernel never answers a request that reaches
        it while it handles an interrupt.
        """
        if self.manager.kernel_spec.interrupt_mode == "message":
            self.client.control_channel.send(self.client.session.msg("interrupt_request"))
            assert self.client.get_control_msg(timeout=CELL_LIMIT_S)["msg_type"] == "interrupt_reply"
        else:
            self.manager.interrupt_kernel()
            self.client.kernel_info(reply=True, timeout=CELL_LIMIT_S)  # answered after the signal is handled

    def interrupted(self, code: str, kind: str = "stream") -> dict[str, Any]:
        """Return the error of a cell that is interrupted when it shows something."""
        done: list[bool] = []

        def interrupt(message: dict[str, Any]) -> None:
            if not done and message["msg_type"] == kind:
                done.append(True)
                self.manager.interrupt_kernel()

        return self.run(code, on_message=interrupt).error

    def processes(self) -> list[psutil.Process]:
        kernel = psutil.Process(self.manager.provisioner.process.pid)
        return [kernel, *kernel.children(recursive=True)]


@pytest.fixture(scope="session")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Kernel]]:
    """Start a kernel of a language in a folder."""
    with ExitStack() as stack:
        prefix = tmp_path_factory.mktemp("jupyter")

        def started(language: str, folder: Path, **environment: str) -> Kernel:
            if language in ownkernels.NAMES:
                specs = ownkernels.install(language, prefix)
                pair = stack.enter_context(ownkernels.started(language, specs, folder, **environment))
            else:
                name = {"python": "python3"}.get(language, language)
                ensure(name)
                specs = KernelSpecManager(kernel_dirs=[str(JUPYTER_DIR / "kernels")])
                manager = KernelManager(kernel_name=name, kernel_spec_manager=specs)
                manager.start_kernel(cwd=str(folder), env={**os.environ, **environment})
                stack.callback(manager.shutdown_kernel, now=True)
                client = manager.client()
                client.start_channels()
                stack.callback(client.stop_channels)
                client.wait_for_ready(timeout=CELL_LIMIT_S)
                pair = manager, client
            return Kernel(*pair, folder)

        yield started


@pytest.fixture(scope="session")
def kernels(
    start: Callable[..., Kernel], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], tuple[Kernel, Path]]:
    """Return the kernel of a language that has the lab, and its checkout; shared, because it takes seconds to start."""
    running: dict[str, tuple[Kernel, Path]] = {}

    def kernel(language: str) -> tuple[Kernel, Path]:
        if language not in running:
            checkout = _checkout(language, tmp_path_factory.mktemp(f"{language}-checkout"))
            java = {"TOY_JAVA_HOME": str(find_jdk(21).home)} if language == "kotlin" else {}
            # On a busy machine an interrupt takes its time.
            started = start(language, checkout / "notebooks", PERFLAB_CSHARP_GRACE_S="25", **java)
            running[language] = started, checkout
            for code in USE[language]:
                assert not started.run(code, limit_s=900).of("error")  # evcxr compiles the labkit
        return running[language]

    return kernel


USE = {
    "kotlin": ["%use perflab@file[../kernels/kotlin/perflab.json]"],
    "csharp": [
        '#r "../kernels/dotnet/labkit/Lab/target/Perflab.Lab.dll"\nusing Perflab.Lab;\nvar lab = new Lab();',
        '#r "../components/toy/target/Toy.dll"\nusing Toy;',
    ],
    "rust": [
        (
            ':dep perflab-lab = { path = "../kernels/rust/labkit/perflab-lab" }\n'
            ':dep toy-notebook = { path = "../components/toy/notebook" }\n'
            "use perflab_lab::{Lab, Moment, Span};\nuse toy_notebook::toy_contract::Cup;\nlet lab = Lab::new()?;"
        )
    ],
    "python": [],
}


def _checkout(language: str, folder: Path) -> Path:
    own = Path(__file__).parent / {"kotlin": "checkout", "python": "checkout"}.get(language, f"{language}-checkout")
    shutil.copytree(own, folder, dirs_exist_ok=True)
    shutil.copy(Path(__file__).with_name("lab"), folder / "lab")
    (folder / "notebooks").mkdir(exist_ok=True)
    (folder / "kernels").symlink_to(CHECKOUT / "kernels")
    toy = folder / "components" / "toy"
    if language == "kotlin":
        sources = sorted((toy / "src").rglob("*.java"))
        javac = find_jdk(21).home / "bin" / "javac"
        subprocess.run([javac, "--release", "21", "-d", toy / "target" / "classes", *sources], check=True)
    if language == "csharp":
        dotnet_build(toy)
    return folder


def dotnet_build(project: Path) -> None:
    environment = require(["dotnet"])
    command = expand(["{dotnet}", "build", str(project), "-c", "Release", "-v", "q", "-nologo"], environment)
    subprocess.run(command, env={**os.environ, **environment}, check=True, stdout=subprocess.DEVNULL)
