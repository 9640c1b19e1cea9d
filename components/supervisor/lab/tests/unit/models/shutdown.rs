//! Actors that start and end while a registry shuts down.

use std::sync::Arc;

use loom::future::block_on;
use loom::thread;

use super::{PREEMPTIONS, explore};
use crate::exit::Exit;
use crate::mailbox::{Cell, entry};
use crate::registry::Registry;

/// Forbidden: an actor that got in and that the shutdown did not see.
#[test]
fn nobody_slips_through() {
    explore(PREEMPTIONS, || {
        let registry = Arc::new(Registry::default());
        let starting = thread::spawn({
            let registry = Arc::clone(&registry);
            move || registry.enter(entry(&Arc::new(Cell::<u32>::of_actor(1))))
        });
        let seen = registry.shut().len();
        assert_eq!(seen, usize::from(starting.join().unwrap()));
    });
}

/// Forbidden: a shutdown that waits for an actor that has left.
#[test]
fn a_departure_is_noticed() {
    explore(PREEMPTIONS, || {
        let registry = Arc::new(Registry::default());
        let cells: Vec<_> = (0..2).map(|_| Arc::new(Cell::<u32>::of_actor(1))).collect();
        for cell in &cells {
            assert!(registry.enter(entry(cell)));
        }
        for cell in cells {
            let registry = Arc::clone(&registry);
            thread::spawn(move || {
                registry.leave(cell.id);
                cell.end(Exit::Normal);
            });
        }
        registry.shut();
        block_on(registry.emptied());
    });
}
