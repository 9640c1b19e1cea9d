"""`lab compare` of files that hyperfine exported as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from labs import FIXTURES, Lab

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SAVED = FIXTURES / "harness"


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    found = Lab(tmp_path)
    found.place = tmp_path
    return found


def write(file: Path, **commands: Sequence[float]) -> None:
    """Write what hyperfine 1.20 writes of commands with these seconds."""
    results = [{"command": name, "times": times, "exit_codes": [0] * len(times)} for name, times in commands.items()]
    file.write_text(json.dumps({"results": results}))


SLOW, FAST = [0.2, 0.21, 0.22, 0.2, 0.21, 0.22], [0.1, 0.105, 0.11, 0.1, 0.105, 0.11]


@pytest.mark.parametrize("saved", ["hyperfine-1.20.0.json", "hyperfine-2.0.0.json"])
def test_the_commands_of_a_file_are_compared_with_its_first_one(lab: Lab, saved: str) -> None:
    found = lab.json("compare", str(SAVED / saved))
    (one,) = found["comparisons"]
    assert (one["baseline"], one["candidate"], one["verdict"]) == ("sleep 0.02", "sleep 0.01", "faster")
    assert 1.5 < one["low"] < one["estimate"] < one["high"] < 2.1
    assert "one command after the other" in found["notes"][0]
    assert "its interval does not cover it" in lab("compare", str(SAVED / saved)).stdout
    turned = lab.json("compare", str(SAVED / saved), "--baseline", "sleep 0.01")
    assert turned["comparisons"][0]["verdict"] == "slower"


def test_a_command_of_two_files_is_compared_with_itself(lab: Lab, tmp_path: Path) -> None:
    write(tmp_path / "before.json", scan=FAST, sort=FAST, gone=FAST)
    write(tmp_path / "after.json", scan=SLOW, sort=FAST, new=FAST)
    found = lab.json("compare", "before.json", "after.json", status=1)
    verdicts = {one["candidate"]: one["verdict"] for one in found["comparisons"]}
    assert (verdicts["scan"], set(verdicts)) == ("slower", {"scan", "sort"})
    assert verdicts["sort"] != "slower"
    assert "did not take turns" in found["notes"][0]
    assert "after against before" in lab("compare", "before.json", "after.json", status=1).stdout
    write(tmp_path / "alone.json", alone=FAST)
    assert lab.json("compare", "alone.json")["comparisons"] == []
    # One command each: they are compared whatever they are called.
    write(tmp_path / "other.json", other=SLOW)
    write(tmp_path / "one.json", one=FAST)
    assert lab.json("compare", "other.json", "one.json")["comparisons"][0]["verdict"] == "faster"
    assert "no command is in both" in lab("compare", "other.json", "after.json", status=2).stderr


def test_the_same_command_twice_has_two_names(lab: Lab, tmp_path: Path) -> None:
    twice: list[dict[str, Any]] = [{"command": "same", "times": times} for times in (SLOW, FAST)]
    with_unused = [{**one, "parameters": {"branch": name}} for one, name in zip(twice, ("main", "new"), strict=True)]
    expected = ["same", "same #2"], ["same (branch = main)", "same (branch = new)"]
    for results, names in zip((twice, with_unused), expected, strict=True):
        (tmp_path / "a.json").write_text(json.dumps({"results": results}))
        (one,) = lab.json("compare", "a.json")["comparisons"]
        assert [one["baseline"], one["candidate"]] == names


def test_runs_that_failed_and_too_few_of_them_are_noted(lab: Lab, tmp_path: Path) -> None:
    results = [
        {"command": "a", "times": SLOW, "exit_codes": [0, 1, None, 0, 0, 0]},
        {"command": "b", "times": [0.1], "exit_codes": [0]},
    ]
    (tmp_path / "a.json").write_text(json.dumps({"results": results}))
    found = lab.json("compare", "a.json")
    assert "a: 2 runs failed, and count" in found["notes"]
    assert found["comparisons"][0]["verdict"] == "inconclusive"
    assert any("too few" in note for note in found["notes"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no results of hyperfine's"),
        ("{}", "has no results of hyperfine's"),
        ('{"results": []}', "has no results"),
        ('{"results": [{"command": "a", "mean": 1.0}]}', "has no times of a"),
        ('{"results": [], "schema_version": 3}', "is of schema 3"),
        ('{"results": [{"command": "a", "times": ["x"]}]}', "has no results of hyperfine's"),
    ],
)
def test_other_files_are_refused(lab: Lab, tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "a.json").write_text(text)
    assert says in lab("compare", "a.json", status=2).stderr


def test_what_does_not_go_with_files_is_refused(lab: Lab, tmp_path: Path) -> None:
    write(tmp_path / "a.json", a=SLOW, b=FAST)
    assert "cannot read none.json" in lab("compare", "none.json", status=3).stderr
    for words in (["a.json", "latest"], ["a.json", "--metric", "cpu"], ["a.json", "--topic", "mailbox"]):
        assert "compared with each other" in lab("compare", *words, status=2).stderr
    assert "command in a.json" in lab("compare", "a.json", "--baseline", "c", status=2).stderr
    assert "of one file" in lab("compare", "a.json", "a.json", "--baseline", "a", status=2).stderr
