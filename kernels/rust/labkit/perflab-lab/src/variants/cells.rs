//! The sources of a notebook's cells.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::LabError;

/// Set by the lab's relay in front of evcxr: the file in which it keeps them.
const FILE: &str = "PERFLAB_CELLS";

/// The notebook's cells, in the order in which they were run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells(Vec<String>);

impl Cells {
    /// Those of this notebook, as far as they are known.
    pub(crate) fn known() -> Self {
        let text = env::var(FILE).ok().and_then(|path| fs::read_to_string(path).ok());
        Cells(
            text.and_then(|text| serde_json::from_str(&text).ok())
                .unwrap_or_default(),
        )
    }

    #[cfg(test)]
    pub(crate) fn of(sources: &[&str]) -> Self {
        Cells(sources.iter().map(|source| (*source).to_owned()).collect())
    }

    /// Writes a file of those that declare functions of these names, each once.
    ///
    /// # Errors
    ///
    /// None declares one of them, or the file cannot be written.
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
        written.map_err(|problem| LabError::missing(format!("{}: {problem}", file.display()), "make it writable"))?;
        Ok(file)
    }

    /// The last one that declares a type or function of this name: it may have been declared again.
    ///
    /// # Errors
    ///
    /// None does.
    pub(crate) fn declaring(&self, name: &str) -> Result<&str, LabError> {
        let found = self.0.iter().rfind(|source| declares(source, name));
        found.map(String::as_str).ok_or_else(|| {
            LabError::usage(
                format!("no cell is known that declares {name}"),
                "run the cell that declares it, or pass its source as text: lab.variant_from(..)",
            )
        })
    }

    /// The imports of all cells that begin with one of these crates, cell by cell: a type may be imported twice.
    pub(crate) fn imports(&self, crates: &[String]) -> Vec<Vec<String>> {
        let of_cell = |source: &String| -> Vec<String> {
            let imports = imports(source).into_iter();
            imports
                .filter(|import| crates.iter().any(|name| is_of(import, name)))
                .collect()
        };
        self.0
            .iter()
            .map(of_cell)
            .filter(|imports| !imports.is_empty())
            .collect()
    }
}

/// A cell without what is for the kernel alone, with the same lines.
pub(crate) fn without_kernel_commands(source: &str) -> String {
    let lines = source
        .lines()
        .map(|line| if is_kernel_command(line) { "" } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

fn is_kernel_command(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(':') && !line.starts_with("::")
}

fn declares(source: &str, name: &str) -> bool {
    let code: Vec<&str> = source
        .lines()
        .map(|line| line.split("//").next().unwrap_or(line))
        .collect();
    let code = code.join("\n");
    let words: Vec<&str> = code
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .collect();
    words
        .windows(2)
        .any(|pair| matches!(pair[0], "struct" | "enum" | "union" | "fn") && pair[1] == name)
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

fn is_of(import: &str, name: &str) -> bool {
    import
        .strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::") || rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_cell_that_declares_a_type_is_the_one() {
        let cells = Cells::of(&[
            "struct Cup;",
            "pub struct Cup<T> { inner: T }",
            "// struct Cup\nlet cup = Cup { inner: 1 };",
        ]);
        assert_eq!(cells.declaring("Cup").unwrap(), "pub struct Cup<T> { inner: T }");
        assert!(cells.declaring("Cu").is_err());
    }

    #[test]
    fn a_file_of_functions_has_each_cell_once_without_the_kernels_commands() {
        let cells = Cells::of(&[
            "fn one() -> u8 { 0 }",
            ":opt 2\nfn one() -> u8 { 1 }\nfn two() -> u8 { 2 }",
        ]);
        let folder = env::temp_dir().join(format!("perflab-cells-{}", std::process::id()));
        let file = cells
            .write_file(&["one".to_owned(), "two".to_owned()], &folder)
            .unwrap();
        assert!(file.ends_with("one-two.rs"));
        assert_eq!(
            fs::read_to_string(&file).unwrap(),
            "\nfn one() -> u8 { 1 }\nfn two() -> u8 { 2 }\n"
        );
        assert!(cells.write_file(&["three".to_owned()], &folder).is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn only_imports_that_a_variant_can_see_are_taken() {
        let cells = Cells::of(&[
            "use std::time::{\n    Duration,\n    Instant,\n};\nlet use_it = 1;",
            "use perflab_lab::Lab;",
            "use stdlib::x;\n    use std::fmt; // not at the beginning of a line",
        ]);
        let imports = cells.imports(&["std".to_owned()]);
        assert_eq!(imports, [["std::time::{ Duration, Instant, }"]]);
    }

    #[test]
    fn commands_of_the_kernel_leave_their_lines_empty() {
        let source = ":dep tokio = \"1\"\nuse ::std::fmt;\n  :opt 2\nstruct A;";
        assert_eq!(without_kernel_commands(source), "\nuse ::std::fmt;\n\nstruct A;");
    }
}
