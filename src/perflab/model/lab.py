"""A lab: the folders that measurements come from and go to. Whatever needs one of them gets it passed in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

CHECKOUT = Path(os.environ.get("PERFLAB_ROOT") or Path(__file__).resolve().parents[3])
"""The checkout of this code. The kernels' sources lie in it, and what is made of them in its `.lab`: a process has them
once, however many labs it opens."""


def user_cache() -> Path:
    """The per-user cache, for downloads and the measurement lock: `XDG_CACHE_HOME` points elsewhere, as in tests."""
    return user_cache_path("perflab")


@dataclass(frozen=True)
class Lab:
    """A project with topics, claims about them, and results.

    Attributes:
        root: The project's folder.
        components: One folder per system under test.
        claims: The ledgers.
        reference: Committed results, laid out as `results`.
        results: Runs, profiles, executed notebooks and charts.
        lock: Holds the measurement lock, which keeps measurements on this machine apart.
    """

    root: Path
    components: Path
    claims: Path
    reference: Path
    results: Path
    lock: Path

    @classmethod
    def from_environment(cls) -> Lab:
        """The checkout's, but for what `PERFLAB_COMPONENTS`, `_CLAIMS`, `_RESULTS` and `_LOCK` name."""

        def place(name: str, usual: Path) -> Path:
            return Path(os.environ.get(f"PERFLAB_{name}") or usual)

        return cls(
            CHECKOUT,
            place("COMPONENTS", CHECKOUT / "components"),
            place("CLAIMS", CHECKOUT / "datasets" / "claims"),
            CHECKOUT / "datasets" / "reference",
            place("RESULTS", CHECKOUT / "results"),
            place("LOCK", user_cache()),
        )

    @property
    def published(self) -> Path:
        """The figures of the reports, as published."""
        return self.root / "datasets" / "published"

    @property
    def notebooks(self) -> Path:
        """The notebooks as committed."""
        return self.root / "notebooks"

    @property
    def work(self) -> Path:
        """What is made on this machine: build stamps, modules, work trees. Never committed."""
        return self.root / ".lab"
