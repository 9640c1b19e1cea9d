//! What every system of actors promises, statement by statement.
//!
//! Each capability of the contract crate brings its statements. A statement that a system is known to break is a
//! *finding* about it, named in `bench/src/variants.rs`: the `contract` command reports it as known, and a test demands
//! that it still shows, unless that is up to the scheduler.
//!
//! A check is generic over the system, and compiled for the lab's six in [`known`].

mod actors;
mod asking;
mod gathered;
pub mod known;
mod mailboxes;
mod publishing;
mod shutting_down;
mod supervising;
mod waiting;

pub use gathered::Statements;
pub use statements::*;

/// The statements. Tests, findings and the ledger cite them.
pub mod statements {
    /// Actors.
    pub const ONCE_AND_IN_ORDER: &str = "every message of every sender is handled once and in its order";
    /// Actors.
    pub const ONE_AT_A_TIME: &str = "an actor handles one message at a time";
    /// Actors.
    pub const STARTED_FIRST: &str = "an actor has started before its first message";
    /// Actors.
    pub const STOP_DRAINS: &str = "a stopped actor handles what was sent before, and then it is gone";
    /// Actors.
    pub const STOPPED_REFUSES: &str = "a message to an actor that has ended is refused";
    /// Actors.
    pub const STOPPED_LEAVES: &str = "an actor that has ended leaves the system's books";
    /// Actors.
    pub const LEAVES_OF_ITSELF: &str = "an actor that ends of its own will is gone";
    /// Actors.
    pub const PANIC_ENDS_ONE: &str = "a panic ends its actor and no other";
    /// Bounded mailboxes.
    pub const FULL_REFUSES: &str = "a bounded mailbox refuses what it has no room for";
    /// Bounded mailboxes.
    pub const FULL_WAITS: &str = "who sends to a full mailbox waits for room, and nothing is lost";
    /// Mailboxes without actors.
    pub const MAILBOX_IN_ORDER: &str = "what was put into a mailbox comes out once and in order, then its end is told";
    /// Questions.
    pub const ANSWERED: &str = "every question gets its own answer, from many askers at once";
    /// Questions.
    pub const UNANSWERED: &str = "a question that is not answered in time fails in time";
    /// Brokers.
    pub const EVERYBODY_RECEIVES: &str =
        "every subscriber receives what was published after it had subscribed, in order";
    /// Brokers.
    pub const SLOW_ONES_DO_NOT_HOLD_UP: &str = "a subscriber that does not receive holds up nobody";
    /// Brokers.
    pub const LEAVERS_ARE_PRUNED: &str = "a subscriber that has left is forgotten";
    /// Brokers.
    pub const PAYLOADS_ARE_SHARED: &str = "a payload is not copied for each subscriber";
    /// Shutdown.
    pub const SHUTDOWN_ENDS: &str = "a shutdown ends all actors before its deadline";
    /// Supervision.
    pub const CHILD_COMES_BACK: &str = "a child that panics is made anew by its factory and handles messages";
    /// Supervision.
    pub const GONE_BEFORE_MADE: &str = "a child that panics is gone before its factory is called again";
    /// Supervision.
    pub const SIBLINGS_STAY: &str = "one-for-one leaves the siblings alone";
    /// Supervision.
    pub const ALL_COME_BACK: &str = "one-for-all stops all in reverse order and starts them in order";
    /// Supervision.
    pub const REST_COMES_BACK: &str =
        "rest-for-one stops those after the failed one in reverse order and starts them in order";
    /// Supervision.
    pub const GIVES_UP: &str = "one restart more than allowed ends the supervisor and its children";
    /// Supervision.
    pub const ESCALATES: &str = "a supervisor that gives up is restarted by its own, with its children";
    /// Supervision.
    pub const STOPS_IN_REVERSE: &str =
        "a supervisor that is stopped stops its children in the reverse order of their start";
    /// Supervision.
    pub const LEAVER_STAYS_AWAY: &str = "a child that ends of its own will is not restarted";
}

/// All statements, in the order in which they are reported.
pub const ALL: [&str; 27] = {
    use statements as the;
    [
        the::ONCE_AND_IN_ORDER,
        the::ONE_AT_A_TIME,
        the::STARTED_FIRST,
        the::STOP_DRAINS,
        the::STOPPED_REFUSES,
        the::STOPPED_LEAVES,
        the::LEAVES_OF_ITSELF,
        the::PANIC_ENDS_ONE,
        the::FULL_REFUSES,
        the::FULL_WAITS,
        the::MAILBOX_IN_ORDER,
        the::ANSWERED,
        the::UNANSWERED,
        the::EVERYBODY_RECEIVES,
        the::SLOW_ONES_DO_NOT_HOLD_UP,
        the::LEAVERS_ARE_PRUNED,
        the::PAYLOADS_ARE_SHARED,
        the::SHUTDOWN_ENDS,
        the::CHILD_COMES_BACK,
        the::GONE_BEFORE_MADE,
        the::SIBLINGS_STAY,
        the::ALL_COME_BACK,
        the::REST_COMES_BACK,
        the::GIVES_UP,
        the::ESCALATES,
        the::STOPS_IN_REVERSE,
        the::LEAVER_STAYS_AWAY,
    ]
};
