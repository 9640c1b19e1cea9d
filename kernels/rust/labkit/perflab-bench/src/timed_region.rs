//! Tells a profiler that watches this process when a timed sample begins and ends: it starts and stops at these.
#![expect(unsafe_code, reason = "a name that is not mangled could be another's")]

use std::hint::black_box;

// Each has code of its own, or a linker could fold them.

#[inline(never)]
#[unsafe(no_mangle)]
pub(crate) extern "C" fn perflab_timed_begin() {
    black_box(1);
}

#[inline(never)]
#[unsafe(no_mangle)]
pub(crate) extern "C" fn perflab_timed_end() {
    black_box(2);
}
