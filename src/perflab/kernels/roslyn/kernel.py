"""The kernel, as ipykernel's base class has it."""

from __future__ import annotations

import asyncio
import fnmatch
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

from ipykernel.kernelbase import Kernel

from perflab import __version__
from perflab.kernels.roslyn.process import CSharpProcess, ProcessEndedError

if TYPE_CHECKING:
    from collections.abc import Callable


def to_utf16(text: str, position: int) -> int:
    """The same place in UTF-16 units."""
    return len(text[:position].encode("utf-16-le", "surrogatepass")) // 2


def from_utf16(text: str, position: int) -> int:
    """The same place in characters."""
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * position]
    return len(units.decode("utf-16-le", "ignore"))


LIMIT_PER_CELL = 1_000_000


class TextLimit:
    """Lets through so many characters per cell, then one note, then nothing."""

    def __init__(self, limit: int = LIMIT_PER_CELL) -> None:
        self._limit = limit
        self._room = limit
        self._lock = threading.Lock()

    def reset(self) -> None:
        """Begin a cell."""
        with self._lock:
            self._room = self._limit

    def take(self, text: str) -> str:
        """What of the text is to be shown."""
        with self._lock:
            room = self._room
            self._room -= len(text)
        if room < 0:
            return ""
        return (
            text
            if len(text) <= room
            else f"{text[:room]}\n[more than {self._limit} characters: the rest is left out]\n"
        )


BURST = 200
"""Messages that may go out at once; a publisher's queue holds 1000."""

PER_SECOND = 1000


class Pace:
    """A token bucket: whoever is too fast waits, and with it the cell, which is held back by the pipe."""

    def __init__(self, burst: int = BURST, per_second: float = PER_SECOND) -> None:
        self._burst = burst
        self._per_second = per_second
        self._left = float(burst)
        self._at = time.monotonic()
        self._lock = threading.Lock()

    def keep(self) -> float:
        """Wait until the next message may go out.

        Returns:
            How long that took, in seconds.
        """
        with self._lock:
            now = time.monotonic()
            self._left = min(self._burst, self._left + (now - self._at) * self._per_second)
            self._at = now
            self._left -= 1
            wait = max(0.0, -self._left / self._per_second)
            if wait:
                # In the lock, so that others queue up behind.
                time.sleep(wait)
        return wait


Entry = tuple[int, int, str]
"""Session, number of the cell, source; the session is always the present one, 0."""

WithOutput = tuple[int, int, tuple[str, str | None]]
"""The same with the text of the cell's result, if it had one."""


