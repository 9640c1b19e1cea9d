//! What a topic has for a runtime, put together from what the runtime can do.

use std::marker::PhantomData;

use crate::{Bounds, Mailboxes, Publishes, Runtime, ShutsDown, Supervises};

/// Put together from a runtime's capabilities, each of which may bring something: scenarios, statements.
///
/// Whoever calls these has the runtime's code compiled; see [`gather!`](crate::gather).
pub trait Gathers: Sized {
    /// What every runtime has.
    fn of<R: Runtime>() -> Self;

    /// And what it has because its mailboxes can say no.
    #[must_use]
    fn bounds<R: Bounds>(self) -> Self {
        self
    }

    /// And because it has a broker.
    #[must_use]
    fn publishes<R: Publishes>(self) -> Self {
        self
    }

    /// And because its mailboxes can be had without actors.
    #[must_use]
    fn mailboxes<R: Mailboxes>(self) -> Self {
        self
    }

    /// And because its systems end as a whole.
    #[must_use]
    fn shuts_down<R: ShutsDown>(self) -> Self {
        self
    }

    /// And because it supervises.
    #[must_use]
    fn supervises<R: Supervises>(self) -> Self {
        self
    }
}

/// Gathers all that a runtime's capabilities bring: `gather!(Scenarios, Lab)`.
///
/// A method of [`Able`](crate::gather::Able) itself is only there if the runtime has the capability, and comes before the
/// one of [`Lacking`](crate::gather::Lacking).
#[macro_export]
macro_rules! gather {
    ($what:ty, $runtime:ty) => {{
        #[allow(unused_imports)]
        use $crate::gather::Lacking as _;
        let able = $crate::gather::Able::<$runtime>::new();
        let what = able.bounds(<$what as $crate::Gathers>::of::<$runtime>());
        let what = able.publishes(what);
        let what = able.mailboxes(what);
        let what = able.shuts_down(what);
        able.supervises(what)
    }};
}

/// Gathers what a runtime's capabilities bring.
#[doc(hidden)]
#[derive(Debug)]
pub struct Able<R>(PhantomData<R>);

impl<R: Runtime> Able<R> {
    #[expect(clippy::new_without_default, reason = "made by a macro alone")]
    pub fn new() -> Self {
        Able(PhantomData)
    }
}

macro_rules! capabilities {
    ($($method:ident: $capability:ident),*) => {
        $(impl<R: $capability> Able<R> {
            pub fn $method<G: Gathers>(&self, what: G) -> G {
                what.$method::<R>()
            }
        })*

        /// Gathers nothing: what a runtime lacks.
        #[doc(hidden)]
        pub trait Lacking {
            $(fn $method<G: Gathers>(&self, what: G) -> G {
                what
            })*
        }
    };
}

capabilities!(
    bounds: Bounds,
    publishes: Publishes,
    mailboxes: Mailboxes,
    shuts_down: ShutsDown,
    supervises: Supervises
);

impl<R> Lacking for Able<R> {}
