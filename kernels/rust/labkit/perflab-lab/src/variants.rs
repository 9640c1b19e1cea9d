//! A variant of one's own: source of a cell ──> the topic's crate `variant`, its bench program with one more ──> the contract.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;
use std::{env, fmt, fs, io};

use serde_json::Value;

use crate::command::{Command, Runner};
use crate::show::send_content;
use crate::{LabError, LabResult};

/// A variant of one's own that compiles and keeps the topic's contract; `lab.measure(..).plugin(&it)` measures it.
#[derive(Clone, Debug)]
pub struct Plugin {
    component: String,
    variants: Vec<String>,
    checks: Vec<String>,
    path: PathBuf,
}

impl Plugin {
    /// The topic.
    pub fn component(&self) -> &str {
        &self.component
    }

    /// The names it is measured under, as in `my-runtime`.
    pub fn variants(&self) -> &[String] {
        &self.variants
    }

    /// The contract's checks that it passed.
    pub fn checks(&self) -> &[String] {
        &self.checks
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Shows it as the value of a cell.
    pub fn evcxr_display(&self) {
        send_content("text/plain", &self.to_string());
    }
}

impl fmt::Display for Plugin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: keeps the contract of {}", self.variants.join(", "), self.component)?;
        self.checks.iter().try_for_each(|check| write!(formatter, "\n  ok  {check}"))
    }
}

/// The sources of the notebook's cells, in the order in which they were run; the lab's relay in front of evcxr keeps them.
pub(crate) struct Cells(Vec<String>);

