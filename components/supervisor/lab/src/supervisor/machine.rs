//! The decisions of a supervisor, without tasks, clocks or mailboxes.
//!
//! The machine is told what happened and asked for [`Command`]s until it has none. It has at most one child that is being
//! started or stopped at a time (`current`), which is what makes the order of OTP: the next one's turn comes when that one
//! has started or is gone.
//!
//! 1. *Idle*: the oldest thing to do is begun. A failure that came while something else was under way may
//!    have been settled by it: it is still one only if its child is still marked as failed.
//! 2. *Stopping*: the others of the group, the last one first. If the back-off asks for a delay, the group is left
//!    down, and the machine is idle: the failures of others do not wait for it.
//! 3. *Starting*: the group, the first one first. A start that fails is a failure of that child; the group that it makes
//!    covers whoever has not been started yet.
//! 4. *Finished*: after a stop or too many failures, once all children are gone.
//!
//! A stop takes precedence over everything, at any point.

use std::collections::VecDeque;
use std::time::Duration;

use super::backoff::Backoff;
use super::intensity::{Intensity, Window};
use super::strategy::{Manner, Restart, Strategy};

/// The place of a child among those of its supervisor.
pub(crate) type Key = usize;

/// What is to be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Start it; answered by `started` or `exited`.
    Start(Key),
    /// Stop it; answered by `exited`.
    Stop(Key, Manner),
    /// Answered by `elapsed` with both.
    Wait(Key, Delay),
    /// It is not restarted, but stays listed: its mailbox takes no more.
    Retire(Key),
    /// All children are gone.
    Finish(Outcome),
}

/// A delay of a restart; a later one of the same child has another ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delay {
    pub(crate) ticket: u32,
    pub(crate) time: Duration,
}

/// How a supervisor ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was told to.
    Stopped,
    /// This child did not start when all were started for the first time.
    NotStarted(Key),
    /// This child failed once too often.
    Exceeded(Key),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Down,
    /// Down, and its failure has not been dealt with.
    Failed,
    Starting,
    Up {
        since: Duration,
    },
    Stopping,
}

#[derive(Debug)]
struct Child {
    restart: Restart,
    life: Life,
    /// Restarts since it was last taken for healthy.
    attempts: u32,
    /// The delay after which its group is to be started.
    delayed: Option<u32>,
}

#[derive(Debug)]
enum Work {
    Idle,
    Stopping { rest: Vec<Key>, manner: Manner, then: Then },
    Starting { rest: VecDeque<Key>, cause: Cause },
    Finished,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    First,
    Restart,
}

#[derive(Debug)]
enum Then {
    Restart { key: Key, group: Vec<Key>, delay: Duration },
    Finish(Outcome),
}

#[derive(Debug)]
enum Todo {
    Restart {
        key: Key,
        at: Duration,
    },
    /// A delay of this child's restart is over.
    Resume {
        key: Key,
        ticket: u32,
    },
}

/// The state of a supervisor; see the module.
#[derive(Debug)]
pub(crate) struct Machine {
    strategy: Strategy,
    window: Window,
    backoff: Backoff,
    /// In the order of their start.
    children: Vec<Child>,
    tickets: u32,
    work: Work,
    /// The child that is being started or stopped.
    current: Option<Key>,
    todo: VecDeque<Todo>,
    commands: VecDeque<Command>,
}

impl Machine {
    pub(crate) fn new(strategy: Strategy, intensity: Intensity, backoff: Backoff) -> Self {
        Self {
            strategy,
            window: Window::new(intensity),
            backoff,
            children: Vec::new(),
            tickets: 0,
            work: Work::Starting {
                rest: VecDeque::new(),
                cause: Cause::First,
            },
            current: None,
            todo: VecDeque::new(),
            commands: VecDeque::new(),
        }
    }

    /// Lists a child after the others, before the first command is asked for.
    pub(crate) fn add(&mut self, restart: Restart) -> Key {
        let key = self.children.len();
        self.children.push(Child {
            restart,
            life: Life::Down,
            attempts: 0,
            delayed: None,
        });
        if let Work::Starting { rest, .. } = &mut self.work {
            rest.push_back(key);
        }
        key
    }

    /// Has everything stopped.
    pub(crate) fn stop(&mut self, manner: Manner) {
        if !self.is_finishing() {
            self.finish(manner, Outcome::Stopped);
        }
    }

    /// A child has started.
    pub(crate) fn started(&mut self, key: Key, now: Duration) {
        let child = &mut self.children[key];
        // One that is being stopped meanwhile is on its way down.
        if child.life == Life::Starting {
            child.life = Life::Up { since: now };
            self.current = None;
        }
    }

    /// A child is gone.
    pub(crate) fn exited(&mut self, key: Key, abnormal: bool, now: Duration) {
        let child = &mut self.children[key];
        let life = std::mem::replace(&mut child.life, Life::Down);
        let restart = child.restart;
        if self.current == Some(key) {
            self.current = None;
        }
        match life {
            Life::Down | Life::Failed => {}
            _ if self.is_ending() => self.commands.push_back(Command::Retire(key)),
            Life::Stopping => {}
            _ if self.is_finishing() => {}
            Life::Starting => self.not_started(key, now),
            Life::Up { since } => {
                self.settle(key, now.saturating_sub(since));
                match restart {
                    Restart::Permanent => self.fail(key, now),
                    Restart::Transient if abnormal => self.fail(key, now),
                    Restart::Transient => self.commands.push_back(Command::Retire(key)),
                }
            }
        }
    }

    /// A delay is over.
    pub(crate) fn elapsed(&mut self, key: Key, ticket: u32) {
        self.todo.push_back(Todo::Resume { key, ticket });
    }

