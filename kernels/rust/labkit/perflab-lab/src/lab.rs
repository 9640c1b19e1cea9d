//! The lab, as a cell sees it.

use std::fmt::Display;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::{env, fmt, fs, process};

use crate::arguments::Arguments;
use crate::commands::{Bench, Claims, Compare, Measure, Noise, Profile};
use crate::runner::Runner;
use crate::variants::{Cells, Factory};
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
    /// The lab of the checkout that the notebook is in.
    ///
    /// # Errors
    ///
    /// It is in none.
    pub fn new() -> Result<Self, LabError> {
        Runner::here().map(|runner| Lab { runner })
    }

    /// The topics of the lab, and the bottleneck that each is about.
    ///
    /// # Errors
    ///
    /// The command did not come to a result.
    pub fn topics(&self) -> Result<LabResult, LabError> {
        self.runner.run("topics", None, &Arguments::default())
    }

    /// Builds a component with its own tool, unless nothing has changed since it was built.
    ///
    /// # Errors
    ///
    /// It does not build.
    pub fn build(&self, component: &str) -> Result<LabResult, LabError> {
        self.runner.run("build", Some(component), &Arguments::default())
    }

    /// A component's scenarios with their parameters, and its variants.
    ///
    /// # Errors
    ///
    /// There is no such component, or it does not build.
    pub fn describe(&self, component: &str) -> Result<LabResult, LabError> {
        self.runner.run("describe", Some(component), &Arguments::default())
    }

    /// Holds a variant against its component's contract, statement by statement.
    ///
    /// # Errors
    ///
    /// There is no such variant, or the suite itself fails. A statement that does not hold is a result.
    pub fn check(&self, component: &str, variant: &str) -> Result<LabResult, LabError> {
        let mut options = Arguments::default();
        options.option("variant", variant);
        self.runner.run("check", Some(component), &options)
    }

    /// Measures variants against each other.
    ///
    /// `lab.measure("supervisor").scenario("fan-in").param("senders", 8).variants(["before", "lab"]).quick().run()?`
    pub fn measure<'lab>(&'lab self, component: &str) -> Measure<'lab> {
        Measure::new(&self.runner, "measure", component)
    }

    /// Measures functions without arguments against each other, in fresh processes, without a topic: each process calls
    /// one of them over and over. The first is the baseline. The cells that declare them are compiled alone, without the
    /// notebook's variables, so they should hold nothing but `use`, data and functions.
    ///
    /// `lab.bench(["linear", "binary"])?.quick().run()?`
    ///
    /// # Errors
    ///
    /// No cell declares one of them.
    pub fn bench<N: Display>(&self, functions: impl IntoIterator<Item = N>) -> Result<Bench<'_>, LabError> {
        let names: Vec<String> = functions.into_iter().map(|name| name.to_string()).collect();
        let file = Cells::known().write_file(&names, &self.runner.checkout().cells());
        let file = self.runner.announced(file)?;
        Ok(Bench::of(&self.runner, &names, &file))
    }

    /// Measures a variant against itself.
    ///
    /// `lab.noise("supervisor").scenario("fan-in").variant("lab").quick().run()?`
    pub fn noise<'lab>(&'lab self, component: &str) -> Noise<'lab> {
        Noise::new(&self.runner, "noise", component)
    }

    /// Where a variant spends its time.
    ///
    /// `lab.profile("supervisor").scenario("fan-in").variant("before").against("lab").mode("wall").run()?`
    pub fn profile<'lab>(&'lab self, component: &str) -> Profile<'lab> {
        Profile::new(&self.runner, "profile", component)
    }

    /// A run's chart: `ratios`, `distribution`, ...; the lab's choice if `kind` is empty.
    ///
    /// # Errors
    ///
    /// The result is of no run, or there is no such chart of it.
    pub fn chart(&self, run: &LabResult, kind: &str) -> Result<LabResult, LabError> {
        let id = self.runner.announced(run.require_id())?;
        let mut options = Arguments::default();
        if !kind.is_empty() {
            options.option("kind", kind);
        }
        self.runner.run("chart", Some(&id), &options)
    }

    /// What threads, tasks or actors did when, as a picture with a row for each. At least one span.
    ///
    /// # Errors
    ///
    /// There is none, or one ends before it starts.
    pub fn timeline(&self, title: &str, spans: &[Span], moments: &[Moment]) -> Result<LabResult, LabError> {
        let name = format!("perflab-timeline-{}-{}.json", process::id(), now_ns());
        let file = env::temp_dir().join(name);
        // A new file of one's own: in a folder that all share, another's link may stand under any name.
        let written = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&file)
            .and_then(|mut made| made.write_all(timeline::to_json(title, spans, moments).to_string().as_bytes()));
        let written = written.map_err(|problem| LabError::missing(format!("{}: {problem}", file.display()), ""));
        self.runner.announced(written)?;
        let shown = self.runner.run("timeline", file.to_str(), &Arguments::default());
        // Left in the folder for temporary files if that goes wrong, which harms nobody.
        let _ = fs::remove_file(&file);
        shown
    }

    /// What a run says again, or what changed between two.
    ///
    /// `lab.compare(&before)?.with(&after)?.variant("lab").run()?`
    ///
    /// # Errors
    ///
    /// The result is of no run.
    pub fn compare<'lab>(&'lab self, run: &LabResult) -> Result<Compare<'lab>, LabError> {
        let id = self.runner.announced(run.require_id())?;
        Ok(Compare::new(&self.runner, "compare", &id))
    }

    /// The verdicts on a report's claims.
    ///
    /// `lab.claims("airssys-rt").run()?`, and before anything is measured `lab.claims("airssys-rt").statements().run()?`
    pub fn claims<'lab>(&'lab self, report: &str) -> Claims<'lab> {
        Claims::new(&self.runner, "claims", report)
    }

    /// Makes a variant of a component from a type that a cell of this notebook declares, and checks that it keeps the
    /// component's contract. The cell is compiled on its own, so it should hold nothing but imports and items.
    ///
    /// `let mine = lab.variant("supervisor", "MyRuntime")?;`
    ///
    /// # Errors
    ///
    /// No cell declares it, it does not compile, or it breaks the contract.
    pub fn variant(&self, component: &str, type_name: &str) -> Result<Plugin, LabError> {
        self.runner
            .announced(Factory::new(&self.runner, component).of_cell(type_name))
    }

    /// The same from source in a text, for a kernel whose cells cannot be read: evcxr without the lab's relay.
    ///
    /// # Errors
    ///
    /// As [`variant`](Lab::variant).
    pub fn variant_from(&self, component: &str, type_name: &str, source: &str) -> Result<Plugin, LabError> {
        let factory = Factory::new(&self.runner, component);
        self.runner.announced(factory.of_source(type_name, source))
    }
}

impl fmt::Display for Lab {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the lab; lab.topics()? shows what there is")
    }
}
