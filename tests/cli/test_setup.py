"""`./lab setup` goes on without what cannot be had, and says what that is."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from labs import FIXTURES, Lab

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """A lab with three topics: one that works, one for a JDK that is not out yet, one that does not compile."""
    folder = tmp_path / "components"
    for name, former, now in (
        ("toy", "", ""),
        ("future", '["python"]', '["jdk>=999"]'),
        ("broken", '"-c", "pass"', '"-c", "raise SystemExit(7)"'),
    ):
        shutil.copytree(FIXTURES / "components" / "toy", folder / name)
        manifest = folder / name / "component.toml"
        text = manifest.read_text().replace('name = "toy"', f'name = "{name}"')
        assert former in text
        manifest.write_text(text.replace(former, now) if former else text)
    return Lab(tmp_path, PERFLAB_COMPONENTS=str(folder))


def test_a_toolchain_that_is_too_old_leaves_its_topic_out_and_sets_up_the_rest(lab: Lab, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "components" / "broken")
    said = lab("setup", "--no-kernels").stdout
    assert "ready: topic toy" in said
    assert "left out: topic future: no JDK 999 or newer" in said
    assert "fix: install one" in said


def test_a_topic_that_was_asked_for_and_is_left_out_is_an_error(lab: Lab) -> None:
    found = lab.json("setup", "toy", "future", "--no-kernels", status=3)
    assert found["ready"] == ["topic toy"]
    assert [one.partition(":")[0] for one in found["left_out"]] == ["topic future"]


def test_a_build_that_fails_keeps_no_other_topic_from_being_built(lab: Lab) -> None:
    found = lab.json("setup", "--no-kernels", status=4)
    assert found["ready"] == ["topic toy"]
    assert any("topic broken: the build of broken failed with status 7" in one for one in found["left_out"])
