//! Tells the crate which compiler builds it.

use std::env;
use std::process::Command;

fn main() {
    // Not RUSTC: the lab names a compiler and a notebook's cell does not, and another compiler has Cargo run this anyway.
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = env::var_os("RUSTC").expect("cargo names the compiler");
    let said = Command::new(rustc).arg("--version").output().expect("the compiler runs");
    let line = String::from_utf8(said.stdout).expect("the compiler's version is text");
    let version = line.split_whitespace().nth(1).expect("rustc VERSION (...)");
    println!("cargo::rustc-env=PERFLAB_RUSTC_VERSION={version}");
}
