"""A topic that is built from a few lines, and says of itself what a file of it says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from perflab.components.build import build
from perflab.components.catalogue import Component, find_component

FIXTURES = Path(__file__).parents[1] / "fixtures"


@pytest.fixture
def steady(tmp_path: Path, results: Path) -> Component:  # noqa: ARG001 - the build's stamp belongs to the test
    shutil.copytree(FIXTURES / "baselines" / "steady", tmp_path / "components" / "steady")
    component = find_component("steady", tmp_path / "components")
    build(component)
    return component
