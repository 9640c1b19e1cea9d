//! A reader's own runtime as a program: this one with a variant more.

use std::process::ExitCode;

use perflab_bench::Role;

use crate::Subject;

/// Makes a `main` of a name and a type that implements [`Runtime`](supervisor_contract::Runtime), and whatever else of
/// the contract.
///
/// ```
/// supervisor_bench::plugin!("mine", supervisor_bench::systems::TokioTasks);
/// ```
#[macro_export]
macro_rules! plugin {
    ($name:literal, $runtime:ty) => {
        fn main() -> ::std::process::ExitCode {
            $crate::plugin::run($name, $crate::gather!($crate::Subject, $runtime))
        }
    };
}

/// Runs the program with this variant.
pub fn run(name: &'static str, subject: Subject) -> ExitCode {
    let variant = crate::variant(name, Role::Yours, "a reader's own", "a cell of a notebook", subject);
    crate::bench().variant(variant).main()
}

#[cfg(test)]
mod tests {
    use supervisor_contract::{Gathers as _, gather};

    use crate::Subject;
    use crate::contract as the;
    use crate::systems::{Actix, Lab};

    #[test]
    fn a_runtime_has_the_capabilities_that_it_implements_and_no_others() {
        let modest = gather!(Subject, Actix);
        let expected: Vec<_> = Subject::of::<Actix>().names().collect();
        assert_eq!(modest.names().collect::<Vec<_>>(), expected);
        assert!(!modest.statements().contains(the::ESCALATES));

        let full = gather!(Subject, Lab);
        assert!(full.names().count() > modest.names().count());
        assert!(full.statements().contains(the::ESCALATES));
    }
}
