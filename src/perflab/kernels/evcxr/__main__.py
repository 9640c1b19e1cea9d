"""Starts evcxr and the kernel in front of it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ipykernel.kernelapp import IPKernelApp

from perflab.kernels.evcxr.cells import WORK_VARIABLE, workplace
from perflab.kernels.evcxr.kernel import Evcxr, EvcxrKernel

with workplace(Path(os.environ[WORK_VARIABLE])) as place:
    EvcxrKernel.evcxr = Evcxr(place)
    IPKernelApp.launch_instance(argv=["-f", sys.argv[1]], kernel_class=EvcxrKernel)
