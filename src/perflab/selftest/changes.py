"""Which files of the checkout a step depends on, whether they have changed, and whether they have passed before."""

from __future__ import annotations

import hashlib
import sys
from typing import TYPE_CHECKING

from perflab.paths import LAB_DIR, ROOT
from perflab.toolchains import ask_git

if TYPE_CHECKING:
    from perflab.selftest.steps import Step, Work

PASSED_DIR = LAB_DIR / "passed"
"""A file for each step that has passed, with the fingerprint of what it was run on."""

_BASES = ("origin/main", "main")
_HERE = ("--", ".")


def changed_since_main() -> str | None:
    """The commit that `--changed` compares with: where this branch has left main; None without git or such a branch."""
    found = (_git("merge-base", "HEAD", base) for base in _BASES)
    return next(filter(None, found), None)


def is_touched(step: Step, base: str) -> bool:
    """Whether a file that the step depends on differs from what it was in the commit `base`, or is new."""
    paths = _pathspecs(step)
    return bool(_git("diff", "--name-only", base, *paths) or _untracked(paths))


def fingerprint(step: Step, work: Work) -> str | None:
    """A hash of all that the step's outcome depends on: files, commands, tools; None where git cannot list the files.

    Args:
        step: The step.
        work: What it runs; the toolchain is part of its commands and environment.
    """
    paths = _pathspecs(step)
    listed = _git("ls-files", "-z", *paths)
    if not listed:
        return None
    digest = hashlib.sha256(repr((work, sys.version)).encode())
    for name in sorted({*listed.split("\0"), *_untracked(paths)} - {""}):
        path = ROOT / name
        digest.update(repr((name, path.read_bytes() if path.is_file() else None)).encode())
    return digest.hexdigest()


def has_passed(step: Step, fingerprint: str | None) -> bool:
    """Whether the step has passed on this machine on the same."""
    try:
        return fingerprint is not None and (PASSED_DIR / step.name).read_text(encoding="utf-8") == fingerprint
    except OSError:
        return False


def keep_passed(step: Step, fingerprint: str | None) -> None:
    """Remember that the step has passed, or forget it."""
    path = PASSED_DIR / step.name
    path.parent.mkdir(parents=True, exist_ok=True)
    if fingerprint is None:
        path.unlink(missing_ok=True)
    else:
        path.write_text(fingerprint, encoding="utf-8")


def _untracked(paths: tuple[str, ...]) -> list[str]:
    return list(filter(None, _git("ls-files", "-z", "--others", "--exclude-standard", *paths).split("\0")))


def _git(*arguments: str) -> str:
    return ask_git(*arguments, folder=ROOT)


def _pathspecs(step: Step) -> tuple[str, ...]:
    return ("--", *step.inputs) if step.inputs else _HERE
