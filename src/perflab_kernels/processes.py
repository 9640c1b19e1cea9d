"""Ending processes with all that they have started."""

from __future__ import annotations

import contextlib
import subprocess
import sys

import psutil


def kill_tree(pid: int) -> None:
    """Kill a process and all its descendants."""
    try:
        root = psutil.Process(pid)
        # Listed first: once a parent is gone, its children are no longer its descendants.
        tree = [root, *root.children(recursive=True)]
    except psutil.Error:
        return
    for process in tree:
        with contextlib.suppress(psutil.Error):
            process.kill()


def kill_with_me(pid: int) -> subprocess.Popen[bytes]:
    """Start a watcher that kills a process tree when this process ends, even by SIGKILL; kill it to call that off."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", __name__, str(pid)], stdin=subprocess.PIPE, start_new_session=True
    )


if __name__ == "__main__":
    sys.stdin.read()
    kill_tree(int(sys.argv[1]))
