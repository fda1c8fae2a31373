//! Sites that are one: a server shows the same site by its name and by its address, over http and https. What takes a
//! hundred requests is asked of one of them.

use crate::Context;
use crate::ask::web;
use crate::read::default_pages::default_page;
use crate::read::normal;
use crate::read::page::Page;
use ambit_model::entity::uri;
use ambit_net::http::{BodyEnd, HttpExchange, Url};
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashMap};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// Sites that are remembered in one run; further ones are all looked through (about 10 MB).
const SITES_MAX: usize = 100_000;

/// The address, and a hash of the front page, of how it was served and of how the site says no.
pub(crate) type SiteKey = (IpAddr, [u8; 32]);

/// What was proven at a site, once somebody has looked through it.
pub(crate) type Proven = Arc<OnceCell<BTreeSet<&'static str>>>;

/// What was proven at each site that a run has looked through. Sites of one address that have the same front page, the
/// same server and the same refusal share an entry.
#[derive(Debug, Default)]
pub struct SameSites(Mutex<HashMap<SiteKey, Proven>>);

impl SameSites {
    /// The entry of a site; `None` where no more fit.
    pub(crate) fn entry(&self, key: SiteKey) -> Option<Proven> {
        let mut sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = sites.len() < SITES_MAX || sites.contains_key(&key);
        fits.then(|| Arc::clone(sites.entry(key).or_default()))
    }
}

/// Asks for the front page at the binding of the context and returns what the site is known by. `None` where the page
/// cannot tell it from others: no page, an empty one, or one that a server shows before anybody has put a site on it.
pub(crate) async fn key(cx: &Context<'_>, url: &Url) -> Option<SiteKey> {
    let address = cx.argument.parse::<SocketAddr>().ok()?.ip();
    let front = web::get(cx, url, web::PAGE_BYTES).await.ok()?;
    let soft404 = uri::SOFT404.of(&cx.facts.details)?;
    let refusal = uri::SOFT404_HASH.of(&cx.facts.details)?;
    is_telling(&front, url).then(|| (address, hash(&front, &[&soft404.code, &refusal.to_string()])))
}

fn is_telling(front: &HttpExchange, url: &Url) -> bool {
    let whole = front.status == 200 && front.end == BodyEnd::Complete && !front.truncated;
    if !whole || front.body.trim_ascii().is_empty() {
        return false;
    }
    let text = web::text(front);
    let title = web::is_html(front).then(|| Page::parse(&text, url).title).flatten();
    default_page(title.as_deref(), &text).is_none()
}

fn hash(front: &HttpExchange, refusal: &[&str]) -> [u8; 32] {
    let body = normal::body_hash(front);
    let headers =
        ["content-type", "server", "etag", "last-modified"].map(|name| web::header(front, name).unwrap_or(""));
    let mut hasher = Sha256::new();
    for part in headers.iter().chain([&body.as_str()]).chain(refusal) {
        hasher.update(part.len().to_be_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().into()
}
