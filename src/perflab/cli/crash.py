"""A defect of perflab itself: one line for the user, and a traceback for its maintainers."""

from __future__ import annotations

import platform
import secrets
import shlex
import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from perflab import __version__
from perflab.model.errors import CrashError
from perflab.model.lab import Lab, temporary_folder
from perflab.model.redact import Redactor

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "crashes"
"""In the results folder, else in the user's temporary folder."""

MOST_KEPT = 20
_SHOWN = 200


def crash(defect: Exception) -> CrashError:
    """Write the traceback of an exception that no other code handles to a file, and return the error that names it."""
    what = " ".join(f"{type(defect).__name__}: {defect}".split())
    shown = what if len(what) <= _SHOWN else what[:_SHOWN] + "..."
    text = "\n".join(
        [
            f"perflab {__version__}, Python {platform.python_version()}, {datetime.now(UTC).isoformat()}",
            shlex.join(sys.argv),
            "".join(traceback.format_exception(defect)),
        ]
    )
    redact = Redactor()  # users send it to the maintainers
    text, shown = redact(text), redact(shown)
    for folder in (_results, temporary_folder):
        with suppress(Exception):  # the crash itself was reported already
            kept = _keep(text, folder() / FOLDER)
            return CrashError(f"perflab has a defect: {shown}", f"please report it, with {kept}")
    sys.stderr.write(text)
    return CrashError(f"perflab has a defect: {shown}", "please report it, with the lines above")


def _results() -> Path:
    context = click.get_current_context(silent=True)
    lab = context.find_object(Lab) if context else None
    return (lab or Lab.from_environment()).results


def _keep(text: str, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}.txt"
    path.write_text(text, encoding="utf-8", errors="backslashreplace")
    for old in sorted(folder.glob("????????-??????-????.txt"), key=lambda one: one.stat().st_mtime_ns)[:-MOST_KEPT]:
        old.unlink(missing_ok=True)
    return path
