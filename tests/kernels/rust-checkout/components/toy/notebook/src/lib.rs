//! What the cells of a notebook share.

pub use toy_contract;
