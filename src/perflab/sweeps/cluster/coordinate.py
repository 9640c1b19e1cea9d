"""The side of the one who sweeps: hands out points, one to a free slot, and keeps each run as it arrives.

A point is in one place at a time: waiting, with one worker, or kept. It goes

    1. from waiting to a worker that has a free slot, as a task that may run there only;
    2. from there to kept, with its run, or with the reason why there is none;
    3. or back to waiting: the worker was lost or refuses, something else is being measured there, the connection broke.

In the last case the task is cancelled before the point is handed out again. A worker that was thought lost and comes
back may still measure it, but its answer has nobody who takes it: what counts is the one task that is being waited for.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from perflab import __version__
from perflab.components import sources_print
from perflab.environment import this_revision
from perflab.errors import MissingError
from perflab.store import PointRecord, keep_point, point_key, start_sweep, unpack_run
from perflab.sweeps.cluster.connecting import SLOT, task_of, worker_command
from perflab.sweeps.cluster.messages import Order, pack_order, read_answer
from perflab.sweeps.cluster.slots import Slot, Slots
from perflab.sweeps.grid import label

if TYPE_CHECKING:
    from collections.abc import Callable

    from distributed import Future

    from perflab.runner import Progress
    from perflab.store import Run
    from perflab.sweeps.cluster.connecting import Connection
    from perflab.sweeps.cluster.messages import Answer
    from perflab.sweeps.grid import Point
    from perflab.sweeps.plan import SweepPlan

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
        self._commit, self._sources = this_revision().commit, sources_print(plan.experiment.component)
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
                task_of("perflab.sweeps.cluster.worker", "measure"),
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
