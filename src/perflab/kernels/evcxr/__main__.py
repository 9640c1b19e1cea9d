"""Starts evcxr and the relay in front of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from jupyter_client.connect import write_connection_file

from perflab.kernels.evcxr.cells import (
    CELLS_FILE,
    CELLS_VARIABLE,
    DISPLAY_MARK,
    DISPLAY_VARIABLE,
    PROGRAM_VARIABLE,
    TOOLS_VARIABLE,
    WORK_VARIABLE,
    workplace,
)
from perflab.kernels.evcxr.relay import KernelEndedError, Relay, Wire


def main() -> int:
    """Run one kernel.

    Returns:
        The exit status.
    """
    front = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    # A Ctrl+C in the terminal is Jupyter's, which sends a message.
    signal.signal(signal.SIGINT, lambda *_: None)  # not ignored, which all programs of its cells would inherit
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    work = Path(os.environ[WORK_VARIABLE])
    with workplace(work) as place, tempfile.TemporaryDirectory(prefix="perflab-rust-") as scratch:
        file, back = write_connection_file(str(Path(scratch, "connection.json")), key=front["key"].encode())
        evcxr = _start(file, place)
        relay = Relay(Wire(front, dict(back)), evcxr, _compiler(), place)
        try:
            relay.run()
        except KernelEndedError as error:
            sys.stderr.write(f"{error}\n")
            return 1
        finally:
            relay.close()
    return 0


def _start(connection: str, place: Path) -> subprocess.Popen[bytes]:
    environment = os.environ | {
        "EVCXR_TMPDIR": str(place),
        # The lab's settings, not those of the user's own evcxr.
        "EVCXR_CONFIG_DIR": str(Path(__file__).with_name("config")),
        DISPLAY_VARIABLE: DISPLAY_MARK,
        CELLS_VARIABLE: str(place / CELLS_FILE),
        "PATH": os.pathsep.join([os.environ[TOOLS_VARIABLE], os.environ.get("PATH", "")]),
        # evcxr installs itself into the Jupyter that it finds.
        "JUPYTER_PATH": str(place / "jupyter"),
    }
    return subprocess.Popen(
        [os.environ[PROGRAM_VARIABLE], "--control_file", connection],
        env=environment,
        stdin=subprocess.DEVNULL,
        # It says there which configuration it has read.
        stdout=subprocess.DEVNULL,
    )


def _compiler() -> str:
    compiler = Path(os.environ[TOOLS_VARIABLE]) / "rustc"
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False).stdout.split()
    return said[1] if len(said) > 1 else ""


sys.exit(main())
