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
//!    covers whoever has not been started yet. A child that is removed before its restart leaves that group behind: it is
//!    started without it.
//! 4. *Finished*: after a stop or too many failures, once all children are gone.
//!
//! A stop takes precedence over everything, at any point.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::backoff::Backoff;
use super::intensity::{Intensity, Window};
use super::strategy::{Manner, Restart, Strategy};

/// A child among those of its supervisor; never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(u32);

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
    /// It is not listed any more.
    Remove(Key),
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
    /// Its group was stopped for a restart and is down until this child's own restart starts it.
    owes: bool,
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
    Added,
    Restart,
}

#[derive(Debug)]
enum Then {
    Restart { key: Key, group: Vec<Key>, delay: Duration },
    Remove(Key),
    Finish(Outcome),
}

#[derive(Debug)]
enum Todo {
    Restart {
        key: Key,
        at: Duration,
    },
    Start(Key),
    /// A delay of this child's restart is over.
    Resume {
        key: Key,
        ticket: u32,
    },
    Remove(Key),
}

/// The state of a supervisor; see the module.
#[derive(Debug)]
pub(crate) struct Machine {
    strategy: Strategy,
    window: Window,
    backoff: Backoff,
    /// In the order of their start, which is that of their keys; a map, since many come and go.
    children: BTreeMap<Key, Child>,
    next: u32,
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
            children: BTreeMap::new(),
            next: 0,
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

    /// Lists a child at the end. It is started with the first ones, or, if those have been started, as soon as nothing else
    /// is to be done.
    pub(crate) fn add(&mut self, restart: Restart) -> Key {
        let key = Key(self.next);
        self.next += 1;
        let child = Child {
            restart,
            life: Life::Down,
            attempts: 0,
            delayed: None,
            owes: false,
        };
        self.children.insert(key, child);
        match &mut self.work {
            Work::Starting {
                rest,
                cause: Cause::First,
            } => rest.push_back(key),
            _ => self.todo.push_back(Todo::Start(key)),
        }
        key
    }

    /// Has a child stopped and taken off the list.
    pub(crate) fn remove(&mut self, key: Key) {
        self.todo.push_back(Todo::Remove(key));
    }

    /// Has everything stopped.
    pub(crate) fn stop(&mut self, manner: Manner) {
        if !self.is_finishing() {
            self.finish(manner, Outcome::Stopped);
        }
    }

    /// A child has started.
    pub(crate) fn started(&mut self, key: Key, now: Duration) {
        let Some(child) = self.child(key) else { return };
        // One that is being stopped meanwhile is on its way down.
        if child.life == Life::Starting {
            child.life = Life::Up { since: now };
            self.current = None;
        }
    }

    /// A child is gone.
    pub(crate) fn exited(&mut self, key: Key, abnormal: bool, now: Duration) {
        let Some(child) = self.child(key) else { return };
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
                    Restart::Temporary => self.unlist(key),
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
                    Some(key) if self.is_listed(key) && !self.is_alive(key) => {
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
                if self.child(key).is_some_and(|child| child.life == Life::Failed) {
                    self.restart(key, at);
                }
            }
            Todo::Resume { key, ticket } => {
                // A restart of a larger group may have come first, and another delay since.
                if let Some(child) = self.child(key)
                    && child.delayed == Some(ticket)
                {
                    // From here on it is the work's: should a start fail, that child owes the rest.
                    (child.delayed, child.owes) = (None, false);
                    self.work = Work::Starting {
                        rest: self.group(key).into(),
                        cause: Cause::Restart,
                    };
                }
            }
            Todo::Start(key) => {
                self.work = Work::Starting {
                    rest: [key].into(),
                    cause: Cause::Added,
                }
            }
            Todo::Remove(key) => {
                self.work = Work::Stopping {
                    rest: vec![key],
                    manner: Manner::Drain,
                    then: Then::Remove(key),
                };
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
        let Some(child) = self.child(key) else { return };
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
            Strategy::OneForAll => self.children.keys().copied().collect(),
            Strategy::RestForOne => self.children.range(key..).map(|(&other, _)| other).collect(),
        }
    }

    fn all_stopped(&mut self) {
        let Work::Stopping { then, .. } = std::mem::replace(&mut self.work, Work::Idle) else {
            return;
        };
        match then {
            Then::Restart { key, group, delay } => self.start_again(key, &group, delay),
            Then::Remove(key) => self.leave(key),
            Then::Finish(outcome) => {
                self.work = Work::Finished;
                self.commands.push_back(Command::Finish(outcome));
            }
        }
    }

    /// The group is down: it is started, or left for the time of the delay.
    fn start_again(&mut self, key: Key, group: &[Key], delay: Duration) {
        for &key in group {
            match self.child(key) {
                Some(child) if child.restart == Restart::Temporary => self.unlist(key),
                Some(child) => (child.life, child.delayed, child.owes) = (Life::Down, None, false),
                None => {}
            }
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
        if let Some(child) = self.child(key) {
            (child.delayed, child.owes) = (Some(ticket), true);
            self.commands
                .push_back(Command::Wait(key, Delay { ticket, time: delay }));
        }
    }

    /// The child is gone for good, and with it the restart for which its group may be down.
    fn leave(&mut self, key: Key) {
        let owes = self.child(key).is_some_and(|child| child.owes);
        let mut rest = if owes { self.group(key) } else { Vec::new() };
        // Whoever has a restart of its own to come, started here, would be taken for restarted.
        rest.retain(|&other| other != key && self.is_down(other));
        self.unlist(key);
        if !rest.is_empty() {
            self.work = Work::Starting {
                rest: rest.into(),
                cause: Cause::Restart,
            };
        }
    }

    fn not_started(&mut self, key: Key, now: Duration) {
        let Work::Starting { cause, .. } = self.work else {
            return;
        };
        match cause {
            Cause::First => self.finish(Manner::Halt, Outcome::NotStarted(key)),
            Cause::Added => {
                self.work = Work::Idle;
                self.unlist(key);
            }
            Cause::Restart => {
                self.work = Work::Idle;
                if let Some(child) = self.child(key) {
                    child.owes = true;
                }
                self.fail(key, now);
            }
        }
    }

    fn fail(&mut self, key: Key, at: Duration) {
        if let Some(child) = self.child(key) {
            child.life = Life::Failed;
            self.todo.push_back(Todo::Restart { key, at });
        }
    }

    fn finish(&mut self, manner: Manner, outcome: Outcome) {
        let rest = self.children.keys().copied().collect();
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
        let settled = self.backoff.is_settled(life);
        if let Some(child) = self.child(key)
            && settled
        {
            child.attempts = 0;
        }
    }

    fn turn(&mut self, key: Key, life: Life) {
        if let Some(child) = self.child(key) {
            child.life = life;
            (child.delayed, child.owes) = (None, false);
            self.current = Some(key);
        }
    }

    fn unlist(&mut self, key: Key) {
        if self.children.remove(&key).is_some() {
            self.commands.push_back(Command::Remove(key));
        }
    }

    fn is_alive(&self, key: Key) -> bool {
        self.children
            .get(&key)
            .is_some_and(|child| !matches!(child.life, Life::Down | Life::Failed))
    }

    /// Does not run, and nothing is to be done about it.
    fn is_down(&self, key: Key) -> bool {
        self.children
            .get(&key)
            .is_some_and(|child| child.life == Life::Down && child.delayed.is_none())
    }

    fn is_listed(&self, key: Key) -> bool {
        self.children.contains_key(&key)
    }

    fn child(&mut self, key: Key) -> Option<&mut Child> {
        self.children.get_mut(&key)
    }
}
