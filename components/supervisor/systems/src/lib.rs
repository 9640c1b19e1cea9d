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

/// Functions that gather something of each of these, to be compiled where this stands, once, and not in whatever program
/// has them.
#[macro_export]
macro_rules! known {
    ($what:ty) => {
        $crate::known!($what; published: Published, tokio: TokioTasks, ractor: Ractor, kameo: Kameo, actix: Actix, lab: Lab);
    };
    ($what:ty; $($name:ident: $system:ident),*) => {
        $(#[doc = concat!("Of [`", stringify!($system), "`](", "supervisor_systems::", stringify!($system), ").")]
        pub fn $name() -> $what {
            ::supervisor_contract::gather!($what, $crate::$system)
        })*
    };
}
