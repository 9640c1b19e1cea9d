//! What a variant adds to the component's bench program: the source that the component's crate for variants includes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::dependencies::Dependency;

/// What is written for the crate.
pub(crate) struct Program<'text> {
    /// The variant's name, as in `my-runtime`.
    pub(crate) variant: &'text str,
    pub(crate) type_name: &'text str,
    /// The cell, line by line as it is.
    pub(crate) source: &'text str,
    /// What the notebook's other cells import.
    pub(crate) imports: &'text [Vec<String>],
    /// The last one is the bench program's library, whose macro `plugin!` makes a `main` of a name and a type.
    pub(crate) dependencies: &'text [Dependency],
}

/// The file of the cell: messages of the compiler that name it are about the reader's lines.
pub(crate) const CELL: &str = "src/cell.rs";

impl Program<'_> {
    /// Writes the source and returns its file; what has not changed keeps its time, so that Cargo sees it.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<PathBuf> {
        let file = folder.join("src/variant.rs");
        fs::create_dir_all(folder.join("src"))?;
        write(&file, &self.main())?;
        write(&folder.join(CELL), self.source)?;
        Ok(file)
    }

    fn main(&self) -> String {
        let mut text = String::new();
        let shared: Vec<_> = self.dependencies.iter().filter(|one| one.is_shared).collect();
        for library in &shared {
            let (name, source) = (library.identifier(), library.folder.join("src/lib.rs"));
            let _ = writeln!(text, "#[path = {:?}]\nmod {name};", source.display().to_string());
        }
        // Each cell's in a module of its own: of two globs that bring the same item neither is in the way, and what the cell
        // itself imports comes first.
        for (number, imports) in self.imports.iter().enumerate() {
            let _ = writeln!(text, "mod imports_{number} {{");
            for library in &shared {
                let _ = writeln!(text, "    use super::{};", library.identifier());
            }
            for import in imports {
                let _ = writeln!(text, "    pub(crate) use {import};");
            }
            let _ = writeln!(text, "}}\nuse imports_{number}::*;");
        }
        let bench = self.dependencies.last().map(Dependency::identifier).unwrap_or_default();
        let (variant, type_name) = (self.variant, self.type_name);
        let _ = write!(
            text,
            "include!(\"cell.rs\");\n{bench}::plugin!(\"{variant}\", {type_name});\n"
        );
        text
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|present| present == text) {
        return Ok(());
    }
    fs::write(path, text)
}

/// A type's name in kebab case: `MyRuntime` becomes `my-runtime`.
pub(crate) fn kebab_case(type_name: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn main(imports: &[Vec<String>]) -> String {
        let dependencies = ["toy-contract", "toy-notebook", "toy-bench"].map(|name| Dependency {
            name: name.to_owned(),
            folder: PathBuf::from("/toy").join(name),
            is_shared: name == "toy-notebook",
        });
        let program = Program {
            variant: "my-cup",
            type_name: "MyCup",
            source: "struct MyCup;",
            imports,
            dependencies: &dependencies,
        };
        program.main()
    }

    #[test]
    fn its_main_is_the_bench_programs() {
        let main = main(&[vec!["std::fmt".into()]]);
        assert!(main.contains("    pub(crate) use std::fmt;\n}\nuse imports_0::*;\n"));
        assert!(main.ends_with("include!(\"cell.rs\");\ntoy_bench::plugin!(\"my-cup\", MyCup);\n"));
    }

    #[test]
    fn what_cells_share_is_a_module_of_it_and_no_library() {
        let main = main(&[vec!["toy_notebook::toy_contract::Cup".into()]]);
        assert!(main.contains("#[path = \"/toy/toy-notebook/src/lib.rs\"]\nmod toy_notebook;\n"));
        assert!(main.contains("mod imports_0 {\n    use super::toy_notebook;\n    pub(crate) use toy_notebook::"));
    }

    #[test]
    fn a_name_is_in_kebab_case() {
        for (type_name, name) in [
            ("MyCup", "my-cup"),
            ("Cup2Go", "cup2-go"),
            ("HTTPCup", "httpcup"),
            ("A", "a"),
        ] {
            assert_eq!(kebab_case(type_name), name);
        }
    }
}
