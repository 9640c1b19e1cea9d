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

with workplace(Path(os.environ[WORK_VARIABLE])) as place:
    EvcxrKernel.evcxr = evcxr = Evcxr(place)
    try:
        evcxr.connect()
    except EvcxrEndedError as error:
        evcxr.end()
        sys.exit(str(error))
    IPKernelApp.launch_instance(argv=["-f", sys.argv[1]], kernel_class=EvcxrKernel)
