"""Starts the kernel."""

from __future__ import annotations

import os

from perflab.kernels.roslyn.process import CSharpProcess


def main() -> None:
    """Start the C# process first: it warms up while Python loads Jupyter's libraries."""
    process = CSharpProcess.from_environment(os.environ)
    process.start()

    from ipykernel.kernelapp import IPKernelApp  # noqa: PLC0415 - see above

    from perflab.kernels.roslyn.kernel import RoslynKernel  # noqa: PLC0415 - see above

    RoslynKernel.process = process
    IPKernelApp.launch_instance(kernel_class=RoslynKernel)


main()
