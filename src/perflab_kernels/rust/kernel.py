"""The kernel: evcxr runs the cells, and ipykernel's base class talks to Jupyter."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import re
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.connect import write_connection_file

from perflab_kernels.processes import kill_tree, kill_with_me
from perflab_kernels.proxy import Content, ProxyKernel, SignedChannel
from perflab_kernels.rust.cells import DISPLAY_MARK, Sources
from perflab_kernels.rust.interrupts import Interrupts
from perflab_kernels.rust.outputs import Outputs

if TYPE_CHECKING:
    from collections.abc import Callable


_START_LIMIT_S = 180
_POLL_S = 0.02
# A cell's errors arrive on another channel than its end, and may arrive later.
_SETTLE_S = 0.05
_LATE_S = 0.5
_REPLY_LIMIT_S = 2.0
_LOST = "all variables are lost; the next cell begins anew"
_DEPENDENCY = re.compile(r"^:dep ", re.MULTILINE)


class EvcxrEndedError(Exception):
    """evcxr has ended, or did not start; the message says how."""


class _Client(BlockingKernelClient):
    """Takes signed messages, and asks whether the process lives: on a busy machine a heartbeat comes too late."""

    def __init__(self, has_ended: Callable[[], bool], **more: Any) -> None:  # noqa: ANN401 - traitlets
        channels = ("shell_channel_class", "iopub_channel_class", "stdin_channel_class")
        super().__init__(**dict.fromkeys(channels, SignedChannel), **more)
        self._has_ended = has_ended

    async def _async_is_alive(self) -> bool:
        if self._has_ended():
            # False would mean that the process has not started yet.
            raise RuntimeError("it has ended")
        return True


class Evcxr:
    """The process and its client.

    Args:
        place: Folder in which cells are compiled.
    """

    def __init__(self, place: Path) -> None:
        self.sources = Sources(place)
        self.start_s = 0.0
        self._file = file = place / "connection.json"
        file.unlink(missing_ok=True)
        write_connection_file(str(file), key=os.urandom(16).hex().encode())
        self.client = _Client(lambda: self.has_ended, connection_file=str(file))
        self.client.load_connection_file()
        variables = {
            "LC_ALL": "C.UTF-8",
            "EVCXR_TMPDIR": str(place),
            # The lab's settings, not those of the user's own evcxr.
            "EVCXR_CONFIG_DIR": str(Path(__file__).with_name("config")),
            "PERFLAB_DISPLAY": DISPLAY_MARK,
            "PERFLAB_CELLS": str(self.sources.file),
            "PATH": os.pathsep.join([os.environ["PERFLAB_RUST_BIN"], os.environ.get("PATH", "")]),
            # evcxr installs itself into the Jupyter that it finds.
            "JUPYTER_PATH": str(place / "jupyter"),
        }
        self._process = subprocess.Popen(
            [os.environ["PERFLAB_EVCXR"], "--control_file", str(file)],
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # names the configuration it read
        )
        self.pid = self._process.pid
        # An orphaned bench program would spoil the next measurement.
        self._watcher = kill_with_me(self.pid)

    def connect(self) -> None:
        """Wait until it answers; raise `EvcxrEndedError` if it does not in time."""
        began = time.monotonic()
        self.client.start_channels(hb=False, control=False)
        try:
            self.client.wait_for_ready(timeout=_START_LIMIT_S)
            self.start_s = time.monotonic() - began
        except RuntimeError as error:
            why = f"it ended with status {self._process.returncode}" if self.has_ended else str(error)
            raise EvcxrEndedError(f"evcxr did not start: {why}") from None
        finally:
            self._file.unlink(missing_ok=True)  # it holds the key of the connection

    @property
    def has_ended(self) -> bool:
        """Return whether the process has exited."""
        return self._process.poll() is not None

    def end(self) -> None:
        """End it with all that it has started."""
        kill_tree(self.pid)
        self._watcher.kill()
        self._process.wait()

    def ask(self, request: Content, on_input: Callable[[Content], str]) -> Content:
        """Send a request on the shell channel and wait for the reply, however long that takes.

        Args:
            request: A message of the client's session.
            on_input: Answers a request for input.

        Raises:
            EvcxrEndedError: If it ends before it has answered.
        """
        shell, stdin = self.client.shell_channel, self.client.stdin_channel
        shell.send(request)
        while not self.has_ended:
            with contextlib.suppress(queue.Empty):
                self.client.input(on_input(stdin.get_msg(timeout=0)["content"]))
            try:
                reply = shell.get_msg(timeout=_POLL_S)
            except queue.Empty:
                continue
            if reply["parent_header"]["msg_id"] == request["header"]["msg_id"]:
                return dict(reply["content"])
        raise EvcxrEndedError(f"evcxr has ended with status {self._process.returncode}; {_LOST}")


class EvcxrKernel(ProxyKernel):
    """Rust cells."""

    implementation = "perflab-evcxr"
    banner = "Rust, by evcxr"
    evcxr: Evcxr

    def __init__(self, **kwargs: Any) -> None:  # noqa: ANN401 - traitlets
        super().__init__(**kwargs)
        self.language_info = {
            "name": "Rust",
            "version": os.environ.get("PERFLAB_RUST_RELEASE", ""),
            "mimetype": "text/rust",
            "file_extension": ".rs",
            "pygments_lexer": "rust",
            "codemirror_mode": "rust",
        }
        self._sources = self.evcxr.sources
        self._outputs = Outputs(self.publish, self._sources.line_of_cell)
        self._running = ""
        self._idle_at: float | None = None
        self._over = threading.Event()
        self._interrupts = Interrupts(
            self.evcxr.pid, lambda number: bool(self._running) and number == self._sources.number
        )
        self._handled = threading.Event()
        self._handled.set()
        self._is_ending = False
        threading.Thread(target=self._read_outputs, daemon=True).start()

    def publish(self, kind: str, content: Content) -> None:
        """Forward evcxr's messages except states, which the base class sends itself."""
        if kind not in {"status", "execute_input"}:
            super().publish(kind, content)

    def pre_handler_hook(self) -> None:
        """Note that a request is being handled."""
        self._handled.clear()

    def post_handler_hook(self) -> None:
        """Note that it has its reply."""
        self._handled.set()

    async def run_cell(self, code: str) -> Content | None:
        """Run a cell; it has ended when evcxr says so and what it has printed is through."""
        self._sources.keep(code)
        self._outputs.begin(shift=self.execution_count - self._sources.number)
        self._over.clear()
        self._idle_at = None
        began = time.monotonic()
        content = {"code": code, "silent": self._silent, "store_history": True, "allow_stdin": self._allow_stdin}
        request = self.evcxr.client.session.msg("execute_request", content)
        self._running = request["header"]["msg_id"]
        try:
            await self._ask(request)
            await asyncio.to_thread(self._over.wait)
        except EvcxrEndedError as ended:
            self._outputs.fail({"ename": "EvcxrEnded", "evalue": str(ended), "traceback": [str(ended)]})
        finally:
            self._running = ""
        if self._sources.number == 1 and self._outputs.error is None and _DEPENDENCY.search(code):
            spent = f"evcxr started in {self.evcxr.start_s:.0f} s, and this cell took {time.monotonic() - began:.0f} s"
            kept = "what it has compiled is kept for the next session"
            self.publish("stream", {"name": "stdout", "text": f"{spent}; {kept}\n"})
        return self._outputs.error

    def interrupt(self) -> None:
        """Stop the cell, see `interrupts.py`."""
        self._interrupts.come(self._sources.number)

    async def do_complete(self, code: str, cursor_pos: int | None) -> Content:
        """Complete the word at the cursor."""
        content = {"code": code, "cursor_pos": len(code) if cursor_pos is None else cursor_pos}
        return await self._ask(self.evcxr.client.session.msg("complete_request", content))

    async def do_is_complete(self, code: str) -> Content:  # noqa: ARG002 - only the compiler could tell
        """Say that a console should run what it has."""
        return {"status": "complete"}

    async def do_shutdown(self, restart: bool) -> Content:
        """End evcxr with the kernel."""
        self._is_ending = True
        self.evcxr.end()
        return {"status": "ok", "restart": restart}

    async def _ask(self, request: Content) -> Content:
        return await asyncio.to_thread(self.evcxr.ask, request, self._input)

    def _input(self, asked: Content) -> str:
        return str((self.getpass if asked.get("password") else self.raw_input)(asked["prompt"]))

    def _read_outputs(self) -> None:
        """Pass on what evcxr broadcasts until it ends, and the kernel with it, unless it was to end."""
        try:
            self._pass_on()
        finally:
            self._over.set()
            if not self._is_ending:
                # Let the running cell report first.
                self._handled.wait(_REPLY_LIMIT_S)
                time.sleep(_SETTLE_S)
                self.evcxr.end()
                os.kill(os.getpid(), signal.SIGTERM)

    def _pass_on(self) -> None:
        while not self.evcxr.has_ended:
            try:
                self._take(self.evcxr.client.iopub_channel.get_msg(timeout=_POLL_S))
            except queue.Empty:
                self._outputs.flush()
            patience = _LATE_S if self._outputs.expects_more else _SETTLE_S
            if self._idle_at is not None and time.monotonic() - self._idle_at >= patience:
                self._idle_at = None
                self._outputs.end()
                self._over.set()

    def _take(self, message: Content) -> None:
        content = message["content"]
        is_of_cell = self._running != "" and message["parent_header"].get("msg_id") == self._running
        if is_of_cell and message["msg_type"] == "error" and self._interrupts.killed == self._sources.number:
            what = "the cell was interrupted, and the process that ran it was ended"
            content |= {"ename": "Interrupted", "evalue": what, "traceback": [what, f"  {_LOST}"]}
        if is_of_cell and content.get("execution_state") == "idle":
            self._idle_at = time.monotonic()
        else:
            self._outputs.take(message)
