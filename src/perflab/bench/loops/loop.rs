// Calls a function over and over: `loop NAME WARMUP_MS SAMPLE_MS SAMPLES`.
//
// Each sample is a line: how many calls, and their nanoseconds. See functions.py.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Of calls between two looks at the clock.
const SHORTEST: Duration = Duration::from_millis(1);

#[allow(dead_code, unused_imports)]
mod functions {
    include!("functions.rs");

    pub(super) fn run(name: &str, length: &super::Length) {
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

struct Length {
    warmup: Duration,
    sample: Duration,
    samples: u64,
}

impl Length {
    fn measure<T>(&self, function: fn() -> T) {
        // The compiler does not know what this points at: it can neither inline a call nor leave it out.
        let function = black_box(function);
        let time = |calls: u64| {
            let begun = Instant::now();
            for _ in 0..calls {
                black_box(function());
            }
            begun.elapsed()
        };
        let mut calls = 1;
        let mut warm = Duration::ZERO;
        loop {
            let took = time(calls);
            warm += took;
            if took < SHORTEST {
                calls *= 2;
            } else if warm >= self.warmup {
                break;
            }
        }
        for _ in 0..self.samples {
            let (mut done, mut total) = (0, Duration::ZERO);
            perflab_timed_begin();
            while total < self.sample {
                total += time(calls);
                done += calls;
            }
            perflab_timed_end();
            println!("{done} {}", total.as_nanos());
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
