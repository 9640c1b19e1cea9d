"""Which harnesses there are: perflab's own, and those of installed packages."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from perflab.model.errors import UsageError, one_line

if TYPE_CHECKING:
    from perflab.harness.interface import Harness


GROUP = "perflab.harness"
"""Of entry points: the name is the option's, the object a subclass of `Harness` that is made without arguments."""

_OWN = {
    "gbench": "perflab.harness.gbench:GoogleBenchmark",
    "go": "perflab.harness.go:GoTest",
    "jmh": "perflab.harness.jmh:Jmh",
    "pytest": "perflab.harness.pytest_benchmark:PytestBenchmark",
}


def harness_names() -> list[str]:
    """The names of all, which are options of `./lab bench`."""
    return [*_OWN, *sorted({one.name for one in entry_points(group=GROUP)} - _OWN.keys())]


def find_harness(name: str) -> Harness:
    """The harness of this name.

    Raises:
        UsageError: If a package's adapter cannot be loaded.
    """
    if name in _OWN:
        module, _, kind = _OWN[name].partition(":")
        own: Harness = getattr(import_module(module), kind)()
        return own
    found = next(one for one in entry_points(group=GROUP) if one.name == name)
    try:
        other: Harness = found.load()()
    except Exception as error:  # noqa: BLE001 - whatever a package raises
        raise UsageError(f"the harness {name} of {found.value} cannot be loaded: {one_line(error)}") from None
    return other
