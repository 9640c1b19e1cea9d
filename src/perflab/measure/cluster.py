"""The side of the one who sweeps: hands out points, one to a free slot, and keeps each run as it arrives.

A point is in one place at a time: waiting, with one worker, or kept. It goes

    1. from waiting to a worker that has a free slot, as a task that may run there only;
    2. from there to kept, with its run, or with the reason why there is none;
    3. or back to waiting: the worker was lost or refuses, something else is being measured there, the connection broke.

In the last case the task is cancelled before the point is handed out again. A worker that was thought lost and comes
back may still measure it, but its answer is not taken: what counts is the one task that is being waited for.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from ipaddress import ip_address
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlsplit

import msgspec

from perflab import __version__
from perflab.host.git import this_revision
from perflab.measure.grid import point_text
from perflab.model.errors import BenchError, MissingError, UsageError
from perflab.model.files import UNREADABLE
from perflab.model.names import UNSEEN, Id, Label
from perflab.model.protocol import ParameterValue
from perflab.store.baselines import ArrivedError, unpack_run
from perflab.store.records import HEADER_FILE, RunHeader
from perflab.store.sweeps import PointRecord, SweepHeader, keep_point, point_key, start_sweep
from perflab.topics.build import sources_print

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from distributed import Client, Future, Security

    from perflab.measure.grid import Point
    from perflab.measure.sweep import SweepPlan
    from perflab.model.progress import Progress
    from perflab.store.runs import Run


SLOT = "measuring"
"""The resource of which each machine has one: who holds it measures."""

_CONNECT_S = 10.0
_CLOSE_S = 5.0
_BUSY_S = 5.0
"""How long a machine on which something else is being measured is left alone, in seconds."""
_TICK_S = 0.2
_LOOK_S = 1.0
_FETCH_S = 30.0
_MOST_UNANSWERED = 3
_MOST_LOSSES = 3
"""A point at which so many workers were lost is likely to be why."""
_MOST_BYTES = 256 * 2**20
"""A larger answer is none: a run of a million samples has half of it."""


@dataclass(frozen=True)
class Connection:
    """A connection to a cluster's scheduler.

    Attributes:
        client: Dask's.
        address: The scheduler's, as the user typed it.
        patience_s: How long to wait while no machine measures, in seconds.
    """

    client: Client
    address: str
    patience_s: float


def is_open(address: str) -> bool:
    """Whether who reaches this scheduler over a network needs no certificate to run programs on its machines."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return True
    if parts.scheme == "tls" or parts.hostname == "localhost":
        return False
    try:
        return not ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return True


@contextmanager
def connected(address: str, patience_s: float) -> Iterator[Connection]:
    """Connect to a cluster's scheduler, for as long as this context lasts.

    Certificates for `tls://` are those of Dask's own configuration. A worker is then not spoken to without TLS, either.

    Raises:
        UsageError: If this is no address.
        MissingError: If Dask is not installed or lacks a certificate, or no scheduler answers.
    """
    if find_spec("distributed") is None:
        raise MissingError("Dask is not installed", "pip install 'distributed>=2025.7' where the lab runs")
    if "://" not in address:
        raise UsageError(f"{address!r} is no scheduler's address", "write it as tls://HOST:PORT or tcp://HOST:PORT")
    import logging  # noqa: PLC0415 - only with the next

    from distributed import Client, Security  # noqa: PLC0415 - half a second

    # What goes wrong is said once, by the lab's own errors.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    security = Security()
    if address.startswith("tls://"):
        security = Security(require_encryption=True)
        _check_certificates(security)
    try:
        client = Client(address, timeout=_CONNECT_S, set_as_default=False, security=security)
    except (OSError, ValueError) as error:
        raise MissingError(
            f"no scheduler answers at {address}: {error}", "start one with `dask scheduler`, which prints its address"
        ) from None
    try:
        yield Connection(client, address, patience_s)
    finally:
        with suppress(OSError, TimeoutError):
            client.close(timeout=_CLOSE_S)


