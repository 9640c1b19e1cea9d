"""Catch2: each benchmark has the name that sections give it, and a failing test case leaves out no other."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from googlebenchmark import CATCH2, compiled
from names import NAMES

from perflab.bench.catch2 import Catch2
from perflab.bench.interface import Ended, choose
from perflab.host.spawner import Spawner
from perflab.measure.harnessed import PreparedBench
from perflab.measure.presets import PRESETS
from perflab.model.errors import BenchError, LabError, UsageError
from perflab.store.records import Arm

if TYPE_CHECKING:
    from perflab.model.protocol import Sample

SAVED = (Path(__file__).parents[1] / "fixtures" / "harness" / "catch2-2.13.10.xml").read_text()
SMOKE = PRESETS["smoke"]
OK = '<OverallResult success="true"/>'
FAILED = '<OverallResult success="false"/>'


def written(xml: str) -> Ended:
    return Ended(b"", 1.0, {}, xml.encode())


def result(name: str, mean: str = '<mean value="100"/>') -> str:
    return f'<BenchmarkResults name="{name}" samples="20" iterations="3" clockResolution="20">{mean}</BenchmarkResults>'


def case(name: str, *inside: str, ends: str = OK) -> str:
    return f'<TestCase name="{name}">{"".join(inside)}{ends}</TestCase>'


def run_of(*cases: str) -> str:
    return f'<?xml version="1.0"?><Catch name="b">{"".join(cases)}</Catch>'


def program(folder: Path, xml: str, status: int = 0) -> str:
    """A program that always writes this to the file behind `-o`."""
    (folder / "xml").write_text(xml)
    (folder / "bench").write_text(f'#!/bin/sh\ncp "{folder}/xml" "$5"\nexit {status}\n')
    (folder / "bench").chmod(0o755)
    return str(folder / "bench")


def test_the_mean_is_a_sample() -> None:
    harness = Catch2()
    (small,) = harness.samples(written(SAVED), "sums, of [two] kinds/small", SMOKE)
    (large,) = harness.samples(written(SAVED), "sums, of [two] kinds/large", SMOKE)
    assert [small.ns / small.ops, large.ns / large.ops] == pytest.approx([284.999, 14923.8])
    assert small.ops % 20 == 0
    bad = {
        "wrote no result": "",
        "cut short or broken": SAVED[:-20],
        "ran 0 times": SAVED.replace('name="small"', 'name="tiny"'),
        "no number for iterations": SAVED.replace('iterations="', 'iterations="x'),
    }
    for says, output in bad.items():
        with pytest.raises(BenchError, match=says):
            harness.samples(written(output), "sums, of [two] kinds/small", SMOKE)


def test_a_process_has_as_many_samples_as_fit(tmp_path: Path) -> None:
    harness, quick = Catch2(), PRESETS["quick"]
    target = program(tmp_path, SAVED)
    assert harness.benchmarks(target) == ["sums, of [two] kinds/small", "sums, of [two] kinds/large"]
    long = harness.command(target, "sums, of [two] kinds/small", quick)
    assert long[1] == r'"sums\, of [two] kinds"'
    (number,) = (int(one.partition("=")[2]) for one in long if one.startswith("--benchmark-samples"))
    # The test case runs whole: its benchmarks share the length of a process.
    told = [one for name in harness.benchmarks(target) for one in harness.samples(written(SAVED), name, quick)]
    assert number * sum(one.ns for one in told) / 20 == pytest.approx(quick.sample_ms * quick.samples * 1e6, rel=0.01)


def test_an_interrupted_listing_does_not_make_a_process_long(tmp_path: Path) -> None:
    harness = Catch2()
    (benchmark,) = harness.benchmarks(target := program(tmp_path, run_of(case("sums", result("small")))))
    # 3 iterations of 100 ns are no sample: Catch2 takes a thousand steps of its clock at least.
    assert "--benchmark-samples=5000" in harness.command(target, benchmark, SMOKE)


def test_sections_are_part_of_the_name_and_what_nothing_tells_apart_is_refused(tmp_path: Path) -> None:
    large = f'<Section name="large">{result("insert")}<Section name="deep/er">{result("find")}</Section></Section>'
    small = f'<Section name="small">{result("insert")}</Section>'
    generated = case("scan", result("scan"), result("scan"))
    xml = run_of(case("map", large, small), generated)
    names = Catch2().benchmarks(program(tmp_path, xml))
    assert names == ["map/large/insert", "map/large/deep/er/find", "map/small/insert", "scan/scan", "scan/scan"]
    with pytest.raises(UsageError, match=r"2 benchmarks of \./b have the name 'scan/scan'"):
        choose("scan", names, "./b")
    with pytest.raises(BenchError, match="ran 2 times"):
        Catch2().samples(written(xml), "scan/scan", SMOKE)


@pytest.mark.parametrize(
    ("xml", "why"),
    [
        ("<Failure>\n no database \n</Failure>", "no database"),
        ("<Exception>\n no file \n</Exception>", "no file"),
        ('<Expression success="false" type="CHECK"><Original>\n 1 == 2 \n</Original></Expression>', "CHECK(1 == 2)"),
        ('<Expression success="false"><Exception>thrown</Exception></Expression>', "thrown"),
    ],
)
def test_a_test_case_that_fails_is_left_out_with_its_reason(tmp_path: Path, xml: str, why: str) -> None:
    codec = case("codec", result("old"), result("new"))
    whole = run_of(case("database", result("query"), xml, ends=FAILED), codec)
    harness = Catch2()
    assert harness.benchmarks(program(tmp_path, whole, status=1)) == ["codec/old", "codec/new"]
    assert harness.left_out == {"database": why}
    with pytest.raises(UsageError) as refused:
        choose("database/query", ["codec/old"], "./b", harness.left_out)
    assert refused.value.message == f"database cannot be measured: {why}"
    assert len(harness.samples(written(whole), "codec/old", SMOKE)) == 1
    for benchmark in ("database/query", "database/other"):
        with pytest.raises(BenchError) as caught:
            harness.samples(written(run_of(case("database", result("query"), xml, ends=FAILED))), benchmark, SMOKE)
        assert caught.value.message == f"database failed: {why}"
    with pytest.raises(BenchError, match="no benchmark that works: database: "):
        harness.benchmarks(program(tmp_path, run_of(case("database", xml, ends=FAILED))))


def test_what_throws_is_skipped_or_may_fail_concerns_no_other(tmp_path: Path) -> None:
    wrong = '<Expression success="false" type="CHECK"><Original>1 == 2</Original></Expression>'
    # As 2.13.10 writes a failed assertion within a benchmark: what follows is within, too.
    unclosed = f'<TestCase name="within">{result("ok")}<BenchmarkResults name="t">{wrong}{FAILED}</BenchmarkResults>'
    xml = run_of(
        case("throws", result("t", '<failed message="boom"/>'), result("after")),
        case("skipped", "<Skip>\n no card \n</Skip>"),
        case("may fail", result("ok"), wrong),
        unclosed + case("last", result("ok")) + "</TestCase>",
    )
    harness = Catch2()
    assert harness.benchmarks(program(tmp_path, xml)) == ["throws/after", "may fail/ok", "last/ok"]
    assert harness.left_out == {"throws/t": "boom", "skipped": "no card", "within": "CHECK(1 == 2)"}
    assert len(harness.samples(written(xml), "last/ok", SMOKE)) == 1


@pytest.mark.parametrize("other", ["/bin/true", "/bin/ls", "/no/such/program"])
def test_another_program_is_named(other: str) -> None:
    with pytest.raises(LabError, match=other):
        Catch2().benchmarks(other)


SOURCE = """
#include <csignal>
#include <cstdio>
static int spin(int n) { volatile int x = 0; for (int i = 0; i < n; ++i) x = x + i; return x; }
TEST_CASE("map", "[!benchmark]") {
  std::printf("<?xml printed>");
  SECTION("large") { BENCHMARK("insert") { return spin(2000); }; }
  SECTION("small") { BENCHMARK("insert") { return spin(20); }; }
}
TEST_CASE("fails", "[!benchmark]") { BENCHMARK("query") { return spin(20); }; FAIL("no database"); }
TEST_CASE("crashes, [hard]", "[!benchmark]") { std::raise(SIGSEGV); }
TEST_CASE("leaves", "[!benchmark]") { std::_Exit(7); }
"""


def real(harness: Catch2, target: str, benchmark: str) -> Sample:
    with Spawner() as spawner:
        run = PreparedBench(harness, {"one": (target, benchmark)}, Path.cwd(), spawner)
        (one,) = run.fork(Arm("one", "one", "yours"), SMOKE).samples
    return one


@pytest.mark.build
def test_names_are_the_harness_s_own(tmp_path: Path) -> None:
    literals = [json.dumps(name, ensure_ascii=False) for name in NAMES]
    each = [f'TEST_CASE({name}, "[!benchmark]") {{ BENCHMARK({name}) {{ return spin(20); }}; }}' for name in literals]
    target, harness = compiled("\n".join([CATCH2 + SOURCE, *each]), tmp_path), Catch2()
    named = [f"{name.strip(' ')}/{name}" for name in NAMES]
    assert harness.benchmarks(target) == ["map/large/insert", "map/small/insert", *named]
    ended = "SIGSEGV - Segmentation violation signal"
    assert harness.left_out == {"fails": "no database", "crashes, [hard]": ended, "leaves": "it ended the process"}
    large, small = (real(harness, target, f"map/{size}/insert") for size in ("large", "small"))
    assert large.ns / large.ops > 5 * small.ns / small.ops
    # Those that a test specification could take for something else; each process estimates the clock for a second.
    for benchmark in (one for one, name in zip(named, NAMES, strict=True) if re.search(r'[\\",\[~]|^[- ]', name)):
        assert real(harness, target, benchmark).ops >= 1
