//! What accounts hold together, which rows of a run share: it is read once, not once for each account with zones.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// Addresses; `None` where they cannot be read whole.
pub(crate) type Held = Option<Arc<BTreeSet<IpAddr>>>;

/// The public addresses of the accounts at AWS.
#[derive(Debug, Default)]
pub(crate) struct Holdings(OnceCell<Held>);

impl Holdings {
    /// Returns the addresses; `read` asks for them where no row has.
    pub(crate) async fn held(&self, read: impl Future<Output = Held>) -> Held {
        self.0.get_or_init(|| read).await.clone()
    }
}
