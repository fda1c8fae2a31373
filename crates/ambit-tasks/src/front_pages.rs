//! Front pages that rows of a run share: several tasks read the same page, which is asked for and parsed once while
//! they are under way together.

use crate::read::page::Page;
use ambit_net::NetError;
use ambit_net::http::{HttpExchange, HttpFetch};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use tokio::sync::OnceCell;

/// Entries from which those that nobody holds any more are dropped: about ten times what is under way at once.
const ENTRIES_MAX: usize = 4_096;

/// The address that is asked, and the URL.
pub(crate) type FrontPageKey = (SocketAddr, String);

/// A page with what its redirects led to.
#[derive(Debug)]
pub(crate) struct Visited {
    fetch: HttpFetch,
    /// What each of the answers holds, where somebody has read it.
    pages: Vec<OnceLock<Page>>,
}

impl Deref for Visited {
    type Target = HttpFetch;

    fn deref(&self) -> &HttpFetch {
        &self.fetch
    }
}

impl From<HttpFetch> for Visited {
    fn from(fetch: HttpFetch) -> Self {
        Self { pages: fetch.exchanges.iter().map(|_| OnceLock::new()).collect(), fetch }
    }
}

impl Visited {
    /// What one of its answers holds, parsed where nobody has asked for it yet; `None` for an answer of another visit.
    pub(crate) fn page(&self, exchange: &HttpExchange, parse: impl FnOnce() -> Page) -> Option<&Page> {
        let at = self.exchanges.iter().position(|known| std::ptr::eq(known, exchange))?;
        Some(self.pages[at].get_or_init(parse))
    }
}

/// A visit, or why the page could not be asked for.
pub(crate) type Visit = Result<Arc<Visited>, NetError>;

/// The result of one visit, shared by all rows that need it.
pub(crate) type FrontPage = Arc<OnceCell<Visit>>;

/// The front pages that rows hold now. A page lives as long as a row that reads it.
#[derive(Debug, Default)]
pub(crate) struct FrontPages(Mutex<HashMap<FrontPageKey, Weak<OnceCell<Visit>>>>);

impl FrontPages {
    /// The page that other rows hold, or a new one that nobody has asked for.
    pub(crate) fn entry(&self, key: FrontPageKey) -> FrontPage {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.len() >= ENTRIES_MAX {
            pages.retain(|_, page| page.strong_count() > 0);
        }
        let held = pages.get(&key).and_then(Weak::upgrade);
        held.unwrap_or_else(|| {
            let page = FrontPage::default();
            pages.insert(key, Arc::downgrade(&page));
            page
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(port: u16) -> FrontPageKey {
        (SocketAddr::from(([192, 0, 2, 1], port)), "http://www.acme.test/".to_owned())
    }

    #[test]
    fn a_page_is_shared_while_somebody_holds_it() {
        let pages = FrontPages::default();
        let first = pages.entry(key(80));
        assert!(Arc::ptr_eq(&first, &pages.entry(key(80))));
        assert!(!Arc::ptr_eq(&first, &pages.entry(key(443))));
        let was = Arc::downgrade(&first);
        drop(first);
        assert!(was.upgrade().is_none(), "nothing is kept beyond its rows");
        assert!(pages.entry(key(80)).get().is_none());
    }

    #[test]
    fn pages_that_nobody_holds_are_forgotten() {
        let pages = FrontPages::default();
        let held = pages.entry(key(1));
        for port in 2..=u16::try_from(ENTRIES_MAX).unwrap() + 2 {
            pages.entry(key(port));
        }
        assert!(pages.0.lock().unwrap().len() < ENTRIES_MAX);
        assert!(Arc::ptr_eq(&held, &pages.entry(key(1))));
    }
}
