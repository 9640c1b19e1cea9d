//! The statements that are about a system, as checks.

use std::collections::BTreeMap;

use supervisor_contract::{Bounds, Gathers, Mailboxes, Publishes, Runtime, ShutsDown, Strategy, Supervises};

use crate::waiting::{Verdict, on_threads};
use crate::{actors, mailboxes, publishing, shutting_down, statements as the, supervising};

/// A check compiled for one system.
type Body = fn() -> Verdict;

/// What is promised for one system.
#[derive(Clone, Debug, Default)]
pub struct Statements(BTreeMap<&'static str, Body>);

/// Statements with their checks, each on threads of its own.
macro_rules! checked {
    ($statements:expr, $($statement:ident: $check:expr,)*) => {{
        let mut statements = $statements;
        $(statements.0.insert(the::$statement, || on_threads($check));)*
        statements
    }};
}

impl Gathers for Statements {
    fn of<R: Runtime>() -> Self {
        checked!(Statements::default(),
            ONCE_AND_IN_ORDER: actors::once_and_in_order::<R>(),
            ONE_AT_A_TIME: actors::one_at_a_time::<R>(),
            STARTED_FIRST: actors::started_first::<R>(),
            STOP_DRAINS: actors::stop_drains::<R>(),
            STOPPED_REFUSES: actors::stopped_refuses::<R>(),
            STOPPED_LEAVES: actors::stopped_leaves::<R>(),
            LEAVES_OF_ITSELF: actors::leaves_of_itself::<R>(),
            PANIC_ENDS_ONE: actors::panic_ends_one::<R>(),
        )
    }

    fn bounds<R: Bounds>(self) -> Self {
        checked!(self,
            FULL_REFUSES: mailboxes::full_refuses::<R>(),
            FULL_WAITS: mailboxes::full_waits::<R>(),
        )
    }

    fn publishes<R: Publishes>(self) -> Self {
        checked!(self,
            EVERYBODY_RECEIVES: publishing::everybody_receives::<R>(),
            SLOW_ONES_DO_NOT_HOLD_UP: publishing::slow_ones_do_not_hold_up::<R>(),
            LEAVERS_ARE_PRUNED: publishing::leavers_are_pruned::<R>(),
            PAYLOADS_ARE_SHARED: publishing::payloads_are_shared::<R>(),
        )
    }

    fn mailboxes<R: Mailboxes>(self) -> Self {
        checked!(self, MAILBOX_IN_ORDER: mailboxes::in_order::<R>(),)
    }

    fn shuts_down<R: ShutsDown>(self) -> Self {
        checked!(self, SHUTDOWN_ENDS: shutting_down::shutdown_ends::<R>(),)
    }

    fn supervises<R: Supervises>(self) -> Self {
        checked!(self,
            CHILD_COMES_BACK: supervising::child_comes_back::<R>(),
            GONE_BEFORE_MADE: supervising::gone_before_made::<R>(),
            SIBLINGS_STAY: supervising::restarted::<R>(Strategy::OneForOne, 1, &[1]),
            ALL_COME_BACK: supervising::restarted::<R>(Strategy::OneForAll, 1, &[0, 1, 2]),
            REST_COMES_BACK: supervising::restarted::<R>(Strategy::RestForOne, 1, &[1, 2]),
            GIVES_UP: supervising::gives_up::<R>(),
            ESCALATES: supervising::escalates::<R>(),
            STOPS_IN_REVERSE: supervising::stops_in_reverse::<R>(),
            LEAVER_STAYS_AWAY: supervising::leaver_stays_away::<R>(),
        )
    }
}

impl Statements {
    /// Leaves statements out about what the system does not have.
    #[must_use]
    pub fn without(mut self, statements: &[&str]) -> Self {
        self.0.retain(|statement, _| !statements.contains(statement));
        self
    }

    /// Whether a statement is about the system.
    pub fn contains(&self, statement: &str) -> bool {
        self.0.contains_key(statement)
    }

    /// Checks a statement.
    ///
    /// # Errors
    ///
    /// The evidence if it does not hold.
    ///
    /// # Panics
    ///
    /// If the statement is not about the system.
    pub fn check(&self, statement: &str) -> Result<(), String> {
        self.0[statement]()
    }
}
