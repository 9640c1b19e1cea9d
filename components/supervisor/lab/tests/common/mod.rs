//! Actors that the tests share.

#![allow(dead_code, unreachable_pub, reason = "each test program uses its part of it")]

use std::sync::{Arc, Mutex};

use supervisor_lab::{Actor, Context, Failure, Reply};

/// What several actors write down, in the order in which it happened.
pub struct Log<T>(Arc<Mutex<Vec<T>>>);

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Clone for Log<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Log<T> {
    pub fn push(&self, entry: T) {
        self.0.lock().unwrap().push(entry);
    }

    pub fn take(&self) -> Vec<T> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

/// What a [`Subject`] is told.
pub enum Tell {
    /// Write it down.
    Note(u64),
    /// Answer with what was written down by this incarnation.
    Count(Reply<u64>),
    /// Panic with this text.
    Panic(&'static str),
    /// Return an error.
    Fail(&'static str),
    /// End normally.
    Stop,
    /// Never come back from the handler, but wait.
    Hang,
    /// Neither come back nor wait, until this is dropped elsewhere.
    Block(std::sync::mpsc::Receiver<()>),
}

/// An actor that does as it is told, and writes down what it was told.
pub struct Subject {
    pub log: Log<u64>,
    pub count: u64,
}

impl Subject {
    pub fn new(log: &Log<u64>) -> Self {
        Self {
            log: log.clone(),
            count: 0,
        }
    }
}

impl Default for Subject {
    fn default() -> Self {
        Self::new(&Log::default())
    }
}

impl Actor for Subject {
    type Message = Tell;

    async fn handle(&mut self, message: Tell, context: &mut Context<Tell>) -> Result<(), Failure> {
        match message {
            Tell::Note(note) => {
                self.count += 1;
                self.log.push(note);
            }
            Tell::Count(reply) => reply.send(self.count),
            Tell::Panic(text) => panic!("{text}"),
            Tell::Fail(text) => return Err(Failure::new(text)),
            Tell::Stop => context.stop(),
            Tell::Hang => std::future::pending().await,
            Tell::Block(until) => drop(until.recv()),
        }
        Ok(())
    }
}

/// Lets everything that can run on this thread run.
pub async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}
