"""All that knows Dask from both ends: how its scheduler is reached, and what a task can learn of itself."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from perflab.errors import MissingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from distributed import Client

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
