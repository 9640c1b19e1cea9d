"""Functions of a source file as benchmarks, in each language whose tools are on this machine."""

from __future__ import annotations

import re
import shutil
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from perflab.bench.functions import _LANGUAGES, Functions
from perflab.bench.interface import EMPTY_CALLS, Ended
from perflab.host.spawner import Spawner
from perflab.measure.harnessed import PreparedBench, keep_targets, kept_targets
from perflab.measure.measure import EMPTY
from perflab.measure.presets import PRESETS
from perflab.model.errors import BenchError, MissingError, UsageError
from perflab.profile.asyncprofiler import TIMED_NATIVE, collect, native_session, provide, sessions
from perflab.stats.metrics import fork_value
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


def samples_of(harness: Functions, ready: str, name: str = "two") -> list[Sample]:
    with Spawner() as spawner:
        run = PreparedBench(harness, {name: (ready, name)}, Path.cwd(), spawner)
        return run.fork(Arm(name, name, "yours"), SMOKE).samples


@pytest.mark.parametrize("suffix", SOURCES)
def test_a_function_without_arguments_is_called_over_and_over(suffix: str, tmp_path: Path) -> None:
    harness, ready = prepared(SOURCES[suffix], suffix, tmp_path)
    assert harness.benchmarks(ready) == ["two"]
    found = samples_of(harness, ready)
    assert len(found) == SMOKE.samples
    assert all(one.ops >= 1 and one.ns >= SMOKE.sample_ms * 1e6 for one in found)


SLEEPS = {
    ".py": "import time\ndef nap(): time.sleep(0.005)\ndef two(): return sum([1, 2])\n",
    ".rs": "fn nap() { std::thread::sleep(std::time::Duration::from_millis(5)) }\nfn two() -> u64 { 2 }\n",
    ".cpp": "#include <unistd.h>\nint nap() { return usleep(5000); }\nint two() { return 2; }\n",
    ".kt": "fun nap() = Thread.sleep(5)\nfun two(): Int = 2\n",
    ".cs": "void nap() => System.Threading.Thread.Sleep(5);\nint two() => 2;\n",
}


@pytest.mark.parametrize("suffix", SLEEPS)
def test_sleep_costs_no_cpu_time_and_ends_a_sample_all_the_same(suffix: str, tmp_path: Path) -> None:
    harness, ready = prepared(SLEEPS[suffix], suffix, tmp_path)
    naps = samples_of(harness, ready, "nap")
    # At the beginning, JIT compilers are at work.
    assert naps[-1].ns >= 4 * SMOKE.sample_ms * 1e6
    assert 0 < fork_value(naps, harness.cpu) < fork_value(naps, "time") / 2
    assert fork_value(samples_of(harness, ready), harness.cpu) > 0


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
        (".py", "async def a():\n    pass\ndef b(): pass\n    def c(): pass\n", ["a", "b"]),
        (".rs", "pub(crate) fn a() {}\nfn b<T>() {}\n    fn c() {}\n", ["a"]),
        (
            ".cpp",
            "static std::vector<int> *a() {\n}\nint b();\nreturn c() {\nauto d() noexcept {\n}\nauto e() -> int {\n",
            ["a", "d", "e"],
        ),
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


