//! Collects everything that one visit of a site shows: response, head, cookies, page, redirects, certificate, products.

use crate::ask::bindings;
use crate::ask::web;
use crate::read::default_pages::default_page;
use crate::read::exposures::listing_proof;
use crate::read::page::Page;
use crate::read::technology::{self, Seen};
use crate::read::{fingerprint, normal};
use crate::tasks::tls_grab::names;
use crate::{Answer, Contacts, Context, Plan, Task, TaskError};
use ambit_model::moment::DAY_MS;
use ambit_model::observation::BODY;
use ambit_model::{Clearance, EdgeKind, Kind, TaskName};
use ambit_net::http::{ChainEnd, Cookie, HttpExchange, HttpFetch, Url};
use ambit_net::tls::{Certificate, TlsFacts};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::HttpEnrich,
    pretty_name: "HTTP enrichment",
    description: "Visits a site once and reads all that the answer tells.",
    watches: &[Kind::Uri],
    produces: &[Kind::DnsRecord, Kind::Domain, Kind::Uri],
    footprint: Clearance::L2,
    ttl_ms: DAY_MS,
    cost: 3,
    gain: 20,
    owns: &[(
        Kind::Uri,
        &[
            "uri",
            "code",
            "port",
            "ssl",
            "service",
            "protocol",
            "ip_address",
            "title",
            "headers",
            "cookies",
            "domain_cookies",
            "hidden_cookies",
            "forms",
            "hidden_forms",
            "scripts",
            "generator",
            "verbs",
            "dom_sha1",
            "response_data_hash",
            "redirect_chain",
            "redirect_count",
            "auth.any",
            "auth.basic",
            "auth.ntlm",
            "auth.forms",
            "auth.2fa",
            "api_endpoint",
            "fingerprint",
            "alt_names",
            "certificate_chain",
            "hidden_security_headers",
            "hidden_default_page",
            "hidden_directory_listing",
            "hidden_content_type",
            "hidden_mixed_content",
            "hidden_https_redirect",
        ],
    )],
    volatile: &[],
    contacts: Contacts::Address,
    plan: |facts, _| Plan::bound(bindings::of_site(facts)),
    run: |cx| Box::pin(run(cx)),
};

/// Headers that protect visitors, lower case.
const SECURITY_HEADERS: &[&str] = &[
    "content-security-policy",
    "cross-origin-embedder-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "permissions-policy",
    "referrer-policy",
    "strict-transport-security",
    "x-content-type-options",
    "x-frame-options",
    "x-xss-protection",
];
/// Certificates of a chain that are shown.
const CHAIN_MAX: usize = 10;

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let url = web::site(cx)?;
    let mut request = web::request(cx, &url)?;
    request.body_kept = web::PAGE_BYTES;
    let fetch = match cx.net.fetch(&request).await {
        Ok(fetch) => fetch,
        Err(error) if web::is_no_answer(&error) => return Ok(Answer::Absent),
        Err(error) => return Err(error.into()),
    };
    let first = fetch
        .exchanges
        .first()
        .ok_or_else(|| TaskError::Failed("a fetch without an exchange".into()))?;
    observe_place(cx, &url, first);
    observe_head(cx, first);
    observe_chain(cx, &url, &fetch);
    observe_content(cx, content(&url, &fetch));
    if let Some(tls) = &first.tls {
        observe_tls(cx, tls);
    }
    cx.observe("verbs", json!(verbs(cx, &url).await));
    cx.evidence("head", &first.head);
    cx.evidence(BODY, &first.body);
    Ok(Answer::Found)
}

fn is_same_site(a: &Url, b: &Url) -> bool {
    (a.https, &a.host, a.port) == (b.https, &b.host, b.port)
}

/// The answer that a visitor of the site ends at without leaving it.
fn content<'a>(url: &Url, fetch: &'a HttpFetch) -> &'a HttpExchange {
    let stays = fetch.exchanges.iter().take_while(|exchange| is_same_site(&exchange.url, url));
    stays.last().unwrap_or_else(|| fetch.last())
}

fn observe_place(cx: &Context<'_>, url: &Url, first: &HttpExchange) {
    cx.observe("uri", json!(cx.facts.name));
    cx.observe("code", json!(first.status.to_string()));
    cx.observe("port", json!(url.port));
    cx.observe("ssl", json!(u8::from(url.https)));
    cx.observe("service", json!(url.scheme()));
    cx.observe("protocol", json!("tcp"));
    cx.observe("ip_address", json!(first.address.ip().to_string()));
}