def _check_certificates(security: Security) -> None:
    try:
        there = security.get_connection_args("client")["ssl_context"] is not None
        why = "Dask's configuration names none"
    except OSError as error:
        there, why = False, str(error)
    if not there:
        names = (f"DASK_DISTRIBUTED__COMM__TLS__{name}" for name in ("CA_FILE", "CLIENT__CERT", "CLIENT__KEY"))
        raise MissingError(f"tls:// takes certificates that can be read: {why}", f"set {', '.join(names)}") from None


Outcome = Literal["measured", "failed", "busy", "refused", "stopped"]
"""What came of an order.

`measured`: the run's files are there. `failed`: nothing can be measured at this point. `busy`: something else is being
measured on that machine. `refused`: the machine cannot take part. `stopped`: the point is no longer wanted from it.
"""


class Order(msgspec.Struct, frozen=True):
    """A point that is to be measured.

    `perflab`, `commit` and `sources` say what the one who asks has: the lab's version, its commit, and the print of the
    component's sources. A machine that has something else would measure something else.
    """

    header: SweepHeader
    point: dict[Id, ParameterValue]
    perflab: str
    commit: str
    sources: str


_HostName = Annotated[str, msgspec.Meta(pattern=rf"\A[^/\\{UNSEEN}]+\Z", max_length=255)]
"""What may be a part of a folder's name, and is a `Label`."""
_Said = Annotated[str, msgspec.Meta(max_length=100_000)]


class Answer(msgspec.Struct, frozen=True):
    """What a machine says to an order.

    `machine` is the key that tells machines apart, `host` its name in the cluster, `title` a line for people.
    """

    outcome: Outcome
    machine: _HostName
    host: _HostName
    title: Label
    why: _Said = ""
    notes: Annotated[list[_Said], msgspec.Meta(max_length=1_000)] = []
    files: dict[str, bytes] = {}


def read_answer(content: bytes, planned: RunHeader) -> Answer:
    """Read an answer, and make sure that it is the run that was planned, if it is one.

    Raises:
        BenchError: If it is not, or too large to be one.
        msgspec.MsgspecError: If it is of another form.
    """
    if len(content) > _MOST_BYTES:
        raise BenchError(f"its answer has {len(content) / 2**20:.0f} MiB")
    answer = msgspec.msgpack.decode(content, type=Answer)
    if answer.outcome == "measured":
        run = msgspec.json.decode(answer.files.get(HEADER_FILE, b""), type=RunHeader)
        if _ordered(run) != _ordered(planned) or answer.machine != f"{run.machine.id}@{answer.host}":
            raise BenchError("its answer is the run of something else")
    return answer


_ORDERED = "kind", "component", "arms", "baseline", "params", "preset", "seed", "plugin", "sequential", "reproduction"
"""What of a run's header the order says. Of its scenario that is the name: a default may depend on the machine."""


def _ordered(run: RunHeader) -> list[object]:
    # What forks were found to need there is no part of the order.
    return [run.scenario.name, run.planned or run.options, *(getattr(run, name) for name in _ORDERED)]


def _task() -> Callable[[bytes], bytes]:
    """A function for `Client.submit` that takes an order and gives an answer.

    It is pickled by value, being local: so the scheduler, which unpickles it too, needs no lab.
    """

    def measure(order: bytes) -> bytes:
        from importlib import import_module  # noqa: PLC0415 - it brings along nothing of this module

        answer: bytes = import_module("perflab.measure.cluster_worker").measure(order)
        return answer

    return measure


@dataclass
class _Slot:
    """A worker's slot.

    Attributes:
        address: The worker's.
        name: What people are told, which is the host's name as soon as it is known.
        machine: The key of its machine, as soon as it is known.
        title: Likewise.
        why: Why it is not used; empty if it is.
        until: When it may be asked again, by the monotonic clock.
        point: The point that it has.
        task: Dask's, for this point; `None` if it has none.
    """

    address: str
    name: str
    machine: str = ""
    title: str = ""
    why: str = ""
    until: float = 0.0
    point: Point = field(default_factory=dict)
    task: Future[bytes] | None = None


