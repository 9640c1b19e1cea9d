"""The tuning console: a notebook's widget that starts `./lab` commands in the background and shows what they find.

Nothing is measured in its own process: each job is a `./lab ... --stream` command, so the exact line can always be
shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflab.model.errors import MissingError
from perflab.model.lab import Lab

if TYPE_CHECKING:
    from ipywidgets import Widget

__all__ = ["console"]


def console() -> Widget:
    """The console, to be the last value of a notebook's cell.

    Raises:
        MissingError: If ipywidgets is not installed.
    """
    try:
        from perflab.cli.console.view import Console  # noqa: PLC0415 - it needs ipywidgets, and says so
    except ImportError as error:
        raise MissingError(
            f"the console cannot be shown: {error}", "pip install ipywidgets, where the lab runs"
        ) from None
    return Console(Lab.from_environment()).widget
