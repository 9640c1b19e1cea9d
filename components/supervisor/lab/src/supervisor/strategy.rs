//! Whom a failure concerns.

/// Who is restarted with a child that failed, as in Erlang/OTP.
///
/// Those of the group that run are stopped in the reverse of the order in which the supervisor lists them, and then the
/// group is started in that order, one after the other: each once the one before it has [started](crate::Actor::started).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// The child alone.
    OneForOne,
    /// All children.
    OneForAll,
    /// The child and those that are listed after it.
    RestForOne,
}

/// When a child is restarted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Restart {
    /// Whenever it ends.
    #[default]
    Permanent,
    /// If it ended [abnormally](crate::Exit::is_abnormal). Otherwise it stays listed, and a restart of its group starts
    /// it again.
    Transient,
}

/// How a child is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// After the message in hand. The others wait for the next incarnation.
    Halt,
    /// After all messages that it has accepted.
    Drain,
}
