//! The actor that is a supervisor: carries out what the [machine](super::machine) decides.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use super::child::Child;
use super::event::Event;
use super::machine::{Command, Delay, Key, Machine, Outcome};
use super::notice::{News, Notice};
use super::spec::{GaveUp, Place, Spec};
use super::strategy::Strategy;
use crate::actor::{Actor, Context, Link};
use crate::exit::{Exit, Failure};
use crate::rt::{Alarm, Instant};

/// How long a killed child may take to disappear before it is abandoned.
const GRACE: Duration = Duration::from_millis(500);

/// A child and what is known of it.
struct ChildRecord {
    child: Child,
    /// The incarnation that is heard, 0 for none.
    number: u32,
    /// How it ended, if it does not run.
    exit: Option<Exit>,
    killed: bool,
    alarm: Option<Alarm>,
}

/// One incarnation of a supervisor.
///
/// Its drop is also what happens when it is killed: the children are killed, and the spec goes back to its place, from
/// where a next incarnation starts the children again, or where they end with it.
pub(super) struct Tree {
    place: Arc<Place>,
    spec: Spec,
    /// The place was empty, because the incarnation before this one was abandoned and still has the children.
    vacant: bool,
    /// Has a supervisor, which may start it again.
    supervised: bool,
    machine: Machine,
    /// In the order of their start; each by its key.
    children: Vec<ChildRecord>,
    origin: Instant,
    established: Option<oneshot::Sender<()>>,
}

impl Tree {
    pub(super) fn new(place: Arc<Place>, supervised: bool, established: Option<oneshot::Sender<()>>) -> Self {
        let (spec, vacant) = match place.take() {
            Some(spec) => (spec, false),
            None => (Spec::new(Strategy::OneForOne), true),
        };
        let machine = Machine::new(spec.strategy, spec.intensity, spec.backoff);
        Self {
            place,
            spec,
            vacant,
            supervised,
            machine,
            children: Vec::new(),
            origin: Instant::now(),
            established,
        }
    }

    fn list(&mut self, child: Child) {
        self.machine.add(child.restart);
        self.children.push(ChildRecord {
            child,
            number: 0,
            exit: None,
            killed: false,
            alarm: None,
        });
    }

    fn hear(&mut self, event: Event, context: &Context<Event>) {
        let now = self.origin.elapsed();
        match event {
            Event::Started { key, number } => {
                if self.current(key, number).is_some() {
                    self.machine.started(key, now);
                    self.note(key, News::Started(number));
                }
            }
            Event::Exited { key, number, exit } => {
                if self.current(key, number).is_some() {
                    self.gone(key, exit, now);
                }
            }
            Event::Overdue { key, number } => self.overdue(key, number, now, context),
            Event::Elapsed { key, ticket } => self.machine.elapsed(key, ticket),
            Event::Stop { number, manner } => {
                if number == context.incarnation() {
                    self.machine.stop(manner);
                }
            }
        }
    }

    fn gone(&mut self, key: Key, exit: Exit, now: Duration) {
        self.note(key, News::Exited(exit.clone()));
        let abnormal = exit.is_abnormal();
        let record = &mut self.children[key];
        record.number = 0;
        record.exit = Some(exit);
        record.killed = false;
        record.alarm = None;
        self.machine.exited(key, abnormal, now);
    }

    /// Kills a child that does not stop, and gives up on one that does not die.
    fn overdue(&mut self, key: Key, number: u32, now: Duration, context: &Context<Event>) {
        let Some(record) = self.current(key, number) else {
            return;
        };
        if mem::replace(&mut record.killed, true) {
            self.note(key, News::Abandoned);
            self.gone(key, Exit::Killed, now);
        } else {
            record.child.offspring.kill();
            record.alarm = Some(alarm(context, GRACE, Event::Overdue { key, number }));
            self.note(key, News::Overdue);
        }
    }

