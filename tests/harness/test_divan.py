"""divan: saved output, and divan itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from harnesses import SMOKE, ended, real

from perflab.bench.divan import Divan, _leaves, _named
from perflab.bench.interface import choose
from perflab.model.errors import BenchError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

# divan 0.1.21
ROW = "╰─ add  {0} ns      │ 9.2 µs        │ 1 ns      │ {0} {1}      │ 1000    │ 512000\n"


def test_the_mean_of_divan_is_a_sample() -> None:
    printed = ("1.234", "ns", 1.2345), ("12.3", "µs", 12305), ("0.123", "ns", 0.1235), ("3", "s", 3.0005e9)
    for mean, unit, ns in printed:
        (one,) = Divan().samples(ended(f"sums\nprinted {ROW.format(mean, unit)}      alloc:\n"), "add", SMOKE)
        assert one.ops == 512000
        assert one.ns / one.ops == pytest.approx(ns)
    for output in ("", "sums\n", ROW.format("1", "x"), ROW.format("1", "ns") * 2):
        with pytest.raises(BenchError, match="results of add"):
            Divan().samples(ended(output), "add", SMOKE)


BENCH = """
fn main() { divan::main(); }

#[divan::bench]
fn add() -> u64 { divan::black_box(1) + 2 }
#[divan::bench(name = "Add")]
fn add_three() -> u64 { divan::black_box(1) + 3 }
#[divan::bench(args = [1, 10])]
fn fill(n: usize) -> Vec<u8> { vec![1; n] }
#[divan::bench(name = "a [b] > \\"c\\" / d", args = ["x y", "(z|w)", "--test"])]
fn named(text: &str) -> usize { divan::black_box(text).len() }
#[divan::bench(threads = [1, 2])]
fn threads() -> u64 { divan::black_box(1) + 2 }
#[divan::bench(types = [u8, Vec<u8>])]
fn made<T: Default>() -> T { T::default() }
#[divan::bench]
#[ignore]
fn ignored() {}
#[divan::bench]
fn panics() { panic!("no settings") }
#[divan::bench(args = [1, 2])]
fn sometimes(n: usize) { assert!(n < 2, "too many") }

mod group {
    #[divan::bench]
    fn add() { println!("noise"); }
}
"""


def crate(folder: Path, version: str) -> Path:
    """Write a crate with divan's benches and one that does not compile."""
    (folder / "src").mkdir()
    (folder / "benches").mkdir()
    (folder / "src" / "lib.rs").write_text("")
    listed = "".join(f'\n[[bench]]\nname = "{name}"\nharness = false\n' for name in ("sums", "others", "own", "broken"))
    (folder / "Cargo.toml").write_text(
        f'[package]\nname = "mine"\nversion = "0.1.0"\nedition = "2021"\n\n'
        f'[dev-dependencies]\ndivan = "{version}"\n{listed}\n[profile.bench]\nopt-level = 0\ndebug = false\n'
    )
    (folder / "benches" / "sums.rs").write_text(BENCH)
    (folder / "benches" / "others.rs").write_text("fn main() { divan::main(); }\n#[divan::bench]\nfn add() {}\n")
    (folder / "benches" / "own.rs").write_text("fn main() {}\n")
    (folder / "benches" / "broken.rs").write_text("fn main() { missing }\n")
    return folder


@pytest.mark.build
@pytest.mark.parametrize("version", ["=0.1.21", pytest.param("=0.1.15", marks=pytest.mark.long)])
def test_the_real_divan_is_read(version: str, tmp_path: Path) -> None:
    harness = Divan()
    prepared = harness.prepare(str(crate(tmp_path, version)), tmp_path)
    known = harness.benchmarks(prepared)
    texts = [f'sums::a [b] > "c" / d::{text}' for text in ("x y", "(z|w)", "--test")]
    assert set(known) == {
        *("others::add", "sums::add", "sums::Add", "sums::fill::1", "sums::fill::10", *texts, "sums::group::add"),
        *("sums::threads::t=1", "sums::threads::t=2", "sums::made::u8", "sums::made::Vec<u8>", "sums::sometimes::1"),
    }
    assert set(harness.left_out) == {"own", "broken", "sums::panics", "sums::sometimes::2"}
    assert "no settings" in harness.left_out["sums::panics"]
    assert "too many" in harness.left_out["sums::sometimes::2"]
    assert choose("fill::10", known, "crate") == "sums::fill::10"
    for name in known:
        (one,) = real(harness, name, prepared)
        assert one.ops >= 1, name
    with pytest.raises(UsageError, match=r"no Cargo\.toml"):
        Divan().prepare(str(tmp_path / "src"), tmp_path)


def test_what_a_benchmark_prints_is_not_its_name() -> None:
    known = ["sums::add", "sums::add_more", "sums::fill"]
    for leaf in ("sums::add", "sums::fill::1::x"):
        assert _named(leaf, known) == leaf
    for leaf, name in {"sums::add_moreprinted": "sums::add_more", "sums::addprinted": "sums::add", "x": ""}.items():
        assert _named(leaf, known) == name


def test_paths_are_those_of_the_printed_tree() -> None:
    tree = "sums\n├─ add\n├─ fill\n│  ├─ 1\n│  ╰─ 10\n├─ old  (ignored)\n"
    tree += "╰─ deep\n   ╰─ inner\n      ├─    a  b\n      ╰─ ends h"
    leaves = ["sums::add", "sums::fill::1", "sums::fill::10", "sums::deep::inner::   a  b", "sums::deep::inner::ends h"]
    assert _leaves(tree) == (leaves, "sums::deep::inner::ends h")
    assert _leaves("") == ([], "")
