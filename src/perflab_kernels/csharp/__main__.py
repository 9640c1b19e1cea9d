"""`python -m perflab_kernels.csharp -f CONNECTION_FILE` starts the kernel."""

from __future__ import annotations

import os

from perflab_kernels.csharp.process import CSharpProcess


def main() -> None:
    """Start the C# process first: it warms up while Python loads Jupyter's libraries."""
    command = [f"{os.environ['DOTNET_ROOT']}/dotnet", os.environ["PERFLAB_CSHARP_HOST"]]
    process = CSharpProcess(command, os.environ["PERFLAB_CSHARP_COMPILER"])
    process.start()

    from ipykernel.kernelapp import IPKernelApp  # noqa: PLC0415 - see above

    from perflab_kernels.csharp.kernel import RoslynKernel  # noqa: PLC0415 - see above

    RoslynKernel.process = process
    IPKernelApp.launch_instance(kernel_class=RoslynKernel)


main()
