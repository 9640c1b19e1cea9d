//! What every system of actors promises, statement by statement.
//!
//! Each capability of the contract crate brings its statements. A statement that a system is known to break is a
//! *finding* about it, named in `bench/src/variants.rs`: the `contract` command reports it as known, and a test demands
//! that it still shows, unless that is up to the scheduler.
//!
//! A check is generic over the system, and compiled for the lab's six in [`known`].

mod actors;
mod gathered;
mod mailboxes;
mod publishing;
mod shutting_down;
pub mod statements;
mod supervising;
mod waiting;

pub use gathered::Statements;

/// The systems that the lab knows.
pub mod known {
    supervisor_systems::known!(crate::Statements);
}