fn observe_head(cx: &Context<'_>, first: &HttpExchange) {
    cx.observe("headers", json!(normal::headers(first)));
    cx.observe("hidden_content_type", json!(web::media_type(first)));
    let security = SECURITY_HEADERS.iter().map(|name| {
        let value = web::header(first, name).map(normal::text);
        ((*name).to_owned(), json!(value))
    });
    cx.observe("hidden_security_headers", Value::Object(security.collect()));
    let cookies = cookies(first);
    let line = |cookies: Vec<&Value>| {
        let lines: Vec<String> = cookies.into_iter().map(cookie_line).collect();
        (!lines.is_empty()).then(|| lines.join(", "))
    };
    cx.observe("cookies", json!(line(cookies.iter().collect())));
    cx.observe(
        "domain_cookies",
        json!(line(cookies.iter().filter(|cookie| !cookie["domain"].is_null()).collect())),
    );
    cx.observe("hidden_cookies", json!(cookies));
    let challenge: Vec<String> = first
        .headers
        .iter()
        .filter(|(name, _)| name.raw().eq_ignore_ascii_case("www-authenticate"))
        .map(|(_, value)| value.raw().to_ascii_lowercase())
        .collect();
    let asks = |scheme: &str| challenge.iter().any(|value| value.split(',').any(|part| part.trim().starts_with(scheme)));
    cx.observe("auth.basic", json!(asks("basic")));
    cx.observe("auth.ntlm", json!(asks("ntlm") || asks("negotiate")));
}