impl Cells {
    pub(crate) fn known() -> Self {
        let text = env::var("PERFLAB_CELLS").ok().and_then(|path| fs::read_to_string(path).ok());
        Cells(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    /// Writes a file of those that declare functions of these names, each once.
    pub(crate) fn write_file(&self, functions: &[String], folder: &Path) -> Result<PathBuf, LabError> {
        let mut texts: Vec<String> = Vec::new();
        for name in functions {
            let text = without_kernel_commands(self.declaring(name)?);
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        let file = folder.join(functions.join("-") + ".rs");
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&file, texts.join("\n") + "\n"));
        written.map_err(|problem| cannot_keep(&file, &problem))?;
        Ok(file)
    }

    /// The last one that declares a type or function of this name: it may have been declared again.
    fn declaring(&self, name: &str) -> Result<&str, LabError> {
        let found = self.0.iter().rfind(|source| declares(source, name));
        found.map(String::as_str).ok_or_else(|| {
            LabError::usage(
                format!("no cell is known that declares {name}"),
                "run the cell that declares it, or pass its source as text: lab.variant_from(..)",
            )
        })
    }

    /// The imports of all cells that begin with one of these crates, cell by cell: a type may be imported twice.
    fn imports(&self, crates: &[String]) -> Vec<Vec<String>> {
        let is_of = |import: &str, name: &str| {
            let rest = import.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::") || rest.starts_with(' '))
        };
        let visible = |import: &String| crates.iter().any(|name| is_of(import, name));
        let cells = self.0.iter().map(|source| imports(source).into_iter().filter(visible).collect());
        cells.filter(|imports: &Vec<String>| !imports.is_empty()).collect()
    }
}

/// A cell without what is for the kernel alone, with the same lines.
fn without_kernel_commands(source: &str) -> String {
    let is_command = |line: &str| line.starts_with(':') && !line.starts_with("::");
    let lines = source.lines().map(|line| if is_command(line.trim_start()) { "" } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

fn declares(source: &str, name: &str) -> bool {
    let code: Vec<&str> = source.lines().map(|line| line.split("//").next().unwrap_or(line)).collect();
    let code = code.join("\n");
    let words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut pairs = words.windows(2);
    pairs.any(|pair| matches!(pair[0], "struct" | "enum" | "union" | "fn") && pair[1] == name)
}

/// The `use` declarations at the beginning of lines, each as its path.
fn imports(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find("use ") {
        let begins_line = rest[..at].chars().next_back().is_none_or(|before| before == '\n');
        let after = &rest[at + "use ".len()..];
        if begins_line && let Some(end) = after.find(';') {
            found.push(after[..end].split_whitespace().collect::<Vec<_>>().join(" "));
        }
        rest = after;
    }
    found
}

/// A crate of the topic, as `[plugin] classpath` of its manifest names it.
struct Crate {
    name: String,
    folder: PathBuf,
    /// Whether it is the dynamic library through which a notebook's cells share the others, and nothing but re-exports.
    is_shared: bool,
}

impl Crate {
    fn at(folder: &Path) -> Result<Self, LabError> {
        let manifest = folder.join("Cargo.toml");
        let text = fs::read_to_string(&manifest)
            .map_err(|problem| LabError::missing(format!("{}: {problem}", manifest.display()), ""))?;
        let name = text.lines().find_map(|line| Some(line.strip_prefix("name = \"")?.trim_end_matches('"').to_owned()));
        let name = name.ok_or_else(|| LabError::missing(format!("{} names no package", manifest.display()), ""))?;
        let is_shared = text.lines().any(|line| line.replace(' ', "") == r#"crate-type=["dylib"]"#);
        Ok(Crate { name, folder: folder.to_owned(), is_shared })
    }

    /// As Rust knows it.
    fn identifier(&self) -> String {
        self.name.replace('-', "_")
    }
}

/// Makes variants of one topic.
pub(crate) struct Variants<'lab> {
    runner: &'lab Runner,
    component: &'lab str,
    cells: Cells,
}

impl<'lab> Variants<'lab> {
    pub(crate) fn new(runner: &'lab Runner, component: &'lab str) -> Self {
        Variants { runner, component, cells: Cells::known() }
    }

    pub(crate) fn of_cell(&self, type_name: &str) -> Result<Plugin, LabError> {
        self.of_source(type_name, self.cells.declaring(type_name)?)
    }

    pub(crate) fn of_source(&self, type_name: &str, source: &str) -> Result<Plugin, LabError> {
        let source = without_kernel_commands(source);
        let name = kebab_case(type_name);
        let crates = self.crates()?;
        let mut visible: Vec<String> = crates.iter().map(Crate::identifier).collect();
        visible.extend(["std", "core", "alloc"].map(String::from));
        // One folder per name, written anew each time.
        let folder = self.runner.generated("plugins").join(format!("{}-{name}", self.component));
        let main = folder.join("src/variant.rs");
        let text = main_source(&crates, &self.cells.imports(&visible), &name, type_name);
        write(&main, &text)
            .and_then(|()| write(&folder.join(CELL), &source))
            .map_err(|problem| cannot_keep(&folder, &problem))?;
        let began = Instant::now();
        let built = compile(&main, &self.runner.component(self.component), type_name)?;
        println!("{name}: compiled in {:.0} s", began.elapsed().as_secs_f64());
        // A name by content: the program of an earlier attempt may be in use by a measurement.
        let mut hasher = DefaultHasher::new();
        source.hash(&mut hasher);
        let target = folder.join(format!("{name}-{:016x}", hasher.finish()));
        fs::copy(built, &target).map_err(|problem| cannot_keep(&folder, &problem))?;
        self.checked(type_name, target)
    }

    fn crates(&self) -> Result<Vec<Crate>, LabError> {
        let described = Command::new(self.runner, "describe", [self.component]).ask()?;
        let folders = described.get("plugin/classpath").list();
        if folders.is_empty() {
            let component = self.component;
            let text =
                format!("{component} takes no variants of your own: its component.toml has no [plugin] classpath");
            return Err(LabError::usage(text, ""));
        }
        let folders = folders.iter().filter_map(LabResult::text);
        folders.map(|folder| Crate::at(Path::new(&folder))).collect()
    }

    fn checked(&self, type_name: &str, path: PathBuf) -> Result<Plugin, LabError> {
        let component = self.component;
        let check = Command::new(self.runner, "check", [component]).option("plugin", path.display());
        let result = check.run()?;
        let checks = result.get("checks").list();
        let text = |check: &LabResult, name: &str| check.get(name).text().unwrap_or_default();
        let failed = checks.iter().filter(|check| text(check, "passed") != "true");
        let failed: Vec<String> =
            failed.map(|check| format!("\n  FAILED  {}: {}", text(check, "name"), text(check, "message"))).collect();
        if !failed.is_empty() || result.exit_status() != 0 {
            let text = format!("{type_name} breaks the contract of {component}{}", failed.concat());
            return Err(LabError::new(text, "a fast wrong answer is no answer", 4));
        }
        let distinct = |name: &str| {
            let mut seen = HashSet::new();
            checks.iter().map(|check| text(check, name)).filter(|value| seen.insert(value.clone())).collect()
        };
        Ok(Plugin { component: component.to_owned(), variants: distinct("variant"), checks: distinct("name"), path })
    }
}

fn cannot_keep(path: &Path, problem: &io::Error) -> LabError {
    LabError::missing(format!("{}: {problem}", path.display()), "make it writable, or make room")
}

/// What has not changed keeps its time, so that Cargo sees it.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|present| present == text) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, text)
}

/// The file of the cell: messages of the compiler that name it are about the cell's lines.
const CELL: &str = "src/cell.rs";

/// The source that the topic's crate for variants includes. The last crate is the bench program's library, whose macro `plugin!`
/// makes a `main` of a name and a type.
fn main_source(crates: &[Crate], imports: &[Vec<String>], variant: &str, type_name: &str) -> String {
    let mut text = String::new();
    let shared: Vec<_> = crates.iter().filter(|one| one.is_shared).collect();
    for library in &shared {
        let source = library.folder.join("src/lib.rs").display().to_string();
        let _ = writeln!(text, "#[path = {source:?}]\nmod {};", library.identifier());
    }
    // Each cell's in a module of its own: of two globs that bring the same item neither is in the way, and what the cell itself
    // imports comes first.
    for (number, imports) in imports.iter().enumerate() {
        let _ = writeln!(text, "mod imports_{number} {{");
        for library in &shared {
            let _ = writeln!(text, "    use super::{};", library.identifier());
        }
        for import in imports {
            let _ = writeln!(text, "    pub(crate) use {import};");
        }
        let _ = writeln!(text, "}}\nuse imports_{number}::*;");
    }
    let bench = crates.last().map(Crate::identifier).unwrap_or_default();
    let _ = write!(text, "include!(\"cell.rs\");\n{bench}::plugin!(\"{variant}\", {type_name});\n");
    text
}

/// A type's name in kebab case: `MyRuntime` becomes `my-runtime`.
fn kebab_case(type_name: &str) -> String {
    let mut name = String::new();
    let mut before = None::<char>;
    for letter in type_name.chars() {
        if letter.is_uppercase() && before.is_some_and(|before| before.is_lowercase() || before.is_numeric()) {
            name.push('-');
        }
        name.extend(letter.to_lowercase());
        before = Some(letter);
    }
    name.replace('_', "-")
}

const HINT: &str = "a variant is compiled on its own, without the notebook's variables: it may use what its own cell \
                    declares, and the component; keep statements in another cell";

/// Compiles the topic's crate for variants with `source`, and what has already been compiled for the topic. A workspace of its
/// own would have Cargo compile all crates of the topic again, since it names what it compiles by the workspace.
fn compile(source: &Path, component: &Path, type_name: &str) -> Result<PathBuf, LabError> {
    let name = Crate::at(&component.join("variant"))?.name;
    let mut cargo = std::process::Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["build", "--release", "--locked", "--offline", "--quiet", "--message-format", "json"])
        .args(["--package", &name, "--features", "cell"])
        .current_dir(component)
        .env("PERFLAB_VARIANT", source)
        .env("CARGO_TARGET_DIR", component.join("target"));
    // evcxr's own settings for cells.
    for name in ["RUSTFLAGS", "RUSTC_WRAPPER", "CARGO_BUILD_BUILD_DIR"] {
        cargo.env_remove(name);
    }
    let done = cargo.stdin(Stdio::null()).output();
    let done = done.map_err(|problem| LabError::missing(format!("cargo does not start: {problem}"), "./lab doctor"))?;
    let said = String::from_utf8_lossy(&done.stdout);
    let messages: Vec<Value> = said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let errors = errors(&messages);
    if !errors.is_empty() {
        return Err(LabError::usage(format!("{type_name} does not compile\n{}", errors.join("\n")), HINT));
    }
    let made = messages.iter().filter(|message| message["target"]["name"] == *name);
    match made.filter_map(|message| message["executable"].as_str()).next_back() {
        Some(program) if done.status.success() => Ok(program.into()),
        _ => {
            let log = String::from_utf8_lossy(&done.stderr);
            let text = format!("cargo did not build {type_name}\n{}", log.trim());
            Err(LabError::missing(text, "./lab doctor"))
        }
    }
}

/// The errors in Cargo's messages, each with the line and column of the cell that it is about, if it is about one.
fn errors(messages: &[Value]) -> Vec<String> {
    let errors =
        messages.iter().filter(|one| one["reason"] == "compiler-message" && one["message"]["level"] == "error");
    errors.filter_map(|one| describe(&one["message"])).collect()
}

fn describe(message: &Value) -> Option<String> {
    let text = message["message"].as_str()?;
    if text.starts_with("aborting due to") {
        return None;
    }
    let primary = message["spans"].as_array().and_then(|spans| spans.iter().find(|span| span["is_primary"] == true));
    let others = message["children"].as_array().into_iter().flatten().chain([message]);
    let others = others.filter_map(|one| one["spans"].as_array()).flatten();
    let place = primary.into_iter().chain(others).find_map(in_cell);
    let place = place.map(|span| format!("line {}, column {}: ", span["line_start"], span["column_start"]));
    let code = message["code"]["code"].as_str().map(|code| format!("{code}: "));
    let label = primary.and_then(|span| span["label"].as_str()).map(|label| format!(" ({label})"));
    let [place, code, label] = [place, code, label].map(Option::unwrap_or_default);
    Some(format!("  {place}{code}{text}{label}"))
}

/// The span, or the place in the cell from which a macro brought it there.
fn in_cell(span: &Value) -> Option<&Value> {
    if span["file_name"].as_str().is_some_and(|file| file.ends_with(CELL)) {
        return Some(span);
    }
    span["expansion"].get("span").and_then(in_cell)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_cell_that_declares_a_type_is_the_one() {
        let cells = ["struct Cup;", "pub struct Cup<T> { inner: T }", "// struct Cup\nlet cup = Cup { inner: 1 };"];
        let cells = Cells(cells.map(str::to_owned).to_vec());
        assert_eq!(cells.declaring("Cup").unwrap(), "pub struct Cup<T> { inner: T }");
        assert!(cells.declaring("Cu").is_err());
    }

    #[test]
    fn only_imports_that_a_variant_can_see_are_taken() {
        let source =
            "use std::time::{\n    Duration,\n    Instant,\n};\nlet use_it = 1;\nuse stdlib::x;\n    use std::fmt;";
        let imports = Cells(vec![source.to_owned()]).imports(&["std".to_owned()]);
        assert_eq!(imports, [["std::time::{ Duration, Instant, }"]]);
    }

    #[test]
    fn commands_of_the_kernel_leave_their_lines_empty() {
        let source = ":dep tokio = \"1\"\nuse ::std::fmt;\n  :opt 2\nstruct A;";
        assert_eq!(without_kernel_commands(source), "\nuse ::std::fmt;\n\nstruct A;");
    }

    #[test]
    fn an_error_has_the_cells_line_or_the_line_that_it_mentions_or_none() {
        let child = json!([{"spans": [{"file_name": "src/cell.rs", "line_start": 1, "column_start": 8}]}]);
        for (file, children, place) in [
            ("/x/src/cell.rs", json!([]), "line 3, column 5: "),
            ("src/main.rs", child, "line 1, column 8: "),
            ("src/main.rs", json!([]), ""),
        ] {
            let span =
                json!({"file_name": file, "line_start": 3, "column_start": 5, "is_primary": true, "label": "a u32"});
            let message = json!({"level": "error", "message": "mismatched types", "code": {"code": "E0308"}, "spans": [span],
                "children": children});
            let message = json!({"reason": "compiler-message", "message": message});
            assert_eq!(errors(&[message]), [format!("  {place}E0308: mismatched types (a u32)")]);
        }
    }

    #[test]
    fn a_variants_main_is_the_bench_programs_with_what_cells_share_as_a_module() {
        let crates = ["toy-contract", "toy-notebook", "toy-bench"].map(|name| Crate {
            name: name.to_owned(),
            folder: PathBuf::from("/toy").join(name),
            is_shared: name == "toy-notebook",
        });
        let main = main_source(&crates, &[vec!["std::fmt".to_owned()]], &kebab_case("MyCup"), "MyCup");
        assert!(main.contains("#[path = \"/toy/toy-notebook/src/lib.rs\"]\nmod toy_notebook;\n"));
        assert!(main.contains("    pub(crate) use std::fmt;\n}\nuse imports_0::*;\n"));
        assert!(main.ends_with("include!(\"cell.rs\");\ntoy_bench::plugin!(\"my-cup\", MyCup);\n"));
    }
}
