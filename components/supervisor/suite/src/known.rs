//! The systems that the lab knows: their checks are compiled here, once, and not in whatever program has them.

use supervisor_contract::gather;
use supervisor_systems::{Actix, Kameo, Lab, Published, Ractor, TokioTasks};

use crate::Statements;

/// Of the report's system.
pub fn published() -> Statements {
    gather!(Statements, Published)
}

/// Of bare tokio tasks.
pub fn tokio() -> Statements {
    gather!(Statements, TokioTasks)
}

/// Of ractor.
pub fn ractor() -> Statements {
    gather!(Statements, Ractor)
}

/// Of kameo.
pub fn kameo() -> Statements {
    gather!(Statements, Kameo)
}

/// Of actix.
pub fn actix() -> Statements {
    gather!(Statements, Actix)
}

/// Of the lab's own.
pub fn lab() -> Statements {
    gather!(Statements, Lab)
}
