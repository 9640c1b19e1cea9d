"""The module, built for the Python that runs the tests."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import pytest

from perflab.model.lab import Lab
from perflab.topics.build import build_module
from perflab.topics.catalogue import find_component

if TYPE_CHECKING:
    from types import ModuleType

LAB = Lab.from_environment()


@pytest.fixture(scope="session")
def sequencer() -> ModuleType:
    """As `./lab build sequencer --module` makes it."""
    sys.path.insert(0, str(build_module(find_component(LAB, "sequencer"))))
    return importlib.import_module("sequencer")
