"""SECURITY.md says what is so, and is found where one looks for it."""

from __future__ import annotations

import re

import pytest

from perflab.host.dotnet import read_lock
from perflab.model.lab import CHECKOUT

TEXT = (CHECKOUT / "SECURITY.md").read_text(encoding="utf-8")
RUNS_DATA = re.compile(
    r"^\s*(?:import|from) (?:pickle|cloudpickle|marshal|shelve|dill)\b|\bshell=True|(?<![\w.])(?:eval|exec)\("
    r"|\byaml\.(?:unsafe_load|full_load|UnsafeLoader|FullLoader)\b",
    re.MULTILINE,
)


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_it_is_found(document: str) -> None:
    assert "(SECURITY.md)" in (CHECKOUT / document).read_text(encoding="utf-8")


def test_nothing_in_the_lab_can_run_data() -> None:
    sources = (CHECKOUT / "src").rglob("*.py")
    assert [path.name for path in sources if RUNS_DATA.search(path.read_text(encoding="utf-8"))] == []


def test_the_files_that_it_names_are_there_and_so_are_the_versions() -> None:
    named = [name for name in re.findall(r"`([\w*./-]+)`", TEXT) if re.search(r"\.(lock|xml|yml|toml)$", name)]
    assert {"components/*/jars.lock", "requirements*.lock", "environment.yml"} <= set(named)
    assert [name for name in named if name != "Cargo.lock" and not list(CHECKOUT.glob(name))] == []
    assert read_lock().sdk.carries.startswith("3.1.")
    assert "SDK 3.1," in TEXT
    assert f"runtime {read_lock().runtime.carries}," in TEXT


def test_it_says_that_conda_is_locked_as_soon_as_it_is() -> None:
    assert ("no lock file is committed" in TEXT) is not (CHECKOUT / "conda-lock.yml").exists()
