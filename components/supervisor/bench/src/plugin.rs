//! A reader's own runtime as a program: this one with a variant more.

use std::marker::PhantomData;
use std::process::ExitCode;

use perflab_bench::Role;
use supervisor_contract::{Asks, Bounds, Mailboxes, Publishes, Runtime, ShutsDown, Supervises};

use crate::Subject;

/// Makes a `main` of a name and a type that implements [`Runtime`], and whatever else of the contract.
///
/// ```
/// supervisor_bench::plugin!("mine", supervisor_bench::systems::TokioTasks);
/// ```
#[macro_export]
macro_rules! plugin {
    ($name:literal, $runtime:ty) => {
        fn main() -> ::std::process::ExitCode {
            $crate::plugin::run($name, $crate::subject_of!($runtime))
        }
    };
}

/// A subject with all capabilities that a runtime has.
///
/// A method of [`Able`] itself is only there if the runtime has the capability, and comes before the one of [`Lacking`].
#[doc(hidden)]
#[macro_export]
macro_rules! subject_of {
    ($runtime:ty) => {{
        #[allow(unused_imports)]
        use $crate::plugin::Lacking as _;
        let able = $crate::plugin::Able::<$runtime>::new();
        let subject = able.asks($crate::Subject::of::<$runtime>());
        let subject = able.bounds(subject);
        let subject = able.publishes(subject);
        let subject = able.mailboxes(subject);
        let subject = able.shuts_down(subject);
        able.supervises(subject)
    }};
}

/// Runs the program with this variant.
pub fn run(name: &'static str, subject: Subject) -> ExitCode {
    let variant = crate::variant(name, Role::Yours, "a reader's own", "a cell of a notebook", subject);
    crate::bench().variant(variant).main()
}

/// Adds the capabilities of a runtime to a subject.
#[derive(Debug)]
pub struct Able<R>(PhantomData<R>);

impl<R: Runtime> Able<R> {
    /// Of this runtime.
    #[expect(clippy::new_without_default, reason = "made by a macro alone")]
    pub fn new() -> Self {
        Able(PhantomData)
    }
}

/// Adds nothing: what a runtime does not have.
pub trait Lacking {
    /// As it is.
    fn asks(&self, subject: Subject) -> Subject {
        subject
    }

    /// As it is.
    fn bounds(&self, subject: Subject) -> Subject {
        subject
    }

    /// As it is.
    fn publishes(&self, subject: Subject) -> Subject {
        subject
    }

    /// As it is.
    fn mailboxes(&self, subject: Subject) -> Subject {
        subject
    }

    /// As it is.
    fn shuts_down(&self, subject: Subject) -> Subject {
        subject
    }

    /// As it is.
    fn supervises(&self, subject: Subject) -> Subject {
        subject
    }
}

impl<R> Lacking for Able<R> {}

macro_rules! capability {
    ($method:ident, $capability:ident) => {
        impl<R: $capability> Able<R> {
            /// Adds it.
            pub fn $method(&self, subject: Subject) -> Subject {
                subject.$method::<R>()
            }
        }
    };
}

capability!(asks, Asks);
capability!(bounds, Bounds);
capability!(publishes, Publishes);
capability!(mailboxes, Mailboxes);
capability!(shuts_down, ShutsDown);
capability!(supervises, Supervises);

#[cfg(test)]
mod tests {
    use crate::Subject;
    use crate::contract::statements as the;
    use crate::systems::{Actix, Lab};

    #[test]
    fn a_runtime_has_the_capabilities_that_it_implements_and_no_others() {
        let modest = subject_of!(Actix);
        let expected: Vec<_> = Subject::of::<Actix>().asks::<Actix>().names().collect();
        assert_eq!(modest.names().collect::<Vec<_>>(), expected);
        assert!(!modest.promises(the::ESCALATES));

        let full = subject_of!(Lab);
        assert!(full.names().count() > modest.names().count());
        assert!(full.promises(the::ESCALATES));
    }
}
