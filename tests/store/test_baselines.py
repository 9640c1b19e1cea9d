"""Saved baselines on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perflab.model.errors import MissingError, UsageError
from perflab.store.kept import SavedBaseline, baseline_folder, check_name, find_baselines, write_baseline

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.model.protocol import ParameterValue


def saved(name: str = "main", created: str = "2026-01-01", scenario: str = "sum", size: int = 1) -> SavedBaseline:
    settings: dict[str, ParameterValue] = {"size": size}
    return SavedBaseline(name, "toy", scenario, settings, run="a-run", variants=["a"], created=created)


def keep(results: Path, *baselines: SavedBaseline) -> None:
    for one in baselines:
        write_baseline(one, baseline_folder(one.name, one.component, one.scenario, one.settings, results))


def test_a_name_holds_a_run_of_each_scenario_and_of_each_setting(results: Path) -> None:
    several = [saved(), saved(size=2, created="2026-01-02"), saved(scenario="other", created="2026-01-03")]
    keep(results, *several, saved("feature-x"))
    assert find_baselines(results, "toy", "main") == several
    assert len(find_baselines(results, "toy")) == 4
    assert find_baselines(results, "mailbox", "main") == []
    assert find_baselines(results, "toy", "ma") == []


def test_written_again_it_is_replaced(results: Path) -> None:
    keep(results, saved(), saved(created="2026-02-02"))
    assert [one.created for one in find_baselines(results)] == ["2026-02-02"]


def test_what_cannot_be_read_is_passed_over(results: Path) -> None:
    keep(results, saved())
    for name, text in (("cut", '{"name": "cut", "compo'), ("newer", '{"version": 99}')):
        folder = results / "baselines" / name / "toy" / "sum-0"
        folder.mkdir(parents=True)
        (folder / "baseline.json").write_text(text)
    assert [one.name for one in find_baselines(results)] == ["main"]


@pytest.mark.parametrize("name", ["", "..", "a/b", "-v", ".hidden", "a b"])
def test_names_that_would_be_no_folder_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="cannot name a baseline"):
        check_name(name)


@pytest.mark.parametrize("name", ["main", "pr-123", "v1.2", "2026_01"])
def test_names_that_people_use_are_taken(name: str) -> None:
    check_name(name)


def test_a_run_that_is_gone_is_named(results: Path) -> None:
    with pytest.raises(UsageError, match="'main' cannot be read"):
        saved().read_run(results)


def test_a_folder_that_cannot_be_written_is_missing_not_a_crash(results: Path) -> None:
    results.write_text("a file where a folder should be")
    with pytest.raises(MissingError, match="cannot write results"):
        keep(results, saved())
