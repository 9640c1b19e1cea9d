//! The queue between those who tell an actor something and the one task that is the actor.
//!
//! # Design
//!
//! A mailbox is a [`State`] behind one lock that is held for a push, a pop or a swap of two pointers, and never while
//! code of a user runs. There is no block of slots made beforehand: a message that comes alone lies in the mailbox itself, and
//! only a second one makes a buffer, which is what makes a million of them affordable. Throughput comes from taking in batches, not from avoiding
//! the lock: the reader swaps the whole queue for its own empty buffer and works on that without any lock.
//!
//! 1. *Push* (`push`). Under the lock: refuse if closed or full; append; take the reader's waker, if there is one.
//!    After it: wake. Whoever takes the waker must wake, so a reader is woken once for each time that it slept,
//!    however many messages came.
//! 2. *Take* (`poll_take`). Under the lock: leave if another incarnation reads now; take one message, or, if the mailbox
//!    is unbounded and holds several, all of them. If there is none: leave the waker. The emptiness is seen and
//!    the waker left under the same lock as the push, so a message is either seen by the reader or sees its waker. That is
//!    the whole argument against the lost wake-up.
//! 3. *Room* (bounded). A reader takes one message at a time, so that `capacity` counts what the actor has not begun, and
//!    nothing else. The message of a sender that waits lies in [`Waiting`](super::waiting::Waiting); the take that makes room moves the
//!    first of them into the queue itself. Nobody can push past a sender that waits, because the queue stays full
//!    for as long as one does.
//! 4. *Close*. No push is accepted any more; the reader gets what is in the queue and then the end; a sender that
//!    waits gets its message back. A close lasts until the reader has been told of that end: an incarnation that fails
//!    before leaves it to the next one, and the incarnation after it finds the mailbox open again (`reopen`).
//! 5. *Halt and admit*. `reader` is the number of the incarnation that may take messages, 0 for none. Halting
//!    writes 0: the incarnation ends after the message that it has in hand and gives back the rest of its batch, which
//!    goes to the front of the queue, in its order (`give_back`). The next incarnation is admitted with a new number and
//!    finds the queue as if nothing had been taken. One that wakes late reads a number that is not its own and leaves.
//!    It was abandoned by its supervisor, so nobody has waited for its batch, which is dropped: behind the end there is
//!    nobody to handle it, and in front of a newer incarnation's queue it would come after messages sent later.
//! 6. *End*. Closes, writes 0 and empties the queue, all under one lock: nothing is begun and nothing put back after it.
//!
//! `reader` is an atomic because the incarnation looks at it before each message of its batch, without the lock. It is
//! written under the lock only. The look may be relaxed: it guards no data, and a look that comes too early costs one
//! more message. A reader that is asleep is woken by the writer, and then looks under the lock.
//!
//! *Invariants*, under the lock: a waker is left only where the queue is empty, the mailbox open and the sleeper the
//! admitted one; `waiting.senders` is not empty only where the queue is full and the mailbox open.

use std::collections::VecDeque;
use std::task::{Context, Poll, Waker};

use super::state::{Gate, State};
use crate::refusal::Refusal;
use crate::rt;
use crate::sync::{AtomicU32, Mutex, Ordering, lock};

/// What a buffer may occupy while its reader sleeps, in bytes; a larger one is freed.
const KEPT_BYTES: usize = 1 << 10;

/// The capacity of a mailbox without one.
pub(crate) const UNBOUNDED: usize = usize::MAX;

/// What a reader has taken and not begun. Boxed, as it is made by the first burst: a message that comes alone is in none.
#[allow(clippy::box_collection)]
pub(crate) type Batch<M> = Option<Box<VecDeque<M>>>;

/// A queue with many writers and one reader at a time.
#[derive(Debug)]
pub(crate) struct Mailbox<M> {
    pub(super) capacity: usize,
    reader: AtomicU32,
    pub(super) state: Mutex<State<M>>,
}

impl<M> Mailbox<M> {
    /// An empty, open mailbox for this incarnation, 0 for none yet.
    pub(crate) fn new(capacity: usize, reader: u32) -> Self {
        Self {
            capacity,
            reader: AtomicU32::new(reader),
            state: Mutex::new(State::new()),
        }
    }

    /// Appends a message, or hands it back.
    pub(crate) fn push(&self, message: M) -> Result<(), Refusal<M>> {
        let mut state = lock(&self.state);
        if state.is_closed() {
            return Err(Refusal::Closed(message));
        }
        if state.len() >= self.capacity {
            return Err(Refusal::Full(message));
        }
        state.push(message);
        let reader = state.reader.take();
        drop(state);
        wake(reader);
        Ok(())
    }

