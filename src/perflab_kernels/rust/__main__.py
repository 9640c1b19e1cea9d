"""`python -m perflab_kernels.rust CONNECTION_FILE`: start evcxr and the kernel in front of it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ipykernel.kernelapp import IPKernelApp

from perflab_kernels.rust.cells import workplace
from perflab_kernels.rust.kernel import Evcxr, EvcxrEndedError, EvcxrKernel

if Path("evcxr.toml").exists():
    # Its settings come before ours: a prelude that runs at once, a compiler's wrapper, the folder of the cells.
    sys.exit("evcxr does not start: evcxr.toml beside the notebook would run code before any cell; move it away")


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


with workplace(Path(os.environ["PERFLAB_RUST_WORK"])) as place:
    _App.launch_instance(argv=[], connection_file=sys.argv[1], kernel_class=EvcxrKernel)