    /// Whether all children that are listed first have started.
    pub(crate) fn is_established(&self) -> bool {
        !matches!(
            self.work,
            Work::Starting {
                cause: Cause::First,
                ..
            } | Work::Finished
        ) && !self.is_finishing()
    }

    /// What is to be done next; `None` until something happens.
    pub(crate) fn command(&mut self) -> Option<Command> {
        loop {
            if let Some(command) = self.commands.pop_front() {
                return Some(command);
            }
            if self.current.is_some() {
                return None;
            }
            match &mut self.work {
                Work::Idle => self.take_up()?,
                Work::Stopping { rest, manner, .. } => {
                    let (next, manner) = (rest.pop(), *manner);
                    match next {
                        Some(key) if self.is_alive(key) => {
                            self.turn(key, Life::Stopping);
                            return Some(Command::Stop(key, manner));
                        }
                        Some(_) => {}
                        None => self.all_stopped(),
                    }
                }
                Work::Starting { rest, .. } => match rest.pop_front() {
                    Some(key) if !self.is_alive(key) => {
                        self.turn(key, Life::Starting);
                        return Some(Command::Start(key));
                    }
                    Some(_) => {}
                    None => self.work = Work::Idle,
                },
                Work::Finished => return None,
            }
        }
    }

    /// Begins the oldest thing to do.
    fn take_up(&mut self) -> Option<()> {
        match self.todo.pop_front()? {
            Todo::Restart { key, at } => {
                if self.children[key].life == Life::Failed {
                    self.restart(key, at);
                }
            }
            Todo::Resume { key, ticket } => {
                // A restart of a larger group may have come first, and another delay since.
                if self.children[key].delayed == Some(ticket) {
                    self.children[key].delayed = None;
                    self.work = Work::Starting {
                        rest: self.group(key).into(),
                        cause: Cause::Restart,
                    };
                }
            }
        }
        Some(())
    }

    fn restart(&mut self, key: Key, at: Duration) {
        if !self.window.admit(at) {
            self.finish(Manner::Halt, Outcome::Exceeded(key));
            return;
        }
        let backoff = self.backoff;
        let child = &mut self.children[key];
        let delay = backoff.delay(child.attempts);
        child.attempts = child.attempts.saturating_add(1);
        let group = self.group(key);
        let rest = group.iter().copied().filter(|&other| other != key).collect();
        self.work = Work::Stopping {
            rest,
            manner: Manner::Halt,
            then: Then::Restart { key, group, delay },
        };
    }

    /// Whom a failure of `key` concerns, in the order of the list.
    fn group(&self, key: Key) -> Vec<Key> {
        match self.strategy {
            Strategy::OneForOne => vec![key],
            Strategy::OneForAll => (0..self.children.len()).collect(),
            Strategy::RestForOne => (key..self.children.len()).collect(),
        }
    }

    fn all_stopped(&mut self) {
        let Work::Stopping { then, .. } = std::mem::replace(&mut self.work, Work::Idle) else {
            return;
        };
        match then {
            Then::Restart { key, group, delay } => self.start_again(key, &group, delay),
            Then::Finish(outcome) => {
                self.work = Work::Finished;
                self.commands.push_back(Command::Finish(outcome));
            }
        }
    }

    /// The group is down: it is started, or left for the time of the delay.
    fn start_again(&mut self, key: Key, group: &[Key], delay: Duration) {
        for &key in group {
            let child = &mut self.children[key];
            (child.life, child.delayed) = (Life::Down, None);
        }
        if delay.is_zero() {
            let rest = group.iter().copied().collect();
            self.work = Work::Starting {
                rest,
                cause: Cause::Restart,
            };
            return;
        }
        self.tickets = self.tickets.wrapping_add(1);
        let ticket = self.tickets;
        self.children[key].delayed = Some(ticket);
        self.commands
            .push_back(Command::Wait(key, Delay { ticket, time: delay }));
    }

    fn not_started(&mut self, key: Key, now: Duration) {
        let Work::Starting { cause, .. } = self.work else {
            return;
        };
        match cause {
            Cause::First => self.finish(Manner::Halt, Outcome::NotStarted(key)),
            Cause::Restart => {
                self.work = Work::Idle;
                self.fail(key, now);
            }
        }
    }

    fn fail(&mut self, key: Key, at: Duration) {
        self.children[key].life = Life::Failed;
        self.todo.push_back(Todo::Restart { key, at });
    }

    fn finish(&mut self, manner: Manner, outcome: Outcome) {
        let rest = (0..self.children.len()).collect();
        // One that is being started is stopped in its turn; one that is being stopped is waited for.
        if let Work::Starting { .. } = self.work {
            self.current = None;
        }
        self.todo.clear();
        self.work = Work::Stopping {
            rest,
            manner,
            then: Then::Finish(outcome),
        };
    }

    fn is_finishing(&self) -> bool {
        matches!(
            self.work,
            Work::Stopping {
                then: Then::Finish(_),
                ..
            } | Work::Finished
        )
    }

    /// Is finishing for good: whoever stops now is not started again by a next incarnation of the supervisor.
    pub(crate) fn is_ending(&self) -> bool {
        matches!(
            self.work,
            Work::Stopping {
                manner: Manner::Drain,
                then: Then::Finish(_),
                ..
            }
        )
    }

    fn settle(&mut self, key: Key, life: Duration) {
        if self.backoff.is_settled(life) {
            self.children[key].attempts = 0;
        }
    }

    fn turn(&mut self, key: Key, life: Life) {
        let child = &mut self.children[key];
        (child.life, child.delayed) = (life, None);
        self.current = Some(key);
    }

    fn is_alive(&self, key: Key) -> bool {
        !matches!(self.children[key].life, Life::Down | Life::Failed)
    }
}
