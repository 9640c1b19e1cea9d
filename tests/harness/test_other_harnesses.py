"""Go, JMH, pytest-benchmark and others: saved output of each, and the real harness where it is on this machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from harnesses import SAVED, SMOKE, ended, real
from names import NAMES

from perflab.bench.criterion import Criterion
from perflab.bench.dotnet import BenchmarkDotNet
from perflab.bench.go import GoTest
from perflab.bench.interface import choose
from perflab.bench.pyperf import PyPerf
from perflab.bench.pytest_benchmark import PytestBenchmark
from perflab.measure.harnessed import describe_bench
from perflab.model.errors import BenchError, MissingError, UsageError
from perflab.model.project import SavedBench
from perflab.stats.metrics import fork_value

GO = """goos: linux
BenchmarkGet/n-8-PROCESSORS         \t  517174\t        39.0 ns/op\t 200.00 MB/s\t       8 B/op\t       1 allocs/op
BenchmarkGet/n-8-PROCESSORS         \t  558787\t        50.0 ns/op\t 100.00 MB/s\t       8 B/op\t       1 allocs/op
BenchmarkGet/n-8-PROCESSORS         \t     100\t        51.0 ns/op\t 100.00 MB/s\t       8 B/op\t       1 allocs/op
PASS
"""


@pytest.mark.parametrize("processors", ["", "-16"])
@pytest.mark.parametrize("log", ["", "12:00 started in 42 ms\nhalf a line of 9"])
def test_lines_of_go_are_samples(processors: str, log: str) -> None:
    output = GO.replace("-PROCESSORS", processors).replace("\t  517174", f"\t{log}  517174")
    samples = GoTest().samples(ended(output + output.replace("n-8", "n-8/4")), "Get/n-8", SMOKE)
    assert [(one.ops, one.ns) for one in samples] == [(558787, pytest.approx(558787 * 50)), (100, pytest.approx(5100))]
    assert fork_value(samples, "counter:allocations/op") == pytest.approx(1)
    assert fork_value(samples, "counter:bytes/s") == pytest.approx(100e6)
    for other in ("", "PASS", "BenchmarkGet/n-8 \t 3", "BenchmarkGet/n-8 \t 3 \t 4 s/op", GO.replace("Get", "Put")):
        with pytest.raises(BenchError):
            GoTest().samples(ended(other), "Get/n-8", SMOKE)


def test_go_prints_whole_numbers_and_none_of_some_bytes_is_not_none() -> None:
    printed = GO.replace("8 B/op", "5 B/op").replace("1 allocs/op", "0 allocs/op").replace("-PROCESSORS", "")
    samples = GoTest().samples(ended(printed), "Get/n-8", SMOKE)
    assert [set(one.counters) for one in samples] == [{"ns", "allocated", "bytes"}] * len(samples)


def test_what_a_benchmark_of_go_reports_is_a_metric() -> None:
    printed = (
        "BenchmarkGet-2 \t 100\t 50.0 ns/op\t 7.000 ns/event\t 1000 events/s\t 0.5 hit-rate\t 9 %\t NaN lost/op\n"
        "BenchmarkGet-2 \t 300\t 50.0 ns/op\t 7.000 ns/event\t 3000 events/s\t 0.7 hit-rate\t 9 %\t 1.0 lost/op\n"
    )
    for timed in (True, False):
        harness = GoTest()
        samples = harness.samples(ended(printed if timed else printed.replace("\t 50.0 ns/op", "")), "Get", SMOKE)
        assert {name: (one.unit, one.better) for name, one in harness.reports.items()} == {
            "ns-event": ("ns/event", "lower"),
            "events-s": ("events/s", "higher"),
            "hit-rate": ("hit-rate", None),
            "figure": ("%", None),
            "lost-op": ("lost/op", None),
        }
        values = {name: fork_value(samples, one.of) for name, one in harness.reports.items() if name != "lost-op"}
        # Weighted by time or by iterations.
        rate = 2500 if timed else 2000
        assert values == pytest.approx({"ns-event": 7, "events-s": rate, "hit-rate": 0.65, "figure": 9})
        assert ("ns" in samples[0].counters) is timed


GO_FILE = """package m

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
)

