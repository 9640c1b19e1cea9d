from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perflab.model.errors import BenchError, UsageError
from perflab.profile.profile import Profile, complement, merge

if TYPE_CHECKING:
    from pathlib import Path

PROFILE = Profile(
    mode="wall",
    unit="ns",
    stacks={("main", "work"): 3e9, ("main", "sleep"): 1.5},
    counters={"voluntary_switches": 12.0, "threads_max": 4},
    title="linked",
    operations=1000,
    notes=("two processes",),
)


def test_a_saved_profile_is_loaded_as_it_was(tmp_path: Path) -> None:
    PROFILE.save(tmp_path / "new" / "folder")
    assert Profile.load(tmp_path / "new" / "folder") == PROFILE


def test_saving_again_replaces_and_leaves_nothing_behind(tmp_path: Path) -> None:
    PROFILE.save(tmp_path)
    PROFILE.save(tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["profile.json", "stacks.collapsed"]


def test_a_folder_without_a_profile_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no profile"):
        Profile.load(tmp_path)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("profile.json", "{"),
        ("profile.json", '{"version": 1, "mode": "cpu", "unit": "parsecs"}'),
        ("stacks.collapsed", "a;b\n"),
    ],
)
def test_a_broken_profile_is_told_from_a_missing_one(tmp_path: Path, file: str, content: str) -> None:
    PROFILE.save(tmp_path)
    (tmp_path / file).write_text(content)
    with pytest.raises(BenchError, match="cannot read"):
        Profile.load(tmp_path)


def test_a_profile_of_another_format_is_refused(tmp_path: Path) -> None:
    PROFILE.save(tmp_path)
    text = (tmp_path / "profile.json").read_text()
    (tmp_path / "profile.json").write_text(text.replace('"version": 1', '"version": 2'))
    with pytest.raises(BenchError, match="format 2"):
        Profile.load(tmp_path)


def test_merged_profiles_add_up_but_for_maxima() -> None:
    both = merge([PROFILE, Profile("wall", "ns", {("main", "work"): 1e9}, {"threads_max": 7}, operations=500)])
    assert both.stacks == {("main", "work"): 4e9, ("main", "sleep"): 1.5}
    assert both.counters == {"voluntary_switches": 12, "threads_max": 7}
    assert both.operations == 1500
    assert both.title == "linked"


def test_operations_known_for_some_only_are_not_known() -> None:
    assert merge([PROFILE, Profile("wall", "ns", {})]).operations is None


def test_bytes_and_nanoseconds_have_no_sum() -> None:
    with pytest.raises(UsageError, match="cannot merge"):
        merge([PROFILE, Profile("alloc", "bytes", {})])
    with pytest.raises(UsageError, match="no profiles"):
        merge([])


def test_a_second_pass_over_half_the_work_counts_double() -> None:
    parks = Profile("wall", "ns", {("main", "park"): 10.0}, {"voluntary_switches": 99}, operations=500)
    whole = complement(PROFILE, parks)
    assert whole.stacks["main", "park"] == 20
    assert whole.operations == 1000
    assert whole.counters == PROFILE.counters
