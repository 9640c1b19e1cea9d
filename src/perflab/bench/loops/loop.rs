// Calls a function over and over: `loop NAME WARMUP_MS SAMPLE_MS SAMPLES`.
//
// Each sample is a line: how many calls, their nanoseconds, how many empty calls one takes at least, no bytes, and its CPU
// time in nanoseconds. It takes SAMPLE_MS by both clocks, but at most four times as long on the wall; if that is 0, each is one
// call of the clock around more calls than in the sample before. See functions.py.

use std::ffi::c_long;
use std::future::Future;
use std::hint::black_box;
use std::marker::PhantomData;
use std::time::{Duration, Instant};

/// Of calls between two looks at the clock.
const SHORTEST: Duration = Duration::from_millis(1);
/// Of empty calls; the shortest counts.
const BATCHES: u32 = 5;

#[allow(dead_code, unused_imports)]
mod functions {
    include!("functions.rs");

    pub(super) fn run(name: &str, length: &super::Length) {
        use super::{IsFuture as _, IsIterator as _, IsFn as _, IsValue as _};
        match name {
            @TABLE@
            _ => panic!("there is no function {name}"),
        }
    }
}

// A profiler that watches this process starts and stops at these. Each has code of its own, or a linker could fold them.

#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn perflab_timed_begin() {
    black_box(1);
}

#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn perflab_timed_end() {
    black_box(2);
}

/// The type that a function returns: of the four methods `deferred`, the compiler takes the first that the type has.
struct Returned<T>(PhantomData<T>);

fn returned<T>(_: fn() -> T) -> Returned<T> {
    Returned(PhantomData)
}

trait IsIterator {
    fn deferred(&self) -> &'static str {
        "Iterator"
    }
}
impl<T: Iterator> IsIterator for &&&Returned<T> {}

trait IsFuture {
    fn deferred(&self) -> &'static str {
        "Future"
    }
}
impl<T: Future> IsFuture for &&Returned<T> {}

trait IsFn {
    fn deferred(&self) -> &'static str {
        "Fn"
    }
}
impl<T: FnOnce() -> R, R> IsFn for &Returned<T> {}

trait IsValue {
    fn deferred(&self) -> &'static str {
        ""
    }
}
impl<T> IsValue for Returned<T> {}

unsafe extern "C" {
    /// Microseconds of CPU time of the process, with its other threads.
    safe fn clock() -> c_long;
}

fn empty() -> u64 {
    0
}

fn time<T>(function: fn() -> T, calls: u64) -> Duration {
    let begun = Instant::now();
    for _ in 0..calls {
        black_box(function());
    }
    begun.elapsed()
}

/// Returns how many calls take long enough to be timed.
fn warm_up<T>(function: fn() -> T, length: Duration) -> u64 {
    let (mut calls, mut warm) = (1, Duration::ZERO);
    loop {
        let took = time(function, calls);
        warm += took;
        if took < SHORTEST {
            calls *= 2;
        } else if warm >= length {
            return calls;
        }
    }
}

struct Length {
    warmup: Duration,
    sample: Duration,
    samples: u64,
}

impl Length {
    fn measure<T>(&self, function: fn() -> T, deferred: &str) {
        if !deferred.is_empty() {
            return println!("deferred {deferred}");
        }
        // The compiler does not know what these point at: it can neither inline a call nor leave it out.
        let (function, empty) = (black_box(function), black_box(empty as fn() -> u64));
        let calls = warm_up(empty, Duration::ZERO);
        let least = (0..BATCHES).map(|_| time(empty, calls)).min().expect("a batch");
        let empty_s = least.as_secs_f64() / calls as f64;
        let calls = warm_up(function, self.warmup);
        for i in 0..self.samples {
            let (mut done, mut total, mut used, mut least) = (0, Duration::ZERO, Duration::ZERO, Duration::MAX);
            let begun = clock();
            perflab_timed_begin();
            loop {
                let batch = if self.sample.is_zero() { (i + 1) * calls } else { calls };
                let took = time(function, batch);
                total += took;
                least = least.min(took);
                done += batch;
                used = Duration::from_micros((clock() - begun) as u64);
                if total >= self.sample && (used >= self.sample || total >= 4 * self.sample) {
                    break;
                }
            }
            perflab_timed_end();
            let empty_calls = least.as_secs_f64() / calls as f64 / empty_s;
            println!("{done} {} {empty_calls:.3} nan {}", total.as_nanos(), used.as_nanos());
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words[at].parse().expect("a number");
    let length = Length {
        warmup: Duration::from_millis(number(1)),
        sample: Duration::from_millis(number(2)),
        samples: number(3),
    };
    functions::run(&words[0], &length);
}
