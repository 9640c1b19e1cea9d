//! Push, take, wait for room, close and hand over a mailbox.

use std::future::poll_fn;
use std::sync::Arc;

use loom::future::block_on;
use loom::thread;

use super::{PREEMPTIONS, explore};
use crate::mailbox::{Batch, Mailbox, Sending, UNBOUNDED};
use crate::refusal::Refusal;

/// The reader of a mailbox, as an incarnation is.
struct Reader {
    mailbox: Arc<Mailbox<u32>>,
    number: u32,
    batch: Batch<u32>,
}

impl Reader {
    fn next(&mut self) -> Option<u32> {
        block_on(poll_fn(|context| {
            self.mailbox.poll_take(self.number, &mut self.batch, context)
        }))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some(batch) = self.batch.take() {
            self.mailbox.give_back(self.number, *batch);
        }
    }
}

fn mailbox(capacity: usize) -> Arc<Mailbox<u32>> {
    Arc::new(Mailbox::new(capacity, 1))
}

fn reader(mailbox: &Arc<Mailbox<u32>>, number: u32) -> Reader {
    Reader {
        mailbox: Arc::clone(mailbox),
        number,
        batch: None,
    }
}

/// Forbidden: the reader sleeps with a message in its mailbox; a message of one sender overtakes another.
#[test]
fn no_wake_up_is_lost() {
    for capacity in [UNBOUNDED, 3] {
        explore(PREEMPTIONS, move || {
            let mailbox = mailbox(capacity);
            let sender = thread::spawn({
                let mailbox = Arc::clone(&mailbox);
                move || (1..=2).for_each(|message| mailbox.push(message).unwrap())
            });
            mailbox.push(10).unwrap();
            let mut reader = reader(&mailbox, 1);
            let taken: Vec<_> = (0..3).map(|_| reader.next().unwrap()).collect();
            let of_sender: Vec<_> = taken.iter().copied().filter(|&message| message < 10).collect();
            assert_eq!(of_sender, [1, 2]);
            assert_eq!(taken.len(), 3);
            sender.join().unwrap();
        });
    }
}

/// Forbidden: a message that was accepted and not taken; one that was refused and taken; a reader that misses the end.
#[test]
fn a_close_splits_messages_into_accepted_and_refused() {
    explore(PREEMPTIONS, || {
        let mailbox = mailbox(UNBOUNDED);
        let sender = thread::spawn({
            let mailbox = Arc::clone(&mailbox);
            move || (1..=2).filter(|&message| mailbox.push(message).is_ok()).count()
        });
        let closer = thread::spawn({
            let mailbox = Arc::clone(&mailbox);
            move || mailbox.close()
        });
        let mut reader = reader(&mailbox, 1);
        let mut taken = Vec::new();
        while let Some(message) = reader.next() {
            taken.push(message);
        }
        closer.join().unwrap();
        let accepted = sender.join().unwrap();
        assert_eq!(taken, (1..=u32::try_from(accepted).unwrap()).collect::<Vec<_>>());
        assert!(matches!(mailbox.push(9), Err(Refusal::Closed(9))));
    });
}

/// Forbidden: a sender that waits although there is room; more messages in the mailbox than it may hold.
#[test]
fn a_sender_that_waits_is_served() {
    explore(PREEMPTIONS, || {
        let mailbox = mailbox(1);
        let senders: Vec<_> = [1, 2]
            .map(|message| {
                let mailbox = Arc::clone(&mailbox);
                thread::spawn(move || block_on(Sending::new(&mailbox, message)).unwrap())
            })
            .into();
        let mut reader = reader(&mailbox, 1);
        let mut taken = Vec::new();
        for _ in 0..2 {
            assert!(mailbox.len() <= 1);
            taken.extend(reader.next());
        }
        taken.sort_unstable();
        assert_eq!(taken, [1, 2]);
        senders.into_iter().for_each(|sender| sender.join().unwrap());
    });
}

/// Forbidden: a sender that waits and is neither served nor given its message back; one that is both.
#[test]
fn a_close_gives_a_waiting_sender_its_message_back() {
    explore(PREEMPTIONS, || {
        let mailbox = mailbox(1);
        mailbox.push(1).unwrap();
        let sender = thread::spawn({
            let mailbox = Arc::clone(&mailbox);
            move || block_on(Sending::new(&mailbox, 2))
        });
        let closer = thread::spawn({
            let mailbox = Arc::clone(&mailbox);
            move || mailbox.close()
        });
        let mut reader = reader(&mailbox, 1);
        assert_eq!(reader.next(), Some(1));
        let second = reader.next();
        closer.join().unwrap();
        match sender.join().unwrap() {
            Ok(()) => assert_eq!(second, Some(2)),
            Err(refused) => assert_eq!((second, refused.0), (None, 2)),
        }
    });
}

/// Forbidden: a message that is lost, doubled or out of order when one incarnation is halted and the next takes over.
#[test]
fn the_next_incarnation_goes_on_where_the_one_before_stopped() {
    explore(2, || {
        let mailbox = mailbox(UNBOUNDED);
        let sender = thread::spawn({
            let mailbox = Arc::clone(&mailbox);
            move || {
                (1..=2).for_each(|message| mailbox.push(message).unwrap());
                mailbox.close();
            }
        });
        let first = thread::spawn({
            let mut reader = reader(&mailbox, 1);
            move || std::iter::from_fn(|| reader.next()).collect::<Vec<_>>()
        });
        mailbox.halt();
        let mut taken = first.join().unwrap();
        mailbox.admit(2);
        let mut second = reader(&mailbox, 2);
        taken.extend(std::iter::from_fn(|| second.next()));
        assert_eq!(taken, [1, 2]);
        sender.join().unwrap();
    });
}

/// Forbidden: a message that is begun, put back or accepted after the end; one that the end
/// does not find although nobody had taken it.
#[test]
fn nothing_comes_after_the_end() {
    explore(PREEMPTIONS, || {
        let mailbox = mailbox(UNBOUNDED);
        (1..=2).for_each(|message| mailbox.push(message).unwrap());
        let abandoned = thread::spawn({
            let mut reader = reader(&mailbox, 1);
            move || reader.next()
        });
        let unhandled = mailbox.end();
        assert!(mailbox.push(3).is_err());
        let begun = abandoned.join().unwrap();
        match begun {
            None => assert_eq!(unhandled, [1, 2]),
            // The rest of its batch was put back before the end, or dropped after it.
            Some(begun) => assert!(
                begun == 1 && (unhandled.is_empty() || unhandled == [2]),
                "{unhandled:?}"
            ),
        }
        assert_eq!(mailbox.len(), 0);
    });
}
