//! The systems that the lab knows: their scenarios are compiled here, once, and not in whatever program has them.

use supervisor_contract::gather;
use supervisor_systems::{Actix, Kameo, Lab, Published, Ractor, TokioTasks};

use crate::Scenarios;

/// Of the report's system, with what its own benchmarks measured.
pub fn published() -> Scenarios {
    gather!(Scenarios, Published).measured_as_published()
}

/// Of bare tokio tasks.
pub fn tokio() -> Scenarios {
    gather!(Scenarios, TokioTasks)
}

/// Of ractor.
pub fn ractor() -> Scenarios {
    gather!(Scenarios, Ractor)
}

/// Of kameo.
pub fn kameo() -> Scenarios {
    gather!(Scenarios, Kameo)
}

/// Of actix.
pub fn actix() -> Scenarios {
    gather!(Scenarios, Actix)
}

/// Of the lab's own.
pub fn lab() -> Scenarios {
    gather!(Scenarios, Lab)
}
