"""pytest-benchmark and pyperf themselves, their oldest versions and the newest, in environments of their own."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from harnesses import SMOKE, real
from names import NAMES

from perflab.bench.interface import choose
from perflab.bench.pyperf import PyPerf
from perflab.bench.pytest_benchmark import PytestBenchmark
from perflab.model.errors import BenchError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.build

NEWEST = ("pytest-benchmark", "pytest-xdist", "pytest-cov", "pyperf")
OLDEST = ("pytest-benchmark==3.2.0", "pytest==6.2.5", "pyperf==1.7.0")


@pytest.fixture(scope="module", params=[NEWEST, pytest.param(OLDEST, marks=pytest.mark.long)], ids=["newest", "oldest"])
def python(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an environment with these packages, and return the folder of its programs."""
    place = tmp_path_factory.mktemp("python")
    subprocess.run(["python3", "-m", "venv", place], check=True)  # noqa: S607
    subprocess.run([place / "bin" / "python", "-m", "pip", "install", "--quiet", *request.param], check=True)
    return place / "bin"


@pytest.fixture
def folder(python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enter an empty folder with that python3 on the PATH."""
    monkeypatch.setenv("PATH", f"{python}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


PYTEST = """
import pytest
print("noise at import")

@pytest.mark.parametrize("name", NAMES)
def test_named(benchmark, name):
    print("noise")
    benchmark(sorted, [3, 1, 2])

def test_once(benchmark):
    benchmark.pedantic(sorted, args=([3, 1, 2],), rounds=1)

def test_asked_for(request):
    request.getfixturevalue("benchmark")(sorted, [1])

def test_none():
    pass
"""


def test_any_name_of_pytest_is_measured(folder: Path) -> None:
    (folder / "test_it.py").write_text(PYTEST.replace("NAMES", repr(NAMES)))
    (folder / "test_broken.py").write_text("import nothing_of_this_name\n")
    harness = PytestBenchmark()
    known = harness.benchmarks(".")
    assert [choose(name, known, ".") for name in known] == known
    assert "nothing_of_this_name" in harness.left_out["test_broken.py"]
    *named, once, asked_for, none = known
    assert len(named) == len(NAMES)
    for name in (*named[::3], asked_for):
        assert len(real(harness, name, ".")) == SMOKE.samples, name
    assert len(real(harness, once, ".")) == 1
    with pytest.raises(BenchError, match="gave no result"):
        real(harness, none, ".")


@pytest.mark.parametrize(
    "options",
    [
        "--benchmark-disable",
        "--benchmark-skip",
        "--benchmark-only",
        "-q -q",
        "-vv -s",
        "-x -m 'not slow' -k other",
        "-p no:benchmark",
        "--benchmark-autosave --benchmark-json=mine.json",
        "--strict-markers -n auto --cov=.",
    ],
)
def test_options_of_a_project_do_not_keep_it_from_being_measured(options: str, folder: Path, python: Path) -> None:
    if "--cov" in options and not (python / "coverage").exists():
        pytest.skip("its plug-ins are newer")
    (folder / "pytest.ini").write_text(f"[pytest]\naddopts = {options}\n")
    place = folder / "package" / "bench"
    place.mkdir(parents=True)
    traced = "    import sys\n    assert sys.gettrace() is None and 'xdist.workermanage' not in sys.modules\n"
    (place / "test_it.py").write_text(f"def test_one(benchmark):\n{traced}    benchmark(sorted, [1])\n")
    os.chdir(folder / "package")
    harness = PytestBenchmark()
    (name,) = harness.benchmarks("bench/test_it.py")
    assert name == "package/bench/test_it.py::test_one"
    assert len(real(harness, name, "bench/test_it.py")) == SMOKE.samples
    assert not list(folder.rglob(".benchmarks/*"))


def test_any_name_of_pyperf_is_measured(folder: Path) -> None:
    lines = [f"runner.timeit({name!r}, '1')" for name in NAMES]
    (folder / "bench.py").write_text("\n".join(["import pyperf", "print('noise')", "runner = pyperf.Runner()", *lines]))
    harness = PyPerf()
    known = harness.benchmarks("bench.py")
    assert known == [name.strip() for name in NAMES]  # as pyperf has it
    for name in known[::4]:
        assert len(real(harness, name, "bench.py")) == SMOKE.samples, name


def test_a_benchmark_of_pyperf_that_fails_leaves_only_itself_out(folder: Path) -> None:
    lines = ["import pyperf", "runner = pyperf.Runner()", "runner.timeit('fails', 'missing')"]
    lines += ["runner.timeit('twice', '1')", "runner.timeit('twice', '2')", "runner.bench_command('last', ['true'])"]
    (folder / "bench.py").write_text("\n".join(lines))
    harness = PyPerf()
    known = harness.benchmarks("bench.py")
    assert known == ["twice", "twice", "last"]
    assert "'missing' is not defined" in harness.left_out["benchmark 1 of bench.py"]
    assert len(real(harness, "last", "bench.py")) == SMOKE.samples
    with pytest.raises(UsageError, match="2 benchmarks"):
        choose("twice", known, "bench.py")
    (folder / "broken.py").write_text("import nothing_of_this_name\n")
    with pytest.raises(BenchError, match="nothing_of_this_name"):
        harness.benchmarks("broken.py")
