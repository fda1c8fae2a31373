//! The evidence that probes keep for the rules that recognise products: as the probe sees it, and again from what was
//! stored, so that new rules can be applied without contacting anybody.

use crate::Context;
use crate::ask::{bindings, identify, web};
use crate::read::page::Page;
use crate::read::technology::{self, Seen};
use crate::read::{greeting, normal};
use ambit_fingerprints::{Product, Set, items};
use ambit_model::entity::network::Fingerprint;
use ambit_model::entity::network_service::{self, Service};
use ambit_model::entity::{Member, domain, network, uri};
use ambit_model::observation::{BODY, CERTIFICATE, Evidence};
use ambit_model::{Details, Kind, TaskName};
use ambit_net::Untrusted;
use ambit_net::http::{Cookie, HttpExchange, HttpFetch, Url};
use ambit_net::tls::Certificate;
use serde_json::Value;

/// The tasks whose looks tell products.
pub const TELLING: &[TaskName] = &[
    TaskName::Favicon,
    TaskName::HttpEnrich,
    TaskName::Jarm,
    TaskName::ProductPaths,
    TaskName::Resolve,
    TaskName::ServiceIdentify,
    TaskName::ZoneProfile,
];

/// Labels of what a visit keeps for the rules, beside the first head and body.
const HEAD: &str = "head";
const PAGE_HEAD: &str = "page_head";
const PAGE: &str = "page";
const REDIRECTS: &str = "redirects";
pub(crate) const BANNER: &str = "banner";

/// Returns the products that a look of a task told, as these rules tell them: out of its details and its evidence.
/// `None` where it told none by rules, or where not enough of it was kept.
pub fn products(
    task: TaskName,
    name: &str,
    details: &Details,
    evidence: &[Evidence],
    rules: &Set,
) -> Option<Vec<Fingerprint>> {
    let products = match task {
        TaskName::HttpEnrich => {
            let visit = Visit::kept(name, details, evidence)?;
            let page = visit.page();
            visit.products(rules, &page)
        }
        TaskName::Favicon => {
            let text = |member: &str| details.get(member).and_then(Value::as_str);
            let mmh3 = details.get(uri::FAVICON_MMH3.name()).and_then(Value::as_i64)?;
            let (md5, sha1) = (text(uri::FAVICON_MD5.name())?, text(uri::FAVICON_SHA1.name())?);
            technology::of_icon(rules, md5, sha1, i32::try_from(mmh3).ok()?)
        }
        TaskName::Jarm => technology::of_jarm(rules, &network_service::JARM.of(details)?),
        TaskName::ProductPaths => evidence.iter().flat_map(|one| at_path(name, one, rules)).collect(),
        TaskName::Resolve | TaskName::ZoneProfile => {
            let records = records(details);
            technology::of_records(rules, records.iter().map(|(kind, value)| (*kind, value.as_str())))
        }
        TaskName::ServiceIdentify => return service(name, details, evidence, rules),
        _ => return None,
    };
    Some(items(products))
}

/// Before the path, in the label of a page of a site.
const AT_PATH: &str = "page ";

/// The label under which a page is kept.
pub(crate) fn label(path: &str) -> String {
    format!("{AT_PATH}{path}")
}

/// Returns the products on a stored page.
fn at_path(name: &str, kept: &Evidence, rules: &Set) -> Vec<Product> {
    let read = || {
        let path = kept.label.strip_prefix(AT_PATH)?;
        let end = kept.bytes.windows(4).position(|bytes| bytes == b"\r\n\r\n")? + 4;
        let (head, body) = kept.bytes.split_at(end);
        let (status, headers) = parsed(head)?;
        let body = String::from_utf8_lossy(body).into_owned();
        let url = Url::parse(name).ok()?.with_path(path);
        let page = Visit { status, headers, body, url, redirects: Vec::new(), certificate: None };
        Some(page.products_at(rules, path))
    };
    read().unwrap_or_default()
}

/// Returns the DNS records of a name from the details of the probes that read them.
fn records(details: &Details) -> Vec<(&'static str, String)> {
    let texts = |kind: &'static str, member: Member<Vec<String>>| {
        member.texts(details).map(|text| (kind, text.to_owned())).collect::<Vec<_>>()
    };
    let mut records = texts("TXT", domain::TXT_RECORDS);
    records.extend(domain::MX_RECORDS.items(details).map(|server| ("MX", server.host)));
    records.extend(texts("NS", domain::NAMESERVERS));
    records.extend(texts("NS", domain::CUT_NAMESERVERS));
    records.extend(texts("CNAME", domain::CNAME_CHAIN));
    records
}

