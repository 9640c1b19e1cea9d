//! The actor that is a supervisor: carries out what the [machine](super::machine) decides.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use super::child::Child;
use super::event::Event;
use super::machine::{Command, Delay, Key, Machine, Outcome};
use super::notice::{News, Notice};
use super::order::{AddError, ChildStatus, Order};
use super::spec::{GaveUp, Place, Spec};
use super::strategy::Strategy;
use crate::actor::{Actor, Context, Link};
use crate::ask::Reply;
use crate::exit::{Exit, Failure};
use crate::id::ActorId;
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
    /// Where in the spec it goes back to; `None` if it was added later.
    origin: Option<usize>,
    killed: bool,
    alarm: Option<Alarm>,
    /// Who waits for it to be added, or to be removed.
    added: Option<Reply<Result<(), AddError>>>,
    removed: Vec<Reply<bool>>,
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
    /// In the order of their start, which is that of their keys; a map, since many come and go.
    children: BTreeMap<Key, ChildRecord>,
    keys: BTreeMap<ActorId, Key>,
    /// Children of the spec that are not listed any more; the next incarnation lists them again.
    unlisted: Vec<ChildRecord>,
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
            children: BTreeMap::new(),
            keys: BTreeMap::new(),
            unlisted: Vec::new(),
            origin: Instant::now(),
            established,
        }
    }

    fn list(&mut self, child: Child, origin: Option<usize>, added: Option<Reply<Result<(), AddError>>>) {
        let key = self.machine.add(child.restart);
        let removed = Vec::new();
        self.keys.insert(child.id(), key);
        let record = ChildRecord {
            child,
            number: 0,
            exit: None,
            origin,
            killed: false,
            alarm: None,
            added,
            removed,
        };
        self.children.insert(key, record);
    }

    fn hear(&mut self, event: Event, context: &Context<Event>) {
        let now = self.origin.elapsed();
        match event {
            Event::Started { key, number } => {
                if let Some(record) = self.current(key, number) {
                    if let Some(added) = record.added.take() {
                        added.send(Ok(()));
                    }
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
            Event::Order(order) => self.obey(*order.downcast().expect("an order and nothing else")),
        }
    }

    fn gone(&mut self, key: Key, exit: Exit, now: Duration) {
        self.note(key, News::Exited(exit.clone()));
        let abnormal = exit.is_abnormal();
        if let Some(record) = self.record(key) {
            record.number = 0;
            record.exit = Some(exit);
            record.killed = false;
            record.alarm = None;
        }
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

    fn obey(&mut self, order: Order) {
        match order {
            Order::Add(child, reply) => self.list(child, None, Some(reply)),
            Order::Remove(id, reply) => match self.keys.get(&id).copied() {
                Some(key) => {
                    if let Some(record) = self.record(key) {
                        record.removed.push(reply);
                    }
                    self.machine.remove(key);
                }
                None => reply.send(false),
            },
            Order::List(reply) => reply.send(self.children.values().map(ChildRecord::status).collect()),
        }
    }

    /// Carries out what is to be done; returns whether the supervisor goes on.
    fn act(&mut self, context: &mut Context<Event>) -> Result<(), Failure> {
        while let Some(command) = self.machine.command() {
            match command {
                Command::Start(key) => self.start(key, context),
                Command::Stop(key, manner) => {
                    self.note(key, News::Stopping);
                    let Some(record) = self.record(key) else { continue };
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
                    let elapsed = alarm(context, time, Event::Elapsed { key, ticket });
                    if let Some(record) = self.record(key) {
                        record.alarm = Some(elapsed);
                    }
                }
                Command::Retire(key) => {
                    // Its group may start it again, or the next incarnation of a supervisor that has one.
                    let alone = self.spec.strategy == Strategy::OneForOne || self.machine.is_ending();
                    let for_good = alone && !self.supervised;
                    if let Some(record) = self.record(key) {
                        record.retire(for_good);
                    }
                }
                Command::Remove(key) => self.remove(key),
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
        let Some(record) = self.record(key) else { return };
        record.exit = None;
        record.alarm = None;
        match record.child.offspring.start(context.system(), link) {
            Ok(number) => record.number = number,
            Err(exit) => self.gone(key, exit, now),
        }
    }

    fn remove(&mut self, key: Key) {
        self.note(key, News::Removed);
        let Some(mut record) = self.children.remove(&key) else {
            return;
        };
        self.keys.remove(&record.child.id());
        // One of the spec is listed again by a next incarnation of this supervisor.
        record.retire(record.origin.is_none() || !self.supervised);
        for reply in record.removed.drain(..) {
            reply.send(true);
        }
        if let Some(added) = record.added.take() {
            added.send(Err(AddError::NotStarted(record.exit.clone().unwrap_or(Exit::Killed))));
        }
        if record.origin.is_some() {
            self.unlisted.push(record);
        }
    }

    fn finish(&mut self, outcome: Outcome) -> Result<(), Failure> {
        let (Outcome::Exceeded(key) | Outcome::NotStarted(key)) = outcome else {
            return Ok(());
        };
        self.note(key, News::GaveUp);
        let Some(record) = self.record(key) else { return Ok(()) };
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
        if let Some(record) = self.children.get(&key) {
            observer(&Notice {
                child: Arc::clone(&record.child.name),
                id: record.child.id(),
                news,
            });
        }
    }

    fn record(&mut self, key: Key) -> Option<&mut ChildRecord> {
        self.children.get_mut(&key)
    }

    /// The child, if what is heard is of its current incarnation.
    fn current(&mut self, key: Key, number: u32) -> Option<&mut ChildRecord> {
        self.record(key).filter(|record| record.number == number)
    }
}

impl Actor for Tree {
    type Message = Event;

    /// Starts the children; a supervisor has started once they all have.
    async fn started(&mut self, context: &mut Context<Event>) -> Result<(), Failure> {
        if self.vacant {
            return Err(Failure::new("the incarnation before this one has not ended"));
        }
        for (origin, child) in mem::take(&mut self.spec.children).into_iter().enumerate() {
            self.list(child, Some(origin), None);
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
        let mut children: Vec<ChildRecord> = mem::take(&mut self.children).into_values().collect();
        for record in &children {
            if record.number != 0 {
                record.child.offspring.kill();
            }
        }
        children.append(&mut self.unlisted);
        children.retain(|record| record.origin.is_some());
        children.sort_by_key(|record| record.origin);
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
    fn status(&self) -> ChildStatus {
        ChildStatus {
            name: Arc::clone(&self.child.name),
            id: self.child.id(),
            incarnation: self.number,
            exit: self.exit.clone(),
        }
    }

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
