//! The statements. Tests, findings and the ledger cite them.

macro_rules! statements {
    ($($name:ident: $text:literal,)*) => {
        $(#[doc = concat!("That ", $text, ".")]
        pub const $name: &str = $text;)*

        /// All statements, in the order in which they are reported.
        pub const ALL: &[&str] = &[$($name),*];
    };
}

statements! {
    // Actors.
    ONCE_AND_IN_ORDER: "every message of every sender is handled once and in its order",
    ONE_AT_A_TIME: "an actor handles one message at a time",
    STARTED_FIRST: "an actor has started before its first message",
    STOP_DRAINS: "a stopped actor handles what was sent before, and then it is gone",
    STOPPED_REFUSES: "a message to an actor that has ended is refused",
    STOPPED_LEAVES: "an actor that has ended leaves the system's books",
    LEAVES_OF_ITSELF: "an actor that ends of its own will is gone",
    PANIC_ENDS_ONE: "a panic ends its actor and no other",
    // Bounded mailboxes.
    FULL_REFUSES: "a bounded mailbox refuses what it has no room for",
    FULL_WAITS: "who sends to a full mailbox waits for room, and nothing is lost",
    // Mailboxes without actors.
    MAILBOX_IN_ORDER: "what was put into a mailbox comes out once and in order, then its end is told",
    // Brokers.
    EVERYBODY_RECEIVES: "every subscriber receives what was published after it had subscribed, in order",
    SLOW_ONES_DO_NOT_HOLD_UP: "a subscriber that does not receive holds up nobody",
    LEAVERS_ARE_PRUNED: "a subscriber that has left is forgotten",
    PAYLOADS_ARE_SHARED: "a payload is not copied for each subscriber",
    // Shutdown.
    SHUTDOWN_ENDS: "a shutdown ends all actors before its deadline",
    // Supervision.
    CHILD_COMES_BACK: "a child that panics is made anew by its factory and handles messages",
    GONE_BEFORE_MADE: "a child that panics is gone before its factory is called again",
    SIBLINGS_STAY: "one-for-one leaves the siblings alone",
    ALL_COME_BACK: "one-for-all stops all in reverse order and starts them in order",
    REST_COMES_BACK: "rest-for-one stops those after the failed one in reverse order and starts them in order",
    GIVES_UP: "one restart more than allowed ends the supervisor and its children",
    ESCALATES: "a supervisor that gives up is restarted by its own, with its children",
    STOPS_IN_REVERSE: "a supervisor that is stopped stops its children in the reverse order of their start",
    LEAVER_STAYS_AWAY: "a child that ends of its own will is not restarted",
}
