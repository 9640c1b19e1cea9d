//! Keeping caught panics out of the standard error stream.
//!
//! A panic that is caught has been reported by then: the process's panic hook writes its message, and with
//! `RUST_BACKTRACE` its stack, before anything is unwound. For actors whose supervisor reports the panic anyway that
//! is noise, and at a few hundred restarts per second it is most of the work.

use std::cell::Cell;
use std::panic;
use std::sync::Once;

thread_local! {
    /// This thread is inside a poll of an actor.
    static WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// Silences the panics of actors, and of nobody else, for the rest of the process.
///
/// The hook that was installed before is called for all other panics. Calling this again changes nothing; a hook that is
/// installed later replaces this one.
pub fn silence_actor_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |information| {
            // A thread whose locals are gone is not polling.
            if !WITHIN.try_with(Cell::get).unwrap_or(false) {
                hook(information);
            }
        }));
    });
}

/// Runs part of an actor; what it panics with is an actor's panic. `part` must not unwind.
pub(crate) fn within_actor<T>(part: impl FnOnce() -> T) -> T {
    WITHIN.with(|within| {
        let outer = within.replace(true);
        let result = part();
        within.set(outer);
        result
    })
}
