//! Statements about the end.

use std::sync::Arc;
use std::time::Duration;

use supervisor_contract::{Address, Mailbox, ShutsDown, System};
use supervisor_workload::{Countdown, Greeter, Greeting};

use super::waiting::{Verdict, require};

pub(super) async fn shutdown_ends<R: ShutsDown>() -> Verdict {
    const ACTORS: usize = 100;
    let system = R::start::<Greeting>().await;
    let handled = Arc::new(Countdown::from(ACTORS));
    let mut addresses = Vec::new();
    for _ in 0..ACTORS {
        let address = system.spawn(Greeter::new(&handled), Mailbox::Unbounded).await;
        address.tell(Greeting(0)).await.map_err(|_| "refused".to_owned())?;
        addresses.push(address);
    }
    handled.wait().await;
    R::shutdown(system, Duration::from_secs(2))
        .await
        .map_err(|still| still.to_string())?;
    let mut open = 0;
    for address in addresses {
        open += usize::from(address.tell(Greeting(1)).await.is_ok());
    }
    require(open == 0, || format!("{open} of {ACTORS} still take messages"))
}
