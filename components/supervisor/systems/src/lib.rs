//! Adapters: each system behind the contract, used as its own documentation uses it.

mod actix;
mod intensity;
mod kameo;
mod kameo_supervision;
mod lab;
mod places;
mod published;
mod published_supervision;
mod ractor;
mod ractor_supervision;
mod tokio_supervision;
mod tokio_tasks;

pub use actix::Actix;
pub use kameo::Kameo;
pub use lab::{Lab, LabSystem};
pub use published::Published;
pub use ractor::Ractor;
pub use tokio_tasks::TokioTasks;
