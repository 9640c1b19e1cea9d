"""When a topic is built, and when it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perflab.components import build
from perflab.errors import BenchError

if TYPE_CHECKING:
    from perflab.components import Component


def test_what_was_built_is_not_built_again(steady: Component) -> None:
    assert not build(steady)
    assert build(steady, force=True)


def test_after_a_build_that_failed_the_sources_of_before_are_built_again(steady: Component) -> None:
    program = steady.folder / "build.py"
    before = program.read_text()
    program.write_text("raise SystemExit('half of the products are new now')")
    with pytest.raises(BenchError):
        build(steady)
    program.write_text(before)
    assert build(steady)
