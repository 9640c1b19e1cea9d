"""Whether this process may watch a tracepoint of the kernel: asked by counting it."""

from __future__ import annotations

import shutil
import subprocess


def tracepoint_allowed(event: str) -> bool:
    """Let perf count an event, such as `sched:sched_switch`, of a program that does nothing.

    Neither the user nor the files of tracefs tell: on a machine that has just started it is not mounted, and perf, run
    by root, mounts it by itself.
    """
    perf = shutil.which("perf")
    if perf is None:
        return False
    counted = subprocess.run(
        [perf, "stat", "-e", event, "--", "true"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return counted.returncode == 0
