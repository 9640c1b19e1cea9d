"""Sweeps on a Dask cluster: a point is one task, for a worker that has the resource `measuring`.

Dask hands the points out, and hands those of a lost worker to another. An answer comes from another machine: it is
decoded by a schema, and kept only if it is the run of the point that was ordered.
"""

from __future__ import annotations

import json
import logging
import platform
import time
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from perflab import __version__
from perflab.host.lock import measurement_lock
from perflab.host.machine import this_machine
from perflab.measure.grid import point_text
from perflab.measure.measure import execute
from perflab.measure.sweep import plan_again
from perflab.model.errors import BenchError, LabError, MissingError, UsageError
from perflab.model.files import UNREADABLE
from perflab.model.lab import Lab
from perflab.model.names import Id, Label
from perflab.model.protocol import ParameterValue
from perflab.store.kept import (
    PointRecord,
    SweepHeader,
    UnpackError,
    keep_point,
    open_sweep,
    pack_run,
    start_sweep,
    unpack_run,
)
from perflab.store.records import HEADER_FILE, RunHeader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from distributed import Client, Future

    from perflab.measure.grid import Point
    from perflab.measure.sweep import SweepPlan
    from perflab.model.progress import Progress
    from perflab.store.runs import Run


SLOT = "measuring"
"""The resource of which each machine has one."""

_WAIT_S = 60.0
"""For the first worker with a slot."""
_MOST_BYTES = 256 * 2**20
"""Maximum size of an answer; a run of a million samples takes half of it."""
_ORDERED = "kind", "component", "arms", "baseline", "params", "preset", "seed", "plugin", "sequential", "reproduction"

_Text = Annotated[str, msgspec.Meta(max_length=100_000)]


class Order(msgspec.Struct, frozen=True):
    """A point to measure, and the version of perflab that asks for it."""

    header: SweepHeader
    point: dict[Id, ParameterValue]
    perflab: str = __version__


class Answer(msgspec.Struct, frozen=True):
    """The files of a run; or why this point has none, or why this machine cannot take part."""

    host: Label
    title: Label
    files: dict[str, bytes] = {}
    failed: _Text = ""
    refused: _Text = ""
    notes: Annotated[list[_Text], msgspec.Meta(max_length=1_000)] = []


@contextmanager
def connected(scheduler: str) -> Iterator[Client]:
    """Connect to a scheduler by its address or its scheduler file. Certificates are those of Dask's configuration."""
    if find_spec("distributed") is None:
        raise MissingError("Dask is not installed", "pip install 'distributed>=2025.7' where the lab runs")
    from distributed import Client  # noqa: PLC0415 - half a second

    # Lost workers and connections are reported by perflab's own errors.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        address = scheduler if "://" in scheduler else json.loads(Path(scheduler).read_bytes())["address"]
        client = Client(address, set_as_default=False, timeout=10)
    except (OSError, ValueError, KeyError, RuntimeError, TypeError) as error:
        raise MissingError(
            f"cannot connect to the scheduler {scheduler}: {error}",
            "give the address that `dask scheduler` prints; tls:// takes the certificates of Dask's configuration",
        ) from None
    try:
        yield client
    finally:
        with suppress(OSError, TimeoutError):
            client.close(timeout=5)


def measure_on(
    client: Client, plan: SweepPlan, progress: Progress, finished: Callable[[Point, Run, str], None]
) -> None:
    """Measure the points that no machine has measured yet, each on whichever machine of the cluster is free.

    A point at which nothing can be measured is noted with its reason, and the others go on.
    """
    from distributed import as_completed  # noqa: PLC0415 - loaded with the client

    sweep = plan.sweep
    start_sweep(sweep.header, sweep.results)
    _wait_for_slot(client)
    missing = [point for point in plan.points if not sweep.run_of(point)]
    total = len(plan.points)
    tasks = {
        client.submit(
            measure_point, msgspec.msgpack.encode(Order(sweep.header, point)), resources={SLOT: 1}, pure=False
        ): point
        for point in missing
    }
    progress.update((total - len(missing)) / total, f"{total - len(missing)} of {total} points")
    try:
        for done, task in enumerate(as_completed(tasks, loop=client.loop), start=total - len(missing) + 1):
            _take(task, tasks[task], plan, progress, finished)
            progress.update(done / total, f"{done} of {total} points")
    finally:
        # A worker measuring one of these stops before its next process.
        with suppress(Exception):
            client.cancel(list(tasks))


