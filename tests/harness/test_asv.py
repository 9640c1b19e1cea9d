"""asv: what asv_runner writes, and the real one where it is on this machine."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from perflab.bench.asv import Asv
from perflab.bench.interface import Ended
from perflab.measure.presets import PRESETS
from perflab.model.errors import BenchError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

SMOKE = PRESETS["smoke"]
# Of names that need care, a cache, a skipped combination, other types, and a benchmark that prints.
SUITE = """
class Caches:
    params = [[10, 20], ["a, b", "ü/=[x]"]]
    param_names = ["size", "text"]

    def setup_cache(self):
        return {"ready": True}

    def setup(self, cache, size, text):
        if size == 20:
            raise NotImplementedError
        assert cache["ready"]

    def time_get(self, cache, size, text):
        print("{", end="")


def time_sum():
    sum(range(1000))


def track_size():
    return 3

track_size.unit = "pages"


def peakmem_list():
    return [0] * 1000
"""


def test_samples_are_calls() -> None:
    output = b'{"samples": [1e-06, 3e-06], "number": 500}'  # asv_runner 0.3.2
    assert [(one.ops, one.ns) for one in Asv().samples(Ended(output, 1, {}), "m.time_x", SMOKE)] == [
        (500, pytest.approx(500e3)),
        (500, pytest.approx(1500e3)),
    ]


@pytest.mark.parametrize(
    ("output", "says"),
    [
        (b"NaN", "is skipped by its setup"),
        (b"", "gave no result"),
        (b"7", "no result of asv_runner"),
        (b'{"samples": [NaN], "number": 1}', "no result of asv_runner"),
        (b'{"samples": [1e-6]}', "no result of asv_runner"),
    ],
)
def test_what_is_no_time_is_an_error(output: bytes, says: str) -> None:
    with pytest.raises(BenchError, match=says):
        Asv().samples(Ended(output, 1, {}), "m.time_x", SMOKE)


@pytest.mark.build
def test_the_real_asv_is_read(tmp_path: Path) -> None:
    if subprocess.run(["python3", "-c", "import asv_runner"], capture_output=True, check=False).returncode:  # noqa: S607
        pytest.skip("no asv for python3 (pip install asv)")
    suite = tmp_path / "benchmarks"
    suite.mkdir()
    (suite / "__init__.py").touch()
    (suite / "suite.py").write_text(SUITE, encoding="utf-8")
    harness = Asv()
    names = harness.benchmarks(str(suite))
    first = "suite.Caches.time_get(10, 'a, b')"
    assert names == [
        first,
        "suite.Caches.time_get(10, 'ü/=[x]')",
        "suite.Caches.time_get(20, 'a, b')",
        "suite.Caches.time_get(20, 'ü/=[x]')",
        "suite.time_sum",
    ]
    assert set(harness.left_out) == {"suite.track_size", "suite.peakmem_list"}
    for name in (first, "suite.time_sum"):
        command = harness.command(str(suite), name, SMOKE)
        done = subprocess.run(command, capture_output=True, check=True)
        assert len(harness.samples(Ended(done.stdout, 1, {}), name, SMOKE)) == SMOKE.samples
    skipped = subprocess.run(harness.command(str(suite), names[2], SMOKE), capture_output=True, check=True)
    with pytest.raises(BenchError, match="is skipped"):
        harness.samples(Ended(skipped.stdout, 1, {}), names[2], SMOKE)
    with pytest.raises(UsageError, match="no folder"):
        harness.benchmarks(str(suite / "suite.py"))
