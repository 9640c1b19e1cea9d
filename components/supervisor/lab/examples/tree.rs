//! A tree in which a child is killed, one fails and one panics: who stops, who starts, with which state.
//!
//! ```text
//! root (one for one)
//! ├─ store
//! └─ pipeline (rest for one)
//!    ├─ reader
//!    ├─ parser
//!    └─ writer
//! ```

use std::time::Duration;

use supervisor_lab::supervisor::{Child, News, Notice, Spec, Strategy};
use supervisor_lab::{Actor, Context, Failure, Reply, System};

enum Stage {
    Work,
    Fail,
    Panic,
    Worked(Reply<u32>),
}

#[derive(Default)]
struct Worker {
    worked: u32,
}

impl Actor for Worker {
    type Message = Stage;

    async fn handle(&mut self, stage: Stage, _: &mut Context<Stage>) -> Result<(), Failure> {
        match stage {
            Stage::Work => self.worked += 1,
            Stage::Fail => Err(Failure::new("no more input"))?,
            Stage::Panic => panic!("a bug"),
            Stage::Worked(reply) => reply.send(self.worked),
        }
        Ok(())
    }
}

fn print(notice: &Notice) {
    let Notice { child, news, .. } = notice;
    match news {
        News::Started(number) => println!("  {child}: start {number}"),
        News::Exited(exit) => println!("  {child}: {exit}"),
        News::Stopping => println!("  {child}: is to stop"),
        _ => {}
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    supervisor_lab::silence_actor_panics();
    let system = System::new();
    let (store, _) = Child::new("store", Worker::default);
    let (reader, to_reader) = Child::new("reader", Worker::default);
    let (parser, to_parser) = Child::new("parser", Worker::default);
    let (writer, to_writer) = Child::new("writer", Worker::default);
    let pipeline = Spec::new(Strategy::RestForOne)
        .observe(print)
        .child(reader)
        .child(parser)
        .child(writer);
    println!("start");
    let root = Spec::new(Strategy::OneForOne)
        .observe(print)
        .child(store)
        .child(Child::tree("pipeline", pipeline).0)
        .start(&system)
        .await?;

    for address in [&to_reader, &to_parser, &to_writer] {
        address.tell(Stage::Work)?;
    }
    println!(
        "  (the writer has worked {} times)",
        to_writer.ask(Stage::Worked).await?
    );
    println!("the writer is killed");
    to_writer.kill();
    println!("  (it has worked {} times)", to_writer.ask(Stage::Worked).await?);
    println!("the parser fails, and the writer goes with it");
    to_parser.tell(Stage::Fail)?;
    println!("  (it has worked {} times)", to_parser.ask(Stage::Worked).await?);
    println!("the reader panics until its supervisor gives up, which is restarted itself");
    for _ in 0..2 {
        to_reader.tell(Stage::Panic)?;
    }
    println!("  (it has worked {} times)", to_reader.ask(Stage::Worked).await?);
    println!("stop");
    root.stop().await;
    println!("{:?}", system.shutdown(Duration::from_secs(1)).await);
    Ok(())
}