    /// Carries out what is to be done; returns whether the supervisor goes on.
    fn act(&mut self, context: &mut Context<Event>) -> Result<(), Failure> {
        while let Some(command) = self.machine.command() {
            match command {
                Command::Start(key) => self.start(key, context),
                Command::Stop(key, manner) => {
                    self.note(key, News::Stopping);
                    let record = &mut self.children[key];
                    record.child.offspring.stop(manner);
                    if let Some(deadline) = record.child.stop_within {
                        let overdue = Event::Overdue {
                            key,
                            number: record.number,
                        };
                        record.alarm = Some(alarm(context, deadline, overdue));
                    }
                }
                Command::Wait(key, Delay { ticket, time }) => {
                    self.note(key, News::Delayed(time));
                    self.children[key].alarm = Some(alarm(context, time, Event::Elapsed { key, ticket }));
                }
                Command::Retire(key) => {
                    // Its group may start it again, or the next incarnation of a supervisor that has one.
                    let alone = self.spec.strategy == Strategy::OneForOne || self.machine.is_ending();
                    let for_good = alone && !self.supervised;
                    self.children[key].retire(for_good);
                }
                Command::Finish(outcome) => {
                    context.stop();
                    return self.finish(outcome);
                }
            }
        }
        Ok(())
    }

    fn start(&mut self, key: Key, context: &Context<Event>) {
        self.note(key, News::Starting);
        let now = self.origin.elapsed();
        let link = Link {
            supervisor: context.address(),
            key,
        };
        let record = &mut self.children[key];
        record.exit = None;
        record.alarm = None;
        match record.child.offspring.start(context.system(), link) {
            Ok(number) => record.number = number,
            Err(exit) => self.gone(key, exit, now),
        }
    }

    fn finish(&mut self, outcome: Outcome) -> Result<(), Failure> {
        let (Outcome::Exceeded(key) | Outcome::NotStarted(key)) = outcome else {
            return Ok(());
        };
        self.note(key, News::GaveUp);
        let record = &self.children[key];
        let (child, exit) = (
            Arc::clone(&record.child.name),
            record.exit.clone().unwrap_or(Exit::Killed),
        );
        Err(Failure::from(match outcome {
            Outcome::NotStarted(_) => GaveUp::NotStarted { child, exit },
            _ => GaveUp::TooManyRestarts { child, exit },
        }))
    }

    fn note(&self, key: Key, news: News) {
        let Some(observer) = &self.spec.observer else { return };
        observer(&Notice {
            child: Arc::clone(&self.children[key].child.name),
            news,
        });
    }

    /// The child, if what is heard is of its current incarnation.
    fn current(&mut self, key: Key, number: u32) -> Option<&mut ChildRecord> {
        Some(&mut self.children[key]).filter(|record| record.number == number)
    }
}

impl Actor for Tree {
    type Message = Event;

    /// Starts the children; a supervisor has started once they all have.
    async fn started(&mut self, context: &mut Context<Event>) -> Result<(), Failure> {
        if self.vacant {
            return Err(Failure::new("the incarnation before this one has not ended"));
        }
        for child in mem::take(&mut self.spec.children) {
            self.list(child);
        }
        self.act(context)?;
        while !self.machine.is_established() && !context.is_stopping() {
            let Some(event) = context.next().await else {
                return Ok(());
            };
            self.hear(event, context);
            self.act(context)?;
        }
        if let Some(established) = self.established.take() {
            let _ = established.send(());
        }
        Ok(())
    }

    async fn handle(&mut self, event: Event, context: &mut Context<Event>) -> Result<(), Failure> {
        self.hear(event, context);
        self.act(context)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if self.vacant {
            return;
        }
        let children = mem::take(&mut self.children);
        for record in &children {
            if record.number != 0 {
                record.child.offspring.kill();
            }
        }
        let again = Spec {
            strategy: self.spec.strategy,
            intensity: self.spec.intensity,
            backoff: self.spec.backoff,
            children: children.into_iter().map(|record| record.child).collect(),
            observer: self.spec.observer.take(),
        };
        self.place.put(again);
    }
}

impl ChildRecord {
    fn retire(&mut self, for_good: bool) {
        let exit = self.exit.clone().unwrap_or(Exit::Killed);
        self.child.offspring.retire(exit, for_good);
    }
}

/// Sends `event` to the supervisor after `delay`, unless it is dropped.
fn alarm(context: &Context<Event>, delay: Duration, event: Event) -> Alarm {
    let supervisor = context.address();
    context.system().runtime().after(delay, move || {
        // A supervisor that has ended needs no alarm.
        let _ = supervisor.tell(event);
    })
}
