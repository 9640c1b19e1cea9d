"""The side of the one who sweeps: hands out points, one to a free slot, and keeps each run as it arrives.

A point is in one place at a time: waiting, with one worker, or kept. It goes

    1. from waiting to a worker that has a free slot, as a task that may run there only;
    2. from there to kept, with its run, or with the reason why there is none;
    3. or back to waiting: the worker was lost or refuses, something else is being measured there, the connection broke.

In the last case the task is cancelled before the point is handed out again. A worker that was thought lost and comes
back may still measure it, but its answer has nobody who takes it: what counts is the one task that is being waited for.
"""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from perflab import __version__
from perflab.components.build import sources_print
from perflab.machine.git import this_revision
from perflab.model.errors import MissingError, UsageError
from perflab.model.protocol import ParameterValue
from perflab.run.grid import label
from perflab.store.baselines import unpack_run
from perflab.store.sweeps import PointRecord, SweepHeader, keep_point, point_key, start_sweep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from distributed import Client, Future

    from perflab.run.grid import Point
    from perflab.run.lock import Progress
    from perflab.run.sweep import SweepPlan
    from perflab.store.reading import Run


SLOT = "measuring"
"""The resource of which each machine has one: who holds it measures."""

_CONNECT_S = 10.0
_CLOSE_S = 5.0
_HASH_SEED = "6640"
"""What the nanny makes of PYTHONHASHSEED (dask/distributed#8400)."""


def worker_command(address: str) -> str:
    """What one types on a machine that is to take part."""
    return f'dask worker {address} --resources "{SLOT}=1" --nthreads 1'


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


@contextmanager
def connected(address: str, patience_s: float) -> Iterator[Connection]:
    """Connect to a cluster's scheduler, for as long as this context lasts.

    Raises:
        UsageError: If this is no address.
        MissingError: If Dask is not installed, or no scheduler answers.
    """
    if find_spec("distributed") is None:
        raise MissingError("Dask is not installed", "pip install 'distributed>=2025.7' where the lab runs")
    if "://" not in address:
        raise UsageError(f"{address!r} is no scheduler's address", "write it as tcp://HOST:PORT")
    import logging  # noqa: PLC0415 - only with the next

    from distributed import Client  # noqa: PLC0415 - half a second

    # What goes wrong is said once, by the lab's own errors.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise MissingError(
            f"no scheduler answers at {address}: {error}", "start one with `dask scheduler`, which prints its address"
        ) from None
    try:
        yield Connection(client, address, patience_s)
    finally:
        with suppress(OSError, TimeoutError):
            client.close(timeout=_CLOSE_S)


def task_of(module: str, name: str) -> Callable[[bytes], bytes]:
    """A function for `Client.submit` that calls the one of this name where it runs.

    It is pickled by value, being local: so the scheduler, which unpickles it too, needs no lab.
    """

    def measuring(content: bytes) -> bytes:
        from importlib import import_module  # noqa: PLC0415 - it brings along nothing of this module

        answer: bytes = getattr(import_module(module), name)(content)
        return answer

    return measuring


def recalled() -> bool:
    """Whether the task that asks was cancelled, its client has gone, or its worker is closing."""
    from distributed import Status, get_worker  # noqa: PLC0415 - a worker has it

    try:
        worker: Any = get_worker()
    except ValueError:
        return False  # called by hand, outside of a worker
    task = worker.state.tasks.get(worker.get_current_task())
    closing = worker.status in {Status.closing, Status.closed, Status.failed}
    return closing or task is None or task.state not in {"executing", "long-running"}


def set_by_dask() -> list[str]:
    """The environment variables that this worker has from Dask's nanny, for NumPy's sake and the workers' memory's."""
    import dask  # noqa: PLC0415 - a worker has it
    from distributed import get_worker  # noqa: PLC0415 - likewise

    try:
        worker: Any = get_worker()
    except ValueError:
        return []
    if worker.nanny is None:
        return []
    given = {"PYTHONHASHSEED": _HASH_SEED, **dask.config.get("distributed.nanny.pre-spawn-environ", {})}
    return [name for name, value in given.items() if os.environ.get(name) == str(value)]


