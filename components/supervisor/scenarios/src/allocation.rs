//! What is on the heap, counted by the allocator itself.
//!
//! The allocator is the system's, for all variants. It counts only in the scenarios that ask for bytes, from [`count`]
//! on, and then each thread for itself: a counter that all threads write is the kind of thing that this topic measures.

#![allow(
    unsafe_code,
    reason = "a global allocator cannot be had without; each block says why it is sound"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};

/// The system's allocator with a count of live bytes.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static ON: AtomicBool = AtomicBool::new(false);

/// Counts from now on. What was allocated before and is freed afterwards counts as negative: only differences between
/// two readings mean something.
pub(crate) fn count() {
    ON.store(true, Ordering::Relaxed);
}

/// Bytes allocated less bytes freed since [`count`], as they were asked for: without what the allocator itself needs.
///
/// Relaxed is enough: whoever reads it has waited for those whose allocations it wants to see.
pub(crate) fn live_bytes() -> i64 {
    COUNTERS
        .iter()
        .map(|counter| counter.bytes.load(Ordering::Relaxed))
        .sum()
}

/// Two lines of the cache, which some processors fetch together.
#[repr(align(128))]
struct Counter {
    bytes: AtomicI64,
}

/// More threads than this share the last one.
const COUNTERS_LEN: usize = 256;
static COUNTERS: [Counter; COUNTERS_LEN] = [const {
    Counter {
        bytes: AtomicI64::new(0),
    }
}; COUNTERS_LEN];
static NEXT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    // Without a destructor and without lazy initialisation: neither may allocate here.
    static MINE: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn add(bytes: i64) {
    if !ON.load(Ordering::Relaxed) {
        return;
    }
    let mine = MINE.get();
    let mine = if mine == usize::MAX { first_time() } else { mine };
    let counter = &COUNTERS[mine].bytes;
    if mine == COUNTERS_LEN - 1 {
        counter.fetch_add(bytes, Ordering::Relaxed);
    } else {
        // One writer: no other thread has this number.
        counter.store(counter.load(Ordering::Relaxed) + bytes, Ordering::Relaxed);
    }
}

#[cold]
fn first_time() -> usize {
    let mine = NEXT.fetch_add(1, Ordering::Relaxed).min(COUNTERS_LEN - 1);
    MINE.set(mine);
    mine
}

/// A layout's size is at most `isize::MAX`.
fn signed(bytes: usize) -> i64 {
    bytes.cast_signed() as i64
}

// SAFETY: every call goes to the system's allocator with the arguments that came, so that its guarantees are this one's.
// The counting neither allocates nor panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(signed(layout.size()));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(signed(layout.size()));
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(signed(size) - signed(layout.size()));
        // SAFETY: the caller keeps the contract of `realloc`, and the block is the system's.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        add(-signed(layout.size()));
        // SAFETY: the caller keeps the contract of `dealloc`, and the block is the system's.
        unsafe { System.dealloc(block, layout) }
    }
}
