"""The kernel: evcxr runs the cells, and ipykernel's base class talks to Jupyter."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.connect import write_connection_file

from perflab.host.guard import marked
from perflab.host.processes import kill_tree
from perflab.host.rust import toolchain_of
from perflab.kernels.evcxr.cells import (
    CELLS_FILE,
    CELLS_VARIABLE,
    DEPENDENCY,
    DISPLAY_MARK,
    DISPLAY_VARIABLE,
    PROGRAM_VARIABLE,
    RELEASE_VARIABLE,
    TOOLS_VARIABLE,
    Sources,
)
from perflab.kernels.evcxr.interrupts import Interrupts
from perflab.kernels.evcxr.outputs import Outputs
from perflab.kernels.proxy import Content, ProxyKernel, SignedChannel

if TYPE_CHECKING:
    from collections.abc import Callable


_START_LIMIT_S = 180
_POLL_S = 0.02
# The errors of a cell come on another way than its end, and may come later.
_SETTLE_S = 0.05
_LATE_S = 0.5
_REPLY_LIMIT_S = 2.0
_LOST = "all variables are lost; the next cell begins anew"


class EvcxrEndedError(Exception):
    """evcxr has ended, or did not begin; its text says how."""


class _Client(BlockingKernelClient):
    """Takes signed messages, and is told whether the process lives: on a busy machine a heartbeat comes too late.

    Args:
        has_ended: Tells whether it is gone.
        more: As of the base class.
    """

    def __init__(self, has_ended: Callable[[], bool], **more: Any) -> None:  # noqa: ANN401 - traitlets
        channels = ("shell_channel_class", "iopub_channel_class", "stdin_channel_class")
        super().__init__(**dict.fromkeys(channels, SignedChannel), **more)
        self._has_ended = has_ended

    async def _async_is_alive(self) -> bool:
        if self._has_ended():
            # False is taken for a process that has not begun yet.
            raise RuntimeError("it has ended")
        return True


class Evcxr:
    """The process, and the client that asks it.

    Args:
        place: Where it compiles cells.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self.start_s = 0.0
        self._file = file = place / "connection.json"
        file.unlink(missing_ok=True)
        write_connection_file(str(file), key=os.urandom(16).hex().encode())
        self.client = _Client(lambda: self.has_ended, connection_file=str(file))
        self.client.load_connection_file()
        variables = {
            "EVCXR_TMPDIR": str(place),
            # The lab's settings, not those of the user's own evcxr.
            "EVCXR_CONFIG_DIR": str(Path(__file__).with_name("config")),
            DISPLAY_VARIABLE: DISPLAY_MARK,
            CELLS_VARIABLE: str(place / CELLS_FILE),
            "PATH": os.pathsep.join([os.environ[TOOLS_VARIABLE], os.environ.get("PATH", "")]),
            # evcxr installs itself into the Jupyter that it finds.
            "JUPYTER_PATH": str(place / "jupyter"),
        }
        sysroot, toolchain = toolchain_of(Path(os.environ[TOOLS_VARIABLE], "rustc"))
        if sysroot:
            # Else rustup runs the toolchain that a file beside the notebook names, which may lie there, too.
            variables["RUSTUP_TOOLCHAIN"] = toolchain or str(sysroot)
        # Not by `processes.start`: Jupyter ends it with the group of this process.
        self._process = subprocess.Popen(
            [os.environ[PROGRAM_VARIABLE], "--control_file", str(file)],
            # An orphaned bench program would spoil the next measurement.
            env=marked({**os.environ, **variables}),
            stdin=subprocess.DEVNULL,
            # It says there which configuration it has read.
            stdout=subprocess.DEVNULL,
        )
        self.pid = self._process.pid

    def connect(self) -> None:
        """Wait until it answers, and note for how long.

        Raises:
            EvcxrEndedError: If it does not, in time.
        """
        began = time.monotonic()
        self.client.start_channels(hb=False, control=False)
        try:
            self.client.wait_for_ready(timeout=_START_LIMIT_S)
            self.start_s = time.monotonic() - began
        except RuntimeError as error:
            why = f"it ended with status {self._process.returncode}" if self.has_ended else str(error)
            raise EvcxrEndedError(f"evcxr did not start: {why}") from None
        finally:
            # It holds the key of the connection.
            self._file.unlink(missing_ok=True)

    @property
    def has_ended(self) -> bool:
        """Whether it is gone."""
        return self._process.poll() is not None

    def end(self) -> None:
        """End it with all that it has started."""
        kill_tree(self.pid)
        self._process.wait()

    def ask(self, request: Content, on_input: Callable[[Content], str]) -> Content:
        """Send a request on the shell channel, and wait for the reply, however long that takes.

        Args:
            request: As the client's session makes it.
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
            "version": os.environ.get(RELEASE_VARIABLE, ""),
            "mimetype": "text/rust",
            "file_extension": ".rs",
            "pygments_lexer": "rust",
            "codemirror_mode": "rust",
        }
        self._sources = Sources(self.evcxr.place)
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
        """What evcxr says; the base class itself tells what runs and when."""
        if kind not in {"status", "execute_input"}:
            super().publish(kind, content)

    def pre_handler_hook(self) -> None:
        """A request is about to be handled."""
        self._handled.clear()

    def post_handler_hook(self) -> None:
        """It has its reply."""
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
        if self._sources.number == 1 and self._outputs.error is None and DEPENDENCY.search(code):
            spent = f"evcxr started in {self.evcxr.start_s:.0f} s, and this cell took {time.monotonic() - began:.0f} s"
            kept = "what it has compiled is kept for the next session"
            self.publish("stream", {"name": "stdout", "text": f"{spent}; {kept}\n"})
        return self._outputs.error

    def interrupt(self) -> None:
        """Stop the cell, see `interrupts.py`."""
        self._interrupts.come(self._sources.number)

    async def do_complete(self, code: str, cursor_pos: int | None) -> Content:
        """What could stand at the cursor."""
        content = {"code": code, "cursor_pos": len(code) if cursor_pos is None else cursor_pos}
        return await self._ask(self.evcxr.client.session.msg("complete_request", content))

    async def do_is_complete(self, code: str) -> Content:  # noqa: ARG002 - only the compiler could tell
        """A console runs what it has."""
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
                # The cell that runs says first what has happened.
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