/// Cookies of an answer without their values, sorted.
fn cookies(exchange: &HttpExchange) -> Vec<Value> {
    let lines = exchange.headers.iter().filter(|(name, _)| name.raw().eq_ignore_ascii_case("set-cookie"));
    let parsed = lines.filter_map(|(_, value)| Cookie::parse(value.raw()));
    let mut found: Vec<(String, Value)> = parsed
        .map(|cookie| {
            let text = |value: &Option<ambit_net::Untrusted>| value.as_ref().map(ambit_net::Untrusted::stored);
            let name = normal::text(&cookie.name.stored());
            let value = json!({
                "name": name, "secure": cookie.secure, "http_only": cookie.http_only, "same_site": text(&cookie.same_site),
                "domain": text(&cookie.domain), "path": text(&cookie.path),
            });
            (value.to_string(), value)
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.dedup_by(|a, b| a.0 == b.0);
    found.into_iter().map(|(_, value)| value).collect()
}

/// `name; Path=/; Secure`.
fn cookie_line(cookie: &Value) -> String {
    let mut line = cookie["name"].as_str().unwrap_or("").to_owned();
    for (attribute, member) in [("Domain", "domain"), ("Path", "path"), ("SameSite", "same_site")] {
        if let Some(value) = cookie[member].as_str() {
            line.push_str(&format!("; {attribute}={value}"));
        }
    }
    for (attribute, member) in [("Secure", "secure"), ("HttpOnly", "http_only")] {
        if cookie[member] == true {
            line.push_str(&format!("; {attribute}"));
        }
    }
    line
}

/// Redirects: where they led, and which of those are entities.
fn observe_chain(cx: &Context<'_>, url: &Url, fetch: &HttpFetch) {
    let mut targets: Vec<Url> = fetch.exchanges.iter().skip(1).map(|exchange| exchange.url.clone()).collect();
    match &fetch.end {
        ChainEnd::OutOfScope { url, .. } | ChainEnd::Failed { url, .. } | ChainEnd::Loop(url) => targets.push(url.clone()),
        ChainEnd::Answer | ChainEnd::TooMany | ChainEnd::NotHttp(_) => {}
    }
    let shown: Vec<String> = targets.iter().map(without_query).collect();
    cx.observe("redirect_count", json!(shown.len()));
    cx.observe("redirect_chain", json!(shown));
    let secured = !url.https && targets.iter().any(|target| target.https && target.host == url.host);
    cx.observe("hidden_https_redirect", json!(secured));
    for target in &targets {
        // A site of the same name on another port is one where it answered; of another name, that is for its own looks to say.
        let failed = matches!(&fetch.end, ChainEnd::Failed { url, .. } if url == target);
        if target.host != url.host {
            cx.found_host(&target.host, EdgeKind::Redirect);
        } else if !is_same_site(target, url) && !failed {
            cx.found(Kind::Uri, &target.with_path("/").to_string(), EdgeKind::Page);
        }
    }
}

fn without_query(url: &Url) -> String {
    let text = normal::text(url.to_string().split('?').next().unwrap_or(""));
    Kind::Uri.canonical(&text).unwrap_or(text)
}

fn observe_content(cx: &Context<'_>, exchange: &HttpExchange) {
    let body = web::text(exchange);
    let html = web::is_html(exchange);
    let page = if html { Page::parse(&body, &exchange.url) } else { Page::default() };
    cx.observe("title", json!(page.title));
    cx.observe("generator", json!(page.generator));
    cx.observe("forms", json!(!page.forms.is_empty()));
    cx.observe("hidden_forms", forms(&page));
    cx.observe("scripts", page.scripts.iter().map(|script| json!(normal::text(script))).collect());
    cx.observe("dom_sha1", json!(html.then_some(&page.dom_sha1)));
    cx.observe("response_data_hash", json!(normal::body_hash(exchange)));
    let fresh = default_page(page.title.as_deref(), &body).filter(|_| html && exchange.status == 200);
    cx.observe("hidden_default_page", json!(fresh));
    cx.observe("hidden_directory_listing", json!(listing_proof(&body).is_some()));
    let insecure: BTreeSet<&String> = page
        .scripts
        .iter()
        .filter(|script| exchange.url.https && script.starts_with("http://"))
        .collect();
    cx.observe("hidden_mixed_content", json!(insecure));
    let media = web::media_type(exchange);
    cx.observe(
        "api_endpoint",
        json!(!html && exchange.status < 500 && (media.ends_with("json") || media.ends_with("xml"))),
    );
    let login = page.forms.iter().any(|form| form.password);
    let factor = page.forms.iter().any(|form| form.code);
    let basic = web::header(exchange, "www-authenticate").is_some();
    cx.observe("auth.forms", json!(login));
    cx.observe("auth.2fa", json!(factor));
    cx.observe("auth.any", json!(login || factor || basic));
    observe_products(cx, exchange, &body, &page);
}

fn forms(page: &Page) -> Value {
    let form = |form: &crate::read::page::Form| json!({"action": normal::text(&form.action), "method": form.method, "password": form.password, "fields": form.fields});
    page.forms.iter().map(form).collect()
}

fn observe_products(cx: &Context<'_>, exchange: &HttpExchange, body: &str, page: &Page) {
    let headers: Vec<(String, String)> = exchange
        .headers
        .iter()
        .map(|(name, value)| (name.stored().to_ascii_lowercase(), value.stored()))
        .collect();
    let cookies: Vec<String> = cookies(exchange)
        .iter()
        .filter_map(|cookie| cookie["name"].as_str().map(str::to_owned))
        .collect();
    let seen = Seen {
        headers: &headers,
        cookies: &cookies,
        body,
        page,
    };
    cx.observe("fingerprint", fingerprint::items(technology::products(&seen)));
}

fn observe_tls(cx: &Context<'_>, tls: &TlsFacts) {
    let certificates: Vec<Certificate> = tls.chain.iter().take(CHAIN_MAX).filter_map(|der| Certificate::parse(der).ok()).collect();
    if let Some(leaf) = certificates.first() {
        cx.observe("alt_names", json!(names(leaf)));
    }
    let text = |name: &Option<ambit_net::Untrusted>| name.as_ref().map(ambit_net::Untrusted::stored);
    let shown = |certificate: &Certificate| {
        json!({
            "expiration": certificate.not_after.to_string(), "issuerCommonName": text(&certificate.issuer_cn), "subjectCommonName": text(&certificate.subject_cn),
            "signatureAlgorithm": certificate.signature_algorithm, "certificateAuthority": certificate.is_ca,
        })
    };
    cx.observe("certificate_chain", certificates.iter().map(shown).collect());
}

/// The methods that the site says it takes: `GET,HEAD,OPTIONS`. A site that does not answer the question says nothing.
async fn verbs(cx: &Context<'_>, url: &Url) -> Option<String> {
    let mut request = web::request(cx, url).ok()?;
    request.method = "OPTIONS".to_owned();
    request.body_kept = 0;
    let exchange = cx.net.http(&request).await.ok()?;
    let allow = web::header(&exchange, "allow")?;
    let mut verbs: Vec<String> = allow.split(',').map(|verb| verb.trim().to_ascii_uppercase()).collect();
    verbs.retain(|verb| !verb.is_empty() && verb.len() <= 20 && verb.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-'));
    verbs.sort();
    verbs.dedup();
    (!verbs.is_empty()).then(|| verbs.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_written_without_its_value() {
        let cookie = json!({"name": "sid", "secure": true, "http_only": false, "same_site": "Lax", "domain": null, "path": "/"});
        assert_eq!(cookie_line(&cookie), "sid; Path=/; SameSite=Lax; Secure");
    }

    #[test]
    fn urls_are_shown_without_what_changes() {
        let url = Url::parse("https://www.acme.test/login?state=abc").unwrap();
        assert_eq!(without_query(&url), "https://www.acme.test:443/login");
    }
}
