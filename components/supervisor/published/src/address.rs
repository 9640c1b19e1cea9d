//! Who a message is for.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An actor's identity: a random UUID, and a name if it was given one.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub enum ActorAddress {
    /// Known by its number alone.
    Anonymous {
        /// The number.
        id: Uuid,
    },
    /// Known by name, too.
    Named {
        /// The number.
        id: Uuid,
        /// The name; nothing keeps two actors from having the same.
        name: String,
    },
}

impl ActorAddress {
    /// A fresh address without a name.
    pub fn anonymous() -> Self {
        ActorAddress::Anonymous { id: Uuid::new_v4() }
    }

    /// A fresh address with a name.
    pub fn named(name: impl Into<String>) -> Self {
        ActorAddress::Named {
            id: Uuid::new_v4(),
            name: name.into(),
        }
    }

    /// The number.
    pub fn id(&self) -> Uuid {
        match self {
            ActorAddress::Anonymous { id } | ActorAddress::Named { id, .. } => *id,
        }
    }
}
