"""Counts of what programs execute, by valgrind: exact, of the operations alone, and by function."""

from __future__ import annotations

import platform
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from labs import FIXTURES, Lab

from perflab.profile.profile import Profile
from perflab.profile.tree import difference
from perflab.store.records import profile_folder

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(shutil.which("valgrind") is None, reason="no valgrind (Debian: apt install valgrind)"),
    pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler"),
]


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    found = Lab(tmp_path, PERFLAB_COMPONENTS=str(FIXTURES / "components"))
    found.place = tmp_path
    return found


def counted(lab: Lab, *arguments: str) -> dict[str, Any]:
    return lab.json("bench", *arguments, "--profile", "counts")


LOOP = 200_000
KNOWN = {
    ".cpp": 'long known() { long n = 100000; asm volatile("1: dec %0\\n jnz 1b" : "+r"(n)); return n; }\n',
    ".rs": (
        "pub fn known() -> u64 {\n    let mut n: u64 = 100_000;\n"
        '    unsafe { std::arch::asm!("2: dec {0}", "jnz 2b", inout(reg) n) };\n    n\n}\n'
    ),
}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the instructions are those of x86-64")
@pytest.mark.parametrize("suffix", KNOWN)
def test_a_loop_has_the_instructions_that_it_is_made_of(suffix: str, lab: Lab, tmp_path: Path) -> None:
    (tmp_path / f"loop{suffix}").write_text(KNOWN[suffix])
    (values,) = counted(lab, "known", "--functions", f"loop{suffix}")["counts"]["instructions"].values()
    assert values == [values[0]] * 2
    assert values[0] == pytest.approx(LOOP, rel=1e-3)


PROGRAM = r"""
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
using Word = std::uint64_t;
static Word table[64], rare;
[[gnu::noinline]] Word hash(Word x) { return (x ^ (x >> 31)) * 0x9E3779B97F4A7C15u; }
[[gnu::noinline]] Word spin(Word x) {
  for (int i = 0; i < 100; ++i) x = (x ^ (x >> 13)) * 0xFF51AFD7ED558CCDu;
  return x;
}
#ifdef CALL
[[gnu::noinline]]
#endif
static Word step(Word x) { return x * 6364136223846793005u + 1442695040888963407u; }
[[gnu::noinline]] Word mix(Word x) {
#ifdef BRANCH
  if (x % 1024 == 7) ++rare;
#endif
  return step(x) ^ x;
}
[[gnu::noinline]] Word look(Word at) {
#ifdef CHECK
  if (at >= 64) std::abort();
  if (table[at] == ~Word{}) std::abort();
#endif
  return table[at];
}
[[gnu::noinline]] Word keep(Word x) {
  Word block[8] = {x, x + 1};
#ifdef COPY
  Word again[8];
  std::memcpy(again, block, sizeof block);
  asm volatile("" : : "r"(again) : "memory");
#endif
  asm volatile("" : : "r"(block) : "memory");
  return block[1];
}
int main() {
  Word x = 1;
  for (int i = 0; i < 20000; ++i) {
    x = spin(x) + mix(x) + look(x & 63) + keep(x) + hash(x);
#ifdef TWICE
    x += hash(x);
#endif
  }
  std::printf("%d\n", static_cast<int>(x + rare));
}
"""
CHANGED = {"BRANCH": "mix(", "CALL": "step(", "CHECK": "look(", "COPY": "keep(", "TWICE": "hash("}


def test_what_executes_two_per_cent_more_is_found_in_its_function(lab: Lab, tmp_path: Path) -> None:
    for name in ("base", *CHANGED):
        build = ["g++", "-O2", f"-D{name}", "-x", "c++", "-", "-o", str(tmp_path / name)]
        subprocess.run(build, input=PROGRAM, text=True, check=True)
    found = counted(lab, *(f"./{name}" for name in ("base", *CHANGED)))
    counts = found["counts"]["instructions"]
    before, *others = (Profile.load(profile_folder(one["id"], lab.results)) for one in found["profiles"])
    for (name, function), after in zip(CHANGED.items(), others, strict=True):
        assert counts[f"./{name}"][0] == counts[f"./{name}"][1]
        assert 1.003 < counts[f"./{name}"][0] / counts["./base"][0] < 1.03
        assert function in difference(before, after).changes[0].frame, name


def test_what_does_not_repeat_is_not_called_exact(lab: Lab) -> None:
    longer = "sh -c 'echo >> longer; while read line; do :; done < longer'"
    said = lab("bench", longer, "true", "--profile", "counts").stdout
    assert "±" in said
    assert "exact" not in next(line for line in said.splitlines() if "instructions" in line)


def test_the_gate_fails_on_half_a_per_cent_more(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "perflab.toml").write_text('[bench.work]\nharness = "functions"\nof = ["work.cpp"]\ncompare = ["work"]\n')
    own = Lab(tmp_path, PERFLAB_RESULTS="", PERFLAB_COMPONENTS="", PERFLAB_CLAIMS="")
    own.place = folder
    source = "volatile int sink;\nint work() { for (int i = 0; i < 1000; ++i) sink = i; return sink; }"
    (folder / "work.cpp").write_text(source)
    own("measure", "work", "--save-baseline", "main")
    gate = "measure", "work", "--baseline", "main", "--metric", "instructions"
    assert verdicts(own.json(*gate))["instructions"] == "within threshold"
    (folder / "work.cpp").write_text(source.replace("1000", "1005"))
    assert verdicts(own.json(*gate, status=1))["instructions"] == "regression"
    own("measure", "work", "--baseline", "main", "--metric", "branches", status=2)
    own("measure", "work", "--save-baseline", "main", "--metric", "instructions", status=2)
    own("history", "work", "--absolute")  # of times


def verdicts(found: dict[str, Any]) -> dict[str, str]:
    return {one["metric"]: one["verdict"] for scenario in found["scenarios"] for one in scenario["metrics"]}


def test_a_jit_compiler_is_refused_before_anything_is_timed(lab: Lab) -> None:
    said = lab("bench", "java -version", "true", "--counts", status=2).stderr
    assert "JIT" in said
    assert "round 1" not in said


def test_commands_keep_their_order_whatever_they_print_and_those_that_fail_drop_out(lab: Lab) -> None:
    two = "sh -c 'echo 2 a; echo 3 a'"
    words = "bench", two, "echo 1 a", "false", "--pattern", "([0-9]+) a", "--unit", "ns", "--metric", "instructions"
    found = lab.json(*words, status=4)
    assert list(found["counts"]["instructions"]) == [two, "echo 1 a"]
    assert list(found["failures"]) == ["false"]