Outcome = Literal["measured", "failed", "busy", "refused", "stopped"]
"""What came of an order.

`measured`: the run's files are there. `failed`: nothing can be measured at this point. `busy`: something else is being
measured on that machine. `refused`: the machine cannot take part. `stopped`: nobody waits for it any longer.
"""


class Order(msgspec.Struct, frozen=True):
    """A point that is to be measured.

    `perflab`, `commit` and `sources` say what the one who asks has: the lab's version, its commit, and the print of the
    component's sources. A machine that has something else would measure something else.
    """

    header: SweepHeader
    point: dict[str, ParameterValue]
    perflab: str
    commit: str
    sources: str


class Answer(msgspec.Struct, frozen=True):
    """What a machine says to an order.

    `machine` is the key that tells machines apart, `host` its name in the cluster, `title` a line for people.
    """

    outcome: Outcome
    machine: str
    host: str
    title: str
    why: str = ""
    notes: list[str] = []
    files: dict[str, bytes] = {}


def pack_order(order: Order) -> bytes:
    """As bytes."""
    return msgspec.msgpack.encode(order)


def read_order(content: bytes) -> Order:
    """The order.

    Raises:
        msgspec.MsgspecError: If it is one of another version.
    """
    return msgspec.msgpack.decode(content, type=Order)


def pack_answer(answer: Answer) -> bytes:
    """As bytes."""
    return msgspec.msgpack.encode(answer)


def read_answer(content: bytes) -> Answer:
    """The answer.

    Raises:
        msgspec.MsgspecError: If it is one of another version.
    """
    return msgspec.msgpack.decode(content, type=Answer)


BUSY_S = 5.0
"""How long a machine on which something else is being measured is left alone, in seconds."""


@dataclass
class Slot:
    """A worker's slot.

    Attributes:
        address: The worker's.
        name: What people are told, which is the host's name as soon as it is known.
        machine: The key of its machine, as soon as it is known.
        title: Likewise.
        why: Why it is not used; empty if it is.
        until: When it may be asked again, by the monotonic clock.
    """

    address: str
    name: str
    machine: str = ""
    title: str = ""
    why: str = ""
    until: float = 0.0

    def learn(self, answer: Answer) -> None:
        """Take in what the machine says of itself."""
        self.name, self.machine, self.title = answer.host, answer.machine, answer.title

    def refuse(self, why: str) -> None:
        """It cannot take part, as long as this worker lives: one that is started anew is another."""
        self.why, self.until = why, float("inf")

    def leave(self, why: str) -> None:
        """It cannot now."""
        self.why, self.until = why, time.monotonic() + BUSY_S


