//! RDAP by the redirector that knows every registry. Where it leads is followed only to a registry that the list of the
//! IANA names (RFC 9224).

use crate::{Context, Result, TaskError};
use ambit_net::http::{HttpExchange, Url};
use serde_json::Value;
use std::collections::BTreeSet;

/// The provider that RDAP and WHOIS questions are granted as.
pub(crate) const PROVIDER: &str = "rdap";
/// The redirector.
pub(crate) const REDIRECTOR: &str = "rdap.org";
/// The ports of http and https: who names none in clear names none over https.
const CLEAR_PORT: u16 = 80;
const HTTPS_PORT: u16 = 443;
/// Where the lists are.
const LISTS: &str = "data.iana.org";

/// Redirects from the redirector to the registry that knows it: registries send on to one another, and to other pages
/// of their own.
const REDIRECTS_MAX: usize = 5;

/// The last answer to a question such as `domain/acme.test` or `ip/192.0.2.1`. Each registry on the way stands in the
/// list, and none is asked in clear.
pub(crate) async fn ask(cx: &Context<'_>, path: &str) -> Result<HttpExchange> {
    let first = Url::parse(&format!("https://{REDIRECTOR}/{path}"));
    let mut next = first.map_err(|error| TaskError::source(REDIRECTOR, &error))?;
    let mut asked = Vec::new();
    loop {
        let answer = cx.net.source_at(PROVIDER, &next.to_string(), std::slice::from_ref(&next.host)).await;
        let answer = answer.map_err(|error| TaskError::source(&next.host, &error))?;
        asked.push(next);
        let Some(Ok(led)) = answer.redirect() else { return Ok(answer) };
        let led = enciphered(&led).filter(|led| asked.len() <= REDIRECTS_MAX && !asked.contains(led));
        match led {
            Some(led) if led.host == REDIRECTOR || registries(cx, path).await?.contains(&led.host) => next = led,
            _ => return Ok(answer),
        }
    }
}

/// The URL over https: a registry of the list answers there also where something leads to it in clear.
fn enciphered(url: &Url) -> Option<Url> {
    match (url.https, url.port) {
        (true, _) => Some(url.clone()),
        (false, CLEAR_PORT) => Some(Url { https: true, port: HTTPS_PORT, ..url.clone() }),
        (false, _) => None,
    }
}

/// The hosts of the registries for this kind of question.
async fn registries(cx: &Context<'_>, path: &str) -> Result<BTreeSet<String>> {
    let list = match path.split_once('/') {
        Some(("domain", _)) => "dns",
        Some(("autnum", _)) => "asn",
        Some(("ip", address)) if address.contains(':') => "ipv6",
        _ => "ipv4",
    };
    let kept = cx.net.source_kept(PROVIDER, &format!("https://{LISTS}/rdap/{list}.json")).await;
    let kept = kept.map_err(|error| TaskError::source(LISTS, &error))?;
    let last = kept.last();
    let body: Option<Value> = serde_json::from_slice(&last.body).ok();
    let known = body.filter(|_| last.status == 200 && !last.truncated).map(|body| hosts(&body));
    known.ok_or_else(|| TaskError::SourceDown(format!("{LISTS}: no list of registries, status {}", last.status)))
}

/// The hosts of a list: `{"services": [[["com", "net"], ["https://rdap.example/v1/"]], …]}`.
fn hosts(list: &Value) -> BTreeSet<String> {
    let services = list.get("services").and_then(Value::as_array).into_iter().flatten();
    let urls = services.filter_map(|service| service.get(1)?.as_array()).flatten();
    let parsed = urls.filter_map(Value::as_str).filter_map(|url| Url::parse(url).ok());
    parsed.filter(|url| url.https).map(|url| url.host).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn registries_are_those_of_the_list_over_https() {
        let list = json!({"version": "1.0", "services": [
            [["com", "net"], ["https://RDAP.registry.test/v1/", "http://rdap.registry.test/v1/"]],
            [["old"], ["http://rdap.old.test/"]],
            ["nonsense"], [["x"], [7]],
        ]});
        assert_eq!(hosts(&list).into_iter().collect::<Vec<_>>(), ["rdap.registry.test"]);
        assert!(hosts(&json!([])).is_empty());
    }
}
