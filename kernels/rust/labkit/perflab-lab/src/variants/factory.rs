//! Makes plug-ins of what a reader wrote in cells.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fs, io};

use super::cells::{Cells, without_kernel_commands};
use super::compiler::compile;
use super::dependencies::Dependency;
use super::program::{Program, kebab_case};
use crate::arguments::Arguments;
use crate::runner::Runner;
use crate::{LabError, LabResult, Plugin};

/// Of one component.
pub(crate) struct Factory<'lab> {
    runner: &'lab Runner,
    component: &'lab str,
    cells: Cells,
}

impl<'lab> Factory<'lab> {
    pub(crate) fn new(runner: &'lab Runner, component: &'lab str) -> Self {
        Factory {
            runner,
            component,
            cells: Cells::known(),
        }
    }

    /// From the cell that declares the type.
    pub(crate) fn of_cell(&self, type_name: &str) -> Result<Plugin, LabError> {
        self.of_source(type_name, self.cells.declaring(type_name)?)
    }

    pub(crate) fn of_source(&self, type_name: &str, source: &str) -> Result<Plugin, LabError> {
        let source = without_kernel_commands(source);
        let name = kebab_case(type_name);
        let dependencies = self.dependencies()?;
        let component = self.runner.checkout().component(self.component);
        let mut visible: Vec<String> = dependencies.iter().map(Dependency::identifier).collect();
        visible.extend(["std", "core", "alloc"].map(String::from));
        let program = Program {
            variant: &name,
            type_name,
            source: &source,
            imports: &self.cells.imports(&visible),
            dependencies: &dependencies,
        };
        // One folder per name, written anew each time.
        let folder = self
            .runner
            .checkout()
            .plugins()
            .join(format!("{}-{name}", self.component));
        let source_file = program
            .write(&folder)
            .map_err(|problem| cannot_keep(&folder, &problem))?;
        let began = Instant::now();
        let built = compile(&source_file, &component, type_name)?;
        println!("{name}: compiled in {:.0} s", began.elapsed().as_secs_f64());
        // A name by content: the program of an earlier attempt may be in use by a measurement.
        let target = folder.join(format!("{name}-{:016x}", fingerprint(&source)));
        fs::copy(built, &target).map_err(|problem| cannot_keep(&folder, &problem))?;
        self.checked(type_name, target)
    }

    fn dependencies(&self) -> Result<Vec<Dependency>, LabError> {
        let described = self.runner.ask("describe", self.component)?;
        let folders = described.get("plugin/classpath").list();
        if folders.is_empty() {
            let text = format!(
                "{} takes no variants of your own: its component.toml has no [plugin] classpath",
                self.component
            );
            return Err(LabError::usage(text, ""));
        }
        let folders = folders.iter().filter_map(LabResult::text);
        folders.map(|folder| Dependency::at(Path::new(&folder))).collect()
    }

    /// Runs the component's contract suite on the plug-in.
    fn checked(&self, type_name: &str, path: PathBuf) -> Result<Plugin, LabError> {
        let mut options = Arguments::default();
        options.option("plugin", path.display());
        let result = self.runner.run("check", Some(self.component), &options)?;
        let checks = result.get("checks").list();
        let text = |check: &LabResult, name: &str| check.get(name).text().unwrap_or_default();
        let failed: Vec<String> = checks
            .iter()
            .filter(|check| text(check, "passed") != "true")
            .map(|check| format!("\n  FAILED  {}: {}", text(check, "name"), text(check, "message")))
            .collect();
        if !failed.is_empty() || result.exit_status() != 0 {
            let text = format!(
                "{type_name} breaks the contract of {}{}",
                self.component,
                failed.concat()
            );
            return Err(LabError::new(text, "a fast wrong answer is no answer", 4));
        }
        let distinct = |name: &str| {
            let mut found: Vec<String> = Vec::new();
            for value in checks.iter().map(|check| text(check, name)) {
                if !found.contains(&value) {
                    found.push(value);
                }
            }
            found
        };
        Ok(Plugin::new(self.component, distinct("variant"), distinct("name"), path))
    }
}

fn cannot_keep(folder: &Path, problem: &io::Error) -> LabError {
    LabError::missing(
        format!("{}: {problem}", folder.display()),
        "make it writable, or make room",
    )
}

fn fingerprint(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