    /// The next message for incarnation `number`; `None` once there will be no more for it.
    ///
    /// `batch` is what it has taken and not yet begun.
    pub(crate) fn poll_take(&self, number: u32, batch: &mut Batch<M>, context: &mut Context<'_>) -> Poll<Option<M>> {
        if self.reader.load(Ordering::Relaxed) != number {
            return Poll::Ready(None);
        }
        std::task::ready!(rt::poll_budget(context));
        if let Some(message) = batch.as_mut().and_then(|batch| batch.pop_front()) {
            return Poll::Ready(Some(message));
        }
        let mut state = lock(&self.state);
        if self.reader.load(Ordering::Relaxed) != number {
            return Poll::Ready(None);
        }
        if self.capacity == UNBOUNDED && state.len() > 1 {
            return Poll::Ready(state.take(batch.get_or_insert_default()));
        }
        if let Some(message) = state.pop() {
            let sender = state.admit_waiting();
            drop(state);
            wake(sender);
            return Poll::Ready(Some(message));
        }
        if state.is_closed() {
            state.gate = state.gate.max(Gate::Drained);
            return Poll::Ready(None);
        }
        let large = is_large(&state.queue).then(|| std::mem::take(&mut state.queue));
        let line = state.waiting.as_mut().filter(|waiting| is_large(&waiting.senders));
        // Empty, as the queue is.
        let line = line.map(|waiting| std::mem::take(&mut waiting.senders));
        let previous = state.sleep(context.waker());
        drop(state);
        drop((large, line, previous));
        if batch.as_ref().is_some_and(|batch| is_large(batch)) {
            *batch = None;
        }
        Poll::Pending
    }

    /// Lets incarnation `number` take messages, and no other.
    pub(crate) fn admit(&self, number: u32) {
        self.set_reader(number);
    }

    /// Ends the incarnation that reads after the message it has in hand; the messages stay.
    pub(crate) fn halt(&self) {
        self.set_reader(0);
    }

    fn set_reader(&self, number: u32) {
        let mut state = lock(&self.state);
        self.reader.store(number, Ordering::Relaxed);
        let sleeper = state.reader.take();
        drop(state);
        wake(sleeper);
    }

    /// Puts back, in front, what incarnation `number` has taken and not begun; drops it if it is too late for that.
    pub(crate) fn give_back(&self, number: u32, batch: VecDeque<M>) {
        if batch.is_empty() {
            return;
        }
        let mut state = lock(&self.state);
        let reader = self.reader.load(Ordering::Relaxed);
        if state.gate == Gate::Ended || (reader != 0 && reader != number) {
            drop(state);
            drop(batch);
            return;
        }
        let buffer = state.put_back(batch);
        let reader = state.reader.take();
        drop(state);
        drop(buffer);
        wake(reader);
    }

    /// Accepts no more; what was accepted can still be taken.
    pub(crate) fn close(&self) {
        let mut state = lock(&self.state);
        state.gate = state.gate.max(Gate::Closed);
        let reader = state.reader.take();
        let senders = state.refuse_waiting();
        drop(state);
        wake(reader);
        senders.into_iter().for_each(Waker::wake);
    }

    /// Closes, lets nobody take messages, and takes out whatever was not handled.
    pub(crate) fn end(&self) -> VecDeque<M> {
        let mut state = lock(&self.state);
        state.gate = Gate::Ended;
        self.reader.store(0, Ordering::Relaxed);
        let (first, mut unhandled) = state.drain();
        let reader = state.reader.take();
        let senders = state.refuse_waiting();
        drop(state);
        wake(reader);
        senders.into_iter().for_each(Waker::wake);
        if let Some(first) = first {
            unhandled.push_front(first);
        }
        unhandled
    }

    /// Accepts messages again, unless the close is still to have its effect.
    pub(crate) fn reopen(&self) {
        let mut state = lock(&self.state);
        if state.gate != Gate::Closed {
            state.gate = Gate::Open;
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        lock(&self.state).is_closed()
    }

    /// Messages accepted and not yet taken.
    pub(crate) fn len(&self) -> usize {
        lock(&self.state).len()
    }
}

pub(super) fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

fn is_large<M>(buffer: &VecDeque<M>) -> bool {
    buffer.capacity() * size_of::<M>() > KEPT_BYTES
}
