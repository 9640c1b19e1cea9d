#!/usr/bin/env bash
# divan 0.1.21, Rust 1.95.
#
# The attribute #[divan::bench] makes a static of the function's name in capitals. Two functions that Rust itself keeps
# apart, `get` and `gEt`, then have one static, and the crate does not compile; the error names a static that stands
# nowhere in the source.
#
# Seen on 2026-11-29:
#   error[E0428]: the name `__DIVAN_BENCH_GET` is defined multiple times
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir benches src
echo > src/lib.rs
cat > Cargo.toml <<'T'
[package]
name = "case"
version = "0.1.0"
edition = "2021"
[dev-dependencies]
divan = "=0.1.21"
[[bench]]
name = "case"
harness = false
T
cat > benches/case.rs <<'R'
#![allow(non_snake_case)]
fn main() { divan::main(); }
#[divan::bench]
fn get() -> u64 { divan::black_box(1) + 1 }
#[divan::bench]
fn gEt() -> u64 { divan::black_box(2) + 1 }
R
cargo bench --no-run > log 2>&1 && exit 1
grep -m1 'E0428' log
grep -q 'the name `__DIVAN_BENCH_GET` is defined multiple times' log
sed -i 's/gEt/get_too/' benches/case.rs
cargo bench --no-run > log 2>&1