var sink []byte

func TestMain(m *testing.M) {
	if n, err := strconv.Atoi(os.Getenv("PROCESSORS")); err == nil {
		runtime.GOMAXPROCS(n)
	}
	m.Run()
}

func makes(size int) func(*testing.B) {
	return func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			sink = make([]byte, size)
		}
	}
}

func BenchmarkFatal(b *testing.B) { b.Log("connecting"); b.Fatal("no database") }
func BenchmarkSkip(b *testing.B)  { b.Skip("not here") }
func BenchmarkMake(b *testing.B) {
	for _, name := range []string{NAMES} {
		b.Run(name, makes(8))
	}
	b.Run("exits", func(b *testing.B) {
		b.Run("x", makes(8))
		b.Run("now", func(*testing.B) { os.Exit(0) })
		b.Run("y", makes(8))
	})
	b.Run("large-2", makes(9))
}
func BenchmarkPanic(b *testing.B) { panic("no settings") }
func BenchmarkEvents(b *testing.B) {
	makes(8)(b)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(7, "ns/event")
}
func BenchmarkLogs(b *testing.B)  { fmt.Println("started in 42 ms"); makes(8)(b); fmt.Print("ended, 9") }
"""
"""With benchmarks that fail before others."""
GO_NAMES = {
    "n-8": "n-8",
    "4/4-2": "4/4-2",
    "a blank, a comma": "a_blank,_a_comma",
    "größe=1": "größe=1",
    '"q" [x/y] (z|w) {v}.*+?^$': '"q"_[x/y]_(z|w)_{v}.*+?^$',
    "-2": "-2",
    "tab\tx\u200b": "tab_x\\u200b",
    " n-8": "_n-8",
    "": "#00",
}
"""What Go makes of names; that of one which occurs twice is in the test."""
GO_BEHIND = ["Make/exits/y", "Make/large-2", "Events", "Logs"]
"""Benchmarks behind one that ends the process."""


@pytest.fixture(scope="module")
def go(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[GoTest, str]:
    if shutil.which("go") is None:
        pytest.skip("no Go (Debian: apt install golang)")
    folder = tmp_path_factory.mktemp("go")
    (folder / "go.mod").write_text("module m\n\ngo 1.18\n")
    (folder / "m.go").write_text("package m\n")
    with pytest.MonkeyPatch.context() as patch:
        if version := getattr(request, "param", None):
            patch.setenv("GOTOOLCHAIN", f"go{version}")
        with pytest.raises(UsageError, match="has no tests"):
            GoTest().prepare(str(folder), folder)
        names = ", ".join(map(json.dumps, (*GO_NAMES, "n-8")))
        (folder / "m_test.go").write_text(GO_FILE.replace("NAMES", names))
        harness = GoTest()
        return harness, harness.prepare(str(folder), folder)


@pytest.mark.build
@pytest.mark.long
@pytest.mark.parametrize("go", ["1.18.10", "1.20.14", "1.26.0"], indirect=True)
def test_go_is_read_of_each_version(go: tuple[GoTest, str]) -> None:
    harness, prepared = go
    names = harness.benchmarks(prepared)
    assert names[: len(GO_NAMES) + 1] == [f"Make/{one}" for one in (*GO_NAMES.values(), "n-8#01")]
    behind = names[len(GO_NAMES) + 2 :]
    # Without -test.skip nothing is known of what stands behind the first that ends the process.
    assert behind == ([] if "what stands behind Make/exits/now" in harness.left_out else GO_BEHIND)
    assert set(harness.left_out) >= {"Fatal", "Skip", "Make/exits/now"}
    for name in ("Make/n-8", "Make/n-8#01", *behind):
        assert len(real(harness, name, prepared)) == SMOKE.samples


@pytest.mark.build
@pytest.mark.parametrize("processors", ["1", "2", "8"])
def test_the_real_go_is_read(
    go: tuple[GoTest, str], processors: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROCESSORS", processors)
    harness, prepared = go
    made = [f"Make/{one}" for one in (*GO_NAMES.values(), "n-8#01")]
    assert harness.benchmarks(prepared) == [*made, "Make/exits/x", *GO_BEHIND]
    assert harness.left_out == {
        "Fatal": "m_test.go:28: no database",
        "Skip": "m_test.go:29: not here",
        "Make/exits/now": "it ends the process with status 0",
        "Panic": "panic: no settings",
    }
    for name in (*made, "Logs") if processors == "8" else made[:2]:
        samples = real(harness, name, prepared)
        assert len(samples) == SMOKE.samples
        assert fork_value(samples, "counter:allocated/op") == pytest.approx(8)
    assert fork_value(real(harness, "Events", prepared), harness.reports["ns-event"].of) == pytest.approx(7)
    with pytest.raises(BenchError, match="ended with status 1") as failed:
        real(harness, "Fatal", prepared)
    assert "m_test.go:28: no database" in failed.value.hint
    copy = str(shutil.copy(prepared, tmp_path / "copy"))
    harness.stand_in(copy, prepared)
    assert len(real(harness, "Make/n-8", copy)) == SMOKE.samples


@pytest.mark.build
def test_a_go_package_whose_set_up_fails_says_why(go: tuple[GoTest, str], tmp_path: Path) -> None:  # noqa: ARG001 - skips
    (tmp_path / "go.mod").write_text("module m\n\ngo 1.20\n")
    (tmp_path / "m_test.go").write_text('package m\n\nfunc init() { panic("no settings") }\n')
    harness = GoTest()
    with pytest.raises(BenchError, match="cannot run: panic: no settings"):
        harness.benchmarks(harness.prepare(str(tmp_path), tmp_path))


@pytest.mark.build
@pytest.mark.long
def test_a_benchmark_of_go_that_does_not_end_is_left_out(
    go: tuple[GoTest, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del go  # it skips without Go
    monkeypatch.setattr("perflab.bench.go._PATIENCE_S", 5)
    (tmp_path / "go.mod").write_text("module m\n\ngo 1.20\n")
    (tmp_path / "m_test.go").write_text(
        'package m\n\nimport ("testing"; "time")\n\nfunc BenchmarkSlow(b *testing.B) { time.Sleep(3 * time.Second) }\n'
        "func BenchmarkSlower(b *testing.B) { time.Sleep(3 * time.Second) }\n"
        "func BenchmarkHangs(b *testing.B) { time.Sleep(time.Hour) }\nfunc BenchmarkQuick(b *testing.B) {}\n"
    )
    harness = GoTest()
    assert harness.benchmarks(harness.prepare(str(tmp_path), tmp_path)) == ["Slow", "Slower", "Quick"]
    assert harness.left_out == {"Hangs": "it does not end within 5 s"}


def test_rounds_of_pytest_benchmark_are_samples() -> None:
    saved = (SAVED / "pytest-benchmark-5.3.1.json").read_bytes()
    samples = PytestBenchmark().samples(ended(saved), "py/test_b.py::test_plus", SMOKE)
    assert [one.ns / one.ops for one in samples] == pytest.approx([1511.7259399994508, 1471.4848500079826])
    for output in (b"", saved[:-20], b"{}", b'{"benchmarks": []}'):
        with pytest.raises(BenchError):
            PytestBenchmark().samples(ended(output), "any", SMOKE)


@pytest.mark.parametrize(
    "said", ["pytest: error: unrecognized arguments: --benchmark-disable", "/usr/bin/python3: No module named pytest"]
)
def test_without_its_plugin_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    (tmp_path / "python3").write_text(f"#!/bin/sh\necho '{said}' >&2; exit 1\n")
    (tmp_path / "python3").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(MissingError, match="no pytest-benchmark"):
        PytestBenchmark().benchmarks("test_b.py")


CRITERION = b'{"sampling_mode":"Linear","iters":[10.0,20.0],"times":[100.0,240.0]}\n'


def test_samples_of_criterion_are_samples() -> None:
    samples = Criterion().samples(ended(CRITERION + b"sum  time:   [9.9 ns 11.0 ns 12.1 ns]\n"), "sum/of ten", SMOKE)
    assert [(one.ops, one.ns) for one in samples] == [(10, 100), (20, 240)]
    for output in (b"", CRITERION[:-3], CRITERION * 2, b'{"iters":[1.0],"times":[]}', b'{"iters":[0.0],"times":[1.0]}'):
        with pytest.raises(BenchError):
            Criterion().samples(ended(output), "any", SMOKE)


@pytest.mark.parametrize("said", ["", "time: [9.9 cycles 11.0 cycles 12.1 cycles]", "time: [9.9 ms 11.0 ms 12.1 ms]"])
def test_another_measurement_of_criterion_is_refused(said: str) -> None:
    with pytest.raises(BenchError, match=r"sum is not measured in (time|nanoseconds)"):
        Criterion().samples(ended(CRITERION + said.encode()), "sum", SMOKE)


CRITERION_BENCH = """
use criterion::{criterion_group, criterion_main, Criterion};

