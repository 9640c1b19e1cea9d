"""Figures at the edges of what a number can be, as runs that came from elsewhere may have them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from perflab.model.errors import UsageError, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def figures(what: str) -> Iterator[None]:
    """Around all that is computed from runs: what the statistics refuse, or cannot represent, is a user's problem.

    Args:
        what: What cannot be done then.

    Raises:
        UsageError: If a value is refused, too large or too small, or none at all.
    """
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            yield
    except (ValueError, ArithmeticError) as error:
        raise UsageError(f"{what}: {one_line(error)}", "measure again") from None
