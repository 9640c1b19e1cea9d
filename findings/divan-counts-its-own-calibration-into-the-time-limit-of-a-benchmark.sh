#!/usr/bin/env bash
# divan 0.1.21, Rust 1.95, a bench profile without optimisation (as coverage and sanitizers want it).
#
# --max-time limits a benchmark. divan first measures its own overheads, once for the whole program, and this counts as
# the first benchmark's time. Where the program is not optimised that takes longer than a short limit: the first
# benchmark is then left with a sample size of 1, its time is that of a clock's reading, and nothing says so; the same
# function as the second benchmark has the right time. With --skip-ext-time true both have.
#
# Seen on 2026-11-29 (the two functions are the same):
#   first   365.1 ns      │ 365.1 ns      │ 365.1 ns      │ 365.1 ns      │ 1       │ 1
#   second  11.4 ns       │ 498.4 ns      │ 11.59 ns      │ 12.2 ns       │ 3046    │ 779776
# and with --skip-ext-time true
#   first   11.51 ns      │ 15.88 µs      │ 11.6 ns       │ 20.6 ns       │ 15645   │ 4005120
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir benches src
echo > src/lib.rs
cat > Cargo.toml <<'T'
[package]
name = "limit"
version = "0.1.0"
edition = "2021"
[dev-dependencies]
divan = "=0.1.21"
[[bench]]
name = "limit"
harness = false
[profile.bench]
opt-level = 0
T
cat > benches/limit.rs <<'R'
fn main() { divan::main(); }
#[divan::bench]
fn first() -> u64 { divan::black_box(1) + 1 }
#[divan::bench]
fn second() -> u64 { divan::black_box(1) + 1 }
R
cargo bench --no-run > log 2>&1
iterations() {
  cargo bench --bench limit -- --min-time 0.1 --max-time 0.1 "$@" 2> /dev/null > out
  cat out >&2
  awk '/ first /{print $NF}' out
}
[ "$(iterations)" = 1 ]
[ "$(iterations --skip-ext-time true)" -gt 1000 ]