fn named(criterion: &mut Criterion) {
    assert!(std::path::Path::new("benches/named.rs").is_file(), "cargo starts it here");
    for name in [NAMES] {
        criterion.bench_function(name, |b| b.iter(|| (0..std::hint::black_box(10u64)).sum::<u64>()));
    }
}

criterion_group!(benches, named);
criterion_main!(benches);
"""


def crate(folder: Path, version: str, names: list[str], more: str = "") -> Path:
    """Write a crate with benchmarks of these names beside bench targets that are not criterion's or do not compile."""
    made = shutil.copytree(SAVED / "crate", folder / "crate")
    listed = "".join(f'\n[[bench]]\nname = "{name}"\nharness = false\n' for name in ("named", "own", "broken"))
    manifest = (
        (made / "Cargo.toml").read_text().replace('"0.8"', f'"{version}"').replace("\n[[bench]]", f"{more}\n[[bench]]")
    )
    (made / "Cargo.toml").write_text(manifest + listed)
    literals = ", ".join(json.dumps(name, ensure_ascii=False) for name in names)
    (made / "benches" / "named.rs").write_text(CRITERION_BENCH.replace("NAMES", literals))
    (made / "benches" / "own.rs").write_text('fn main() { std::fs::write("ran", "").unwrap(); }\n')
    (made / "benches" / "broken.rs").write_text("fn main() { missing }\n")
    return made


