"""Finding Rust, on machines made of scripts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from perflab.host import toolchains as rust
from perflab.host.toolchains import expand, require, require_rust
from perflab.model.errors import MissingError, UsageError


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A machine without Rust: its PATH is the folder `path`, its home `home`."""
    for name in ("CARGO_HOME", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    rust._ask.cache_clear()  # noqa: SLF001 - what it has seen is of another machine
    yield tmp_path
    rust._ask.cache_clear()  # noqa: SLF001


def install(folder: Path, release: str, *, status: int = 0) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    _program(folder / "cargo", "exit 1")
    _program(folder / "rustc", f"echo 'rustc {release} (of a test)'; echo 'release: {release}'; exit {status}")
    return folder


def _program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_the_first_that_is_new_enough_is_taken_the_one_on_the_path_before_others(machine: Path) -> None:
    home = install(machine / "home" / ".cargo" / "bin", "1.100.1-nightly")
    assert (require_rust().bin, require_rust().release) == (home, (1, 100))
    assert expand(["{cargo}", "build"], require(["rust"])) == [f"{home}/cargo", "build"]
    assert expand(["{cargo}", "build"], {}) == [f"{home}/cargo", "build"]
    install(machine / "path", "1.63.0")
    assert require_rust().bin == home
    first = install(machine / "path", "1.95.0")
    rust._ask.cache_clear()  # noqa: SLF001
    found = require_rust()
    assert (found.bin, found.version, found.release) == (first, "1.95.0", (1, 95))


@pytest.mark.parametrize("variable", ["CARGO_HOME", "CONDA_PREFIX"])
def test_one_that_a_variable_points_at_is_found(machine: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, str(machine / "there"))
    there = install(machine / "there" / "bin", "1.95.0")
    assert require(["rust"]) == {"CARGO": str(there / "cargo"), "RUSTC": str(there / "rustc")}


def test_none_and_those_too_old_are_named_with_the_way_out(machine: Path) -> None:
    with pytest.raises(MissingError, match="found no cargo with a rustc beside it"):
        require(["rust"])
    folder = install(machine / "path", "1.63.0")
    with pytest.raises(MissingError) as caught:
        require(["rust"])
    assert caught.value.message == f"no Rust 1.88 or newer; found Rust 1.63.0 in {folder}"
    assert "rustup" in caught.value.hint
    _program(folder / "rustup", "exit 1")
    with pytest.raises(MissingError, match=r"no Rust 1\.95 or newer for the kernel; found Rust 1\.63\.0") as caught:
        require_rust((1, 95), "the kernel")
    assert caught.value.hint == "rustup update stable"


def test_rustup_without_a_toolchain_is_none(machine: Path) -> None:
    install(machine / "path", "1.95.0", status=1)
    with pytest.raises(MissingError):
        require_rust()


@pytest.mark.parametrize("requirement", ["rust==1.88", "rust>=1.88"])
def test_a_release_of_its_own_is_not_asked_for(requirement: str) -> None:
    with pytest.raises(UsageError, match="cannot read the requirement"):
        require([requirement])
