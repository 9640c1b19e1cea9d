//! A supervisor with a child that fails, against a stop.

use loom::future::block_on;

use super::explore;
use crate::actor::{Actor, Context};
use crate::exit::{Exit, Failure};
use crate::supervisor::{Child, Intensity, Spec, Strategy};
use crate::system::System;

/// Fails at each message.
struct Failing;

impl Actor for Failing {
    type Message = ();

    async fn handle(&mut self, (): (), _: &mut Context<()>) -> Result<(), Failure> {
        Err(Failure::new("as always"))
    }
}

/// Forbidden: a stop that waits for ever, whether it comes before the failure, amid the restart or after it; a child that
/// is still there after it; a failure that makes the stop one.
#[test]
fn a_stop_ends_a_child_that_is_being_restarted() {
    explore(2, || {
        block_on(async {
            let system = System::new();
            let (child, address) = Child::new("failing", || Failing);
            let intensity = Intensity {
                restarts: 2,
                ..Intensity::default()
            };
            let supervisor = Spec::new(Strategy::OneForOne)
                .intensity(intensity)
                .child(child)
                .start(&system)
                .await
                .unwrap();
            address.tell(()).unwrap();
            let end = supervisor.stop().await;
            assert!(matches!(end.exit, Exit::Normal));
            assert!(system.is_empty());
            assert!(address.is_closed());
        });
    });
}