@pytest.mark.build
def test_the_real_criterion_is_read(tmp_path: Path) -> None:
    long = "long " * 30
    made = crate(tmp_path, "0.8", [*NAMES, long, "sum/of ten", "twice", "twice"])
    harness = Criterion()
    prepared = harness.prepare(str(made), tmp_path)
    assert (set(harness.left_out), (made / "ran").exists()) == ({"own", "broken"}, False)
    assert "does not compile: error[E0425]: cannot find value `missing`" in harness.left_out["broken"]
    known = harness.benchmarks(prepared)
    assert [*known[: len(NAMES)], *known[-4:]] == [*NAMES, "twice", "twice", "sums::sum/of ten", "sum/of twenty"]
    assert choose("of twenty", known, "crate") == "sum/of twenty"
    for name in (*NAMES, known[len(NAMES)], "sums::sum/of ten"):
        samples = real(harness, name, prepared)
        assert len(samples) == 10, name
        assert all(one.ops >= 1 for one in samples), name
    with pytest.raises(UsageError, match=r"no Cargo\.toml"):
        Criterion().prepare(str(tmp_path), tmp_path)


@pytest.mark.build
@pytest.mark.long
@pytest.mark.parametrize("version", ["=0.3.3", "=0.4.0"])
def test_older_versions_of_criterion_are_read(version: str, tmp_path: Path) -> None:
    # The oldest crate regex that this criterion takes refuses escapes that it does not need.
    made = crate(tmp_path, version, NAMES, 'regex = "=1.7.3"\n')
    harness = Criterion()
    prepared = harness.prepare(str(made), tmp_path)
    for name in NAMES[::4]:
        assert len(real(harness, name, prepared)) == 10, name


