//! A publisher that waits for room.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::log::Appended;
use super::shared::Shared;
use crate::sync::lock;

/// Waits in line for room; resolves to the number of subscribers that will read the payload.
pub(super) struct Publishing<'a, T: ?Sized> {
    shared: &'a Shared<T>,
    turn: Turn<T>,
}

enum Turn<T: ?Sized> {
    Holding(Arc<T>),
    Waiting(u64),
    Over,
}

impl<'a, T: ?Sized> Publishing<'a, T> {
    pub(super) fn new(shared: &'a Shared<T>, payload: Arc<T>) -> Self {
        Self {
            shared,
            turn: Turn::Holding(payload),
        }
    }
}

impl<T: ?Sized> Future for Publishing<'_, T> {
    type Output = usize;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<usize> {
        let mut waker = context.waker().clone();
        match std::mem::replace(&mut self.turn, Turn::Over) {
            Turn::Holding(payload) => {
                let mut log = lock(&self.shared.log);
                // Room may have been made since the first look, and under this lock none is.
                match log.append(payload, false) {
                    Appended::Full(payload) => {
                        self.turn = Turn::Waiting(log.enqueue(payload, waker));
                        Poll::Pending
                    }
                    Appended::Yes { readers, .. } => {
                        let sleepers = log.sleepers.take();
                        drop(log);
                        sleepers.wake();
                        Poll::Ready(readers)
                    }
                    Appended::Unheard(payload) => {
                        drop(log);
                        drop(payload);
                        Poll::Ready(0)
                    }
                }
            }
            Turn::Waiting(ticket) => {
                let mut log = lock(&self.shared.log);
                let readers = log.inquire(ticket, &mut waker);
                drop(log);
                if readers.is_none() {
                    self.turn = Turn::Waiting(ticket);
                }
                readers.map_or(Poll::Pending, Poll::Ready)
            }
            Turn::Over => panic!("a publication was polled after it was done"),
        }
    }
}

impl<T: ?Sized> Drop for Publishing<'_, T> {
    fn drop(&mut self) {
        if let Turn::Waiting(ticket) = self.turn {
            let mut log = lock(&self.shared.log);
            let left = log.give_up(ticket);
            drop(log);
            drop(left);
        }
    }
}
