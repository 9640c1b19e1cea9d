//! The bench program of the supervisor topic, as a library: a reader's own variant links it and adds itself.

mod allocation;
mod asked;
mod children;
pub mod contract;
mod countdown;
mod greeter;
mod mailboxes;
mod metrics;
mod payload;
pub mod plugin;
mod resident;
mod runtime_meter;
mod scenarios;
mod subject;
pub mod systems;
mod threads;
mod variants;

use perflab_bench::Bench;

pub use subject::Subject;
pub use variants::variant;

/// The component's name.
pub const COMPONENT: &str = "supervisor";

/// All scenarios, all variants, and the contract.
pub fn bench() -> Bench<Subject> {
    let bench = Bench::new(COMPONENT)
        .scenarios(scenarios::all())
        .contract(contract::checks());
    variants::all().into_iter().fold(bench, Bench::variant)
}
