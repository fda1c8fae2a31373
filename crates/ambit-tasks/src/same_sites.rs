//! Sites that are one, as far as a run has looked through them. What takes a hundred requests is asked of one of them.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// Sites that are remembered in one run; further ones are all looked through (about 10 MB).
const SITES_MAX: usize = 100_000;

/// The address, and a hash of the front page, of how it was served and of how the site says no.
pub(crate) type SiteKey = (IpAddr, [u8; 32]);

/// The exposures that were proven at a site, once one row has searched it.
pub(crate) type Proven = Arc<OnceCell<BTreeSet<&'static str>>>;

/// What was proven at each site that a run has looked through. Sites of one address that have the same front page, the
/// same server and the same refusal share an entry.
#[derive(Debug, Default)]
pub(crate) struct SameSites(Mutex<HashMap<SiteKey, Proven>>);

impl SameSites {
    /// The entry of a site; `None` where no more fit.
    pub(crate) fn entry(&self, key: SiteKey) -> Option<Proven> {
        let mut sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = sites.len() < SITES_MAX || sites.contains_key(&key);
        fits.then(|| Arc::clone(sites.entry(key).or_default()))
    }
}
