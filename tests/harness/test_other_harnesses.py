"""Go, JMH and pytest-benchmark: saved output of each, and the real harness where it is on this machine."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from perflab.harness.command import Commands
from perflab.harness.go import GoTest
from perflab.harness.interface import Ended
from perflab.harness.jmh import Jmh
from perflab.harness.pytest_benchmark import PytestBenchmark
from perflab.machine.spawner import Spawner
from perflab.model.errors import BenchError, LabError, UsageError
from perflab.run.harnessed import HarnessRun
from perflab.run.presets import PRESETS
from perflab.stats.metrics import fork_value
from perflab.store.records import Arm

if TYPE_CHECKING:
    from perflab.harness.interface import Harness
    from perflab.model.protocol import Sample

SAVED = Path(__file__).parents[1] / "fixtures" / "harness"
SMOKE = PRESETS["smoke"]
GO = """goos: linux
BenchmarkGet/n-8-PROCESSORS         \t  517174\t        39.0 ns/op\t 200.00 MB/s\t       8 B/op\t       1 allocs/op
BenchmarkGet/n-8-PROCESSORS         \t  558787\t        50.0 ns/op\t 100.00 MB/s\t       8 B/op\t       1 allocs/op
BenchmarkGet/n-8-PROCESSORS         \t     100\t        51.0 ns/op\t 100.00 MB/s\t       8 B/op\t       1 allocs/op
PASS
"""


def ended(output: bytes | str) -> Ended:
    return Ended(output if isinstance(output, bytes) else output.encode(), 1.0, {})


def real(harness: Harness, benchmark: str, prepared: str) -> list[Sample]:
    arm = Arm("one", "one", "yours")
    with Spawner() as spawner:
        run = HarnessRun(harness, {"one": (prepared, benchmark)}, Path.cwd(), spawner)
        return run.fork(arm, SMOKE, lambda _: None, None).samples


@pytest.mark.parametrize(
    ("text", "shell"),
    [
        ("sort -u words", False),
        ("awk !s[$0]++ words", False),
        ("awk '{print $1 | \"sort\"}' words", False),
        ('grep "a;b" words', False),
        ("a | b", True),
        ("a > out", True),
        ("a; b", True),
        ("a $HOME", True),
        ('a "$HOME"', True),
        ("a *.txt", True),
        ("A=1 a", True),
        ("a ~/words", True),
        ("a `b`", True),
    ],
)
def test_a_shell_runs_what_needs_one(text: str, shell: bool) -> None:
    assert (Commands().command(text, text, SMOKE)[0] == "/bin/sh") is shell


@pytest.mark.parametrize("processors", ["1", "16"])
def test_lines_of_go_are_samples(processors: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOMAXPROCS", processors)
    output = GO.replace("-PROCESSORS", "" if processors == "1" else f"-{processors}")
    samples = GoTest().samples(ended(output), "Get/n-8", SMOKE)
    assert [(one.ops, one.ns) for one in samples] == [(558787, pytest.approx(558787 * 50)), (100, pytest.approx(5100))]
    assert fork_value(samples, "counter:allocations/op") == pytest.approx(1)
    assert fork_value(samples, "counter:bytes/s") == pytest.approx(100e6)
    for other in ("", "PASS", "BenchmarkGet 3", output + "BenchmarkPut 3 4 ns/op", "BenchmarkGet/n-8 3 4 s/op"):
        with pytest.raises(BenchError):
            GoTest().samples(ended(other), "Get/n-8", SMOKE)


@pytest.mark.build
def test_the_real_go_is_read(tmp_path: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("no Go (Debian: apt install golang)")
    (tmp_path / "go.mod").write_text("module m\n\ngo 1.19\n")
    (tmp_path / "m.go").write_text("package m\n")
    with pytest.raises(UsageError, match="has no tests"):
        GoTest().prepare(str(tmp_path), tmp_path)
    (tmp_path / "m_test.go").write_text(
        'package m\n\nimport "testing"\n\nvar sink []byte\n\n'
        "func BenchmarkMake(b *testing.B) {\n"
        '\tb.Run("n-8", func(b *testing.B) { for i := 0; i < b.N; i++ { sink = make([]byte, 8) } })\n'
        '\tb.Run("n-9", func(b *testing.B) { for i := 0; i < b.N; i++ { sink = make([]byte, 9) } })\n}\n'
    )
    harness = GoTest()
    prepared = harness.prepare(str(tmp_path), tmp_path)
    assert harness.benchmarks(prepared) == ["Make/n-8", "Make/n-9"]
    samples = real(harness, "Make/n-8", prepared)
    assert len(samples) == SMOKE.samples
    assert fork_value(samples, "counter:allocated/op") == pytest.approx(8)


def test_iterations_of_jmh_are_samples() -> None:
    saved = (SAVED / "jmh-1.37.json").read_bytes()
    samples = Jmh().samples(ended(saved), "p.B.old", SMOKE)
    assert [one.ns / one.ops for one in samples] == pytest.approx([679.2554853004756, 649.9273434591139])
    assert fork_value(samples, "counter:allocated/op") > 0
    older = saved.replace(b'"gc.alloc', '"\N{MIDDLE DOT}gc.alloc'.encode())
    assert Jmh().samples(ended(older), "p.B.old", SMOKE) == samples
    (result,) = msgspec.json.decode(saved)
    result["primaryMetric"]["rawData"] = [["NaN"]]
    bad = {
        "printed no result": b" ",
        "no JSON of JMH": saved[:-20],
        "gave 2 results": msgspec.json.encode([*msgspec.json.decode(saved) * 2]),
        "ops/s where": saved.replace(b"ns/op", b"ops/s"),
        "gives nan": msgspec.json.encode([result]),
    }
    for says, output in bad.items():
        with pytest.raises(BenchError, match=says):
            Jmh().samples(ended(output), "p.B.old", SMOKE)


def test_a_jar_that_is_not_there_is_named() -> None:
    if shutil.which("java") is None:
        pytest.skip("no Java")
    with pytest.raises(LabError, match=r"no-such\.jar"):
        Jmh().benchmarks("no-such.jar")


def test_rounds_of_pytest_benchmark_are_samples() -> None:
    saved = (SAVED / "pytest-benchmark-5.3.1.json").read_bytes()
    samples = PytestBenchmark().samples(ended(saved), "py/test_b.py::test_plus", SMOKE)
    assert [one.ns / one.ops for one in samples] == pytest.approx([1511.7259399994508, 1471.4848500079826])
    for output in (b"", saved[:-20], b"{}", b'{"benchmarks": []}'):
        with pytest.raises(BenchError):
            PytestBenchmark().samples(ended(output), "any", SMOKE)


@pytest.mark.build
def test_the_real_pytest_benchmark_is_read(tmp_path: Path) -> None:
    if subprocess.run(["python3", "-c", "import pytest_benchmark"], capture_output=True, check=False).returncode:  # noqa: S607
        pytest.skip("no pytest-benchmark for python3 (pip install pytest-benchmark)")
    file = tmp_path / "test_it.py"
    file.write_text("def test_one(benchmark):\n    benchmark(sorted, [3, 1, 2])\n\n\ndef test_none():\n    pass\n")
    names = PytestBenchmark().benchmarks(str(file))
    assert [name.partition("::")[2] for name in names] == ["test_one", "test_none"]
    assert len(real(PytestBenchmark(), f"{file}::test_one", str(file))) == SMOKE.samples
    with pytest.raises(BenchError, match="gave no result"):
        real(PytestBenchmark(), f"{file}::test_none", str(file))
