"""Notebooks, each executed once a session; and a JupyterLab that shows them in a headless Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import smokeruns
from silent import Silent

from perflab.kernels.notebooks import execute
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What continues a topic's notebook, and what is shown in JupyterLab but once, is for `./lab test --all` only."""
    for item in items:
        repeats = item.path.name == "test_in_jupyterlab.py" and "[" in item.name and SHOWN not in item.name
        if item.get_closest_marker("notebook") and (repeats or "-more.ipynb" in item.name):
            item.add_marker("long")


SHOWN = "3-thread-pool.ipynb"
"""The quickest of the topics' notebooks."""


class Executed:
    """A notebook, executed from the top; its runs are in `results`."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.path, self.results = name, folder / name, folder / "results"
        topic = smokeruns.provide_topic(name)
        if topic is not None:
            smokeruns.lay_out(topic, self.results)
        execute(CHECKOUT / "notebooks" / name, self.path, Silent(), smokeruns.environment(self.results))
        if topic is not None:
            smokeruns.keep(topic, self.results)


@pytest.fixture(scope="session")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Executed]:
    """Executes a notebook, unless it was; where it failed, it fails again at once."""
    found: dict[str, Executed | Exception] = {}

    def get(name: str) -> Executed:
        if name not in found:
            try:
                found[name] = Executed(name, tmp_path_factory.mktemp("executed"))
            except Exception as error:  # noqa: BLE001 - raised below, and for whoever asks again
                found[name] = error
        outcome = found[name]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return get
