//! The lab's checkout, found from where the notebook runs.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::LabError;

/// A checkout.
#[derive(Clone, Debug)]
pub(crate) struct Checkout {
    root: PathBuf,
}

impl Checkout {
    /// The nearest folder at or above `start` that holds both `lab` and `components/`. A folder like `/tmp` is none,
    /// whatever others have put there.
    ///
    /// # Errors
    ///
    /// There is none.
    pub(crate) fn above(start: &Path) -> Result<Self, LabError> {
        let root = start
            .ancestors()
            .find(|folder| folder.join("lab").is_file() && folder.join("components").is_dir() && !is_shared(folder));
        root.map(|root| Checkout { root: root.to_owned() }).ok_or_else(|| {
            LabError::missing(
                "this notebook is not inside a checkout of perflab",
                "open it from the checkout's notebooks folder",
            )
        })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The launcher.
    pub(crate) fn launcher(&self) -> PathBuf {
        self.root.join("lab")
    }

    /// A component's folder.
    pub(crate) fn component(&self, name: &str) -> PathBuf {
        self.root.join("components").join(name)
    }

    /// Where plug-ins are made: what is made on this machine is never committed.
    pub(crate) fn plugins(&self) -> PathBuf {
        self.root.join(".lab").join("plugins")
    }

    /// Where files of cells are written, likewise.
    pub(crate) fn cells(&self) -> PathBuf {
        self.root.join(".lab").join("cells")
    }
}

/// Whether everybody may make files in the folder that nobody else can replace.
fn is_shared(folder: &Path) -> bool {
    const STICKY_AND_WRITABLE: u32 = 0o1002;
    let Ok(found) = folder.metadata() else { return true };
    found.permissions().mode() & STICKY_AND_WRITABLE == STICKY_AND_WRITABLE
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use super::*;

    #[test]
    fn it_is_found_from_any_folder_in_it() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let checkout = Checkout::above(&here.join("src")).expect("this crate is in a checkout");
        assert!(here.starts_with(checkout.root()));
        assert!(checkout.launcher().is_file());
    }

    #[test]
    fn a_folder_that_everybody_shares_is_none() {
        let folder = std::env::temp_dir().join(format!("perflab-checkout-{}", std::process::id()));
        fs::create_dir_all(folder.join("components")).expect("a folder of one's own");
        fs::write(folder.join("lab"), "").expect("a file");
        let before = Checkout::above(&folder).is_ok();
        fs::set_permissions(&folder, Permissions::from_mode(0o1777)).expect("one's own folder");
        let after = Checkout::above(&folder).is_ok();
        fs::remove_dir_all(&folder).expect("one's own folder");
        assert_eq!((before, after), (true, false));
    }

    #[test]
    fn outside_of_one_the_error_says_what_to_do() {
        let error = Checkout::above(Path::new("/")).unwrap_err();
        assert_eq!(error.exit_status(), 3);
        assert!(error.hint().contains("notebooks folder"));
    }
}
