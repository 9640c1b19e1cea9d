//! Actors that scenarios and checks share.

pub mod children;
mod countdown;
mod greeter;

pub use countdown::{Countdown, Faults};
pub use greeter::{Greeter, Greeting};