/// Reports the products that a look shows, where there are any.
pub(crate) fn observe(cx: &Context<'_>, products: Vec<Product>) {
    if !products.is_empty() {
        cx.observe(network::FINGERPRINT, items(products));
    }
}

/// Returns the products in a greeting. Of a web service only the head of the response is kept, so that what its page
/// showed remains.
fn service(name: &str, details: &Details, evidence: &[Evidence], rules: &Set) -> Option<Vec<Fingerprint>> {
    let said = piece(evidence, BANNER)?;
    let socket = bindings::socket(Kind::NetworkService, name, "")?;
    let service = network_service::SERVICE.of(details)?;
    if service == Service::Http {
        let text = String::from_utf8_lossy(said);
        let mut told = items(technology::web_servers(rules, text.strip_prefix(identify::SERVER)?));
        let of_page = |item: &Fingerprint| item.positive_matches.iter().all(|one| one.match_type == "content_body");
        told.extend(network::FINGERPRINT.items(details).filter(of_page));
        told.sort_by(|a, b| (&a.vendor, &a.product, &a.version).cmp(&(&b.vendor, &b.product, &b.version)));
        return Some(told);
    }
    let greeting = greeting::read(rules, said, socket.port(), true)?;
    (greeting.service == service).then(|| items(greeting.products))
}

fn piece<'e>(evidence: &'e [Evidence], label: &str) -> Option<&'e [u8]> {
    evidence.iter().find(|one| one.label == label).map(|one| one.bytes.as_slice())
}

/// What a visit of a site showed of the page at which it ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Visit {
    status: u16,
    /// Lower-case names with values.
    headers: Vec<(String, String)>,
    body: String,
    url: Url,
    redirects: Vec<String>,
    /// As the server gave it, in DER.
    certificate: Option<Vec<u8>>,
}

impl Visit {
    /// What is seen in the page of a visit.
    pub(crate) fn of(exchange: &HttpExchange, fetch: &HttpFetch) -> Self {
        let redirects = fetch.exchanges.iter().skip(1).map(|exchange| exchange.url.to_string()).collect();
        Self { redirects, ..Self::of_page(exchange) }
    }

    /// Returns the signs in one page.
    pub(crate) fn of_page(exchange: &HttpExchange) -> Self {
        let line = |(name, value): &(Untrusted, Untrusted)| (name.stored().to_ascii_lowercase(), value.stored());
        Self {
            status: exchange.status,
            headers: exchange.headers.iter().map(line).collect(),
            body: web::text(exchange),
            url: exchange.url.clone(),
            redirects: Vec::new(),
            certificate: exchange.tls.as_ref().and_then(|tls| tls.chain.first()).cloned(),
        }
    }

    /// The products that rules for a path see in it.
    pub(crate) fn products_at(&self, rules: &Set, path: &str) -> Vec<Product> {
        self.seen(&self.page(), |seen| technology::products_at(rules, path, seen))
    }

    /// The pieces that are kept of it, beside head and body of the first answer, from which it is made again.
    pub(crate) fn kept_of(exchange: &HttpExchange, fetch: &HttpFetch) -> Vec<(&'static str, Vec<u8>)> {
        let visit = Self::of(exchange, fetch);
        let mut kept = Vec::new();
        if fetch.exchanges.first().is_some_and(|first| first.url != exchange.url) {
            kept.push((PAGE_HEAD, normal::answer(&exchange.head)));
            kept.push((PAGE, exchange.body.clone()));
        }
        if !visit.redirects.is_empty() {
            kept.push((REDIRECTS, visit.redirects.join("\n").into_bytes()));
        }
        kept.extend(visit.certificate.map(|der| (CERTIFICATE, der)));
        kept
    }

