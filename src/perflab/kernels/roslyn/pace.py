"""A limit to how fast messages go out: ZeroMQ drops what a frontend is too slow for, the end of the cell among it."""

from __future__ import annotations

import threading
import time

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
