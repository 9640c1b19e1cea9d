//! The lab, as a cell sees it.

use std::fmt::Display;
use std::{env, fmt, fs, process};

use crate::command::{Command, Runner, announced};
use crate::variants::{Cells, Variants};
use crate::{LabError, LabResult, Moment, Plugin, Span, now_ns, timeline};

/// The lab in a notebook, see the [crate's documentation](crate).
///
/// Interrupting the cell ends the command and its children, and keeps what was measured, where the kernel is the lab's own
/// (`./lab setup`); evcxr by itself then ends the process that runs the cells.
#[derive(Clone, Debug)]
pub struct Lab {
    runner: Runner,
}

impl Lab {
    /// Finds the checkout that the notebook is in.
    pub fn new() -> Result<Self, LabError> {
        announced(Runner::here()).map(|runner| Lab { runner })
    }

    /// Any command of `./lab` with its words, as in `lab.command("runs", [""; 0]).run()?`.
    pub fn command<W: Display>(&self, name: &'static str, words: impl IntoIterator<Item = W>) -> Command<'_> {
        Command::new(&self.runner, name, words)
    }

    /// The topics of the lab.
    pub fn topics(&self) -> Result<LabResult, LabError> {
        self.command("topics", [""; 0]).run()
    }

    /// Builds a topic, unless nothing has changed since it was built.
    pub fn build(&self, component: &str) -> Result<LabResult, LabError> {
        self.command("build", [component]).run()
    }

    /// A topic's scenarios, parameters and variants.
    pub fn describe(&self, component: &str) -> Result<LabResult, LabError> {
        self.command("describe", [component]).run()
    }

    /// Checks a variant against its topic's contract. A check that fails is a result.
    pub fn check(&self, component: &str, variant: &str) -> Result<LabResult, LabError> {
        self.command("check", [component]).variant(variant).run()
    }

    /// Measures variants against each other.
    ///
    /// `lab.measure("supervisor").scenario("fan-in").param("senders", 8).variants(["before", "lab"]).quick().run()?`
    pub fn measure(&self, component: &str) -> Command<'_> {
        self.command("measure", [component])
    }

    /// Measures functions without arguments against each other, in fresh processes. The cells that declare them are compiled
    /// alone, so they should hold nothing but `use`, data and functions. The first function is the baseline.
    ///
    /// `lab.bench(["linear", "binary"])?.quick().run()?`
    pub fn bench<N: Display>(&self, functions: impl IntoIterator<Item = N>) -> Result<Command<'_>, LabError> {
        let names: Vec<String> = functions.into_iter().map(|name| name.to_string()).collect();
        let file = announced(Cells::known().write_file(&names, &self.runner.generated("cells")))?;
        Ok(self.command("bench", names).option("functions", file.display()))
    }

    /// Measures a variant against itself: any difference is this machine's.
    pub fn noise(&self, component: &str) -> Command<'_> {
        self.command("noise", [component])
    }

    /// Shows where a variant spends its time.
    ///
    /// `lab.profile("supervisor").scenario("fan-in").variant("before").against("lab").mode("wall").run()?`
    pub fn profile(&self, component: &str) -> Command<'_> {
        self.command("profile", [component])
    }

    /// Counts what a variant executes, under valgrind: instructions, memory accesses, misses and branches.
    ///
    /// `lab.counts("supervisor").scenario("memory").variant("published").against("lab").run()?`
    pub fn counts(&self, component: &str) -> Command<'_> {
        self.profile(component).mode("counts")
    }

    /// A run's chart: `ratios`, `distribution`, ...; the lab's choice if `kind` is empty.
    pub fn chart(&self, run: &LabResult, kind: &str) -> Result<LabResult, LabError> {
        let command = self.command("chart", [announced(run.require_id())?]);
        if kind.is_empty() { command.run() } else { command.option("kind", kind).run() }
    }

    /// Draws what threads, tasks or actors did when, a row for each.
    pub fn timeline(&self, title: &str, spans: &[Span], moments: &[Moment]) -> Result<LabResult, LabError> {
        let file = env::temp_dir().join(format!("perflab-timeline-{}-{}.json", process::id(), now_ns()));
        let written = fs::write(&file, timeline::to_json(title, spans, moments).to_string());
        announced(written.map_err(|problem| LabError::missing(format!("{}: {problem}", file.display()), "")))?;
        let shown = self.command("timeline", [file.display()]).run();
        let _ = fs::remove_file(&file);
        shown
    }

    /// Shows a run again, or what changed between two.
    ///
    /// `lab.compare(&before)?.with(&after)?.variant("lab").run()?`
    pub fn compare(&self, run: &LabResult) -> Result<Command<'_>, LabError> {
        Ok(self.command("compare", [announced(run.require_id())?]))
    }

    /// The verdicts on a report's claims; with `statements()` only what the report says.
    pub fn claims(&self, report: &str) -> Command<'_> {
        self.command("claims", [report])
    }

    /// Makes a variant of a topic of a type that a cell declares, and checks that it keeps the topic's contract. The cell is
    /// compiled alone, so it should hold nothing but imports and items.
    ///
    /// `let mine = lab.variant("supervisor", "MyRuntime")?;`
    pub fn variant(&self, component: &str, type_name: &str) -> Result<Plugin, LabError> {
        let variants = Variants::new(&self.runner, component);
        announced(variants.of_cell(type_name))
    }

    /// The same from source in a text, for evcxr without the lab's relay, whose cells cannot be read.
    pub fn variant_from(&self, component: &str, type_name: &str, source: &str) -> Result<Plugin, LabError> {
        announced(Variants::new(&self.runner, component).of_source(type_name, source))
    }
}

impl fmt::Display for Lab {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the lab; lab.topics()? shows what there is")
    }
}
