"""Functions of a source file as benchmarks, in each language whose tools are on this machine."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from perflab.bench.functions import _LANGUAGES, Functions
from perflab.bench.interface import Ended
from perflab.host.spawner import Spawner
from perflab.measure.harnessed import PreparedBench, keep_targets, kept_targets
from perflab.measure.presets import PRESETS
from perflab.model.errors import BenchError, MissingError, UsageError
from perflab.profile.asyncprofiler import TIMED_NATIVE, collect, native_session, provide, sessions
from perflab.store.records import Arm

if TYPE_CHECKING:
    from perflab.model.protocol import Sample

SMOKE = PRESETS["smoke"]
SOURCES = {
    ".py": "data = [1, 2]\n\ndef two():\n    return sum(data)\n\ndef with_one(x):\n    return x\n",
    ".rs": "static DATA: [u8; 2] = [1, 2];\n\npub fn two() -> u8 { DATA.iter().sum() }\nfn one(x: u8) -> u8 { x }\n",
    ".cpp": "#include <vector>\nstd::vector<int> data{1, 2};\n\nint two() { return data[1]; }\nvoid with_one(int) {}\n",
    ".kt": "val data = listOf(1, 2)\n\nfun two(): Int = data.sum()\nfun with_one(x: Int): Int = x\n",
    ".cs": "using System.Linq;\n\nint[] data = { 1, 2 };\n\nint two() => data.Sum();\nint with_one(int x) => x;\n",
}
BROKEN = {
    ".rs": "\nfn two() -> u8 { missing }\n",
    ".cpp": "\nint two() { return missing; }\n",
    ".kt": "\nfun two(): Int = missing\n",
    ".cs": "\nint two() => missing;\n",
}


def prepared(text: str, suffix: str, folder: Path) -> tuple[Functions, str]:
    file, place = folder / f"mine{suffix}", folder / "place"
    file.write_text(text)
    place.mkdir()
    harness = Functions()
    try:
        return harness, harness.prepare(str(file), place)
    except MissingError as error:
        pytest.skip(str(error))


def samples_of(harness: Functions, ready: str) -> list[Sample]:
    with Spawner() as spawner:
        run = PreparedBench(harness, {"two": (ready, "two")}, Path.cwd(), spawner)
        return run.fork(Arm("two", "two", "yours"), SMOKE).samples


@pytest.mark.parametrize("suffix", SOURCES)
def test_a_function_without_arguments_is_called_over_and_over(suffix: str, tmp_path: Path) -> None:
    harness, ready = prepared(SOURCES[suffix], suffix, tmp_path)
    assert harness.benchmarks(ready) == ["two"]
    found = samples_of(harness, ready)
    assert len(found) == SMOKE.samples
    assert all(one.ops >= 1 and one.ns >= SMOKE.sample_ms * 1e6 for one in found)


@pytest.mark.parametrize("suffix", [".py", ".rs", ".cpp"])
def test_a_copy_runs_in_place_of_what_was_built(suffix: str, tmp_path: Path) -> None:
    harness, ready = prepared(SOURCES[suffix], suffix, tmp_path)
    with Spawner() as spawner:
        run = PreparedBench(harness, {"two": (ready, "two")}, Path.cwd(), spawner)
        assert keep_targets(run, {}, tmp_path / "kept")
        shutil.rmtree(ready)
        kept = kept_targets(run, {}, tmp_path / "kept")
        assert kept is not None
        assert len(kept.fork(Arm("two", "two", "yours"), SMOKE).samples) == SMOKE.samples
        shutil.rmtree(tmp_path / "kept")
        assert kept_targets(run, {}, tmp_path / "kept") is None


@pytest.mark.parametrize("suffix", BROKEN)
def test_what_does_not_compile_is_told_with_the_files_own_lines(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not compile") as raised:
        prepared(BROKEN[suffix], suffix, tmp_path)
    assert f"mine{suffix}" in str(raised.value)
    assert any(f"mine{suffix}{place}" in str(raised.value) for place in (":2:", "(2,"))


@pytest.mark.parametrize(
    ("suffix", "text", "names"),
    [
        (".py", "async def a():\n    pass\ndef b(): pass\n    def c(): pass\n", ["b"]),
        (".rs", "pub(crate) fn a() {}\nfn b<T>() {}\n    fn c() {}\n", ["a"]),
        (".cpp", "static std::vector<int> *a() {\n}\nint b();\nreturn c() {\nauto d() noexcept {\n}\n", ["a", "d"]),
        (".kt", "fun a() = 1\nprivate fun b() = 1\ninternal fun c(): Int { return 1 }\n", ["a", "c"]),
        (".cs", "static int? a() => 1;\nList<int[]> b()\n{\n}\nreturn c() {\nnew d() {\n", ["a", "b"]),
    ],
)
def test_functions_are_those_that_can_be_called_from_outside(suffix: str, text: str, names: list[str]) -> None:
    assert _LANGUAGES[suffix].function.findall(text) == names


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.txt", b"", "no source file of a language"),
        ("a.py", b"x = 1", "no function without arguments"),
        ("a.py", b"\xff", "is not a text file"),
        ("gone.py", None, "cannot read"),
    ],
)
def test_what_is_no_file_of_functions_is_one_line(name: str, content: bytes | None, says: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=says):
        Functions().prepare(str(tmp_path / name), tmp_path)


def test_what_a_function_prints_is_no_sample() -> None:
    printed = b"hello\n" + b"10 1000\n" * SMOKE.samples
    assert [one.ops for one in Functions().samples(Ended(printed, 1, {}), "f", SMOKE)] == [10] * SMOKE.samples
    with pytest.raises(BenchError, match="printed 'hello'"):
        Functions().samples(Ended(printed + b"hello\n", 1, {}), "f", SMOKE)


SLOW_AT_FIRST = {
    ".rs": """
