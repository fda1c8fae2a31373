//! Chains of exchanges over redirects: each hop under the guard, pins and secrets only as far as they belong, cookies
//! of the chain alone.

use super::exchange::{exchange, next_hop};
use super::{ChainEnd, Client, HttpExchange, HttpFetch, HttpRequest, Url};
use crate::error::{NetError, Result};
use crate::limits::{COOKIES_MAX, REDIRECTS_MAX};
use std::net::SocketAddr;

/// Follows redirects.
pub(crate) async fn fetch(client: Client<'_>, request: &HttpRequest) -> Result<HttpFetch> {
    let mut request = request.clone();
    let mut jar = Jar::default();
    let mut exchanges: Vec<HttpExchange> = Vec::new();
    loop {
        let exchange = match exchange(client, &request).await {
            Ok(exchange) => exchange,
            Err(error) if exchanges.is_empty() => return Err(error),
            Err(error) => {
                let url = request.url.clone();
                let end = match error {
                    NetError::OutOfScope(refused) => ChainEnd::OutOfScope { url, why: refused.to_string() },
                    NetError::NotAllowed(_) => ChainEnd::OutOfScope { url, why: error.to_string() },
                    error => ChainEnd::Failed { url, error },
                };
                return Ok(HttpFetch { exchanges, end });
            }
        };
        let next = next_hop(&exchange);
        jar.take(&exchange);
        let url = exchange.url.clone();
        exchanges.push(exchange);
        let next = match next {
            None => {
                return Ok(HttpFetch { exchanges, end: ChainEnd::Answer });
            }
            Some(Err(location)) => {
                return Ok(HttpFetch { exchanges, end: ChainEnd::NotHttp(location) });
            }
            Some(Ok(next)) => next,
        };
        let again = exchanges.iter().any(|seen| seen.url == next) && !jar.is_fresh();
        if again {
            return Ok(HttpFetch { exchanges, end: ChainEnd::Loop(next) });
        }
        if exchanges.len() > REDIRECTS_MAX {
            return Ok(HttpFetch { exchanges, end: ChainEnd::TooMany });
        }
        let status = exchanges.last().map_or(0, |last| last.status);
        request = redirected(request, &url, next, status);
        jar.give(&mut request);
    }
}

/// The request for the next hop: pins hold while the host stays, credentials while the origin stays, the method as
/// browsers do.
fn redirected(mut request: HttpRequest, from: &Url, to: Url, status: u16) -> HttpRequest {
    let same_host = to.host == request.identity() || to.host == from.host;
    let same_origin = same_host && (to.https, to.port) == (from.https, from.port);
    request.address = request.address.filter(|_| same_host).map(|address| SocketAddr::new(address.ip(), to.port));
    request.peer = request.peer.filter(|_| same_origin);
    request.sni = None;
    request.host = None;
    request.target = None;
    request.raw = None;
    let becomes_get =
        status == 303 && request.method != "HEAD" || matches!(status, 301 | 302) && request.method == "POST";
    if becomes_get {
        request.method = "GET".into();
        request.body.clear();
    }
    request.headers.retain(|(name, _)| {
        let name = name.to_ascii_lowercase();
        let secret = matches!(name.as_str(), "authorization" | "proxy-authorization" | "cookie");
        let of_body = matches!(name.as_str(), "content-type" | "content-length" | "transfer-encoding");
        let kept_secret = !secret || same_origin;
        let kept_of_body = !of_body || !becomes_get;
        name != "host" && kept_secret && kept_of_body
    });
    request.url = to;
    request
}

/// Cookies of one chain: sent back only to the host that set them, so that redirects which wait for one end.
#[derive(Default)]
struct Jar {
    /// Host, name, value, only over TLS.
    cookies: Vec<(String, String, String, bool)>,
    /// The last answer changed a cookie.
    changed: bool,
}

impl Jar {
    fn take(&mut self, exchange: &HttpExchange) {
        let before = self.cookies.clone();
        for cookie in exchange.cookies() {
            let usable = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b';');
            if !usable(cookie.name.raw()) || !usable(cookie.value.raw()) {
                continue;
            }
            let host = exchange.url.host.clone();
            self.cookies.retain(|(known, name, ..)| !(*known == host && name == cookie.name.raw()));
            if self.cookies.len() < COOKIES_MAX {
                self.cookies.push((host, cookie.name.raw().to_owned(), cookie.value.raw().to_owned(), cookie.secure));
            }
        }
        self.changed = self.cookies.len() != before.len();
    }

    /// Returns whether the cookies have changed since the last request.
    fn is_fresh(&self) -> bool {
        self.changed
    }

    fn give(&self, request: &mut HttpRequest) {
        let pairs: Vec<String> = self
            .cookies
            .iter()
            .filter(|(host, _, _, secure)| *host == request.url.host && (request.url.https || !secure))
            .map(|(_, name, value, _)| if name.is_empty() { value.clone() } else { format!("{name}={value}") })
            .collect();
        if !pairs.is_empty() {
            request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("cookie"));
            request.headers.push(("Cookie".into(), pairs.join("; ")));
        }
    }
}
