//! A mailbox together with the actor behind it: which incarnation runs, and who wants to know of the end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::sync::oneshot;

use super::queue::Mailbox;
use crate::exit::{End, Exit};
use crate::id::ActorId;
use crate::rt::{Abort, Task};
use crate::sync::{Mutex, lock};

/// Somebody who waits for the end.
pub(crate) type Watch = oneshot::Sender<End>;

/// What an address points to.
#[derive(Debug)]
pub(crate) struct Cell<M> {
    pub(crate) id: ActorId,
    pub(crate) mailbox: Mailbox<M>,
    life: Mutex<Life>,
    supervised: bool,
}

/// The actor behind a mailbox; an actor outlives its incarnations.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent of each other")]
struct Life {
    /// Counts incarnations from 1 and is never reused, so that news of an earlier one is known as such.
    number: u32,
    /// The current incarnation was killed before its task was known.
    killed: bool,
    /// Its incarnation has departed, or there was none yet.
    departed: bool,
    /// Nobody has another incarnation in sight.
    released: bool,
    /// Those who watch were told of the end.
    over: bool,
    task: Option<Task>,
    /// The end as it stands while no incarnation runs; of one that may still be started again, it is not told.
    end: Option<Box<End>>,
    /// Boxed, as few are watched: a vector would be 16 bytes more for each actor.
    #[allow(clippy::box_collection)]
    watches: Option<Box<Vec<Watch>>>,
}

/// The number of an actor's first incarnation.
pub(crate) const FIRST: u32 = 1;

impl<M: Send + 'static> Cell<M> {
    /// Of a child: its supervisor begins each incarnation.
    pub(crate) fn of_child(capacity: usize) -> Self {
        let mailbox = Mailbox::new(capacity, 0);
        let life = Life {
            number: 0,
            departed: true,
            ..Life::default()
        };
        Self {
            id: ActorId::next(),
            mailbox,
            life: Mutex::new(life),
            supervised: true,
        }
    }

    /// Of an actor without a supervisor: its only incarnation, [`FIRST`], has begun.
    pub(crate) fn of_actor(capacity: usize) -> Self {
        let mailbox = Mailbox::new(capacity, FIRST);
        let life = Life {
            number: FIRST,
            departed: false,
            ..Life::default()
        };
        Self {
            id: ActorId::next(),
            mailbox,
            life: Mutex::new(life),
            supervised: false,
        }
    }

    /// The incarnation that was begun last.
    pub(crate) fn number(&self) -> u32 {
        lock(&self.life).number
    }

    /// Begins the next incarnation, for which an end or a close that the one before has obeyed is past, and admits it to
    /// the mailbox; returns its number. What was left unhandled before still counts.
    pub(crate) fn begin(&self) -> u32 {
        let mut life = lock(&self.life);
        life.number += 1;
        life.killed = false;
        life.departed = false;
        life.released = false;
        let number = life.number;
        life.over = false;
        drop(life);
        self.mailbox.reopen();
        self.mailbox.admit(number);
        number
    }

    /// Tells which task runs incarnation `number`, which may have departed meanwhile.
    pub(crate) fn attach(&self, number: u32, task: Task) {
        let mut life = lock(&self.life);
        if life.number != number || life.departed {
            return;
        }
        let killed = life.killed.then(|| task.abort_handle());
        let previous = life.task.replace(task);
        drop(life);
        drop(previous);
        abort(killed);
    }

    /// Incarnation `number` is over; its task is let go. Returns whether it was the last one and is nobody's any more.
    pub(crate) fn depart(&self, number: u32) -> bool {
        let mut life = lock(&self.life);
        if life.number != number {
            return false;
        }
        life.departed = true;
        let (task, released) = (life.task.take(), life.released);
        drop(life);
        drop(task);
        released
    }

    /// No further incarnation will be begun, or not soon. Returns whether none runs; one that does ends the actor by its
    /// departure.
    pub(crate) fn release(&self) -> bool {
        let mut life = lock(&self.life);
        life.released = true;
        life.departed
    }

    /// The actor is over: it [rests](Self::rest), and those who watch are told.
    pub(crate) fn end(&self, exit: Exit) {
        self.rest(exit);
        self.conclude();
    }

    /// No incarnation runs, and there may be another one: refuses messages and drops what was not handled.
    pub(crate) fn rest(&self, exit: Exit) {
        let left = self.mailbox.end();
        let unhandled = left.len();
        // Not under a lock: a message may hold the last address of another actor or the reply that somebody waits for. A panic
        // of one, which the hook has reported, does not keep the end from those who watch.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(left)));
        let mut life = lock(&self.life);
        let before = life.end.take();
        let unhandled = unhandled + before.as_ref().map_or(0, |end| end.unhandled);
        life.end = Some(Box::new(End { exit, unhandled }));
        drop(life);
        // Holds the error of an actor.
        drop(before);
    }

    /// There will be no other incarnation after one that [rests](Self::rest): tells those who watch.
    pub(crate) fn conclude(&self) {
        let mut life = lock(&self.life);
        life.over = true;
        let watches = life.watches.take();
        let end = life.end.clone();
        drop(life);
        let Some(end) = end else { return };
        for watch in watches.into_iter().flat_map(|watches| *watches) {
            // The receiver may have lost interest.
            let _ = watch.send(End::clone(&end));
        }
    }

    /// Tells `watch` of the end, at once if it is past.
    pub(crate) fn watch(&self, watch: Watch) {
        let mut life = lock(&self.life);
        if life.over
            && let Some(end) = &life.end
        {
            let end = End::clone(end);
            drop(life);
            let _ = watch.send(end);
            return;
        }
        let watches = life.watches.get_or_insert_default();
        let mut given_up = Vec::new();
        if watches.len() == watches.capacity() {
            given_up.extend(watches.extract_if(.., |watch| watch.is_closed()));
            // As many come before the next look as are looked at then: each pays for one.
            watches.reserve(watches.len().max(1));
        }
        watches.push(watch);
        drop(life);
        // Holds the waker of whoever gave up.
        drop(given_up);
    }
}

