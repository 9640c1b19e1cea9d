"""Starts evcxr and the kernel in front of it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ipykernel.kernelapp import IPKernelApp

from perflab.kernels.evcxr.cells import WORK_VARIABLE, workplace
from perflab.kernels.evcxr.kernel import Evcxr, EvcxrEndedError, EvcxrKernel

if Path("evcxr.toml").exists():
    # Its settings come before ours: a prelude, which is run at once, a compiler's wrapper, where cells are written.
    sys.exit(
        "evcxr does not start: it would do what evcxr.toml beside the notebook says, before any cell; move that away"
    )


class _App(IPKernelApp):
    def init_sockets(self) -> None:
        """Bind the ports before evcxr starts: that takes seconds, in which another process could take one."""
        super().init_sockets()
        EvcxrKernel.evcxr = evcxr = Evcxr(place)
        try:
            evcxr.connect()
        except EvcxrEndedError as error:
            evcxr.end()
            sys.exit(str(error))


with workplace(Path(os.environ[WORK_VARIABLE])) as place:
    _App.launch_instance(argv=[], connection_file=sys.argv[1], kernel_class=EvcxrKernel)
