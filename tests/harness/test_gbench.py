"""Google Benchmark: what it prints is read as it means it, and what is wrong with it is named."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from googlebenchmark import compiled

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
    samples = GoogleBenchmark().samples(Ended(saved, 1.0, {}), "BM_Vector", SMOKE)
    assert [one.i for one in samples] == [0, 1]
    assert fork_value(samples[-1:], "time") == pytest.approx(1014.2627999812249)
    assert fork_value(samples[-1:], "counter:items/s") == pytest.approx(9.9122724241374123e8)
    assert fork_value(samples[-1:], "counter:bytes/s") == pytest.approx(3.9649089696549649e9)
    assert fork_value(samples[-1:], "counter:hits/op") == pytest.approx(3)


def test_what_is_printed_before_the_json_is_passed_over() -> None:
    assert len(fork("Chatty").samples) == SMOKE.samples


@pytest.mark.parametrize(
    ("benchmark", "says"),
    [
        ("Nothing", "the program printed nothing"),
        ("Half", "the JSON is cut short or broken"),
        ("Newer", "schema 2, 1 is read"),
        ("NaN", "gives nan for nanoseconds of sample 0"),
        ("NoNumbers", "no JSON of Google Benchmark"),
        ("NoRate", "cannot parse the output as that of Google Benchmark"),
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


@pytest.mark.parametrize("output", [b"{}", b"[]", b'{"benchmarks": 3}', b'{"benchmarks": [3]}', b'{"benchmarks": []}'])
def test_other_json_is_refused(output: bytes) -> None:
    with pytest.raises(BenchError):
        GoogleBenchmark().samples(Ended(output, 1.0, {}), "List", SMOKE)


def test_a_filter_fits_the_whole_name_and_nothing_else() -> None:
    command = GoogleBenchmark().command("./b", "Get<int>/8(x)", SMOKE)
    assert r"--benchmark_filter=^Get<int>/8\(x\)$" in command


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
