//! The bench program of the supervisor topic, as a library: a reader's own variant links it and adds itself.

pub mod contract;
pub mod plugin;
mod subject;
mod variants;

use perflab_bench::Bench;

pub use subject::Subject;
#[doc(hidden)]
pub use supervisor_contract::gather;
pub use supervisor_systems as systems;
pub use variants::variant;

/// The component's name.
pub const COMPONENT: &str = "supervisor";

/// All scenarios, all variants, and the contract.
pub fn bench() -> Bench<Subject> {
    let bench = Bench::new(COMPONENT)
        .scenarios(supervisor_scenarios::all())
        .contract(contract::checks());
    variants::all().into_iter().fold(bench, Bench::variant)
}
