"""A plug-in of pytest's: lists tests, or selects some by their ids, whatever options the project itself gives pytest.

Loaded by `-p`, by the python3 of the user's PATH. Descriptor 3 gets what it lists.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_SELECTED = os.environ.get("PERFLAB_PYTEST_IDS")
_OPTIONS: dict[str, object] = {
    # pytest-benchmark measures only if it is not disabled, and alone in its process.
    "benchmark_disable": False,
    "benchmark_enable": True,
    "benchmark_skip": False,
    "benchmark_only": False,
    "numprocesses": None,
    "dist": "no",
    "tx": [],
    # It keeps and compares nothing besides.
    "benchmark_autosave": False,
    "benchmark_save": None,
    "benchmark_compare": None,
    "benchmark_compare_fail": None,
    "benchmark_histogram": None,
    "benchmark_cprofile": None,
    # The benchmark is chosen by its id alone.
    "keyword": "",
    "markexpr": "",
    "continue_on_collection_errors": True,
    "maxfail": 0,
}
_failed: dict[str, str] = {}


@pytest.hookimpl(hookwrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """Measure no coverage, which slows each line down."""
    early_config.known_args_namespace.cov_source = []
    yield


@pytest.hookimpl(hookwrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Iterator[None]:
    """Set options before plug-ins read them."""
    for name, value in _OPTIONS.items():
        if hasattr(config.option, name):
            setattr(config.option, name, value)
    yield


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Remember what cannot be imported."""
    if report.failed:
        _failed[report.nodeid] = str(report.longrepr)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """List the tests, or select some."""
    if _SELECTED is None:
        listed = {"tests": [[item.nodeid, str(item.fspath)] for item in items], "failed": _failed}
        with os.fdopen(3, "w") as out:
            json.dump(listed, out)
    else:
        selected = json.loads(_SELECTED)
        items[:] = [item for item in items if item.nodeid in selected]