use std::time::{Duration, Instant};
#[inline(never)]
fn set_up() -> u64 {
    let (end, mut n) = (Instant::now() + Duration::from_millis(300), 0);
    while Instant::now() < end { n += 1; }
    n
}
static DATA: std::sync::LazyLock<u64> = std::sync::LazyLock::new(set_up);
pub fn two() -> u64 { *DATA + (0..1000).map(std::hint::black_box).sum::<u64>() }
""",
    ".cpp": """
#include <chrono>
using Clock = std::chrono::steady_clock;
[[gnu::noinline]] static long set_up() {
  long n = 0;
  for (auto end = Clock::now() + std::chrono::milliseconds(300); Clock::now() < end;) ++n;
  return n;
}
long two() {
  static long data = set_up();
  for (int i = 0; i < 1000; ++i) asm volatile("" : "+r"(data));
  return data;
}
""",
    ".kt": """
fun setUp(): Long {
    var n = 0L
    val end = System.nanoTime() + 300_000_000
    while (System.nanoTime() < end) n++
    return n
}
val data = setUp()
fun two(): Double {
    var sum = 0.0
    for (i in 0 until 1000) sum += Math.sqrt(data + i.toDouble())
    return sum
}
""",
}


@pytest.mark.build
@pytest.mark.parametrize("suffix", SLOW_AT_FIRST)
def test_a_profile_of_functions_is_of_timed_samples_alone(suffix: str, tmp_path: Path) -> None:
    harness, ready = prepared(SLOW_AT_FIRST[suffix], suffix, tmp_path)
    found = {}
    for timed in (False, True):
        how: tuple[Any, ...] = "cpu", provide(), tmp_path / str(timed), {}
        if harness.profiled_as == "jvm":
            (session,) = sessions(*how, timed_regions=timed)
        else:
            session = native_session(*how, between=TIMED_NATIVE if timed else None)
        with Spawner() as spawner:
            run = PreparedBench(harness, {"two": (ready, "two")}, Path.cwd(), spawner)
            run.fork(Arm("two", "two", "yours"), PRESETS["quick"], added=session.environment)
        stacks = collect(session).stacks
        found[timed] = {frame for stack in stacks for frame in stack}
        assert any("two" in frame for frame in found[timed])
    assert any(re.search("set_?up", frame, re.IGNORECASE) for frame in found[False])
    assert not any(re.search("set_?up", frame, re.IGNORECASE) for frame in found[True])
