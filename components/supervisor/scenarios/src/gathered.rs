//! The scenarios that a system can do.

use std::collections::BTreeMap;

use perflab_bench::{Error, Setting};
use supervisor_contract::{Gathers, Mailboxes, Publishes, Runtime, Supervises};

use crate::parameters::is_published;
use crate::threads::Opened;
use crate::{as_published, broadcast, brokers, crowds, fan_in, mailboxes, ping_pong, supervisors, told};

/// Sets up a scenario for one system.
type Open = fn(Setting) -> Opened;

/// Scenarios of one system, each compiled for it on its own, so that nothing between it and the system is dynamic.
#[derive(Clone, Debug, Default)]
pub struct Scenarios {
    named: BTreeMap<&'static str, Open>,
    published: BTreeMap<&'static str, Open>,
}

impl Gathers for Scenarios {
    fn of<R: Runtime>() -> Self {
        Scenarios::default().with([
            ("spawn", told::open_spawn::<R> as Open),
            ("message-throughput", told::open_message_throughput::<R>),
            ("memory", crowds::open_memory::<R>),
            ("fan-in", fan_in::open::<R>),
            ("ping-pong", ping_pong::open::<R>),
            ("scale", crowds::open_scale::<R>),
        ])
    }

    fn publishes<R: Publishes>(self) -> Self {
        self.with([
            ("send-receive", brokers::open_send_receive::<R> as Open),
            ("broker-throughput", brokers::open_broker_throughput::<R>),
            ("broadcast", broadcast::open::<R>),
        ])
    }

    fn mailboxes<R: Mailboxes>(self) -> Self {
        self.with([
            ("mailbox", mailboxes::open_operations::<R> as Open),
            ("mailbox-memory", mailboxes::open_memory::<R>),
        ])
    }

    fn supervises<R: Supervises>(self) -> Self {
        self.with([
            ("supervise", supervisors::open_supervise::<R> as Open),
            ("restart", supervisors::open_restart::<R>),
        ])
    }
}

impl Scenarios {
    /// With what the report's own benchmarks measured.
    #[must_use]
    pub fn measured_as_published(mut self) -> Self {
        self.published = BTreeMap::from([
            ("spawn", as_published::spawn as Open),
            ("message-throughput", as_published::message_throughput),
            ("memory", as_published::memory),
            ("send-receive", as_published::send_receive),
            ("broker-throughput", as_published::broker_throughput),
            ("broadcast", as_published::broadcast),
            ("mailbox", as_published::mailbox),
            ("mailbox-memory", as_published::mailbox_memory),
            ("supervise", as_published::supervise),
        ]);
        self
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.named.keys().copied()
    }

    fn with(mut self, scenarios: impl IntoIterator<Item = (&'static str, Open)>) -> Self {
        self.named.extend(scenarios);
        self
    }

    /// Sets a scenario up.
    ///
    /// # Errors
    ///
    /// What keeps it from being set up.
    pub(crate) fn open(&self, name: &'static str, setting: Setting) -> Opened {
        if !is_published(&setting.parameters) {
            return self.named[name](setting);
        }
        match self.published.get(name) {
            Some(open) => open(setting),
            None => Err(Error::usage(
                "only the variant 'published' can be measured as published: the report's benchmark calls it directly",
                ["as=named"],
            )),
        }
    }
}
