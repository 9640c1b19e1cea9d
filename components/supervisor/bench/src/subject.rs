//! What a variant hands to scenarios and checks.

use supervisor_contract::{Bounds, Gathers, Mailboxes, Publishes, Runtime, ShutsDown, Supervises};
use supervisor_scenarios::Scenarios;
use supervisor_suite::Statements;

/// A system of actors, as the scenarios that it can do and the statements that are about it.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    scenarios: Scenarios,
    statements: Statements,
}

impl Subject {
    pub(crate) fn new(scenarios: Scenarios, statements: Statements) -> Self {
        Subject { scenarios, statements }
    }

    /// The scenarios that it can do.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.scenarios.names()
    }

    /// The statements of the contract that are about it.
    pub fn statements(&self) -> &Statements {
        &self.statements
    }
}

impl AsRef<Scenarios> for Subject {
    fn as_ref(&self) -> &Scenarios {
        &self.scenarios
    }
}

/// Both have something for each capability.
macro_rules! both {
    ($($method:ident: $capability:ident),*) => {
        impl Gathers for Subject {
            fn of<R: Runtime>() -> Self {
                Subject::new(Scenarios::of::<R>(), Statements::of::<R>())
            }

            $(fn $method<R: $capability>(self) -> Self {
                Subject::new(self.scenarios.$method::<R>(), self.statements.$method::<R>())
            })*
        }
    };
}

both!(
    bounds: Bounds,
    publishes: Publishes,
    mailboxes: Mailboxes,
    shuts_down: ShutsDown,
    supervises: Supervises
);
