"""Google Benchmark: what it prints is read as it means it, and what is wrong with it is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from googlebenchmark import compiled
from names import NAMES

from perflab.bench.gbench import GoogleBenchmark
from perflab.bench.interface import Ended, choose
from perflab.host.spawner import Spawner
from perflab.measure.harnessed import PreparedBench
from perflab.measure.presets import PRESETS
from perflab.model.errors import BenchError, LabError, UsageError
from perflab.stats.metrics import fork_value
from perflab.store.records import Arm

if TYPE_CHECKING:
    from perflab.measure.fork import Fork

HERE = Path(__file__).parents[1] / "fixtures" / "harness"
PROGRAM = str(HERE / "gbench")
SMOKE = PRESETS["smoke"]


def fork(benchmark: str, program: str = PROGRAM) -> Fork:
    arm = Arm(benchmark, "any", "yours")
    with Spawner() as spawner:
        run = PreparedBench(GoogleBenchmark(), {"any": (program, benchmark)}, Path.cwd(), spawner)
        return run.fork(arm, SMOKE, lambda _: None, None)


def test_samples_are_the_last_repetitions_in_nanoseconds() -> None:
    done = fork("List")
    # A repetition of warm-up, then two samples, of a time that grows by a tenth of a microsecond each.
    assert [one.ns / one.ops for one in done.samples] == pytest.approx([10_100, 10_200])
    assert fork_value(done.samples, "counter:cpu-ns/op") == pytest.approx(5_000)


def test_a_rate_is_the_one_that_the_harness_prints() -> None:
    saved = (HERE / "gbench-1.7.1.json").read_bytes()
    samples = GoogleBenchmark().samples(Ended(b"", 1.0, {}, saved), "BM_Vector", SMOKE)
    assert [one.i for one in samples] == [0, 1]
    assert fork_value(samples[-1:], "time") == pytest.approx(1014.2627999812249)
    assert fork_value(samples[-1:], "counter:items/s") == pytest.approx(9.9122724241374123e8)
    assert fork_value(samples[-1:], "counter:bytes/s") == pytest.approx(3.9649089696549649e9)
    assert fork_value(samples[-1:], "counter:hits/op") == pytest.approx(3)


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("Get/8", True),
        ("Get/process_time", True),
        ("Get/8/threads:1", True),
        ("Get/real_time", False),
        ("Get/8/process_time/real_time/threads:1", False),
        ("Get/manual_time", False),
        ("Get/threads:12", False),
    ],
)
def test_cpu_time_is_that_of_what_is_timed_by_one_thread(name: str, own: bool) -> None:
    saved = (HERE / "gbench-1.7.1.json").read_text().replace("BM_Vector", name).encode()
    harness = GoogleBenchmark()
    (one, _) = harness.samples(Ended(b"", 1.0, {}, saved), name, SMOKE)
    assert (harness.cpu.removeprefix("counter:").removesuffix("/op") in one.counters) is own


def test_what_the_program_prints_is_passed_over() -> None:
    assert len(fork("Chatty").samples) == SMOKE.samples


@pytest.mark.parametrize(
    ("benchmark", "says"),
    [
        ("Nothing", "the program wrote no result (run it by hand)"),
        ("Half", "the JSON is cut short or broken"),
        ("Newer", "schema 2, 1 is read"),
        ("NaN", "gives nan for nanoseconds of sample 0"),
        ("NoNumbers", "no JSON of Google Benchmark"),
        ("OtherUnit", "times in 'fortnights'"),
        ("GivesUp", "GivesUp gave up: no input"),
        ("Aggregates", "Aggregates gives aggregates only"),
        ("Others", "2 benchmarks ran where Others was asked for"),
        ("Fails", "ended with status 1 (log: the cache is cold)"),
        ("Crashes", "ended by SIGSEGV"),
        ("Flood", "more than 32 MiB"),
    ],
)
def test_bad_output_is_named_in_one_line(benchmark: str, says: str) -> None:
    with pytest.raises(BenchError) as caught:
        fork(benchmark)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


ROW = """{"benchmarks": [{
  "name": "Kinds", "run_name": "Kinds", "run_type": "iteration", "iterations": 4, "real_time": 5e8, "cpu_time": 5.0e8,
  "time_unit": "ns", "allocations": 3.0, "bytes": 6.4e+7, "bytes_per_second": 2.0, "cpu": -5.0e-1, "each": 1.0e-9,
  "hit rate": 2.0e-9, "hit-rate": NaN, "iterations": 7.0, "items": 6.4e+1, "max_bytes_used": Infinity, "time": 1.0,
  "\u00e4": 2.0, "allocs_per_iter": 9.0, "max_bytes_used": 8, "label": "bytes=3"}]}"""
CONSOLE = (
    "{ items=4\nKinds 500000000 ns 500000000 ns 4 allocations=3 bytes=64M/s bytes_per_second=2/s cpu=-0.5 each=1ns "
    "hit rate=2n hit-rate=nan iterations=7 items=64 max_bytes_used=inf time=1 \u00e4=2 bytes=3\n"
)


def test_a_counter_is_a_metric_of_its_own_name_and_kind() -> None:
    # As 1.9.5 writes it.
    harness = GoogleBenchmark()
    samples = harness.samples(Ended(CONSOLE.encode(), 1.0, {}, ROW.encode()), "Kinds", SMOKE)
    own = {name: (fork_value(samples, one.of), one.unit, one.better) for name, one in harness.reports.items()
           if name not in {"hit-rate-2", "max_bytes_used"}}  # fmt: skip
    assert own == {
        "counter-bytes": (pytest.approx(6.4e7), "/s", "higher"),
        "counter-cpu": (-0.5, "", None),
        "each": (1e-9, "s", "lower"),
        "hit-rate": (2e-9, "", None),
        "iterations": (7, "", None),
        "counter-items": (64, "", None),
        "counter-time": (1, "", None),
        "counter": (2, "", None),
    }
    built_in = {one.name: fork_value(samples, one.of) for one in harness.scenario.metrics if one.name != "items"}
    assert built_in == {"cpu": 5e8, "bytes": pytest.approx(2), "allocations": 3, "allocations-with-setup": 9}
    # Neither what is no number, nor `items_per_second`, which nobody set.
    assert not {"hit-rate-2", "max_bytes_used", "items"} & {*samples[0].counters}


def test_without_the_console_a_counter_has_no_direction() -> None:
    harness = GoogleBenchmark()
    samples = harness.samples(Ended(b"my own table", 1.0, {}, ROW.encode()), "Kinds", SMOKE)
    assert fork_value(samples, harness.reports["counter-bytes"].of) == pytest.approx(6.4e7)
    assert {one.better for one in harness.reports.values()} == {None}


def test_one_name_for_two_kinds_of_counters_is_two_metrics() -> None:
    harness = GoogleBenchmark()
    for console in (CONSOLE, CONSOLE.replace("bytes=64M/s", "bytes=64M")):
        harness.samples(Ended(console.encode(), 1.0, {}, ROW.encode()), "Kinds", SMOKE)
    assert [harness.reports[name].unit for name in ("counter-bytes", "counter-bytes-2")] == ["/s", ""]


def test_a_total_of_a_repetition_is_no_figure() -> None:
    harness = GoogleBenchmark()
    longer = ROW.replace('"iterations": 4,', '"iterations": 40,').replace('"allocations": 3.0', '"allocations": 30.0')
    for result, named in ((ROW, True), (longer, False), (ROW, False)):
        (one,) = harness.samples(Ended(CONSOLE.encode(), 1.0, {}, result.encode()), "Kinds", SMOKE)
        assert ("allocations" in one.counters) is named
        assert {"counter-items", "counter-bytes"} < {*one.counters}


def test_what_the_library_always_says_is_no_reason(tmp_path: Path) -> None:
    program = tmp_path / "bench"
    # As 1.9.5 says it.
    said = (
        r"2026-11-29T02:25:19+00:00\nRunning ./bench\nRun on (2 X 2596 MHz CPU s)\nCPU Caches:\n  L1 Data 32 KiB (x2)\n"
        r"Load Average: 1.84, 2.07\n***WARNING*** ASLR is enabled, the results may be noisy.\n"
        r"-- LOG(0): Value passed to --benchmark_min_time should have a suffix. Eg., `30s` for 30-seconds."
    )
    for last, log in (("no input file", "log: no input file"), ("", "run it by hand")):
        program.write_text(f"#!/bin/sh\nprintf '{said}{last}' >&2\nexit 3\n")
        program.chmod(0o755)
        with pytest.raises(BenchError) as caught:
            fork("any", str(program))
        assert str(caught.value) == f"the process ended with status 3 ({log})"


@pytest.mark.parametrize("output", [b"{}", b"[]", b'{"benchmarks": 3}', b'{"benchmarks": [3]}', b'{"benchmarks": []}'])
def test_other_json_is_refused(output: bytes) -> None:
    with pytest.raises(BenchError):
        GoogleBenchmark().samples(Ended(b"", 1.0, {}, output), "List", SMOKE)


def test_a_filter_fits_the_whole_name_and_nothing_else() -> None:
    command = GoogleBenchmark().command("./b", "Get<int>/8(x)", SMOKE)
    assert r"--benchmark_filter=^Get<int>/8\(x\)$" in command
    # POSIX knows no escape of the closing ones.
    assert r"--benchmark_filter=^\[a]\{1}$" in GoogleBenchmark().command("./b", "[a]{1}", SMOKE)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("List", "List"),
        ("Get/8", "Get/8"),
        ("Put", "Put<int>"),
        ("old", "a.B.old"),
        ("C", "a.C.get"),
        ("D.at", "a.D.at/n=1"),
    ],
)
def test_a_name_may_be_short_if_it_is_the_only_one(name: str, found: str) -> None:
    assert (
        choose(name, ["List", "Get/8", "Get/64", "Put<int>", "a.B.old", "a.B.older", "a.C.get", "a.D.at/n=1"], "./b")
        == found
    )


@pytest.mark.parametrize(
    ("name", "says"),
    [("Get", "2 benchmarks of ./b are called 'Get'"), ("Lst", "did you mean 'List'"), ("Get/{n}", "--over n=")],
)
def test_a_name_that_means_none_or_two_is_refused(name: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        choose(name, ["List", "Get/8", "Get/64"], "./b")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ([], "./b lists no benchmark"),
        (["Get/8", "Get/64"], "'Get/{n}' --over n=8,64"),
        (["p.B.Get/size=8", "p.B.Get/size=64"], "'Get/size={size}' --over size=8,64"),
        (["p.Get.all/size=8", "p.Get.all/size=64"], "'Get.all/size={size}' --over size=8,64"),
        (["Get/size:8", "Get/size:64"], "'Get/size:{size}' --over size=8,64"),
        (["Get/8", "Get/x"], "name one: Get/8, Get/x)"),
    ],
)
def test_of_several_it_is_said_how_to_name_them(names: list[str], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        choose("Get", names, "./b")
    assert says in str(caught.value)
    with pytest.raises(UsageError) as caught:
        choose("Get", names, "./b", alone=True)
    assert "--over" not in str(caught.value)


@pytest.mark.parametrize("program", ["/no/such/program", "/bin/false"])
def test_a_program_that_cannot_list_its_benchmarks_is_named(program: str) -> None:
    with pytest.raises(LabError, match=program):
        GoogleBenchmark().benchmarks(program)


SOURCE = """
#include <benchmark/benchmark.h>
static void Sum(benchmark::State& state) {
  for (auto _ : state) for (int i = 0; i < state.range(0); ++i) benchmark::DoNotOptimize(i);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Sum)->Arg(8)->Arg(64);
