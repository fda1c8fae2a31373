//! Collects everything that one visit of a site shows: response, head, cookies, page, redirects, certificate, products.

use crate::ask::bindings;
use crate::ask::web;
use crate::front_pages::Visited;
use crate::read::default_installations::default_installation;
use crate::read::default_pages::default_page;
use crate::read::listing::listing_proof;
use crate::read::normal;
use crate::read::page::Page;
use crate::task::OF_SITES;
use crate::tasks::tls_grab::names;
use crate::told::{self, Visit};
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::uri::Cookie as SeenCookie;
use ambit_model::entity::{network, registered, uri};
use ambit_model::observation::BODY;
use ambit_model::ports::BROWSER;
use ambit_model::{Clearance, EdgeKind, Kind, TaskName};
use ambit_net::http::{ChainEnd, Cookie, HttpExchange, HttpFetch, Url};
use ambit_net::tls::{Certificate, TlsFacts};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(crate) const TASK: Task = Task {
    name: TaskName::HttpEnrich,
    pretty_name: "HTTP enrichment",
    description: "Visits a site once and reads everything in the response.",
    workflows: OF_SITES,
    watches: &[Kind::Uri],
    produces: &[Kind::DnsRecord, Kind::Domain, Kind::Uri],
    cost: 3,
    gain: 20,
    plan: |facts, _| Plan::bound(bindings::of_site(facts)),
    run: |cx| Box::pin(run(cx)),
    ..Task::VISITS
};

/// Headers that protect visitors, lower case.
pub(crate) const SECURITY_HEADERS: &[&str] = &[
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

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let url = web::site(cx)?;
    let Some(fetch) = web::answered(web::visit(cx, &url).await)? else { return Ok(Answer::Absent) };
    let first = fetch.exchanges.first().ok_or_else(|| TaskError::Failed("a fetch without an exchange".into()))?;
    observe_place(cx, &url, first);
    observe_head(cx, first);
    observe_chain(cx, &url, &fetch);
    observe_content(cx, content(&url, &fetch), &fetch);
    if let Some(tls) = &first.tls {
        observe_tls(cx, tls);
    }
    // No browser asks a site it visits for its methods.
    if cx.facts.decision.clearance >= Clearance::L3 {
        // A refusal for now, or silence, takes nothing from what is known.
        let known = || uri::VERBS.raw(&cx.facts.details).cloned().unwrap_or_default();
        cx.observe(uri::VERBS, verbs(cx, &url).await.map_or_else(|_| known(), |verbs| json!(verbs)));
    }
    cx.evidence("head", &normal::answer(&first.head));
    cx.evidence(BODY, &first.body);
    told::keep(cx, content(&url, &fetch), &fetch);
    Ok(Answer::Found)
}

/// The answer that a visitor of the site ends at without leaving it.
fn content<'a>(url: &Url, fetch: &'a HttpFetch) -> &'a HttpExchange {
    let stays = fetch.exchanges.iter().take_while(|exchange| web::is_same_site(&exchange.url, url));
    stays.last().unwrap_or_else(|| fetch.last())
}

fn observe_place(cx: &Context<'_>, url: &Url, first: &HttpExchange) {
    cx.observe(uri::URI, json!(cx.facts.name));
    cx.observe(uri::CODE, first.status.to_string());
    cx.observe(uri::PORT, json!(url.port));
    cx.observe(uri::SSL, json!(u8::from(url.https)));
    cx.observe(uri::SERVICE, json!(url.scheme()));
    cx.observe(uri::PROTOCOL, json!("tcp"));
    cx.observe(uri::IP_ADDRESS, json!(first.address.ip().to_string()));
}

fn observe_head(cx: &Context<'_>, first: &HttpExchange) {
    cx.observe(uri::HEADERS, normal::headers(first));
    cx.observe(uri::CONTENT_TYPE, json!(web::media_type(first)));
    let security = SECURITY_HEADERS.iter().map(|name| {
        let value = web::header(first, name).map(normal::text);
        ((*name).to_owned(), json!(value))
    });
    cx.observe(uri::SECURITY_HEADERS, Value::Object(security.collect()));
    let cookies = cookies(first);
    let line = |cookies: Vec<&SeenCookie>| {
        let lines: Vec<String> = cookies.into_iter().map(cookie_line).collect();
        (!lines.is_empty()).then(|| lines.join(", "))
    };
    cx.observe(uri::COOKIE_LINES, json!(line(cookies.iter().collect())));
    cx.observe(
        uri::DOMAIN_COOKIE_LINES,
        json!(line(cookies.iter().filter(|cookie| cookie.domain.is_some()).collect())),
    );
    cx.observe(uri::COOKIES, cookies);
    let challenge: Vec<String> = first
        .headers
        .iter()
        .filter(|(name, _)| name.raw().eq_ignore_ascii_case("www-authenticate"))
        .map(|(_, value)| value.raw().to_ascii_lowercase())
        .collect();
    let asks =
        |scheme: &str| challenge.iter().any(|value| value.split(',').any(|part| part.trim().starts_with(scheme)));
    cx.observe(uri::AUTH_BASIC, asks("basic"));
    cx.observe(uri::AUTH_NTLM, asks("ntlm") || asks("negotiate"));
}

