"""What all tests share: results and a measurement lock of the session's own, and the fixture components."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

# For `Lab.from_environment`, here and in the processes that tests start: no test sees this machine's results, and none
# waits for a measurement of somebody else's.
SESSION = Path(tempfile.mkdtemp(prefix="perflab-tests-"))
atexit.register(shutil.rmtree, SESSION, ignore_errors=True)
os.environ |= {"PERFLAB_RESULTS": str(SESSION / "results"), "PERFLAB_LOCK": str(SESSION / "lock")}
os.environ.pop("PERFLAB_CALLED", None)

from perflab.measure import measure  # noqa: E402
from perflab.model.errors import MissingError  # noqa: E402
from perflab.model.lab import Lab  # noqa: E402
from perflab.topics.catalogue import Component, find_component  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from playwright.sync_api import Browser

# No example has a time limit: how long it takes depends on what else the machine does.
settings.register_profile("lab", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("lab")

FIXTURES = Path(__file__).parent / "fixtures"
# Quiet and without a screen; a Chromium of root also needs `--no-sandbox`.
FLAGS = (
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def _tools_or_skip() -> Iterator[None]:
    """What is not on this machine is a reason to skip, but where `./lab test --strict` says that all has to be."""
    try:
        yield
    except MissingError as error:
        if type(error) is not MissingError or os.environ.get("PERFLAB_STRICT"):
            raise
        pytest.skip(str(error))


class Everywhere:
    """Hooks for every test: those of a `conftest.py` see only the tests below its folder, not a component's own."""

    @staticmethod
    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup() -> Generator[None, object, object]:
        with _tools_or_skip():
            return (yield)

    @staticmethod
    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call() -> Generator[None, object, object]:
        with _tools_or_skip():
            return (yield)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Everywhere)


@pytest.fixture
def own_lab(tmp_path: Path) -> Lab:
    """The fixture components, with results and build stamps that belong to the test alone."""
    root = tmp_path / "own"
    root.mkdir()
    places = {"root": root, "components": FIXTURES / "components", "results": root / "results"}
    return replace(Lab.from_environment(), inner=(), **places)


@pytest.fixture
def components(own_lab: Lab) -> Path:
    return own_lab.components


@pytest.fixture
def toy(own_lab: Lab) -> Component:
    return find_component(own_lab, "toy")


@pytest.fixture
def rogue(own_lab: Lab) -> Component:
    return find_component(own_lab, "rogue")


@pytest.fixture
def results(own_lab: Lab) -> Path:
    return own_lab.results


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The machine's Chromium; where there is none, and it may be, the distribution's package is installed."""
    from chromiums import provide_chromium  # noqa: PLC0415 - most tests do without
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    path = provide_chromium()
    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(path), args=flags)
        yield browser
        browser.close()


@pytest.fixture(autouse=True)
def _no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests say themselves how long they measure, whoever runs them, and none waits for the machine to become quiet."""
    monkeypatch.setattr(measure, "_PATIENCE", 0.0)
    monkeypatch.delenv("PERFLAB_PRESET", raising=False)
    monkeypatch.delenv("PERFLAB_REUSE_SINCE", raising=False)
