"""The C# kernel, as ipykernel's base class has it."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from typing import TYPE_CHECKING, Any

from perflab_kernels.csharp.process import CSharpProcess, ProcessEndedError
from perflab_kernels.proxy import Content, ProxyKernel, TextLimit

if TYPE_CHECKING:
    from collections.abc import Callable


def to_utf16(text: str, position: int) -> int:
    """Convert a position to UTF-16 units, which C# counts."""
    return len(text[:position].encode("utf-16-le", "surrogatepass")) // 2


def from_utf16(text: str, position: int) -> int:
    """Convert a position in UTF-16 units to characters."""
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * position]
    return len(units.decode("utf-16-le", "ignore"))


_GRACE_S = float(os.environ.get("PERFLAB_CSHARP_GRACE_S", "5"))
_PATIENT_GRACE_S = 30
_SECOND_INTERRUPT_S = 1
_INPUT_POLL_MS = 50
_END_OF_INPUT = "\x04"
_NO_INPUT = (
    "there is nobody to ask for input: Console.ReadLine works in a running cell of a frontend that can ask, "
    "and not where a notebook is executed as a whole; put the text in a variable there"
)
_LOST = "all variables are lost"


class RoslynKernel(ProxyKernel):
    """C# cells, run by a process that can end and be replaced without the kernel ending."""

    implementation = "perflab-roslyn"
    banner = "C#, by the compiler of the .NET SDK"
    process: CSharpProcess

    def __init__(self, **kwargs: Any) -> None:  # noqa: ANN401 - traitlets
        super().__init__(**kwargs)
        self.language_info = {
            "name": "C#",
            "version": "",
            "mimetype": "text/x-csharp",
            "file_extension": ".cs",
            "pygments_lexer": "csharp",
            "codemirror_mode": "text/x-csharp",
        }
        self._raw_text = TextLimit()
        self._running = 0  # odd while a cell runs
        self._interrupted_at: float | None = None
        self._stuck = False
        # The number of the process that has the variables of the cells so far; 0 if there are none to lose.
        self._holder = 0
        # Whether the cell ends something before it stops, which takes longer and is not to be cut short.
        self._is_patient = False
        self._parent_identity = b""
        self._asking = threading.Lock()
        self.process.on_message = self._show
        self.process.on_text = self._show_raw

    async def run_cell(self, code: str) -> Content | None:
        """Run a cell; if the process has ended, say that its variables are lost and start another one."""
        self._raw_text.reset()
        self._parent_identity = self._parent_ident["shell"]
        self._interrupted_at, self._stuck, self._is_patient = None, False, False
        self._running += 1
        try:
            self.process.start()
            if self._holder not in {0, self.process.number}:
                text = f"the C# process has ended since the last cell; {_LOST}\n"
                self.publish("stream", {"name": "stderr", "text": text})
            self._holder = self.process.number
            reply = await asyncio.to_thread(self.process.ask, "execute", code=code, number=self.execution_count)
        except ProcessEndedError as ended:
            reply = self._lost(ended)
        finally:
            self._running += 1
        if reply["status"] == "ok":
            return None
        if not self._silent:
            self.publish("error", {name: reply[name] for name in ("ename", "evalue", "traceback")})
        return reply

    async def do_complete(self, code: str, cursor_pos: int | None) -> Content:
        """Complete the word at the cursor."""
        cursor = len(code) if cursor_pos is None else cursor_pos
        try:
            self.process.start()
            found = await asyncio.to_thread(self.process.ask, "complete", code=code, cursor=to_utf16(code, cursor))
        except ProcessEndedError:
            found = {}
        # A defect in the process only costs a suggestion; it is reported as a cell's error would be.
        if "items" not in found:
            return {"status": "ok", "matches": [], "cursor_start": cursor, "cursor_end": cursor, "metadata": {}}
        start, end = from_utf16(code, found["start"]), from_utf16(code, found["end"])
        types = [{"start": start, "end": end, "text": item["text"], "type": item["kind"]} for item in found["items"]]
        return {
            "status": "ok",
            "matches": [item["text"] for item in found["items"]],
            "cursor_start": start,
            "cursor_end": end,
            "metadata": {"_jupyter_types_experimental": types},
        }

    async def do_shutdown(self, restart: bool) -> Content:
        """End the C# process with the kernel."""
        self.process.kill()
        return {"status": "ok", "restart": restart}

    def interrupt(self) -> None:
        """Stop the cell; end the process if the cell does not stop, or at a second interrupt."""
        running = self._running
        if running % 2 == 0:
            return
        now = time.monotonic()
        again = self._interrupted_at is not None and now - self._interrupted_at > _SECOND_INTERRUPT_S
        if again and not self._is_patient:
            self._give_up(running)
            return
        if self._interrupted_at is None:
            self._interrupted_at = now
            self._later(_GRACE_S, lambda: None if self._is_patient else self._give_up(running))
            self._later(_PATIENT_GRACE_S, lambda: self._give_up(running))
        self.process.interrupt()

    @staticmethod
    def _later(seconds: float, action: Callable[[], None]) -> None:
        timer = threading.Timer(seconds, action)
        timer.daemon = True
        timer.start()

    def _give_up(self, running: int) -> None:
        """End the process if it is still at the cell that was interrupted."""
        if running == self._running:
            self._stuck = True
            self.process.kill()

    def _lost(self, ended: ProcessEndedError) -> Content:
        what = "the cell could not be interrupted, so the C# process was ended" if self._stuck else str(ended)
        self._holder = 0
        return {
            "status": "error",
            "ename": "Interrupted" if self._stuck else "ProcessEnded",
            "evalue": what,
            "traceback": [what, f"  {_LOST}; the next cell starts a new process"],
        }

    def _show(self, message: Content) -> None:
        kind = message["type"]
        if kind == "stream":
            self.publish("stream", {"name": message["name"], "text": message["text"]})
        elif kind == "patience":
            self._is_patient = True
        elif kind == "input":
            # The cell's other threads may print meanwhile.
            threading.Thread(target=self._ask_reader, args=(message["id"], self._running), daemon=True).start()
        elif kind == "result":
            self.publish("execute_result", {"data": message["data"], "metadata": {}})
        else:
            content = {"data": message["data"], "metadata": {}, "transient": {"display_id": message["display_id"]}}
            self.publish("display_data" if kind == "display" else "update_display_data", content)

    def _ask_reader(self, number: int, running: int) -> None:
        """Ask for a line of input, and wait until it comes or the cell has ended."""
        if running % 2 == 0 or not self._allow_stdin:
            self.process.answer(number, None, _NO_INPUT)
            return
        with self._asking:
            self.request_input(self._parent_identity)
            while running == self._running:
                line = self.receive_input(_INPUT_POLL_MS)
                if line is not None:
                    self.process.answer(number, None if line == _END_OF_INPUT else line)
                    return

    def _show_raw(self, name: str, text: str) -> None:
        if kept := self._raw_text.take(text):
            self.publish("stream", {"name": name, "text": kept})
