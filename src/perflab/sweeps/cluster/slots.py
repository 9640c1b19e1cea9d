"""The measuring slots of a cluster: which workers have one, and which of them can be given a point now."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflab.sweeps.cluster.connecting import SLOT

if TYPE_CHECKING:
    from distributed import Client

    from perflab.sweeps.cluster.messages import Answer

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
