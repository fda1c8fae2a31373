//! What tells one site from another: a server shows the same site by its name and by its address, over http and https.

use crate::Context;
use crate::ask::web;
use crate::read::default_pages::default_page;
use crate::read::normal;
use crate::read::page::Page;
use crate::same_sites::SiteKey;
use ambit_model::entity::uri;
use ambit_net::http::{BodyEnd, HttpExchange, Url};
use sha2::{Digest, Sha256};
use std::net::SocketAddr;

/// Asks for the front page at the binding of the context and returns what the site is known by. `None` where the page
/// cannot tell it from others: no page, an empty one, or one that a server shows before anybody has put a site on it.
pub(crate) async fn key(cx: &Context<'_>, url: &Url) -> Option<SiteKey> {
    let front = web::get(cx, url, web::PAGE_BYTES).await.ok()?;
    key_of(cx, url, &front, &[])
}

/// The same by a front page that was asked for, and by what else tells such sites apart.
pub(crate) fn key_of(cx: &Context<'_>, url: &Url, front: &HttpExchange, beside: &[&str]) -> Option<SiteKey> {
    let address = cx.argument.parse::<SocketAddr>().ok()?.ip();
    let soft404 = uri::SOFT404.of(&cx.facts.details)?;
    let refusal = uri::SOFT404_HASH.of(&cx.facts.details)?;
    let refusal = refusal.to_string();
    let refused = [soft404.code.as_str(), refusal.as_str()];
    let parts: Vec<&str> = refused.into_iter().chain(beside.iter().copied()).collect();
    is_telling(front, url).then(|| (address, hash(front, &parts)))
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

fn hash(front: &HttpExchange, beside: &[&str]) -> [u8; 32] {
    let body = normal::body_hash(front);
    let headers =
        ["content-type", "server", "etag", "last-modified"].map(|name| web::header(front, name).unwrap_or(""));
    let mut hasher = Sha256::new();
    for part in headers.iter().chain([&body.as_str()]).chain(beside) {
        hasher.update(part.len().to_be_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().into()
}
