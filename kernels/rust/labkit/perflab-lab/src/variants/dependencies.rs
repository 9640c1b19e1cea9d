//! What a variant is compiled against: the crates that `[plugin] classpath` of the component's manifest names.

use std::fs;
use std::path::{Path, PathBuf};

use crate::LabError;

/// A crate of the component.
#[derive(Clone, Debug)]
pub(crate) struct Dependency {
    /// As Cargo knows it.
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    /// Whether it is the dynamic library through which a notebook's cells share the others, and nothing but re-exports.
    pub(crate) is_shared: bool,
}

impl Dependency {
    /// The crate in a folder.
    ///
    /// # Errors
    ///
    /// There is none.
    pub(crate) fn at(folder: &Path) -> Result<Self, LabError> {
        let manifest = folder.join("Cargo.toml");
        let text = fs::read_to_string(&manifest)
            .map_err(|problem| LabError::missing(format!("{}: {problem}", manifest.display()), ""))?;
        let name = section(&text, "package").and_then(|lines| lines.iter().find_map(|line| value(line, "name")));
        let name = name.ok_or_else(|| LabError::missing(format!("{} names no package", manifest.display()), ""))?;
        Ok(Dependency {
            name,
            folder: folder.to_owned(),
            is_shared: section(&text, "lib").is_some_and(|lines| lines.iter().any(|line| is_dynamic(line))),
        })
    }

    /// As Rust knows it.
    pub(crate) fn identifier(&self) -> String {
        self.name.replace('-', "_")
    }
}

fn section<'text>(manifest: &'text str, name: &str) -> Option<Vec<&'text str>> {
    let header = format!("[{name}]");
    let mut lines = manifest.lines().skip_while(|line| line.trim() != header);
    lines.next()?;
    Some(lines.take_while(|line| !line.starts_with('[')).collect())
}

fn is_dynamic(line: &str) -> bool {
    line.replace(' ', "") == r#"crate-type=["dylib"]"#
}

fn value(line: &str, key: &str) -> Option<String> {
    let (name, value) = line.split_once('=')?;
    (name.trim() == key).then(|| value.trim().trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_is_known_by_the_name_of_its_package() {
        let own = Dependency::at(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert_eq!(
            (own.name.as_str(), own.identifier().as_str()),
            ("perflab-lab", "perflab_lab")
        );
        assert!(!own.is_shared);
        assert!(Dependency::at(Path::new("/nowhere")).is_err());
    }

    #[test]
    fn a_dynamic_library_is_what_cells_share() {
        assert!(is_dynamic(r#"crate-type = ["dylib"]"#));
        assert!(!is_dynamic(r#"crate-type = ["lib"]"#));
    }
}