def measure_on(
    connection: Connection, plan: SweepPlan, progress: Progress, finished: Callable[[Point, Run, str], None]
) -> None:
    """Measure the points that no machine has measured yet, each on whichever machine of the cluster is free.

    A point at which nothing can be measured is noted with its reason, and the others go on.

    Args:
        connection: To the cluster's scheduler.
        plan: The sweep.
        progress: Told how it goes.
        finished: Called with each point, its run and the machine's name.

    Raises:
        MissingError: If no machine can measure, or the scheduler is lost; what was measured is kept.
        KeyboardInterrupt: On Ctrl-C; likewise.
    """
    start_sweep(plan.sweep.header, plan.sweep.results)
    _Coordinator(connection, plan, progress, finished).run()


class _Coordinator:
    """The state of a sweep under way."""

    def __init__(
        self,
        connection: Connection,
        plan: SweepPlan,
        progress: Progress,
        finished: Callable[[Point, Run, str], None],
    ) -> None:
        self._client, self._connection = connection.client, connection
        self._planned, self._sweep, self._total = plan.plan.header(), plan.sweep, len(plan.points)
        self._progress, self._finished = progress, finished
        self._waiting = deque(point for point in plan.points if not plan.sweep.run_anywhere(point))
        self._slots: dict[str, _Slot] = {}
        self._ready: set[str] = set()
        """The addresses of the workers that take new work."""
        self._losses: Counter[str] = Counter()
        component = plan.plan.component
        self._commit, self._sources = this_revision(component.lab.root).commit, sources_print(component)
        self._ended = self._unanswered = 0
        self._idle_s = 0.0
        self._started = time.monotonic()

    def run(self) -> None:
        looked = -_LOOK_S
        try:
            while self._waiting or self._busy():
                if self._client.status in {"closed", "closing"} or self._unanswered == _MOST_UNANSWERED:
                    raise MissingError(
                        f"the scheduler at {self._connection.address} is lost", f"when it is back: {self._again()}"
                    )
                if self._client.status == "running":
                    if time.monotonic() - looked >= _LOOK_S:
                        self._look()
                        looked = time.monotonic()
                    self._hand_out()
                time.sleep(_TICK_S)
                for slot in self._busy():
                    if slot.task and slot.task.done():
                        self._take(slot, slot.task)
                self._check_patience()
        finally:
            # A worker that measures one of these sees it before its next fork, and stops.
            for slot in self._busy():
                self._cancel(slot)

    def _busy(self) -> list[_Slot]:
        return [slot for slot in self._slots.values() if slot.task]

    def _look(self) -> None:
        """Ask the scheduler for its workers; what a lost one had waits again."""
        try:
            # Not `scheduler_info`: it hides that the scheduler does not answer, and a beat of the client may empty it.
            workers = self._client.sync(self._client.scheduler.identity, n_workers=-1)["workers"]
        except OSError:
            self._unanswered += 1
            return
        self._unanswered = 0
        able = {address: one for address, one in workers.items() if one["resources"].get(SLOT, 0) >= 1}
        # One that is paused, for want of memory, keeps what it has and gets nothing new.
        self._ready = {address for address, one in able.items() if one["status"] == "running"}
        for slot in self._busy():
            if slot.address not in able:
                self._lose(slot)
        known = self._slots
        self._slots = {address: known.get(address) or _Slot(address, str(able[address]["name"])) for address in able}

    def _hand_out(self) -> None:
        for slot in self._slots.values():
            if not self._waiting:
                return
            if slot.task or slot.address not in self._ready or slot.until > time.monotonic():
                continue
            slot.point = self._waiting.popleft()
            slot.task = self._client.submit(
                _task(),
                msgspec.msgpack.encode(self._order(slot.point)),
                workers=[slot.address],
                allow_other_workers=False,
                resources={SLOT: 1},
                pure=False,
            )
            self._tell()

    def _order(self, point: Point) -> Order:
        return Order(self._sweep.header, point, __version__, self._commit, self._sources)

    def _take(self, slot: _Slot, task: Future[bytes]) -> None:
        """Take in what came of a task that is done."""
        from distributed import KilledWorker  # noqa: PLC0415 - there is a client, so it is loaded

        try:
            sweep = self._sweep.header
            params = {**sweep.params, **slot.point}
            planned = msgspec.structs.replace(self._planned, params=params, preset=sweep.preset)
            answer = read_answer(task.result(timeout=_FETCH_S), planned)
        except TimeoutError:
            # The answer is on its worker. If that is gone, the next look at the workers tells.
            return
        except CancelledError:
            self._return(slot)
        except KilledWorker:
            self._lose(slot)
        except (ImportError, *UNREADABLE) as error:
            self._refuse(slot, f"the lab cannot be used there: {error}")
        except BenchError as error:
            self._refuse(slot, error.message)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong there, this machine cannot be used
            self._refuse(slot, f"{type(error).__name__}: {error}")
        else:
            slot.name, slot.machine, slot.title = answer.host, answer.machine, answer.title
            for note in answer.notes:
                self._progress.note(f"{point_text(slot.point)} on {answer.host}: {note}")
            self._answered(slot, answer)

    def _answered(self, slot: _Slot, answer: Answer) -> None:
        if answer.outcome == "measured":
            try:
                run = unpack_run(answer.files, self._sweep.results)
            except ArrivedError as error:
                self._refuse(slot, error.message)
                return
            self._keep(slot, run=run.id)
            self._finished(slot.point, run, answer.host)
        elif answer.outcome == "failed":
            self._fail(slot, answer.why)
        elif answer.outcome == "refused":
            self._refuse(slot, answer.why)
        else:
            slot.why = answer.why if answer.outcome == "busy" else "its worker is closing"
            slot.until = time.monotonic() + _BUSY_S
            self._return(slot)

    def _fail(self, slot: _Slot, why: str) -> None:
        """There will be no run of this point."""
        self._progress.note(f"{point_text(slot.point)}: {why}")
        self._keep(slot, why=why)

    def _keep(self, slot: _Slot, *, run: str = "", why: str = "") -> None:
        """Write down what became of a point."""
        machine = slot.machine or f"@{slot.name}"
        keep_point(self._sweep, PointRecord(slot.point, machine, run=run, why=why, host=slot.name, title=slot.title))
        slot.task, slot.why = None, ""
        self._ended += 1
        self._idle_s = 0.0
        self._tell()

    def _return(self, slot: _Slot) -> None:
        """The point waits again, as the first."""
        self._cancel(slot)
        slot.task = None
        self._waiting.appendleft(slot.point)

    def _refuse(self, slot: _Slot, why: str) -> None:
        """It cannot take part, as long as this worker lives: one that is started anew is another."""
        slot.why, slot.until = why, float("inf")
        self._progress.note(f"{slot.name} takes no part: {why}")
        self._return(slot)

    def _lose(self, slot: _Slot) -> None:
        key = point_key(slot.point)
        self._losses[key] += 1
        self._idle_s = 0.0
        if self._losses[key] == _MOST_LOSSES:
            self._cancel(slot)
            self._fail(slot, f"its worker was lost {_MOST_LOSSES} times, at last {slot.name}")
        else:
            self._progress.note(f"{point_text(slot.point)}: its worker was lost, {slot.name}; it is measured again")
            self._return(slot)

    def _cancel(self, slot: _Slot) -> None:
        # A scheduler that has lost this client has already forgotten its tasks.
        if slot.task and self._client.status == "running":
            with suppress(Exception):  # the connection breaks at this very moment
                slot.task.cancel()

    def _check_patience(self) -> None:
        if self._busy() or not self._waiting:
            return
        self._idle_s += _TICK_S
        address, patience_s = self._connection.address, self._connection.patience_s
        if self._idle_s < patience_s:
            return
        reasons = [f"{slot.name}: {slot.why}" for slot in self._slots.values() if slot.why]
        what = "; ".join(reasons) or f"no worker of {address} has a measuring slot"
        command = f'dask worker {address} --resources "{SLOT}=1" --nthreads 1'
        raise MissingError(
            f"nothing could be measured for {patience_s:g} s: {what}",
            f"on each machine, in the lab's environment: {command}; then {self._again()}",
        )

    def _tell(self) -> None:
        busy = self._busy()
        kept = self._total - len(self._waiting) - len(busy)
        where = ", ".join(f"{point_text(slot.point)} on {slot.name}" for slot in busy)
        left = None
        if self._ended:
            left = (time.monotonic() - self._started) / self._ended * (self._total - kept)
        self._progress.update(kept / self._total, f"{kept} of {self._total} points; now {where or 'none'}", left)

    def _again(self) -> str:
        return f"./lab sweep --resume {self._sweep.id} --on {self._connection.address}"
