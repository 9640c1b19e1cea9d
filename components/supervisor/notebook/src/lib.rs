//! What the cells of a notebook share.
//!
//! Each cell is a library of its own. What it links statically it has a copy of, with statics of its own, and a Tokio runtime
//! that one cell starts is none to the tasks of the next. Of a dynamic library there is one copy in the process, and of all
//! that is linked into it.

pub use async_trait;
pub use supervisor_contract;
pub use supervisor_lab;
pub use supervisor_published;
pub use tokio;
