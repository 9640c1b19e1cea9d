"""NumPy, loaded when it is first used: a tenth of a second, for which `--help` and a first process need not wait."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["np"]

if TYPE_CHECKING:
    import numpy as np
else:

    class _OnUse:
        def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever NumPy has
            module = import_module("numpy")
            self.__dict__.update(vars(module))
            return getattr(module, name)

    np = _OnUse()
