"""What is made of a contract suite: also of one that the variant takes along."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from perflab.model.errors import BenchError
from perflab.topics.catalogue import find_component
from perflab.topics.testing import check_variant

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.model.lab import Lab
    from perflab.topics.catalogue import Component

MANIFEST = """name = "suite"
title = "Suites"
bottleneck = "how they end"
language = "python"
requires = ["python"]

[build]
command = ["{python}", "-c", "pass"]

[bench]
command = ["{python}", "bench.py"]
"""

BENCH = """import json, os, sys
def say(**message):
    print(json.dumps(message), flush=True)
variant = sys.argv[-1]
if sys.argv[1] == "describe":
    scenario = {"name": "s", "operation": "o", "unit": "ns", "better": "lower"}
    names = {"whole": [], "dies": [], "known": ["once"], "mute": [], "broken": [], "vague": []}
    variants = [{"name": n, "role": "peer", "scenarios": ["s"], "findings": f} for n, f in names.items()]
    say(protocol=1, component="suite", runtime={"name": "CPython", "version": "3"}, scenarios=[scenario],
        variants=variants)
    raise SystemExit
if variant == "mute":
    sys.exit("nothing to check")
if variant == "vague":
    say(type="check", name=1)
say(type="check", name="once", passed=True, variant=variant)
if variant in ("dies", "known"):
    os.kill(os.getpid(), 9)
if variant == "broken":
    say(type="error", kind="internal", message="no such thing")
    raise SystemExit(1)
say(type="end", checks=1, failed=0)
"""


@pytest.fixture
def suite(own_lab: Lab, tmp_path: Path) -> Component:
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "component.toml").write_text(MANIFEST)
    (folder / "bench.py").write_text(BENCH)
    return find_component(replace(own_lab, components=tmp_path), "suite")


@pytest.mark.parametrize(("variant", "known"), [("dies", False), ("known", True)])
def test_a_variant_that_ends_its_suite_has_not_kept_the_contract(suite: Component, variant: str, known: bool) -> None:
    once, end = check_variant(suite, variant)
    assert once.passed
    assert (end.passed, end.known, end.variant) == (False, known, variant)
    assert "after 'once'" in end.message


def test_a_suite_that_comes_to_its_end_says_what_it_says(suite: Component) -> None:
    (once,) = check_variant(suite, "whole")
    assert (once.name, once.passed) == ("once", True)


@pytest.mark.parametrize(
    ("variant", "said"),
    [("mute", "checked nothing"), ("broken", "no such thing"), ("vague", "printed no check")],
)
def test_a_suite_that_fails_itself_is_an_error(suite: Component, variant: str, said: str) -> None:
    with pytest.raises(BenchError, match=said):
        check_variant(suite, variant)
