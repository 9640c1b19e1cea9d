"""Keeping a build: it runs from the copy, whatever becomes of the original."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from perflab.topics.build import build, keep_build, kept_build
from perflab.topics.manifest import Manifest, read_manifest, threshold_for
from perflab.topics.program import run_command

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.topics.catalogue import Component


def test_the_copy_outlives_a_later_build(steady: Component, tmp_path: Path) -> None:
    assert keep_build(steady, tmp_path / "kept")
    (steady.folder / "level.json").write_text('{"spawn": 2000, "p99": 1, "memory": 1, "spread": 0}')
    assert build(steady)
    copy = kept_build(tmp_path / "kept", steady.lab)
    assert copy is not None
    assert json.loads((copy.folder / "target" / "level.json").read_text())["spawn"] == 1000
    command = run_command(copy, "spawn", "lab", {}, warmup_ms=0, sample_ms=1, samples=1, seed=1)
    assert "bench.py" in command
    assert copy.folder == tmp_path / "kept"


def test_keeping_again_replaces_the_copy(steady: Component, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "stale").touch()
    assert keep_build(steady, tmp_path / "kept")
    assert not (tmp_path / "kept" / "stale").exists()


def test_what_names_no_products_is_not_kept(toy: Component, tmp_path: Path) -> None:
    assert not keep_build(toy, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_a_build_that_needs_more_than_its_products_is_not_kept(steady: Component, tmp_path: Path) -> None:
    text = (steady.folder / "component.toml").read_text().replace('"bench.py", "target/level.json"', '"bench.py"')
    (steady.folder / "component.toml").write_text(text)
    less = replace(steady, manifest=read_manifest(steady.folder / "component.toml"))
    assert not keep_build(less, tmp_path / "kept")
    assert list(tmp_path.glob("kept*")) == []


def test_a_copy_that_was_damaged_is_not_run(steady: Component, tmp_path: Path) -> None:
    keep_build(steady, tmp_path / "kept")
    (tmp_path / "kept" / "target" / "level.json").unlink()
    assert kept_build(tmp_path / "kept", steady.lab) is None
    assert kept_build(tmp_path / "nowhere", steady.lab) is None


def test_the_first_threshold_that_applies_counts_and_the_labs_own_where_none_does(steady: Component) -> None:
    def found(manifest: Manifest, scenario: str, metric: str) -> float:
        return threshold_for(manifest, scenario, metric).worse_by

    assert found(steady.manifest, "spawn", "spawn") == 0.10
    assert found(steady.manifest, "spawn", "p99") == 0.05
    assert found(steady.manifest, "memory", "anything") == 0.10
    assert threshold_for(steady.manifest, "spawn", "spawn").source.startswith("the report")