def _wait_for_slot(client: Client) -> None:
    until = time.monotonic() + _WAIT_S
    while not any(one["resources"].get(SLOT) for one in client.scheduler_info(n_workers=-1)["workers"].values()):
        if time.monotonic() > until:
            raise MissingError(
                f'no worker has the resource "{SLOT}"',
                f'on each machine: dask worker ADDRESS --no-nanny --nthreads 1 --resources "{SLOT}=1"',
            )
        time.sleep(0.2)


def _take(
    task: Future[bytes],
    point: Point,
    plan: SweepPlan,
    progress: Progress,
    finished: Callable[[Point, Run, str], None],
) -> None:
    from distributed import KilledWorker  # noqa: PLC0415 - loaded with the client

    sweep = plan.sweep
    planned = msgspec.structs.replace(plan.at(point).header(), preset=sweep.header.preset)
    try:
        answer = read_answer(task.result(), planned)
        if answer.refused:
            raise MissingError(f"{answer.host} cannot take part: {answer.refused}", "fix it, or stop its worker")
        for note in answer.notes:
            progress.note(f"{point_text(point)} on {answer.host}: {note}")
        run = unpack_run(answer.files, sweep.results) if answer.files else None
    except KilledWorker as error:
        answer, run = Answer("", "", failed=f"Dask lost each worker that tried it: {error}"), None
    except (BenchError, UnpackError, *UNREADABLE) as error:
        raise MissingError(f"a worker's answer is not the run of its point: {error}", "stop that worker") from None
    except (CancelledError, OSError, ImportError) as error:
        raise MissingError(f"the cluster is lost: {error or type(error).__name__}", "start it again") from None
    if run is None:
        progress.note(f"{point_text(point)}: {answer.failed}")
    machine = run.header.machine.id if run else ""
    record = PointRecord(point, machine, run.id if run else "", answer.failed, answer.host, answer.title)
    keep_point(sweep, record)
    if run:
        finished(point, run, answer.host)


def read_answer(content: bytes, planned: RunHeader) -> Answer:
    """Decode an answer."""
    if len(content) > _MOST_BYTES:
        raise BenchError(f"it has {len(content) / 2**20:.0f} MiB")
    answer = msgspec.msgpack.decode(content, type=Answer)
    if answer.files:
        run = msgspec.json.decode(answer.files.get(HEADER_FILE, b""), type=RunHeader)
        if _ordered(run) != _ordered(planned):
            raise BenchError("it is the run of something else")
    elif not (answer.failed or answer.refused):
        raise BenchError("it is empty")
    return answer


def _ordered(run: RunHeader) -> list[object]:
    """Return what the order fixes. Of the scenario that is the name: a default may depend on the machine."""
    # The fitted shape of forks is not part of the order.
    return [run.scenario.name, run.planned or run.options, *(getattr(run, name) for name in _ORDERED)]


class _Notes:
    """Collects notes, and stops a run whose task was cancelled, as Dask cannot stop a task that has started."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:  # noqa: ARG002 - a protocol
        """Stop before the next process if the point is no longer wanted."""
        from distributed import get_worker  # noqa: PLC0415 - loaded with the worker

        worker = get_worker()
        task = worker.state.tasks.get(worker.get_current_task())
        if task is None or task.state not in {"executing", "long-running"} or worker.status.name == "closing":
            raise KeyboardInterrupt

    def note(self, text: str) -> None:
        """Collect a note."""
        self.notes.append(text)


def measure_point(content: bytes) -> bytes:
    """Measure the point of an order on this machine, as soon as nothing else is measured here; runs on a worker."""
    from distributed import get_worker  # noqa: PLC0415 - loaded with the worker

    notes, host, title = _Notes(), platform.node(), this_machine().title
    files, failed, refused = dict[str, bytes](), "", ""
    try:
        if get_worker().nanny:
            raise MissingError("its worker has a nanny, which sets OMP_NUM_THREADS and others", "start it --no-nanny")
        order = msgspec.msgpack.decode(content, type=Order)
        if order.perflab != __version__:
            raise MissingError(f"it has perflab {__version__}", f"install {order.perflab} there")
        lab = Lab.from_environment()
        with measurement_lock(lab.lock, wait=notes.note):
            # A failed build concerns this machine, later errors the point.
            plan = plan_again(lab, open_sweep(order.header, lab.results), notes)
            try:
                files = pack_run(execute(plan.at(order.point), notes))
            except (BenchError, UsageError) as error:
                failed = str(error)
    except (LabError, OSError, *UNREADABLE) as error:
        refused = str(error)
    except KeyboardInterrupt:
        refused = "its point was cancelled"
    return msgspec.msgpack.encode(Answer(host, title, files, failed, refused, notes.notes))
