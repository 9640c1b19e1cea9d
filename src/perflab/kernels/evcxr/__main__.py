"""Starts evcxr and the kernel in front of it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ipykernel.kernelapp import IPKernelApp

from perflab.kernels.evcxr.cells import WORK_VARIABLE, workplace
from perflab.kernels.evcxr.kernel import Evcxr, EvcxrEndedError, EvcxrKernel

with workplace(Path(os.environ[WORK_VARIABLE])) as place:
    EvcxrKernel.evcxr = evcxr = Evcxr(place)
    try:
        evcxr.connect()
    except EvcxrEndedError as error:
        evcxr.end()
        sys.exit(str(error))
    IPKernelApp.launch_instance(argv=["-f", sys.argv[1]], kernel_class=EvcxrKernel)