BENCHMARK_MAIN();
"""


@pytest.mark.build
def test_the_real_harness_is_read(tmp_path: Path) -> None:
    program = compiled(SOURCE, tmp_path)
    assert GoogleBenchmark().benchmarks(program) == ["Sum/8", "Sum/64"]
    done = fork("Sum/64", program)
    assert len(done.samples) == SMOKE.samples
    assert fork_value(done.samples, "counter:items/s") > 0


NAMED = """
#include <benchmark/benchmark.h>
int main(int argc, char** argv) {
  const char* names[] = {NAMES};
  int number = 0;
  for (const char* name : names) {
    benchmark::RegisterBenchmark(name, [number](benchmark::State& state) {
      for (auto _ : state) {}
      state.counters["number"] = number;
      state.counters["loops"] = benchmark::Counter(double(state.iterations()), benchmark::Counter::kIsRate);
    });
    ++number;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
"""


@pytest.mark.build
def test_names_are_the_harness_s_own(tmp_path: Path) -> None:
    names = [*NAMES, "twice", "twice"]
    literals = ", ".join(json.dumps(name, ensure_ascii=False) for name in names)
    program = compiled(NAMED.replace("NAMES", literals), tmp_path)
    assert GoogleBenchmark().benchmarks(program) == names
    ran = [fork_value(fork(name, program).samples, "counter:number/op") for name in NAMES]
    assert ran == [pytest.approx(number) for number in range(len(NAMES))]
    assert fork_value(fork(NAMES[0], program).samples, "counter:loops/s") > 1000