    /// What was kept of the visit of a site; `None` where that does not say what its page was.
    fn kept(name: &str, details: &Details, evidence: &[Evidence]) -> Option<Self> {
        let site = Url::parse(name).ok()?;
        let redirects = String::from_utf8_lossy(piece(evidence, REDIRECTS).unwrap_or_default()).into_owned();
        let redirects: Vec<String> = redirects.lines().map(str::to_owned).collect();
        let led = uri::REDIRECT_COUNT.name();
        if redirects.is_empty() && details.get(led).and_then(Value::as_u64).is_some_and(|count| count > 0) {
            // Only where it led nowhere that was visited is the first page the page.
            let chain = details.get(uri::REDIRECT_CHAIN.name()).and_then(Value::as_array);
            let within =
                |url: &Value| url.as_str().and_then(|url| Url::parse(url).ok()).is_some_and(|url| same(&url, &site));
            if chain.into_iter().flatten().any(within) {
                return None;
            }
        }
        let pages = redirects.iter().filter_map(|url| Url::parse(url).ok()).take_while(|url| same(url, &site));
        let (head, body, url) = match (pages.last(), piece(evidence, PAGE_HEAD)) {
            (Some(url), Some(head)) => (head, piece(evidence, PAGE)?, url),
            (None, None) => (piece(evidence, HEAD)?, piece(evidence, BODY)?, site),
            _ => return None,
        };
        let (status, headers) = parsed(head)?;
        Some(Self {
            status,
            headers,
            body: String::from_utf8_lossy(body).into_owned(),
            url,
            redirects,
            certificate: piece(evidence, CERTIFICATE).map(<[u8]>::to_vec),
        })
    }

    /// The page, where the answer is one for people.
    fn page(&self) -> Page {
        let media = self.headers.iter().find(|(name, _)| name == "content-type").map_or("", |(_, value)| value);
        let media = media.split(';').next().unwrap_or_default().to_ascii_lowercase();
        if media.contains("html") || web::begins_as_page(self.body.as_bytes()) {
            Page::parse(&self.body, &self.url)
        } else {
            Page::default()
        }
    }

    /// Returns the products that show in it.
    pub(crate) fn products(&self, rules: &Set, page: &Page) -> Vec<Product> {
        self.seen(page, |seen| technology::products(rules, seen))
    }

    fn seen<T>(&self, page: &Page, tell: impl FnOnce(&Seen<'_>) -> T) -> T {
        let lines = self.headers.iter().filter(|(name, _)| name == "set-cookie");
        let cookies = lines.filter_map(|(_, value)| Cookie::parse(value));
        let mut cookies: Vec<(String, String)> =
            cookies.map(|cookie| (normal::text(&cookie.name.stored()), cookie.value.stored())).collect();
        cookies.sort();
        let leaf = self.certificate.as_deref().and_then(|der| Certificate::parse(der).ok());
        // The order of X.509, as rules have it: without blanks between the parts.
        let name = |name: &Untrusted| name.stored().replace(", ", ",");
        let seen = Seen {
            status: self.status,
            headers: &self.headers,
            cookies: &cookies,
            body: &self.body,
            page,
            url: &self.url.to_string(),
            redirects: &self.redirects,
            certificate: leaf.map(|leaf| (name(&leaf.subject), name(&leaf.issuer))),
        };
        tell(&seen)
    }
}

fn same(a: &Url, b: &Url) -> bool {
    (a.https, &a.host, a.port) == (b.https, &b.host, b.port)
}

/// Status and headers of a head as it was kept.
fn parsed(head: &[u8]) -> Option<(u16, Vec<(String, String)>)> {
    let text = Untrusted::from_bytes(head).stored();
    let mut lines = text.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let mut headers: Vec<(String, String)> = Vec::new();
    for line in lines.take_while(|line| !line.trim().is_empty()) {
        match (line.split_once(':'), headers.last_mut()) {
            // A line that goes on with the one before.
            (_, Some((_, value))) if line.starts_with([' ', '\t']) => {
                value.push(' ');
                value.push_str(line.trim());
            }
            (Some((name, value)), _) => headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned())),
            (None, _) => {}
        }
    }
    Some((status, headers))
}