class Slots:
    """Those of the workers that the scheduler knows.

    Args:
        client: The connection to it.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._slots: dict[str, Slot] = {}
        self._ready: set[str] = set()

    def look(self) -> None:
        """Ask the scheduler again.

        Raises:
            OSError: If it does not answer.
        """
        # Not `scheduler_info`: it hides that the scheduler does not answer, and a beat of the client may empty it.
        workers = self._client.sync(self._client.scheduler.identity, n_workers=-1)["workers"]
        able = {address: one for address, one in workers.items() if one["resources"].get(SLOT, 0) >= 1}
        self._slots = {
            address: self._slots.get(address) or Slot(address, str(able[address]["name"])) for address in able
        }
        # One that is paused, for want of memory, keeps what it has and gets nothing new.
        self._ready = {address for address, one in able.items() if one["status"] == "running"}

    def __contains__(self, address: str) -> bool:
        return address in self._slots

    def free(self, taken: set[str]) -> list[Slot]:
        """Those that can be given a point.

        Args:
            taken: The addresses of those that have one.
        """
        now = time.monotonic()
        able = self._ready - taken
        return [one for one in self._slots.values() if one.address in able and one.until <= now]

    def reasons(self) -> list[str]:
        """Why those that are not used are not."""
        return [f"{one.name}: {one.why}" for one in self._slots.values() if one.why]


_TICK_S = 0.2
_LOOK_S = 1.0
_FETCH_S = 30.0
_MOST_UNANSWERED = 3
_MOST_LOSSES = 3
"""A point at which so many workers were lost is likely to be why."""


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
    start_sweep(plan.sweep.header)
    _Course(connection, plan, progress, finished).go()


@dataclass(frozen=True)
class _Flight:
    """A point that a worker has."""

    point: Point
    slot: Slot
    task: Future[bytes]


class _Course:
    """The state of a sweep under way."""

    def __init__(
        self,
        connection: Connection,
        plan: SweepPlan,
        progress: Progress,
        finished: Callable[[Point, Run, str], None],
    ) -> None:
        self._client, self._address = connection.client, connection.address
        self._patience_s = connection.patience_s
        self._sweep, self._total = plan.sweep, len(plan.points)
        self._progress, self._finished = progress, finished
        self._waiting = deque(point for point in plan.points if not plan.sweep.run_anywhere(point))
        self._flights: dict[str, _Flight] = {}
        self._slots = Slots(connection.client)
        self._losses: Counter[str] = Counter()
        self._commit, self._sources = this_revision().commit, sources_print(plan.plan.component)
        self._ended = self._unanswered = 0
        self._idle_s = 0.0
        self._begun = time.monotonic()

    def go(self) -> None:
        looked = -_LOOK_S
        try:
            while self._waiting or self._flights:
                self._check_connection()
                if time.monotonic() - looked >= _LOOK_S:
                    self._look()
                    looked = time.monotonic()
                self._hand_out()
                time.sleep(_TICK_S)
                for flight in list(self._flights.values()):
                    if flight.task.done():
                        self._land(flight)
                self._check_patience()
        finally:
            # A worker that measures one of these sees it before its next fork, and stops.
            for flight in self._flights.values():
                self._cancel(flight)

    def _look(self) -> None:
        if self._client.status != "running":
            return
        try:
            self._slots.look()
        except OSError:
            self._unanswered += 1
            return
        self._unanswered = 0
        for address, flight in list(self._flights.items()):
            if address not in self._slots:
                self._lose(flight)

    def _hand_out(self) -> None:
        if self._client.status != "running":
            return
        for slot in self._slots.free(set(self._flights)):
            if not self._waiting:
                return
            point = self._waiting.popleft()
            order = Order(self._sweep.header, point, __version__, self._commit, self._sources)
            task = self._client.submit(
                task_of("perflab.run.cluster_worker", "measure"),
                pack_order(order),
                workers=[slot.address],
                allow_other_workers=False,
                resources={SLOT: 1},
                pure=False,
            )
            self._flights[slot.address] = _Flight(point, slot, task)
            self._tell()

    def _land(self, flight: _Flight) -> None:
        """Take in what came of a task that is done."""
        from distributed import KilledWorker  # noqa: PLC0415 - there is a client, so it is loaded

        try:
            answer = read_answer(flight.task.result(timeout=_FETCH_S))
        except TimeoutError:
            # The answer is on its worker. If that is gone, the next look at the workers tells.
            return
        except CancelledError:
            self._return(flight)
        except KilledWorker:
            self._lose(flight)
        except (ImportError, msgspec.MsgspecError) as error:
            self._refuse(flight, f"the lab cannot be used there: {error}")
        except Exception as error:  # noqa: BLE001 - whatever goes wrong there, this machine cannot be used
            self._refuse(flight, f"{type(error).__name__}: {error}")
        else:
            flight.slot.learn(answer)
            for note in answer.notes:
                self._progress.note(f"{label(flight.point)} on {answer.host}: {note}")
            self._take(flight, answer)

    def _take(self, flight: _Flight, answer: Answer) -> None:
        if answer.outcome == "measured":
            self._keep(flight, answer)
        elif answer.outcome == "failed":
            self._end(flight, answer.why)
        elif answer.outcome == "busy":
            flight.slot.leave(answer.why)
            self._return(flight)
        elif answer.outcome == "refused":
            self._refuse(flight, answer.why)
        else:
            flight.slot.leave("its worker is closing")
            self._return(flight)

    def _keep(self, flight: _Flight, answer: Answer) -> None:
        run = unpack_run(answer.files)
        keep_point(
            self._sweep,
            PointRecord(flight.point, answer.machine, run=run.id, host=answer.host, title=answer.title),
        )
        self._gone(flight)
        self._finished(flight.point, run, answer.host)

    def _end(self, flight: _Flight, why: str) -> None:
        """There will be no run of this point."""
        self._progress.note(f"{label(flight.point)}: {why}")
        slot = flight.slot
        keep_point(
            self._sweep,
            PointRecord(flight.point, slot.machine or f"@{slot.name}", why=why, host=slot.name, title=slot.title),
        )
        self._gone(flight)

    def _gone(self, flight: _Flight) -> None:
        """The point needs nobody any more."""
        del self._flights[flight.slot.address]
        flight.slot.why = ""
        self._ended += 1
        self._idle_s = 0.0
        self._tell()

    def _return(self, flight: _Flight) -> None:
        """The point waits again, as the first."""
        self._cancel(flight)
        self._flights.pop(flight.slot.address)
        self._waiting.appendleft(flight.point)

    def _refuse(self, flight: _Flight, why: str) -> None:
        flight.slot.refuse(why)
        self._progress.note(f"{flight.slot.name} takes no part: {why}")
        self._return(flight)

    def _lose(self, flight: _Flight) -> None:
        key = point_key(flight.point)
        self._losses[key] += 1
        self._idle_s = 0.0
        if self._losses[key] == _MOST_LOSSES:
            self._cancel(flight)
            self._end(flight, f"its worker was lost {_MOST_LOSSES} times, at last {flight.slot.name}")
            return
        self._progress.note(f"{label(flight.point)}: its worker was lost, {flight.slot.name}; it is measured again")
        self._return(flight)

    def _cancel(self, flight: _Flight) -> None:
        # A scheduler that has lost this client has already forgotten its tasks.
        if self._client.status == "running":
            with suppress(Exception):  # the connection breaks at this very moment
                flight.task.cancel()

    def _check_connection(self) -> None:
        if self._client.status in {"closed", "closing"} or self._unanswered == _MOST_UNANSWERED:
            raise MissingError(f"the scheduler at {self._address} is lost", f"when it is back: {self._again}")

    def _check_patience(self) -> None:
        if self._flights or not self._waiting:
            return
        self._idle_s += _TICK_S
        if self._idle_s < self._patience_s:
            return
        reasons = self._slots.reasons()
        what = "; ".join(reasons) or f"no worker of {self._address} has a measuring slot"
        raise MissingError(
            f"nothing could be measured for {self._patience_s:g} s: {what}",
            f"on each machine, in the lab's environment: {worker_command(self._address)}; then {self._again}",
        )

    def _tell(self) -> None:
        kept = self._total - len(self._waiting) - len(self._flights)
        where = ", ".join(f"{label(one.point)} on {one.slot.name}" for one in self._flights.values())
        left = None
        if self._ended:
            left = (time.monotonic() - self._begun) / self._ended * (self._total - kept)
        self._progress.update(kept / self._total, f"{kept} of {self._total} points; now {where or 'none'}", left)

    @property
    def _again(self) -> str:
        return f"./lab sweep --resume {self._sweep.id} --on {self._address}"