/// Cookies of an answer without their values, sorted.
fn cookies(exchange: &HttpExchange) -> Vec<SeenCookie> {
    let lines = exchange.headers.iter().filter(|(name, _)| name.raw().eq_ignore_ascii_case("set-cookie"));
    let parsed = lines.filter_map(|(_, value)| Cookie::parse(value.raw()));
    let mut found: Vec<(String, SeenCookie)> = parsed
        .map(|cookie| {
            let text = |value: &Option<ambit_net::Untrusted>| value.as_ref().map(ambit_net::Untrusted::stored);
            let seen = SeenCookie {
                name: normal::text(&cookie.name.stored()),
                secure: cookie.secure,
                http_only: cookie.http_only,
                same_site: text(&cookie.same_site),
                domain: text(&cookie.domain),
                path: text(&cookie.path),
            };
            (json!(seen).to_string(), seen)
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.dedup_by(|a, b| a.0 == b.0);
    found.into_iter().map(|(_, value)| value).collect()
}

/// `name; Path=/; Secure`.
fn cookie_line(cookie: &SeenCookie) -> String {
    let mut line = cookie.name.clone();
    for (attribute, value) in [("Domain", &cookie.domain), ("Path", &cookie.path), ("SameSite", &cookie.same_site)] {
        if let Some(value) = value {
            line.push_str(&format!("; {attribute}={value}"));
        }
    }
    for (attribute, is_set) in [("Secure", cookie.secure), ("HttpOnly", cookie.http_only)] {
        if is_set {
            line.push_str(&format!("; {attribute}"));
        }
    }
    line
}

/// Redirects: where they led, and which of those are entities.
fn observe_chain(cx: &Context<'_>, url: &Url, fetch: &HttpFetch) {
    let mut targets: Vec<Url> = fetch.exchanges.iter().skip(1).map(|exchange| exchange.url.clone()).collect();
    match &fetch.end {
        ChainEnd::OutOfScope { url, .. } | ChainEnd::Failed { url, .. } | ChainEnd::Loop(url) => {
            targets.push(url.clone())
        }
        ChainEnd::Answer | ChainEnd::TooMany | ChainEnd::NotHttp(_) => {}
    }
    let shown: Vec<String> = targets.iter().map(without_query).collect();
    cx.observe(uri::REDIRECT_COUNT, json!(shown.len()));
    cx.observe(uri::REDIRECT_CHAIN, json!(shown));
    let failed = |target: &Url| matches!(&fetch.end, ChainEnd::Failed { url, .. } if url == target);
    // One that only gave no answer this time is there still.
    let gone = match &fetch.end {
        ChainEnd::Failed { url, error } if web::is_no_answer(error) => Some(url),
        _ => None,
    };
    let is_twin = |target: &Url| target.https && target.host == url.host && gone != Some(target);
    let secured = !url.https && targets.iter().any(is_twin);
    cx.observe(uri::HTTPS_REDIRECT, secured);
    for target in &targets {
        // A site of the same name on another port is one where it answered; of another name, that is for its own looks
        // to say.
        if target.host != url.host {
            cx.found_host(&target.host, EdgeKind::Redirect);
            let domain = registered(&target.host).filter(|domain| !cx.facts.seeds.domains().contains(*domain));
            if let Some(domain) = domain {
                cx.found(Kind::Domain, domain, EdgeKind::Redirect);
            }
        } else if !web::is_same_site(target, url)
            && !failed(target)
            && (target.ip().is_none() || is_of_browser(target, url))
        {
            cx.found(Kind::Uri, &target.with_path("/").to_string(), EdgeKind::Page);
        }
    }
}

/// True for the sites of a host that a browser goes to by itself. At an address another port is another service,
/// whoever named the one that leads there.
fn is_of_browser(one: &Url, other: &Url) -> bool {
    [one, other].iter().all(|url| BROWSER.contains(&url.port))
}

fn without_query(url: &Url) -> String {
    let text = normal::text(url.to_string().split('?').next().unwrap_or(""));
    Kind::Uri.canonical(&text).unwrap_or(text)
}

fn observe_content(cx: &Context<'_>, exchange: &HttpExchange, visit: &Visited) {
    let body = web::text(exchange);
    let (page, nothing) = (web::page(visit, exchange), Page::default());
    let (html, page) = (page.is_some(), page.unwrap_or(&nothing));
    cx.observe(uri::TITLE, json!(page.title));
    cx.observe(uri::GENERATOR, json!(page.generator));
    cx.observe(uri::HAS_FORMS, json!(!page.forms.is_empty()));
    cx.observe(uri::FORMS, forms(page));
    cx.observe(uri::PAGE_POLICIES, page.policies.iter().map(|policy| normal::text(policy)).collect::<Vec<String>>());
    cx.observe(uri::SCRIPTS, page.scripts.iter().map(|script| json!(normal::text(script))).collect::<Value>());
    cx.observe(uri::DOM_SHA1, json!(html.then_some(&page.dom_sha1)));
    cx.observe(uri::RESPONSE_DATA_HASH, json!(normal::body_hash(exchange)));
    let fresh = default_page(page.title.as_deref(), &body).filter(|_| html && exchange.status == 200);
    cx.observe(uri::DEFAULT_PAGE, fresh.map(str::to_owned));
    let installed = default_installation(page.title.as_deref(), &body).filter(|_| html);
    cx.observe(uri::DEFAULT_INSTALLATION, installed);
    cx.observe(uri::DIRECTORY_LISTING, listing_proof(&body).is_some());
    let insecure: BTreeSet<&String> =
        page.scripts.iter().filter(|script| exchange.url.https && script.starts_with("http://")).collect();
    cx.observe(uri::MIXED_CONTENT, json!(insecure));
    let media = web::media_type(exchange);
    cx.observe(
        uri::API_ENDPOINT,
        !html && exchange.status < 500 && (media.ends_with("json") || media.ends_with("xml")),
    );
    let login = page.loose_password || page.forms.iter().any(|form| form.password);
    let factor = page.forms.iter().any(|form| form.code);
    let basic = web::header(exchange, "www-authenticate").is_some();
    cx.observe(uri::AUTH_FORMS, login);
    cx.observe(uri::AUTH_2FA, factor);
    cx.observe(uri::AUTH_ANY, login || factor || basic);
    observe_products(cx, exchange, page, visit);
}

fn forms(page: &Page) -> Value {
    let form = |form: &crate::read::page::Form| {
        json!({"action": normal::text(&form.action), "method": form.method,
    "password": form.password, "fields": form.fields})
    };
    page.forms.iter().map(form).collect()
}

fn observe_products(cx: &Context<'_>, exchange: &HttpExchange, page: &Page, fetch: &HttpFetch) {
    let products = Visit::of(exchange, fetch).products(&cx.settings.fingerprints, page);
    cx.observe(network::FINGERPRINT, ambit_fingerprints::items(products));
}

fn observe_tls(cx: &Context<'_>, tls: &TlsFacts) {
    let certificates: Vec<Certificate> =
        tls.chain.iter().take(CHAIN_MAX).filter_map(|der| Certificate::parse(der).ok()).collect();
    if let Some(leaf) = certificates.first() {
        cx.observe(uri::ALT_NAMES, names(leaf).into_iter().collect::<Vec<_>>());
    }
    let text = |name: &Option<ambit_net::Untrusted>| name.as_ref().map(ambit_net::Untrusted::stored);
    let shown = |certificate: &Certificate| {
        json!({
            "expiration": certificate.not_after.to_string(), "issuerCommonName": text(&certificate.issuer_cn),
            "subjectCommonName": text(&certificate.subject_cn),
            "signatureAlgorithm": certificate.signature_algorithm, "certificateAuthority": certificate.is_ca,
        })
    };
    cx.observe(uri::CERTIFICATE_CHAIN, certificates.iter().map(shown).collect::<Vec<Value>>());
}

/// The methods that the site says it takes: `GET,HEAD,OPTIONS`. Fails where it does not answer the question now.
async fn verbs(cx: &Context<'_>, url: &Url) -> Result<Option<String>> {
    let mut request = web::request(cx, url)?;
    request.method = "OPTIONS".to_owned();
    request.body_kept = 0;
    request.shared = true;
    let exchange = cx.net.http(&request).await?.available()?;
    let Some(allow) = web::header(&exchange, "allow") else { return Ok(None) };
    let mut verbs: Vec<String> = allow.split(',').map(|verb| verb.trim().to_ascii_uppercase()).collect();
    verbs.retain(|verb| {
        !verb.is_empty() && verb.len() <= 20 && verb.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-')
    });
    verbs.sort();
    verbs.dedup();
    Ok((!verbs.is_empty()).then(|| verbs.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_written_without_its_value() {
        let cookie = SeenCookie {
            name: "sid".to_owned(),
            secure: true,
            http_only: false,
            same_site: Some("Lax".to_owned()),
            domain: None,
            path: Some("/".to_owned()),
        };
        assert_eq!(cookie_line(&cookie), "sid; Path=/; SameSite=Lax; Secure");
    }

    #[test]
    fn urls_are_shown_without_what_changes() {
        let url = Url::parse("https://www.acme.test/login?state=abc").unwrap();
        assert_eq!(without_query(&url), "https://www.acme.test:443/login");
    }
}
