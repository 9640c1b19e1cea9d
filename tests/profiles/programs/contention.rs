//! Four threads that take turns at one mutex and allocate; the argument says for how many milliseconds.

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
fn critical_section(shared: &Mutex<u64>) {
    let mut sum = shared.lock().expect("nobody panics");
    for step in 0..20_000 {
        *sum = black_box(*sum + step);
    }
}

fn main() {
    let time = std::env::args().nth(1).map_or(500, |text| text.parse().expect("milliseconds"));
    let end = Instant::now() + Duration::from_millis(time);
    let shared = Arc::new(Mutex::new(0));
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || {
                let mut inbox = broker::Inbox { kept: VecDeque::new() };
                while Instant::now() < end {
                    critical_section(&shared);
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
