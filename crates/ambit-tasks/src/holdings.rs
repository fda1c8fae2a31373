//! What accounts hold together, which rows of a run share: it is read once, not once for each account with zones.

use ipnet::IpNet;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// What the accounts at each provider hold, by the provider as the owner of its addresses is called; `None` where they
/// cannot be read whole.
pub(crate) type Held = BTreeMap<&'static str, Option<Holding>>;

/// What accounts hold.
#[derive(Debug, Default)]
pub(crate) struct Holding {
    pub(crate) addresses: BTreeSet<IpAddr>,
    pub(crate) blocks: Vec<IpNet>,
    /// Names of load balancers.
    pub(crate) balancers: BTreeSet<String>,
}

impl Holding {
    /// Returns whether an address, or the name of a load balancer, is theirs.
    pub(crate) fn has(&self, target: &str) -> bool {
        match target.parse::<IpAddr>() {
            Ok(address) => {
                self.addresses.contains(&address) || self.blocks.iter().any(|block| block.contains(&address))
            }
            Err(_) => self.balancers.contains(target),
        }
    }
}

/// What the accounts of the collection hold.
#[derive(Debug, Default)]
pub(crate) struct Holdings(OnceCell<Arc<Held>>);

impl Holdings {
    /// Returns what the accounts own; `read` is called if no row has read it yet.
    pub(crate) async fn held(&self, read: impl Future<Output = Arc<Held>>) -> Arc<Held> {
        self.0.get_or_init(|| read).await.clone()
    }
}
