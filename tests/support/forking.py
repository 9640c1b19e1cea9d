"""Whole commands of the lab in forks of a process that has imported its libraries already.

Most of a short command's time goes into imports. Such a process starts like any other: the lab's own modules, which
keep what the environment says, are imported anew by each; all others are there.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SERVER = """
import atexit, gc, importlib, json, os, runpy, sys

rooms = "claims.evidence claims.regression measure.measure measure.search cli.showing site.site"
for room in rooms.split():
    importlib.import_module("perflab." + room)
for name in [name for name in sys.modules if name.partition(".")[0] == "perflab"]:
    del sys.modules[name]
gc.collect()
gc.freeze()
answers = os.fdopen(os.dup(1), "w")
for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if not child:
        answers.close()
        os.chdir(asked["place"])
        os.environ.clear()
        os.environ.update(asked["environment"])
        for number, path in enumerate([os.devnull, asked["out"], asked["err"]]):
            os.dup2(os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY), number)
        sys.argv = ["perflab", *asked["arguments"]]
        try:
            runpy.run_module("perflab", run_name="__main__", alter_sys=True)
        except SystemExit as end:
            atexit._run_exitfuncs()
            sys.stdout.flush()
            os._exit(end.code or 0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(status, file=answers, flush=True)
"""


@dataclass
class Server:
    """The process that forks; one for each of pytest's."""

    process: subprocess.Popen[str]

    def run(
        self, arguments: Sequence[str], environment: Mapping[str, str], place: Path, timeout_s: float
    ) -> subprocess.CompletedProcess[str]:
        """Run `python -m perflab` with these arguments, from its start to its end."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
            asked = {"arguments": arguments, "environment": dict(environment), "place": str(place)}
            self.process.stdin.write(json.dumps({**asked, "out": out.name, "err": err.name}) + "\n")
            self.process.stdin.flush()
            deadline = threading.Timer(timeout_s, self.end)
            deadline.start()
            try:
                said = self.process.stdout.readline()
            finally:
                deadline.cancel()
            texts = (Path(one.name).read_text(encoding="utf-8") for one in (out, err))
            assert said, f"{arguments} did not end in {timeout_s} s, or was killed\n" + "\n".join(texts)
            return subprocess.CompletedProcess(arguments, int(said), *texts)

    def end(self) -> None:
        """End it with what it runs."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


def server(source: Path) -> Server:
    """Return the server for the lab in the folder `source`; a new one if a test has killed it."""
    if _start(source).process.poll() is not None:
        _start.cache_clear()
    return _start(source)


@functools.cache
def _start(source: Path) -> Server:
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVER],
        env={**os.environ, "PYTHONPATH": str(source)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    found = Server(process)
    atexit.register(found.end)
    return found