LAZY = {
    ".py": """
import concurrent.futures, functools, io
pool = concurrent.futures.ThreadPoolExecutor(1)
def later_generator(): return (x for x in [1])
def later_map(): return map(str, [1])
async def later_coroutine(): return 1
async def later_values(): yield 1
def later_closure(): return lambda: 1
def later_partial(): return functools.partial(sum, [1])
def later_future(): return pool.submit(sum, [1])
def later_in_a_tuple(): return 1, map(str, [1])
def done_list(): return [1]
def done_range(): return range(3)
def done_text(): return io.StringIO("text")
def done_nothing(): pass
""",
    ".rs": """
use std::{future::Future, iter::Map, ops::Range, pin::Pin, thread};
fn square(x: u64) -> u64 { x * x }
pub fn later_iterator() -> impl Iterator<Item = u64> { (0..9).map(square) }
pub fn later_type() -> Map<Range<u64>, fn(u64) -> u64> { (0..9).map(square) }
pub fn later_within() -> Option<Box<dyn Iterator<Item = u64>>> { Some(Box::new(0..9)) }
pub fn later_thread() -> thread::JoinHandle<u64> { thread::spawn(|| 1) }
pub fn later_closure() -> impl Fn() -> u64 { || 1 }
pub fn later_closure_of_two() -> Box<dyn FnOnce(u64, u64) -> u64> { Box::new(|a, b| a + b) }
pub async fn later_future() -> u64 { 1 }
pub fn later_pinned() -> Pin<Box<dyn Future<Output = u64>>> { Box::pin(later_future()) }
pub fn done_vector() -> Vec<u64> { (0..9).collect() }
pub fn done_error() -> Result<u64, Box<dyn std::error::Error>> { Ok("1".parse()?) }
pub fn done_nothing() {}
""",
    ".cpp": """
#include <functional>
#include <future>
#include <ranges>
#include <random>
#include <span>
#include <string_view>
#include <vector>
std::vector<int> data(9);
auto later_view() { return data | std::views::transform([](int x) { return x * x; }); }
std::future<int> later_future() { return std::async(std::launch::deferred, [] { return 1; }); }
auto later_closure() { return [] { return 1; }; }
auto later_closure_of_data() { return [first = data.data()] { return *first; }; }
std::function<int()> later_function() { return [] { return 1; }; }
const std::vector<int>& done_vector() { return data; }
std::string_view done_text() { return "text"; }
std::span<int> done_span() { return data; }
std::mt19937 done_engine() { return std::mt19937(1); }
void done_nothing() {}
""",
    ".kt": """
fun later_sequence() = sequenceOf(1).map { it + 1 }
fun later_iterator() = listOf(1).iterator()
fun later_iterable() = Iterable { listOf(1).iterator() }
fun later_stream() = listOf(1).stream()
fun later_future() = java.util.concurrent.CompletableFuture.supplyAsync { 1 }
suspend fun later_suspended() = 1
fun later_closure(): () -> Int = { 1 }
fun later_value() = lazy { 1 }
fun later_in_a_pair() = 1 to sequenceOf(1)
fun done_list() = listOf(1).map { it + 1 }
fun done_range() = 1..3
fun done_path() = java.nio.file.Path.of("a")
fun done_nothing() {}
""",
    ".cs": """
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
IEnumerable<int> later_query() => new[] { 1 }.Select(x => x + 1);
IEnumerable<int> later_iterator() { yield return 1; }
IQueryable<int> later_queryable() => new[] { 1 }.AsQueryable();
Task<int> later_task() => Task.FromResult(1);
async Task<int> later_async() { await Task.Yield(); return 1; }
async void later_async_void() { await Task.Yield(); }
Lazy<int> later_value() => new Lazy<int>(() => 1);
Func<int> later_closure() => () => 1;
(IEnumerable<int>, int) later_in_a_tuple() => (new[] { 1 }.Select(x => x + 1), 1);
IEnumerable<int> done_list() => new[] { 1 }.Select(x => x + 1).ToList();
ILookup<int, int> done_lookup() => new[] { 1 }.ToLookup(x => x);
void done_nothing() { }
""",
}


@pytest.mark.parametrize("suffix", LAZY)
def test_what_returns_before_its_work_is_done_is_refused(suffix: str, tmp_path: Path) -> None:
    harness, ready = prepared(LAZY[suffix], suffix, tmp_path)
    names = [name for name in harness.benchmarks(ready) if "_" in name]
    assert len(names) == LAZY[suffix].count(" later_") + LAZY[suffix].count(" done_")
    shape = msgspec.structs.replace(SMOKE, warmup_ms=0, sample_ms=1, samples=1)
    with Spawner() as spawner:
        run = PreparedBench(harness, {name: (ready, name) for name in names}, Path.cwd(), spawner)
        for name in names:
            refused = pytest.raises(BenchError, match=f"{name} returns before its work is done")
            with refused if name.startswith("later") else nullcontext():
                run.fork(Arm(name, name, "yours"), shape)


@pytest.mark.build
@pytest.mark.parametrize("suffix", [".py", ".rs", ".cpp"])
def test_a_call_that_takes_no_longer_than_an_empty_one_is_told(suffix: str, tmp_path: Path) -> None:
    source = {
        ".py": "def folded(): return 2 * 3\n\ndef two(): return sum(range(9))\n",
        ".rs": "fn folded() -> u64 { (0..1000).sum() }\nfn two() -> u64 { (0..99).map(std::hint::black_box).sum() }\n",
        ".cpp": "long folded() { return 2 * 3; }\nvoid two() { for (volatile int i = 0; i < 99;) i = i + 1; }\n",
    }
    harness, ready = prepared(source[suffix], suffix, tmp_path)
    with Spawner() as spawner:
        run = PreparedBench(harness, {name: (ready, name) for name in ("folded", "two")}, Path.cwd(), spawner)
        calls = [
            fork_value(run.fork(Arm(name, name, "yours"), SMOKE).samples, f"counter:{EMPTY_CALLS}/op")
            for name in ("folded", "two")
        ]
    assert calls[0] < EMPTY < calls[1]


def test_what_a_function_prints_is_no_sample() -> None:
    printed = b"hello\n" + b"10 1000 2.5\n" * SMOKE.samples
    assert [one.ops for one in Functions().samples(Ended(printed, 1, {}), "f", SMOKE)] == [10] * SMOKE.samples
    (one, *_) = Functions().samples(Ended(b"10 1000 2.5 nan 900\n" * SMOKE.samples, 1, {}), "f", SMOKE)
    assert one.counters == {EMPTY_CALLS: 25, "cpu-ns": 900}
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
    setting_up = {
        timed: [frame for frame in frames if re.search("(?<![a-z])set_?up", frame, re.IGNORECASE)]
        for timed, frames in found.items()
    }
    assert setting_up[False]
    assert setting_up[True] == []
