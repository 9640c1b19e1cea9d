//! What the crate asks of a runtime: tasks that can be aborted, and a clock.
//!
//! Under loom a task is a thread, nothing can be aborted and no time passes; the models are about order, not time.

#[cfg(not(supervisor_loom))]
pub(crate) use on_tokio::*;

#[cfg(supervisor_loom)]
pub(crate) use on_loom::*;

#[cfg(not(supervisor_loom))]
mod on_tokio {
    use std::future::Future;
    use std::task::{Context, Poll, ready};

    use tokio::task::coop;
    pub(crate) use tokio::time::Instant;

    /// The runtime that an actor system spawns on.
    #[derive(Clone, Debug)]
    pub(crate) struct Runtime(tokio::runtime::Handle);

    /// A task; dropping it lets the task run on.
    #[derive(Debug)]
    pub(crate) struct Task(tokio::task::JoinHandle<()>);

    impl Runtime {
        pub(crate) fn current() -> Self {
            Self(tokio::runtime::Handle::current())
        }

        pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) -> Task {
            Task(self.0.spawn(future))
        }

        /// Calls `action` after `delay`.
        pub(crate) fn after(&self, delay: std::time::Duration, action: impl FnOnce() + Send + 'static) -> Alarm {
            Alarm(self.spawn(async move {
                tokio::time::sleep(delay).await;
                action();
            }))
        }
    }

    /// Something that happens later, unless this is dropped before.
    #[derive(Debug)]
    pub(crate) struct Alarm(Task);

    impl Drop for Alarm {
        fn drop(&mut self) {
            self.0.0.abort();
        }
    }

    /// Ends a task.
    pub(crate) struct Abort(tokio::task::AbortHandle);

    impl Abort {
        /// Drops the task's future the next time it would be polled. A task inside a poll is not interrupted.
        pub(crate) fn abort(&self) {
            self.0.abort();
        }
    }

    impl Task {
        pub(crate) fn abort_handle(&self) -> Abort {
            Abort(self.0.abort_handle())
        }
    }

    /// Waits for that long.
    pub(crate) async fn sleep(time: std::time::Duration) {
        tokio::time::sleep(time).await;
    }

    /// Takes one unit of the task's budget for this poll, so that an actor whose mailbox never empties still yields, and a
    /// sender for whom there is always room.
    #[inline]
    pub(crate) fn poll_budget(context: &mut Context<'_>) -> Poll<()> {
        let budget = ready!(coop::poll_proceed(context));
        budget.made_progress();
        Poll::Ready(())
    }
}

#[cfg(supervisor_loom)]
mod on_loom {
    use std::future::Future;
    use std::task::{Context, Poll};
    pub(crate) use std::time::Instant;

    #[derive(Clone, Debug)]
    pub(crate) struct Runtime;

    #[derive(Debug)]
    pub(crate) struct Task;

    #[derive(Debug)]
    pub(crate) struct Alarm;

    impl Runtime {
        pub(crate) fn current() -> Self {
            Self
        }

        #[allow(clippy::unused_self)]
        pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) -> Task {
            loom::thread::spawn(move || loom::future::block_on(future));
            Task
        }

        #[allow(clippy::unused_self)]
        pub(crate) fn after(&self, _delay: std::time::Duration, _action: impl FnOnce() + Send + 'static) -> Alarm {
            Alarm
        }
    }

    impl Task {
        #[allow(clippy::unused_self)]
        pub(crate) fn abort_handle(&self) -> Abort {
            Abort
        }
    }

    pub(crate) struct Abort;

    impl Abort {
        #[allow(clippy::unused_self)]
        pub(crate) fn abort(&self) {}
    }

    pub(crate) async fn sleep(_time: std::time::Duration) {
        std::future::pending().await
    }

    pub(crate) fn poll_budget(_context: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }
}
