//! Four threads that take turns at one mutex and allocate; the arguments say for how many milliseconds,
//! and for how many of them each thread sleeps while it holds the mutex.

use std::collections::VecDeque;
use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

mod broker {
    pub trait Subscriber {
        fn deliver(&mut self, message: &[u8]) -> usize;
    }

    pub struct Inbox<T> {
        pub kept: super::VecDeque<T>,
    }

    impl Subscriber for Inbox<Vec<u8>> {
        #[inline(never)]
        fn deliver(&mut self, message: &[u8]) -> usize {
            self.kept.push_back(message.to_vec());
            if self.kept.len() > 64 {
                self.kept.pop_front();
            }
            self.kept.len()
        }
    }

    #[inline(never)]
    pub fn publish<S: Subscriber + ?Sized>(subscriber: &mut S, message: &[u8]) -> usize {
        super::black_box(subscriber.deliver(message))
    }
}

#[inline(never)]
fn critical_section(shared: &Mutex<u64>, asleep: Duration) {
    let mut sum = shared.lock().expect("nobody panics");
    for step in 0..20_000 {
        *sum = black_box(*sum + step);
    }
    if !asleep.is_zero() {
        std::thread::sleep(asleep);
    }
}

fn milliseconds(argument: usize, usual: u64) -> Duration {
    let text = std::env::args().nth(argument);
    Duration::from_millis(text.map_or(usual, |text| text.parse().expect("milliseconds")))
}

fn main() {
    let end = Instant::now() + milliseconds(1, 500);
    let asleep = milliseconds(2, 0);
    let shared = Arc::new(Mutex::new(0));
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || {
                let mut inbox = broker::Inbox { kept: VecDeque::new() };
                while Instant::now() < end {
                    critical_section(&shared, asleep);
                    broker::publish(&mut inbox, &[number; 4096]);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("nobody panics");
    }
    println!("{{\"type\": \"end\"}}");
}
