from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perflab.model.errors import UsageError
from perflab.topics.manifest import read_manifest

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """name = "toy"
title = "Toy"
language = "python"
requires = ["python"]

[build]
command = ["true"]

[bench]
command = ["true"]

[[runtime]]
variants = ["exotic"]
requires = ["jre==21"]
command = ["{java}"]

[[cause]]
name = "first"
mode = "lock"
frames = "a"

[[cause]]
name = "second"
mode = "cpu"
frames = "b"

[[threshold]]
worse_by = 0.1

[table]
scenarios = ["fast"]
quick_rounds = 3
"""


def manifest(folder: Path, text: str) -> Path:
    path = folder / "component.toml"
    path.write_text(text)
    return path


def test_a_good_manifest_is_read(tmp_path: Path) -> None:
    read = read_manifest(manifest(tmp_path, GOOD))
    assert read.name == "toy"
    assert [cause.name for cause in read.cause] == ["first", "second"]


def test_a_cause_of_several_modes_is_a_row_of_the_table_of_each(tmp_path: Path) -> None:
    read = read_manifest(manifest(tmp_path, GOOD.replace('mode = "cpu"', 'mode = ["cpu", "wall"]')))
    assert {(cause.name, cause.mode) for cause in read.causes} >= {("second", "cpu"), ("second", "wall")}
    assert len(read.causes) == len(read_manifest(manifest(tmp_path, GOOD)).causes) + GOOD.count('mode = "cpu"')


@pytest.mark.parametrize(
    ("good", "bad", "line", "says"),
    [
        ('title = "Toy"', 'titel = "Toy"', 2, "did you mean 'title'"),
        ('command = ["true"]\n\n[bench]', 'comand = ["true"]\n\n[bench]', 7, "did you mean 'command'"),
        ('variants = ["exotic"]', 'variant = ["exotic"]', 13, "did you mean 'variants'"),
        ('requires = ["jre==21"]\n', "", 12, "missing required field `requires`"),
        ('mode = "cpu"', 'mode = "gpu"', 24, "Invalid enum value 'gpu'"),
        ('frames = "b"', 'fames = "b"', 25, "did you mean 'frames'"),
        ('requires = ["python"]', 'requires = "python"', 4, "Expected `array`"),
        ('name = "toy"\n', "", 1, "missing required field `name`"),
        ("[build]", "[build", 6, "line 6"),
        ("worse_by = 0.1", "worse_by = -0.1", 28, "Expected `float` >= 0"),
        ("quick_rounds = 3", "quick_round = 3", 32, "did you mean 'quick_rounds'"),
        ("quick_rounds = 3", "quick_rounds = 2", 32, "Expected `int` >= 3"),
        ('scenarios = ["fast"]', "scenarios = []", 31, "length >= 1"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_line(tmp_path: Path, good: str, bad: str, line: int, says: str) -> None:
    assert good in GOOD
    with pytest.raises(UsageError) as caught:
        read_manifest(manifest(tmp_path, GOOD.replace(good, bad)))
    assert says in str(caught.value)
    assert "component.toml" in caught.value.message
    if "line" not in says:
        assert f"component.toml:{line}:" in caught.value.message


def test_a_table_changes_of_the_quick_preset_what_it_names(tmp_path: Path) -> None:
    table = read_manifest(
        manifest(tmp_path, GOOD.replace("quick_rounds = 3", "quick_rounds = 3\nquick_samples = 1"))
    ).table
    assert table is not None
    assert table.quick_overrides() == {"min_rounds": 3, "max_rounds": 3, "samples": 1}
