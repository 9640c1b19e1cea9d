"""A Dask cluster on the loopback: a scheduler, and workers that are separate hosts to the lab."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kettles import Kettles
from labs import ROOT
from waiting import wait_for

from perflab.host.lock import lock_file

if TYPE_CHECKING:
    from pathlib import Path


QUIET = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")
"""Without the second, Dask's web server listens on all interfaces."""


@dataclass(frozen=True)
class Network:
    """Where a process listens, and the words that start it there."""

    address: str = "127.0.0.1"
    within: tuple[str, ...] = ()


class Host(Kettles):
    """A host: the lab there, with a worker process of the cluster."""

    def __init__(self, folder: Path, name: str, network: Network | None = None, tls: tuple[str, ...] = ()) -> None:
        super().__init__(folder, name)
        self.folder, self.name, self.network, self._tls = folder, name, network or Network(), tls
        self.processes: list[subprocess.Popen[bytes]] = []

    def join(self, address: str, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker; without other options one with a slot, in a process of its own."""
        self.folder.mkdir(exist_ok=True)
        options = options or ("--no-nanny", "--resources", "measuring=1")
        process = _start(
            "dask_worker",
            *(
                address,
                "--host",
                self.network.address,
                "--nthreads",
                "1",
                "--death-timeout",
                "60",
                *options,
                *self._tls,
            ),
            *("--local-directory", str(self.folder / "dask")),
            environment={**self.environment, **environment},
            log=self.folder / "worker.log",
            within=self.network.within,
        )
        self.processes.append(process)
        return process

    def runs(self) -> list[Path]:
        """Those that have begun: a folder is there before its first file."""
        return sorted(file.parent for file in self.results.glob("runs/*/run.json"))

    def measuring(self) -> bool:
        """Whether a run has begun and not ended."""
        return any(not (run / "end.json").exists() for run in self.runs())

    def held(self) -> bool:
        """Whether its measurement lock is."""
        file = lock_file(self.folder / "lock")
        return file.exists() and file.stat().st_size > 0

    def endings(self) -> list[str]:
        """How its runs ended."""
        files = [run / "end.json" for run in self.runs()]
        return [json.loads(file.read_text())["reason"] for file in files if file.exists()]


class LoopbackCluster:
    """A scheduler and its hosts, all of which end with the test.

    Args:
        folder: Where they keep things.
        network: Where the scheduler listens.
        tls: The options that name certificates, for a cluster that takes them.
    """

    def __init__(self, folder: Path, network: Network | None = None, tls: tuple[str, ...] = ()) -> None:
        self._folder, self._tls = folder, tls
        self._network = network or Network()
        self._schedulers: list[subprocess.Popen[bytes]] = []
        self._hosts: list[Host] = []
        self.address = ""

    def schedule(self) -> str:
        """Start a scheduler, and give its address."""
        file = self._folder / f"scheduler-{len(self._schedulers)}.json"
        self.scheduler = _start(
            "dask_scheduler",
            *("--host", self._network.address, "--port", "0", "--idle-timeout", "300s", "--scheduler-file", str(file)),
            *(("--protocol", "tls", *self._tls) if self._tls else ()),
            environment={**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
            log=self._folder / "scheduler.log",
            within=self._network.within,
        )
        self._schedulers.append(self.scheduler)

        def ready() -> bool:
            with contextlib.suppress(OSError, ValueError):
                self.address = str(json.loads(file.read_text())["address"])
                return True
            assert self.scheduler.poll() is None, (self._folder / "scheduler.log").read_text()
            return False

        wait_for(ready, "the scheduler has no address")
        return self.address

    def host(self, name: str, network: Network | None = None) -> Host:
        """A host of this name, whose worker is not started yet."""
        self._hosts.append(Host(self._folder / name, name, network, self._tls))
        return self._hosts[-1]

    def end(self) -> None:
        """End all."""
        processes = [*(one for host in self._hosts for one in host.processes), *self._schedulers]
        for process in processes:
            # Its nanny's children, and what it measures with, are of its session.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for process in processes:
            process.wait()


def _start(
    module: str, *arguments: str, environment: dict[str, str], log: Path, within: tuple[str, ...]
) -> subprocess.Popen[bytes]:
    with log.open("ab") as out:
        return subprocess.Popen(
            [*within, sys.executable, "-m", f"distributed.cli.{module}", *arguments, *QUIET],
            env=environment,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