/// A cell whose message type is forgotten, as the registry and the supervisors know it.
pub(crate) trait Entry: Send + Sync {
    fn id(&self) -> ActorId;

    /// Is stopped by its supervisor, and by nobody else.
    fn is_supervised(&self) -> bool;

    /// Takes no more messages and ends once the accepted ones are handled.
    fn close(&self);

    /// Ends after the message in hand.
    fn halt(&self);

    /// Ends at the next point where the actor waits; the message in hand is lost.
    fn kill(&self);
}

impl<M: Send + 'static> Entry for Cell<M> {
    fn id(&self) -> ActorId {
        self.id
    }

    fn is_supervised(&self) -> bool {
        self.supervised
    }

    fn close(&self) {
        self.mailbox.close();
    }

    fn halt(&self) {
        self.mailbox.halt();
    }

    fn kill(&self) {
        let mut life = lock(&self.life);
        life.killed = true;
        let task = life.task.as_ref().map(Task::abort_handle);
        drop(life);
        abort(task);
    }
}

/// Not under a lock: an abort may drop the task's future at once, and with it the actor's context.
fn abort(task: Option<Abort>) {
    if let Some(task) = task {
        task.abort();
    }
}

/// Forgets the type.
pub(crate) fn entry<M: Send + 'static>(cell: &Arc<Cell<M>>) -> Arc<dyn Entry> {
    Arc::<Cell<M>>::clone(cell)
}

#[cfg(all(test, not(supervisor_loom)))]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_wait_any_more_is_forgotten() {
        let cell = Cell::<u32>::of_actor(1);
        let mut waiting = Vec::new();
        for number in 0..10_000 {
            let (watch, end) = oneshot::channel();
            cell.watch(watch);
            if number % 1_000 == 0 {
                waiting.push(end);
            }
        }
        let kept = lock(&cell.life).watches.as_ref().map_or(0, |watches| watches.len());
        assert!(kept <= 4 * waiting.len(), "{kept} for the {} who wait", waiting.len());
        cell.end(Exit::Normal);
        for mut end in waiting {
            assert!(matches!(end.try_recv().unwrap().exit, Exit::Normal));
        }
    }
}
