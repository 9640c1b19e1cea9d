//! What can be sent.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What can be sent to an actor or published.
///
/// Most systems need no more than `Send + 'static`. Upstream's broker clones a message for each subscriber and
/// serialises replies, so that whatever is sent in all systems must be able to do that, too.
pub trait Message: Clone + Debug + Send + Sync + Serialize + DeserializeOwned + 'static {}

impl<M: Clone + Debug + Send + Sync + Serialize + DeserializeOwned + 'static> Message for M {}
