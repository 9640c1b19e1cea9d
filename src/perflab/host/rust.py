"""Rust: Cargo with the compiler beside it."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from perflab.host.processes import ask
from perflab.model.errors import MissingError
from perflab.model.lab import user_home

if TYPE_CHECKING:
    from collections.abc import Iterator


MINIMUM = (1, 88)
"""The oldest release that builds the components."""

INSTALL = "install it with rustup (https://rustup.rs), or conda: conda install rust"

_RELEASE = re.compile(r"^release: ((\d+)\.(\d+)\.\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Rust:
    """A Rust toolchain: the folder of its programs, its version (1.95.0), and its release (1, 95)."""

    bin: Path
    version: str
    release: tuple[int, int]

    @property
    def cargo(self) -> Path:
        """The build tool."""
        return self.bin / "cargo"

    @property
    def rustc(self) -> Path:
        """The compiler."""
        return self.bin / "rustc"

    @property
    def title(self) -> str:
        """Version and folder."""
        return f"Rust {self.version} in {self.bin}"

    def environment(self) -> dict[str, str]:
        """Return the variables for commands that use it."""
        # Where it is not on the PATH, Cargo would take another compiler, or none.
        return {"CARGO": str(self.cargo), "RUSTC": str(self.rustc)}


def toolchain_of(rustc: Path) -> tuple[Path | None, str]:
    """Return where a compiler's libraries are, and rustup's name of the toolchain; empty if it is none of rustup's."""
    output = (ask([rustc, "--print", "sysroot"]) or "").strip()
    sysroot = Path(output) if output else None
    return sysroot, sysroot.name if sysroot and sysroot.parent.name == "toolchains" else ""


def require_rust(minimum: tuple[int, int] = MINIMUM, needed_for: str = "") -> Rust:
    """Find the first toolchain that is new enough: on the PATH, in conda's environment, rustup's.

    Args:
        minimum: The least release.
        needed_for: What needs it, for the message.
    """
    found = [rust for folder in dict.fromkeys(_folders()) if (rust := _ask(folder)) is not None]
    for rust in found:
        if rust.release >= minimum:
            return rust
    seen = ", ".join(rust.title for rust in found) or "no cargo with a rustc beside it"
    wanted = f"no Rust {minimum[0]}.{minimum[1]} or newer" + (f" for {needed_for}" if needed_for else "")
    raise MissingError(
        f"{wanted}; found {seen}", "rustup update stable" if found and shutil.which("rustup") else INSTALL
    )


def _folders() -> Iterator[Path]:
    if cargo := shutil.which("cargo"):
        # Not resolved: rustup's `cargo` is a link to one program that looks at the name by which it was called.
        yield Path(cargo).parent
    if conda := os.environ.get("CONDA_PREFIX"):
        yield Path(conda) / "bin"
    yield Path(os.environ.get("CARGO_HOME") or user_home() / ".cargo") / "bin"


@cache
def _ask(folder: Path) -> Rust | None:
    if not (folder / "cargo").is_file() or not (folder / "rustc").is_file():
        return None
    # rustup without a default toolchain has the programs and fails here.
    match = _RELEASE.search(ask([folder / "rustc", "-vV"]) or "")
    return Rust(folder, match[1], (int(match[2]), int(match[3]))) if match else None