class History:
    """Inputs in their order; lost with the kernel."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._results: dict[int, str] = {}

    def add(self, number: int, source: str) -> None:
        """Take in what was run."""
        self._entries.append((0, number, source))

    def add_result(self, number: int, text: str) -> None:
        """Take in what a cell resulted in."""
        self._results[number] = text

    def with_outputs(self, entries: list[Entry]) -> list[WithOutput]:
        """The same entries with their results."""
        return [(session, number, (source, self._results.get(number))) for session, number, source in entries]

    def tail(self, count: int) -> list[Entry]:
        """The last ones."""
        return self._entries[-count:] if count > 0 else []

    def range(self, session: int, start: int, stop: int | None) -> list[Entry]:
        """Those with a number from `start` to before `stop`; other sessions are not kept."""
        if session != 0:
            return []
        return [entry for entry in self._entries if start <= entry[1] and (stop is None or entry[1] < stop)]

    def search(self, pattern: str, count: int | None, *, unique: bool) -> list[Entry]:
        """The last ones whose source matches a pattern with `*` and `?`."""
        found = [entry for entry in self._entries if fnmatch.fnmatchcase(entry[2], pattern)]
        if unique:
            last = {source: (session, number, source) for session, number, source in found}
            found = sorted(last.values(), key=lambda entry: entry[1])
        return found[-count:] if count else found


Content = dict[str, Any]

_GRACE_S = float(os.environ.get("PERFLAB_CSHARP_GRACE_S", "5"))
_PATIENT_GRACE_S = 30
_SECOND_INTERRUPT_S = 1
_LOST = "all variables are lost"


class RoslynKernel(Kernel):
    """C# cells, run by a process that can end and be replaced without the kernel ending."""

    implementation = "perflab-roslyn"
    implementation_version = __version__
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
        self._history = History()
        self._raw_text = TextLimit()
        self._pace = Pace()
        self._parent: Content = {}
        self._silent = False
        self._running = 0
        self._interrupted_at: float | None = None
        self._stuck = False
        # The process, by its number, that has the variables of the cells so far; 0 if there are none to lose.
        self._holder = 0
        # Whether the cell ends something before it stops, which takes longer and is not to be cut short.
        self._is_patient = False
        self.process.on_message = self._show
        self.process.on_text = self._show_raw
        signal.signal(signal.SIGINT, lambda *_: self._interrupt())

    def pre_handler_hook(self) -> None:
        """Leave SIGINT as it is: it goes to the cell, not to Python."""

    def post_handler_hook(self) -> None:
        """As `pre_handler_hook`."""

    async def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,
        user_expressions: Content | None = None,  # noqa: ARG002 - C# cells have none
        allow_stdin: bool = False,  # noqa: ARG002 - nor input
        *,
        cell_meta: Content | None = None,  # noqa: ARG002 - nor anything that depends on where they stand
        cell_id: str | None = None,  # noqa: ARG002 - as above
    ) -> Content:
        """Run a cell."""
        self._parent, self._silent = self.get_parent("shell"), silent
        self._raw_text.reset()
        if store_history:
            self._history.add(self.execution_count, code)
        self._interrupted_at, self._stuck, self._is_patient = None, False, False
        self._running += 1
        try:
            self.process.start()
            if self._holder not in {0, self.process.number}:
                text = f"the C# process has ended since the last cell; {_LOST}\n"
                self._publish("stream", {"name": "stderr", "text": text})
            self._holder = self.process.number
            reply = await self._ask("execute", code=code, number=self.execution_count)
        except ProcessEndedError as ended:
            reply = self._lost(ended)
        finally:
            self._running += 1
        if reply["status"] == "ok":
            return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}
        error = {name: reply[name] for name in ("ename", "evalue", "traceback")}
        if not silent:
            self._publish("error", error)
        return {"status": "error", "execution_count": self.execution_count, **error}

    async def do_complete(self, code: str, cursor_pos: int | None) -> Content:
        """What could stand at the cursor."""
        cursor = len(code) if cursor_pos is None else cursor_pos
        found = await self._look("complete", code, cursor)
        if found is None:
            return {"status": "ok", "matches": [], "cursor_start": cursor, "cursor_end": cursor, "metadata": {}}
        start, end = from_utf16(code, found["start"]), from_utf16(code, found["end"])
        types = [{"start": start, "end": end, "text": one["text"], "type": one["kind"]} for one in found["items"]]
        return {
            "status": "ok",
            "matches": [one["text"] for one in found["items"]],
            "cursor_start": start,
            "cursor_end": end,
            "metadata": {"_jupyter_types_experimental": types},
        }

    async def do_inspect(
        self,
        code: str,
        cursor_pos: int,
        detail_level: int = 0,  # noqa: ARG002 - there is one level
        omit_sections: tuple[str, ...] = (),  # noqa: ARG002 - nor are there sections
    ) -> Content:
        """What stands at the cursor."""
        found = await self._look("inspect", code, cursor_pos)
        data = found["data"] if found else {}
        return {"status": "ok", "found": bool(data), "data": data, "metadata": {}}

    async def do_is_complete(self, code: str) -> Content:
        """Whether a console should run this."""
        try:
            self.process.start()
            reply = await self._ask("is_complete", code=code)
        except ProcessEndedError:
            return {"status": "unknown"}
        incomplete = reply["status"] == "incomplete"
        return {"status": reply["status"], **({"indent": reply["indent"]} if incomplete else {})}

    async def do_history(  # noqa: PLR0917 - as the base class has it
        self,
        hist_access_type: str,
        output: bool,
        raw: bool,  # noqa: ARG002 - there is only the raw one
        session: int | None = None,
        start: int | None = None,
        stop: int | None = None,
        n: int | None = None,
        pattern: str | None = None,
        unique: bool = False,
    ) -> Content:
        """What was run in this session."""
        if hist_access_type == "tail":
            found = self._history.tail(n or 0)
        elif hist_access_type == "range":
            found = self._history.range(session or 0, start or 0, stop)
        else:
            found = self._history.search(pattern or "*", n, unique=unique)
        return {"status": "ok", "history": self._history.with_outputs(found) if output else found}

    async def do_shutdown(self, restart: bool) -> Content:
        """End the C# process with the kernel."""
        self.process.kill()
        return {"status": "ok", "restart": restart}

    async def interrupt_request(self, stream: Any, ident: Any, parent: Content) -> None:  # noqa: ANN401 - ZeroMQ's
        """Stop the cell; arrives on the control channel, while the cell runs."""
        self._interrupt()
        if self.session:
            self.session.send(stream, "interrupt_reply", {"status": "ok"}, parent, ident=ident)

    async def _ask(self, kind: str, **fields: object) -> Content:
        return await asyncio.to_thread(self.process.ask, kind, **fields)

    async def _look(self, kind: str, code: str, cursor: int) -> Content | None:
        try:
            self.process.start()
            reply = await self._ask(kind, code=code, cursor=to_utf16(code, cursor))
        except ProcessEndedError:
            return None
        # A defect in there is reported as an error of a cell, and costs the reader a suggestion and no more.
        return None if reply.get("status") == "error" else reply

    def _interrupt(self) -> None:
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
        """End the process if it is still at the cell that was interrupted; `_running` is odd while one runs."""
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
        self._pace.keep()
        if kind == "stream":
            self._publish("stream", {"name": message["name"], "text": message["text"]})
        elif kind == "patience":
            self._is_patient = True
        elif kind in {"display", "update"}:
            transient = {"display_id": message["display_id"]}
            name = "display_data" if kind == "display" else "update_display_data"
            self._publish(name, {"data": message["data"], "metadata": {}, "transient": transient})
        elif kind == "result" and not self._silent:
            count = self.execution_count
            self._history.add_result(count, message["data"].get("text/plain", ""))
            self._publish("execute_result", {"execution_count": count, "data": message["data"], "metadata": {}})

    def _show_raw(self, name: str, text: str) -> None:
        if kept := self._raw_text.take(text):
            self._pace.keep()
            self._publish("stream", {"name": name, "text": kept})

    def _publish(self, kind: str, content: Content) -> None:
        # Of the last cell that was started, also for what its threads print after it.
        if self.session:
            self.session.send(self.iopub_socket, kind, content, parent=self._parent, ident=self._topic(kind))
