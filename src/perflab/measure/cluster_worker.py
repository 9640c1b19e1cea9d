"""What a machine of the cluster does: it measures one point, as `lab sweep` would there, and sends the run back."""

from __future__ import annotations

import os
import platform
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from perflab import __version__
from perflab.host.git import this_revision
from perflab.host.lock import measurement_lock
from perflab.host.machine import this_machine
from perflab.measure.cluster import Answer, Order, Outcome
from perflab.measure.measure import execute
from perflab.measure.sweep import plan_again
from perflab.model.errors import BenchError, LabError, MissingError, TakenError, UsageError
from perflab.model.files import UNREADABLE
from perflab.model.lab import CHECKOUT, Lab
from perflab.model.portable import portable
from perflab.store.baselines import pack_run
from perflab.store.sweeps import open_sweep
from perflab.topics.build import sources_print
from perflab.topics.catalogue import find_component

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


HOST_VARIABLE = "PERFLAB_HOST"
"""The name under which a machine takes part, where its host name says nothing or changes: in containers."""

# The modules that a worker has loaded stay as they are, whatever is checked out later.
_REVISION = this_revision(CHECKOUT)


_HASH_SEED = "6640"
"""What the nanny makes of PYTHONHASHSEED (dask/distributed#8400)."""


class RecalledError(KeyboardInterrupt):
    """The point is no longer wanted from this machine; the run ends as it does on Ctrl-C."""


def _worker() -> Any:  # noqa: ANN401 - Dask's, which has no types
    """The worker that runs this; `None` if it is called by hand."""
    from distributed import get_worker  # noqa: PLC0415 - a worker has it

    try:
        return get_worker()
    except ValueError:
        return None


def _recalled() -> bool:
    """Whether the task that asks was cancelled, its client has gone, or its worker is closing."""
    from distributed import Status  # noqa: PLC0415 - a worker has it

    worker = _worker()
    if worker is None:
        return False
    task = worker.state.tasks.get(worker.get_current_task())
    closing = worker.status in {Status.closing, Status.closed, Status.failed}
    return closing or task is None or task.state not in {"executing", "long-running"}


@contextmanager
def _own_environment() -> Iterator[None]:
    """Without what Dask's nanny has set: a program on one thread, with other limits of malloc, is another."""
    import dask  # noqa: PLC0415 - a worker has it

    worker, given = _worker(), dict[str, Any]()
    if worker is not None and worker.nanny is not None:
        given = {"PYTHONHASHSEED": _HASH_SEED, **dask.config.get("distributed.nanny.pre-spawn-environ", {})}
    taken = {name: os.environ.pop(name) for name, value in given.items() if os.environ.get(name) == str(value)}
    try:
        yield
    finally:
        os.environ.update(taken)


class _Notes:
    """Collects what should be read, and ends a run that is no longer wanted: Dask cannot end a started task."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def update(self, done: float, text: str, seconds_left: float | None = None) -> None:  # noqa: ARG002 - a protocol
        """Called before each fork."""
        if _recalled():
            raise RecalledError

    def note(self, text: str) -> None:
        """Collect it."""
        self.notes.append(text)


def measure(content: bytes) -> bytes:
    """Measure the point of an order, if nothing else is being measured on this machine.

    Returns:
        An answer, whatever happens but the end of this process.
    """
    notes = _Notes()
    machine, host = this_machine(), os.environ.get(HOST_VARIABLE) or platform.node()

    def answer(outcome: Outcome, why: str = "", files: dict[str, bytes] | None = None) -> bytes:
        told = [portable(one) for one in (why, *notes.notes)]
        made = Answer(outcome, f"{machine.id}@{host}", host, machine.title, told[0], told[1:], files or {})
        return msgspec.msgpack.encode(made)

    try:
        order = msgspec.msgpack.decode(content, type=Order)
        lab = Lab.from_environment()
        check_same(lab, order, notes.note)
        with measurement_lock(lab.lock), _own_environment():
            return answer("measured", files=_files(lab, order, notes))
    except UNREADABLE:
        return answer("refused", f"it has another version of the lab: {__version__}")
    except RecalledError:
        return answer("stopped")
    except TakenError as error:
        return answer("busy", error.message)
    except _PointError as error:
        return answer("failed", str(error))
    except (LabError, OSError) as error:
        return answer("refused", str(error))


class _PointError(BenchError):
    """Nothing can be measured at this point, which says nothing of the next."""


_unknown: set[str] = set()
"""What has been said of unknown commits, once in this process."""


def check_same(lab: Lab, order: Order, note: Callable[[str], None]) -> None:
    """Make sure that this machine would measure what the others do, and say by `note` what could not be compared.

    Raises:
        MissingError: If it has another version of the lab, another commit, or other sources of the component.
    """
    if order.perflab != __version__:
        raise MissingError(f"it has another version of the lab: {__version__}", f"there it needs {order.perflab}")
    here = _REVISION.commit
    if order.commit and here and order.commit != here:
        raise MissingError(
            f"it has another revision of the lab: {here[:10]}",
            f"check out {order.commit[:10]} there, and start its worker again",
        )
    if not (order.commit and here) and order.commit not in _unknown:
        _unknown.add(order.commit)
        whose = "its" if order.commit else "the sweep's"
        note(f"{whose} revision of the lab is unknown: only version and sources of the topic were compared")
    try:
        same = sources_print(find_component(lab, order.header.component)) == order.sources
    except UsageError as error:
        raise MissingError(error.message, "its checkout must be the same") from None
    if not same:
        raise MissingError(
            f"its sources of {order.header.component} differ", "make both checkouts the same, to the last byte"
        )


def _files(lab: Lab, order: Order, notes: _Notes) -> dict[str, bytes]:
    """Measure, and give the run's files."""
    # A variant that cannot run here, or a build that fails, is this machine's matter; what follows is the point's.
    plan = plan_again(lab, open_sweep(order.header, lab.results), notes)
    try:
        run = execute(plan.at(order.point), notes)
    except (BenchError, UsageError) as error:
        raise _PointError(error.message, error.hint) from None
    return pack_run(run)
