//! A component's bench program.

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use serde_json::json;

use crate::check::panic_text;
use crate::command_line::{CommandLine, become_plugin, is_plugin};
use crate::protocol::{ProtocolWriter, runtime, take_stdout};
use crate::{Check, Error, Kind, Scenario, Variant, commands};

/// The version of the protocol that this crate speaks.
pub const PROTOCOL_VERSION: u32 = 1;

const COMMANDS: [(&str, &[&str]); 3] = [
    ("describe", &["--plugin"]),
    ("run", &["--scenario", "--variant", "--plugin", "--param", "--warmup-ms", "--sample-ms", "--samples", "--seed"]),
    ("contract", &["--plugin", "--variant", "--limit-ms"]),
];

/// A component's bench program: its scenarios, its variants and the contract that they keep.
///
/// `S`, the subject, is what a variant hands to a scenario and to a check.
pub struct Bench<S> {
    component: &'static str,
    scenarios: Vec<Box<dyn Scenario<S>>>,
    variants: Vec<Variant<S>>,
    contract: Vec<Check<S>>,
}

impl<S: Send + Sync + 'static> Bench<S> {
    /// A program without anything in it.
    pub fn new(component: &'static str) -> Self {
        Bench { component, scenarios: Vec::new(), variants: Vec::new(), contract: Vec::new() }
    }

    /// Adds a scenario.
    #[must_use]
    pub fn scenario(mut self, scenario: impl Scenario<S> + 'static) -> Self {
        self.scenarios.push(Box::new(scenario));
        self
    }

    /// Adds scenarios.
    #[must_use]
    pub fn scenarios(mut self, scenarios: impl IntoIterator<Item = Box<dyn Scenario<S>>>) -> Self {
        self.scenarios.extend(scenarios);
        self
    }

    /// Adds a variant.
    ///
    /// # Panics
    ///
    /// If there is one of that name.
    #[must_use]
    pub fn variant(mut self, variant: Variant<S>) -> Self {
        assert!(
            self.variants.iter().all(|other| other.name != variant.name),
            "there is a variant '{}' already",
            variant.name
        );
        self.variants.push(variant);
        self
    }

    /// Adds what every variant has to keep, for the `contract` command.
    #[must_use]
    pub fn contract(mut self, checks: impl IntoIterator<Item = Check<S>>) -> Self {
        self.contract.extend(checks);
        self
    }

    /// Runs the program with the process's arguments.
    pub fn main(&self) -> ExitCode {
        self.main_with(std::env::args().skip(1))
    }

    /// As [`Bench::main`], with arguments of one's own.
    pub fn main_with(&self, arguments: impl IntoIterator<Item = String>) -> ExitCode {
        let arguments: Vec<String> = arguments.into_iter().collect();
        if arguments.iter().any(|argument| is_plugin(argument)) {
            // Which takes standard output for itself; nothing of a variant runs before.
            return self.run(arguments, &mut io::stdout()).into();
        }
        match take_stdout() {
            Ok(mut out) => self.run(arguments, &mut out).into(),
            Err(problem) => {
                eprintln!("standard output cannot be kept for the protocol: {problem}");
                (Kind::Internal as u8).into()
            }
        }
    }

    /// Runs one command, writes the protocol's lines, and gives back the exit status. With `--plugin PATH` it does not
    /// return, but becomes the plug-in.
    pub fn run(&self, arguments: impl IntoIterator<Item = String>, out: &mut dyn Write) -> u8 {
        let mut writer = ProtocolWriter(out);
        let caught =
            panic::catch_unwind(AssertUnwindSafe(|| self.dispatch(arguments.into_iter().collect(), &mut writer)));
        let outcome = caught
            .unwrap_or_else(|payload| Err(Error::internal(format!("panicked: {}", panic_text(payload.as_ref())))));
        outcome.unwrap_or_else(|error| match writer.error(&error) {
            Ok(()) => error.kind() as u8,
            // Whoever read the lines has gone.
            Err(_) => Kind::Internal as u8,
        })
    }

    fn dispatch(&self, mut arguments: Vec<String>, writer: &mut ProtocolWriter) -> Result<u8, Error> {
        if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
            writer.text(&self.help())?;
            return Ok(0);
        }
        let command = arguments.first().cloned().unwrap_or_default();
        let Some((_, options)) = COMMANDS.iter().find(|(name, _)| *name == command) else {
            return Err(Error::usage(format!("unknown command '{command}'"), COMMANDS.map(|(name, _)| name)));
        };
        if let Some(path) = CommandLine::take_plugin(&mut arguments)? {
            match become_plugin(&path, &arguments)? {}
        }
        let line = CommandLine::read(&arguments[1..], options)?;
        match command.as_str() {
            "describe" => self.describe(writer),
            "run" => commands::run(self, &line, writer),
            _ => commands::contract(self, &line, writer),
        }
    }

    fn help(&self) -> String {
        let mut text = format!("{}-bench speaks the bench protocol, version {PROTOCOL_VERSION}.\n", self.component);
        for (command, options) in COMMANDS {
            let options: Vec<String> = options.iter().map(|option| format!("[{option} VALUE]")).collect();
            text.extend(["  ", command, " ", &options.join(" "), "\n"]);
        }
        text
    }

    fn describe(&self, writer: &mut ProtocolWriter) -> Result<u8, Error> {
        let names = self.scenario_names();
        writer.line(&json!({
            "protocol": PROTOCOL_VERSION,
            "component": self.component,
            "runtime": runtime(),
            "timed_regions": true,
            "scenarios": self.scenarios.iter().map(|scenario| scenario.spec().to_json()).collect::<Vec<_>>(),
            "variants": self.variants.iter().map(|variant| variant.to_json(&names)).collect::<Vec<_>>(),
        }))?;
        Ok(0)
    }

    /// The component's name.
    pub fn component(&self) -> &'static str {
        self.component
    }

    /// Names of all scenarios.
    pub fn scenario_names(&self) -> Vec<&'static str> {
        self.scenarios.iter().map(|scenario| scenario.spec().name).collect()
    }

    /// All variants.
    pub fn variants_listed(&self) -> &[Variant<S>] {
        &self.variants
    }

    /// The contract.
    pub fn checks(&self) -> &[Check<S>] {
        &self.contract
    }

    /// The scenario of that name.
    pub fn scenario_named(&self, name: &str) -> Result<&dyn Scenario<S>, Error> {
        let found = self.scenarios.iter().find(|scenario| scenario.spec().name == name);
        found.map(AsRef::as_ref).ok_or_else(|| Error::unknown("scenario", name))
    }

    /// The variant of that name.
    pub fn variant_named(&self, name: &str) -> Result<&Variant<S>, Error> {
        self.variants.iter().find(|variant| variant.name == name).ok_or_else(|| Error::unknown("variant", name))
    }
}
