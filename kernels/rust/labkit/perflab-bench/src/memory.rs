//! What the process occupies: bytes on the heap, counted by the allocator itself, and bytes in memory.

#![allow(unsafe_code, reason = "a global allocator cannot be had without; each block says why it is sound")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};

/// The system's allocator with a count of live bytes.
///
/// It counts only in the scenarios that ask for bytes, from [`count_allocations`] on, and then each thread for itself, since
/// a counter that all threads write would be in what is measured.
///
/// # Examples
///
/// ```
/// use perflab_bench::{CountingAllocator, count_allocations, live_bytes};
///
/// #[global_allocator]
/// static ALLOCATOR: CountingAllocator = CountingAllocator;
///
/// count_allocations();
/// let before = live_bytes();
/// let kept = vec![0_u8; 1_000];
/// assert_eq!(live_bytes() - before, 1_000);
/// drop(kept);
/// assert_eq!(live_bytes(), before);
/// ```
#[derive(Debug)]
pub struct CountingAllocator;

static ON: AtomicBool = AtomicBool::new(false);

/// Counts from now on. What was allocated before and is freed afterwards counts as negative: only differences between
/// two readings mean something.
pub fn count_allocations() {
    ON.store(true, Ordering::Relaxed);
}

/// Bytes allocated less bytes freed since [`count_allocations`], as they were asked for: without what the allocator itself needs.
///
/// Relaxed is enough: whoever reads it has waited for those whose allocations it wants to see.
pub fn live_bytes() -> i64 {
    COUNTERS.iter().map(|counter| counter.bytes.load(Ordering::Relaxed)).sum()
}

/// Two lines of the cache, which some processors fetch together.
#[repr(align(128))]
struct Counter {
    bytes: AtomicI64,
}

/// More threads than this share the last one.
const COUNTERS_LEN: usize = 256;
static COUNTERS: [Counter; COUNTERS_LEN] = [const { Counter { bytes: AtomicI64::new(0) } }; COUNTERS_LEN];
static NEXT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    // Without a destructor and without lazy initialisation: neither may allocate here.
    static MINE: Cell<usize> = const { Cell::new(usize::MAX) };
}

#[inline]
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
unsafe impl GlobalAlloc for CountingAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(signed(layout.size()));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(signed(layout.size()));
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(signed(size) - signed(layout.size()));
        // SAFETY: the caller keeps the contract of `realloc`, and the block is the system's.
        unsafe { System.realloc(block, layout, size) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        add(-signed(layout.size()));
        // SAFETY: the caller keeps the contract of `dealloc`, and the block is the system's.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Bytes of the process that are in memory.
pub fn resident_bytes() -> Result<i64, io::Error> {
    // In KiB: Linux's own pages may be of any size, those in this file are not.
    let status = std::fs::read_to_string("/proc/self/status")?;
    let kib = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB"))
        .and_then(|kib| kib.trim().parse::<i64>().ok());
    kib.map(|kib| kib * 1024).ok_or_else(|| io::Error::other("/proc/self/status has no VmRSS in kB"))
}
