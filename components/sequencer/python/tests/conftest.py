"""The module, built for the Python that runs the tests."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import pytest

from perflab.components.build import build_module
from perflab.components.catalogue import find_component
from perflab.model.lab import Lab

if TYPE_CHECKING:
    from types import ModuleType

LAB = Lab.from_environment()


@pytest.fixture(scope="session")
def sequencer() -> ModuleType:
    """As `./lab build sequencer --module` makes it."""
    sys.path.insert(0, str(build_module(find_component(LAB, "sequencer"))))
    return importlib.import_module("sequencer")
