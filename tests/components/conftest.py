"""A topic that is built from a few lines, and says of itself what a file of it says."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from perflab.topics.build import build
from perflab.topics.catalogue import Component, find_component

if TYPE_CHECKING:
    from perflab.model.lab import Lab

FIXTURES = Path(__file__).parents[1] / "fixtures"


@pytest.fixture
def steady(tmp_path: Path, own_lab: Lab) -> Component:
    shutil.copytree(FIXTURES / "baselines" / "steady", tmp_path / "components" / "steady")
    component = find_component(replace(own_lab, components=tmp_path / "components"), "steady")
    build(component)
    return component
