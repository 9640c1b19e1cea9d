"""A kernel in front of another process takes nothing from who does not have the key of its connection."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fakeevcxr
import pytest
import zmq
from frames import forged
from jupyter_client.kernelspec import KernelSpecManager
from ownkernels import NAMES, started

from perflab.host.toolchains import Rust
from perflab.kernels import kernel
from perflab.kernels.rust import kernelspec

from .conftest import CELL_LIMIT_S, Cell, Kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FRONT = 8_000
"""With those that the process behind sends: 10,000."""


@pytest.fixture
def relay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    support = Path(fakeevcxr.__file__).parent
    program = tmp_path / "evcxr_jupyter"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={support} exec {sys.executable} {fakeevcxr.__file__} "$@"\n')
    program.chmod(0o755)
    written = kernelspec(program, Rust(tmp_path, "1.95.0", (1, 95)))
    written["env"]["PERFLAB_RUST_WORK"] = str(tmp_path / "work")
    monkeypatch.setattr(kernel, "JUPYTER_DIR", tmp_path / "jupyter")
    kernel.write(NAMES["rust"], written)
    specs = KernelSpecManager(kernel_dirs=[str(tmp_path / "jupyter" / "kernels")])
    log = tmp_path / "kernel.log"
    with log.open("wb") as stderr, started("rust", specs, tmp_path, stderr) as (manager, client):
        yield Kernel(manager, client, tmp_path)


def run(relay: Kernel, folder: Path, when_running: Callable[[], None]) -> Cell:
    """Run a cell that ends after `when_running`."""
    door = folder / "door"
    door.unlink(missing_ok=True)
    os.mkfifo(door)

    def open_door(message: dict[str, Any]) -> None:
        if message["msg_type"] == "stream" and "running" in message["content"]["text"]:
            when_running()
            door.write_bytes(b"")

    return relay.run(str(door), on_message=open_door)


def test_ten_thousand_foreign_frames_change_nothing(relay: Kernel, tmp_path: Path) -> None:
    session = relay.client.session
    recorded = [session.serialize(session.msg(kind)) for kind in ("interrupt_request", "kernel_info_request")]
    connection = relay.manager.get_connection_info()
    context = zmq.Context.instance()
    sockets = [context.socket(zmq.DEALER) for _ in ("control", "shell")]
    for socket, channel in zip(sockets, ("control", "shell"), strict=True):
        socket.connect(f"tcp://127.0.0.1:{connection[f'{channel}_port']}")
        socket.setsockopt(zmq.RCVTIMEO, 1000 * CELL_LIMIT_S)
        socket.setsockopt(zmq.SNDTIMEO, 1000 * CELL_LIMIT_S)
    control, _ = sockets
    # Where no cell runs, they do nothing, and may have been recorded.
    for message in recorded:
        control.send_multipart(message)
        control.recv_multipart()

    def attack() -> None:
        for number, foreign in enumerate(forged({}, FRONT, recorded)):
            sockets[number % 2].send_multipart(foreign)
        # All of them have been read when this has its answer.
        control.send_multipart(session.serialize(session.msg("kernel_info_request")))
        control.recv_multipart()

    cell = run(relay, tmp_path, attack)
    assert cell.text == "ended: None"
    assert not cell.of("error")
    assert "forged" not in str(cell.messages)
    said = (tmp_path / "kernel.log").read_text()
    assert "Traceback" not in said
    for place in ("control channel", "shell channel", "process behind"):
        assert said.count(f"{place}: dropped a message") == 1
    # The same interrupt with a signature has its effect.
    assert run(relay, tmp_path, relay.interrupt).text != "ended: None"
    for socket in sockets:
        socket.close(linger=0)
