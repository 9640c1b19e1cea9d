//! A variant of the reader's own.
//!
//! ```text
//! source of a cell ──> the component's crate `variant`, which is its bench program with one more ──> cargo ──> the contract ──> Plugin
//! ```

mod cells;
mod compiler;
mod dependencies;
mod diagnostics;
mod factory;
mod plugin;
mod program;

pub(crate) use cells::Cells;
pub(crate) use factory::Factory;
pub use plugin::Plugin;
