"""Whether tracepoints may be watched, on machines that have just started and on those that lack something."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from perflab.model.lab import CHECKOUT
from perflab.profile.counters import tracepoint_allowed

SWITCH = "sched:sched_switch"
UNSHARE = shutil.which("unshare")


def test_without_perf_none_may_be_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert not tracepoint_allowed(SWITCH)


def test_one_that_the_kernel_does_not_have_may_not_be_watched() -> None:
    assert not tracepoint_allowed("sched:no_such_tracepoint")


@pytest.mark.skipif(os.geteuid() != 0 or UNSHARE is None, reason="takes root and a mount name space")
@pytest.mark.skipif(not tracepoint_allowed(SWITCH), reason="perf is not here or not allowed")
def test_nobody_has_to_mount_tracefs_first() -> None:
    assert UNSHARE is not None
    ask = f"from perflab.profile.counters import tracepoint_allowed; print(tracepoint_allowed({SWITCH!r}))"
    script = 'umount -a -t tracefs; test -e /sys/kernel/tracing/events && exit 7; exec "$@"'
    asked = subprocess.run(
        [UNSHARE, "--mount", "sh", "-c", script, "sh", sys.executable, "-c", ask],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode == 7:
        pytest.skip("tracefs cannot be taken off here")
    assert asked.stdout.strip() == "True", asked.stderr
