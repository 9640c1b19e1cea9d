"""What all tests share: the fixture components, and a results folder of their own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perflab.components import Component, find_component
from perflab.selftest.running import SECOND_TRY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FIXTURES = Path(__file__).parent / "fixtures"
TRIED_TWICE: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.outcome == "rerun":
        crash = getattr(report.longrepr, "reprcrash", None)
        said = crash.message if crash else report.longreprtext
        TRIED_TWICE.append(f"{report.nodeid}: {said.partition(chr(10))[0]}")


@pytest.fixture(scope="session", autouse=True)
def _second_tries(record_testsuite_property: Callable[[str, object], None]) -> Iterator[None]:
    """A test that a busy machine has kept waiting gets a second try; the report says which one, and why."""
    yield
    for test in TRIED_TWICE:
        record_testsuite_property(SECOND_TRY, test)


@pytest.fixture
def components(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The fixture components in place of the lab's own."""
    folder = FIXTURES / "components"
    monkeypatch.setattr("perflab.components.catalogue.COMPONENTS_DIR", folder)
    return folder


@pytest.fixture
def toy(components: Path) -> Component:
    return find_component("toy", components)


@pytest.fixture
def rogue(components: Path) -> Component:
    return find_component("rogue", components)


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A results folder, build stamps and a measurement lock that belong to the test alone."""
    folder = tmp_path / "results"
    for name, module in list(sys.modules.items()):
        if name.startswith("perflab") and hasattr(module, "RESULTS_DIR"):
            monkeypatch.setattr(module, "RESULTS_DIR", folder)
    monkeypatch.setattr(sys.modules["perflab.components.build"], "LAB_DIR", tmp_path / "lab")
    return folder


@pytest.fixture(autouse=True)
def _no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests say themselves how long they measure, whoever runs them."""
    monkeypatch.delenv("PERFLAB_PRESET", raising=False)
    monkeypatch.delenv("PERFLAB_REUSE_SINCE", raising=False)
