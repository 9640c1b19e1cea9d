"""The Jupyter kernels that the notebooks name, installed into the lab's own prefix with sane settings.

`JUPYTER_PATH` must hold `perflab.kernels.JUPYTER_DIR` for Jupyter to find them; the launcher sees to that.
"""

from perflab.kernels.csharp import choose as choose_csharp
from perflab.kernels.kernel import Kernel, KernelStatus, LabkitTests
from perflab.kernels.registry import ensure, installed, known, labkits, prepare
from perflab.kernels.spec import JUPYTER_DIR

__all__ = [
    "JUPYTER_DIR",
    "Kernel",
    "KernelStatus",
    "LabkitTests",
    "choose_csharp",
    "ensure",
    "installed",
    "known",
    "labkits",
    "prepare",
]