def test_a_crate_with_a_criterion_that_is_too_old_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = b'{"reason":"compiler-artifact","package_id":"x#criterion@0.3.2","target":{"name":"criterion"}}'
    done = subprocess.CompletedProcess[bytes]([], 0, lines, b"")
    monkeypatch.setattr("perflab.bench.cargo.completed", lambda *_, **__: done)
    monkeypatch.setattr("perflab.bench.cargo.lines_of", lambda *_, **__: ['{"packages": []}'])
    with pytest.raises(UsageError, match=r"older than 0\.3\.3"):
        Criterion().prepare(str(SAVED / "crate"), SAVED)


def test_values_of_pyperf_are_samples() -> None:
    saved = (SAVED / "pyperf-2.10.0.json").read_bytes()
    samples = PyPerf().samples(ended(saved), "sorted", SMOKE)
    assert [one.ops for one in samples] == [64, 64]
    assert all(100 < one.ns / one.ops < 1e6 for one in samples)
    other = saved.replace(b'"second"', b'"byte"')
    for output in (b"", saved[:-20], b"{}", b'{"benchmarks": []}', other):
        with pytest.raises(BenchError):
            PyPerf().samples(ended(output), "sorted", SMOKE)


def test_counts_that_are_none_are_an_error_of_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BenchError, match="no results of BenchmarkSum"):
        GoTest().samples(ended(b"BenchmarkSum-2 " + b"1" * 5_000 + b" 2.0 ns/op\n"), "BenchmarkSum", SMOKE)
    told = '{"benchmarks": [{"metadata": {"loops": "many"}, "runs": [{"values": [1.0]}]}]}'
    with pytest.raises(BenchError, match="no number of loops"):
        PyPerf().samples(ended(told.encode()), "sum", SMOKE)
    harness = PyPerf()
    monkeypatch.setattr(harness, "_tasks", {"sum.py": ["sum"]})
    monkeypatch.setattr("perflab.bench.pyperf.lines_of", lambda _: [told])
    with pytest.raises(BenchError, match="no number of calibrate_loops"):
        harness.command("sum.py", "sum", SMOKE)


def test_iterations_of_benchmarkdotnet_are_samples() -> None:
    saved = (SAVED / "benchmarkdotnet-report-full.json").read_bytes()
    samples = BenchmarkDotNet().samples(ended(b"\xef\xbb\xbf" + saved), "Mine.Caches.Old", SMOKE)
    assert [one.ns / one.ops for one in samples] == [12, 13]
    assert fork_value(samples, "counter:allocated/op") == 24
    assert "DontRemove" in BenchmarkDotNet().command("any.dll", "Mine.Caches.Old", SMOKE)
    # 0.15.8: one result has empty texts for what cannot be computed; without a diagnoser there is no memory.
    odd = saved.replace(b'"Mean": 12.5', b'"Mean": 12.5, "Skewness": "", "ConfidenceInterval": {"Level": 12}')
    odd = re.sub(rb'"Memory": {[^}]*}', b'"Memory": null', odd)
    assert [one.counters for one in BenchmarkDotNet().samples(ended(odd), "any", SMOKE)] == [{}, {}]
    nothing = saved.replace(b'Operation": 24', b'Operation": 0')
    assert fork_value(BenchmarkDotNet().samples(ended(nothing), "", SMOKE), "counter:allocated/op") == 0
    for output in (b"", saved[:-20], b"{}", b'{"Benchmarks": []}', saved.replace(b"24000", b'"NaN"')):
        with pytest.raises(BenchError):
            BenchmarkDotNet().samples(ended(output), "any", SMOKE)


def test_two_builds_may_be_named_before_the_harness(tmp_path: Path) -> None:
    builds = [str(tmp_path / "main"), str(tmp_path / "branch")]
    for one in builds:
        Path(one).touch()
    swapped = describe_bench(SavedBench(builds, "gbench", ["Get"]), "mine", tmp_path)
    assert [one.description for one in swapped.variants] == builds
    misspelt = describe_bench(SavedBench([builds[0], f"{builds[1]}h"], "gbench", ["Get"]), "mine", tmp_path)
    assert [one.description for one in misspelt.variants] == [builds[0], f"{builds[1]}h"]
    usual = describe_bench(SavedBench(["Get", "Put"], "gbench", builds[:1]), "mine", tmp_path)
    assert [one.name for one in usual.variants] == ["Get", "Put"]
