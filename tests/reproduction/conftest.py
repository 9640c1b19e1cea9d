"""A lab with topics of its own, some of which cannot be built, and claims about them."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from labs import FIXTURES, Lab

if TYPE_CHECKING:
    from pathlib import Path

TOYS = """
report: toys
title: Sums
component: toy
claims:
  - id: aside
    kind: bound
    statement: A sum takes less than a second, which the report's summary does not say.
    candidate: plain
    scenario: sum
    params: {size: 3}
    at_most: 1000000000
  - id: faster
    kind: ratio
    headline: true
    statement: Adding only what is needed is a third faster.
    published: {value: 1.33, unit: x}
    baseline: wasteful
    candidate: plain
    scenario: sum
  - id: quick
    kind: bound
    headline: true
    statement: A sum takes less than a second.
    candidate: plain
    scenario: sum
    params: {size: 2}
    at_most: 1000000000
"""

MISSING = """
name = "unbuildable"
title = "What nobody can build here"
language = "java"
requires = ["jdk>=999"]

[build]
command = ["{java}", "build"]

[bench]
command = ["{java}", "bench"]
"""


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """Two topics, `toy` and `unbuildable`, and a report about each; measurements of a second."""
    components, claims = tmp_path / "components", tmp_path / "claims"
    components.mkdir()
    claims.mkdir()
    (components / "toy").symlink_to(FIXTURES / "components" / "toy")
    (components / "unbuildable").mkdir()
    (components / "unbuildable" / "component.toml").write_text(dedent(MISSING))
    (claims / "toys.yaml").write_text(dedent(TOYS))
    (claims / "others.yaml").write_text(
        dedent(TOYS).replace("toys", "others").replace("component: toy", "component: unbuildable")
    )
    return Lab(tmp_path, PERFLAB_COMPONENTS=str(components), PERFLAB_CLAIMS=str(claims), PERFLAB_PRESET="")
