//! A system ends within its deadline, whatever its actors do.

mod common;

use std::sync::mpsc;
use std::time::Duration;

use common::{Log, Subject, Tell, settle};
use supervisor_lab::supervisor::{Child, News, Spec, Strategy};
use supervisor_lab::{Exit, Refusal, Shutdown, System};

#[tokio::test]
async fn what_was_accepted_is_handled() {
    let system = System::new();
    let log = Log::default();
    let subjects: Vec<_> = (0..10).map(|_| system.spawn(Subject::new(&log))).collect();
    for subject in &subjects {
        for note in 0..10 {
            subject.tell(Tell::Note(note)).unwrap();
        }
    }
    let shutdown = system.shutdown(Duration::from_secs(10)).await;
    assert_eq!(
        shutdown,
        Shutdown {
            stopped: 10,
            killed: 0,
            stuck: 0
        }
    );
    assert_eq!(log.len(), 100);
    assert!(matches!(subjects[0].tell(Tell::Note(0)), Err(Refusal::Closed(_))));
}

#[tokio::test]
async fn a_deadline_may_be_beyond_the_end_of_the_clock() {
    let system = System::new();
    let subject = system.spawn(Subject::default());
    subject.tell(Tell::Note(0)).unwrap();
    let shutdown = system.shutdown(Duration::MAX).await;
    assert_eq!((shutdown.stopped, shutdown.killed), (1, 0));
}

#[tokio::test]
async fn nobody_is_born_after_it() {
    let system = System::new();
    assert_eq!(
        system.shutdown(Duration::ZERO).await,
        Shutdown {
            stopped: 0,
            killed: 0,
            stuck: 0
        }
    );
    let stillborn = system.spawn(Subject::default());
    assert!(matches!(stillborn.tell(Tell::Note(0)), Err(Refusal::Closed(_))));
    assert!(matches!(stillborn.ended().await.exit, Exit::Killed));
    assert!(Spec::new(Strategy::OneForOne).start(&system).await.is_err());
    assert!(system.is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_waits_for_ever_is_killed_at_the_deadline() {
    let system = System::new();
    let (hanging, idle) = (system.spawn(Subject::default()), system.spawn(Subject::default()));
    hanging.tell(Tell::Hang).unwrap();
    settle().await;
    let before = tokio::time::Instant::now();
    let shutdown = system.shutdown(Duration::from_secs(3)).await;
    assert_eq!(
        shutdown,
        Shutdown {
            stopped: 1,
            killed: 1,
            stuck: 0
        }
    );
    assert_eq!(before.elapsed().as_secs(), 3);
    assert!(matches!(hanging.ended().await.exit, Exit::Killed));
    assert!(matches!(idle.ended().await.exit, Exit::Normal));
}

#[tokio::test(start_paused = true)]
async fn trees_stop_in_order_and_restart_nobody() {
    let system = System::new();
    let log = Log::default();
    let mut spec = Spec::new(Strategy::OneForAll).observe({
        let log = log.clone();
        move |notice| {
            let step = match notice.news {
                News::Starting => "starting",
                News::Exited(_) => "exited",
                _ => return,
            };
            log.push((notice.child.to_string(), step));
        }
    });
    let mut addresses = Vec::new();
    for name in ["a", "b", "c"] {
        let (child, address) = Child::new(name, Subject::default);
        spec = spec.child(child.stop_within(Duration::MAX / 2));
        addresses.push(address);
    }
    let supervisor = spec.start(&system).await.unwrap();
    log.take();
    addresses[1].tell(Tell::Hang).unwrap();
    addresses[1].tell(Tell::Note(0)).unwrap();
    settle().await;
    let shutdown = system.shutdown(Duration::from_secs(3)).await;
    assert_eq!(
        shutdown,
        Shutdown {
            stopped: 1,
            killed: 3,
            stuck: 0
        },
        "c stopped; b, a and the supervisor were killed"
    );
    assert_eq!(log.take(), [("c".into(), "exited")]);
    assert!(matches!(supervisor.ended().await.exit, Exit::Killed));
    assert_eq!(addresses[1].ended().await.unhandled, 1);
    assert!(system.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_never_waits_is_reported_as_stuck() {
    let system = System::new();
    let blocking = system.spawn(Subject::default());
    let (unblock, block) = mpsc::channel();
    blocking.tell(Tell::Block(block)).unwrap();
    while blocking.backlog() > 0 {
        tokio::task::yield_now().await;
    }
    let shutdown = system.shutdown(Duration::from_millis(10)).await;
    assert_eq!(
        shutdown,
        Shutdown {
            stopped: 0,
            killed: 0,
            stuck: 1
        }
    );
    drop(unblock);
    blocking.ended().await;
    assert!(system.is_empty());
}

#[test]
fn a_runtime_that_ends_ends_its_actors() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .unwrap();
    let (system, subject) = runtime.block_on(async {
        let system = System::new();
        let subject = system.spawn(Subject::default());
        subject.tell(Tell::Hang).unwrap();
        (system, subject)
    });
    drop(runtime);
    assert!(system.is_empty());
    assert!(subject.is_closed());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert!(matches!(runtime.block_on(subject.ended()).exit, Exit::Killed));
}

#[tokio::test]
async fn two_who_shut_down_at_once_both_hear_of_the_end() {
    let system = System::new();
    let hanging = system.spawn(Subject::default());
    hanging.tell(Tell::Hang).unwrap();
    settle().await;
    let shutdowns = [system.clone(), system.clone()]
        .map(|system| tokio::spawn(async move { system.shutdown(Duration::MAX / 4).await }));
    settle().await;
    hanging.kill();
    for shutdown in shutdowns {
        assert_eq!(shutdown.await.unwrap().stopped, 1);
    }
}