/// Keeps what a visit showed for the rules of tomorrow.
pub(crate) fn keep(cx: &Context<'_>, exchange: &HttpExchange, fetch: &HttpFetch) {
    for (label, bytes) in Visit::kept_of(exchange, fetch) {
        cx.evidence(label, &bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn evidence(pieces: &[(&str, &str)]) -> Vec<Evidence> {
        let piece =
            |(label, text): &(&str, &str)| Evidence { label: (*label).to_owned(), bytes: text.as_bytes().to_vec() };
        pieces.iter().map(piece).collect()
    }

    fn told(task: TaskName, name: &str, details: Value, pieces: &[(&str, &str)]) -> Option<Vec<String>> {
        let details = details.as_object().cloned().unwrap();
        let items = products(task, name, &details, &evidence(pieces), &ambit_fingerprints::own())?;
        Some(items.into_iter().map(|one| format!("{} {}", one.product, one.version.unwrap_or_default())).collect())
    }

    const SITE: &str = "https://www.acme.test:443";
    const START: &str = "HTTP/1.1 302 Found\r\nServer: nginx/1.24.0\r\nLocation: /in\r\n\r\n";
    const PAGE_TEXT: &str = "<meta name=generator content='WordPress 6.4.1'>";

    #[test]
    fn a_stored_answer_tells_what_the_look_told() {
        let head = "HTTP/1.1 200 OK\r\nServer: nginx/1.24.0\r\nContent-Type: text/html\r\nX-A: b\r\n c\r\n\r\n";
        let plain = told(TaskName::HttpEnrich, SITE, json!({}), &[("head", head), (BODY, PAGE_TEXT)]);
        assert_eq!(plain.unwrap(), ["nginx 1.24.0", "WordPress 6.4.1"]);
        let chain = json!({"redirect_count": 1, "redirect_chain": ["https://www.acme.test:443/in"]});
        let end = [
            ("head", START),
            (BODY, ""),
            ("page_head", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
            ("page", PAGE_TEXT),
            ("redirects", "https://www.acme.test/in?x=1"),
        ];
        assert_eq!(told(TaskName::HttpEnrich, SITE, chain.clone(), &end).unwrap(), ["WordPress 6.4.1"]);
        assert_eq!(told(TaskName::HttpEnrich, SITE, chain, &end[..2]), None, "its page was not kept");
        let elsewhere = json!({"redirect_count": 1, "redirect_chain": ["https://other.test:443/"]});
        assert_eq!(told(TaskName::HttpEnrich, SITE, elsewhere, &end[..2]).unwrap(), ["nginx 1.24.0"]);
        assert_eq!(told(TaskName::HttpEnrich, SITE, json!({}), &[]), None);
    }

    #[test]
    fn stored_records_of_a_name_tell_what_they_told() {
        let details = json!({"txt_records": ["MS=ms123", "v=spf1 -all"], "nameservers": ["ada.ns.cloudflare.com"],
            "mx_records": [{"priority": 1, "host": "acme-test.mail.protection.outlook.com"}]});
        let told_of = |task, details| told(task, "acme.test", details, &[]);
        let found = told_of(TaskName::ZoneProfile, details).unwrap();
        assert_eq!(found, ["Cloudflare DNS ", "Exchange Online ", "Microsoft 365 "]);
        let aliases = json!({"hidden_cname_chain": ["d1.cloudfront.net"]});
        assert_eq!(told_of(TaskName::Resolve, aliases).unwrap(), ["CloudFront "]);
        assert!(told_of(TaskName::Resolve, json!({})).unwrap().is_empty());
    }

    #[test]
    fn a_stored_greeting_tells_what_it_told() {
        let ssh = told(
            TaskName::ServiceIdentify,
            "192.0.2.1:22/tcp",
            json!({"service": "SSH"}),
            &[("banner", "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n")],
        );
        assert!(ssh.unwrap().contains(&"OpenSSH 9.2p1".to_owned()));
        let welcome = json!({"product": "CouchDB", "positive_matches": [{"match_type": "content_body"}]});
        let web = told(
            TaskName::ServiceIdentify,
            "192.0.2.1:5984/tcp",
            json!({"service": "HTTP", "fingerprint": [welcome, {"product": "gone", "positive_matches": [
                {"match_type": "content_headers"}]}]}),
            &[("banner", "Server: nginx/1.24.0")],
        );
        assert_eq!(web.unwrap(), ["CouchDB ", "nginx 1.24.0"]);
        let other = json!({"service": "FTP"});
        assert_eq!(told(TaskName::ServiceIdentify, "192.0.2.1:22/tcp", other, &[("banner", "SSH-2.0-x\r\n")]), None);
    }
}
