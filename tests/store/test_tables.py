"""A sealed table from elsewhere is columns of numbers and texts, no larger than what is read, or it is refused."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from perflab.stats.columns import Columns
from perflab.store.tables import read_lines, read_table, write_table

if TYPE_CHECKING:
    from pathlib import Path

FORKS = {"round": np.arange(3, dtype=np.int32), "position": np.zeros(3, np.int32), "variant": np.array(["a", "b", "ä"])}


def written(path: Path, more: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    """A table of three forks, with these files beside its columns or in their place."""
    files = {f"{name}.npy": npy(column) for name, column in FORKS.items()} | more
    with zipfile.ZipFile(path / "forks.npz", "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path / "forks.npz"


def npy(column: Any) -> bytes:  # noqa: ANN401 - what NumPy takes
    file = io.BytesIO()
    np.save(file, column)
    return file.getvalue()


def test_any_name_of_a_column_is_written_and_read(tmp_path: Path) -> None:
    names = ["file", "c:gc/minor", "allow_pickle", "c:größe", "../x", "/x"]
    rows = Columns(FORKS | {name: np.array(["x", "", "yz"]) for name in names if ":" not in name})
    rows |= {name: np.array([1.0, np.nan, 0.1]) for name in names if ":" in name}
    write_table(tmp_path / "forks.npz", Columns(rows))
    np.testing.assert_equal(read_table(tmp_path / "forks.npz", "forks"), rows)
    assert [path.name for path in tmp_path.iterdir()] == ["forks.npz"]


def test_a_column_that_no_name_fits_is_left_out_of_the_lines(tmp_path: Path) -> None:
    path = tmp_path / "forks.jsonl"
    row = {"round": 0, "position": 0, "variant": "a", "c:x\0": 1, "x" * 70_000: "", "c:y": 2}
    path.write_text(json.dumps(row) + "\n")
    assert list(read_lines(path, "forks").rows) == ["round", "position", "variant", "c:y"]


@pytest.mark.parametrize(
    "more",
    [
        {"c:x.npy": npy(np.array([{}, {}, {}], object))},
        {"c:x.npy": npy(np.array(["1", "2", "3"]))},
        {"c:x.npy": npy(np.arange(3))},
        {"c:x.npy": npy(np.zeros((3, 1)))},
        {"c:x.npy": npy(np.zeros(2))},
        {"c:x.npy": npy(np.zeros(3))[:-1]},
        {"c:x.npy": npy(np.zeros(3)).replace(b"(3,), }       ", b"(30000000,), }")},
        {"c:x.npy": b"\x93NUMPY\x02"},
        {"c:x.npy": b""},
        {"status.npy": npy(np.array(["ok", "ok", "ok"], ">U2"))},
        {"status.npy": npy(np.array([0x110000, 65, 65], np.uint32).view("U1"))},
        {"status.npy": npy(np.array([0xD800, 65, 65], np.uint32).view("U1"))},
        {"round.npy": npy(np.zeros(3))},
        {"variant.npy": npy(np.array([b"a", b"b", b"c"]))},
    ],
)
def test_what_is_no_column_is_refused(tmp_path: Path, more: dict[str, bytes]) -> None:
    assert read_table(written(tmp_path, {}), "forks")["variant"].tolist() == ["a", "b", "ä"]
    with pytest.raises(ValueError, match=r"\S"):
        read_table(written(tmp_path, more), "forks")


def test_a_table_without_a_column_that_each_has_and_one_packed_in_another_way_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no column i, ns, ops"):
        read_table(written(tmp_path, {}), "samples")
    with pytest.raises(ValueError, match="in another way"):
        read_table(written(tmp_path, {}, zipfile.ZIP_LZMA), "forks")
