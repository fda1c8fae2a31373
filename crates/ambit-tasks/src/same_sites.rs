//! Sites that are one, as far as a run has looked through them. What takes many requests is asked of one of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// Sites that are remembered in one run; further ones are all looked through (about 10 MB).
const SITES_MAX: usize = 100_000;

/// The address, and a hash of the front page, of how it was served and of how the site says no.
pub(crate) type SiteKey = (IpAddr, [u8; 32]);

/// What was seen at one of them, once a row has looked.
pub(crate) type Seen<T> = Arc<OnceCell<T>>;

/// What was seen at each site that a run has looked through. Sites of one address that have the same front page, the
/// same server and the same refusal share an entry.
#[derive(Debug)]
pub(crate) struct SameSites<T>(Mutex<HashMap<SiteKey, Seen<T>>>);

impl<T> Default for SameSites<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> SameSites<T> {
    /// The entry of a site; `None` where no more fit.
    pub(crate) fn entry(&self, key: SiteKey) -> Option<Seen<T>> {
        let mut sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = sites.len() < SITES_MAX || sites.contains_key(&key);
        fits.then(|| Arc::clone(sites.entry(key).or_default()))
    }
}
