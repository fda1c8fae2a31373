//! Sites that are one, as far as a run has looked through them. What takes many requests is asked of one of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// The address, and a hash of the front page, of how it was served and of how the site says no.
pub(crate) type SiteKey = (IpAddr, [u8; 32]);

/// What was seen at one of them, once a row has looked.
pub(crate) type Seen<T> = Arc<OnceCell<T>>;

/// What was seen at each site that a run has looked through. Sites of one address that have the same front page, the
/// same server and the same refusal share an entry. `MAX` entries fit; the sites beyond are all looked through.
#[derive(Debug)]
pub(crate) struct SameSites<T, const MAX: usize>(Mutex<HashMap<SiteKey, Seen<T>>>);

impl<T, const MAX: usize> Default for SameSites<T, MAX> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T, const MAX: usize> SameSites<T, MAX> {
    /// The entry of a site; `None` where no more fit.
    pub(crate) fn entry(&self, key: SiteKey) -> Option<Seen<T>> {
        let mut sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = sites.len() < MAX || sites.contains_key(&key);
        fits.then(|| Arc::clone(sites.entry(key).or_default()))
    }
}
