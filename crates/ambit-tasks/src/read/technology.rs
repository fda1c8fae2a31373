//! Products by what they leave in headers, cookies, pages and greetings: gathers what a look saw for the rules, which
//! are data of `ambit-fingerprints` and of the packs that a user loaded.

use crate::read::page::Page;
use ambit_fingerprints::{IconHash, Place, Product, Set, Subject, join};
use ambit_model::entity::network_service::Service;

/// A page and its head as rules see them.
pub(crate) struct Seen<'a> {
    pub(crate) status: u16,
    /// Lower-case names with values.
    pub(crate) headers: &'a [(String, String)],
    /// Names of cookies with their values.
    pub(crate) cookies: &'a [(String, String)],
    pub(crate) body: &'a str,
    pub(crate) page: &'a Page,
    pub(crate) url: &'a str,
    /// Where the visit was led.
    pub(crate) redirects: &'a [String],
    /// Subject and issuer of the certificate.
    pub(crate) certificate: Option<(String, String)>,
}

/// Returns the products that show themselves on a page. One that shows at several places is listed once for each.
pub(crate) fn products(rules: &Set, seen: &Seen<'_>) -> Vec<Product> {
    rules.products(&subject(seen))
}

/// Returns the products that rules for the page of a path see in it.
pub(crate) fn products_at(rules: &Set, path: &str, seen: &Seen<'_>) -> Vec<Product> {
    rules.products_at(path, &subject(seen))
}

fn subject<'a>(seen: &'a Seen<'_>) -> Subject<'a> {
    let mut subject = Subject::default();
    subject.add_head(seen.status, seen.headers);
    for (name, value) in seen.headers {
        subject.add_header(name, value);
    }
    for (name, value) in seen.cookies {
        subject.add_cookie(name, value);
    }
    subject.add(Place::Body, seen.body);
    subject.add(Place::Url, seen.url);
    for target in seen.redirects {
        subject.add(Place::Redirect, target);
    }
    if let Some((holder, issuer)) = &seen.certificate {
        subject.add(Place::CertificateSubject, holder);
        subject.add(Place::CertificateIssuer, issuer);
    }
    let page = seen.page;
    if let Some(title) = &page.title {
        subject.add(Place::Title, title);
    }
    for (name, content) in &page.metas {
        subject.add_meta(name, content);
    }
    for source in &page.scripts {
        subject.add(Place::Script, source);
    }
    subject.add(Place::Inline, &page.inline);
    subject.add(Place::Text, &page.text);
    subject
}

/// Returns the products of an icon, by its hashes: MD5, SHA-1 and MurmurHash3.
pub(crate) fn of_icon(rules: &Set, md5: &str, sha1: &str, mmh3: i32) -> Vec<Product> {
    let mut subject = Subject::default();
    subject.add(Place::Favicon(IconHash::Md5), md5);
    subject.add(Place::Favicon(IconHash::Sha1), sha1);
    subject.add(Place::Favicon(IconHash::Mmh3), mmh3.to_string());
    rules.products(&subject)
}

/// Returns the products of a TLS service, by its JARM.
pub(crate) fn of_jarm(rules: &Set, jarm: &str) -> Vec<Product> {
    let mut subject = Subject::default();
    subject.add(Place::Jarm, jarm);
    rules.products(&subject)
}

/// Returns the products that records of a name show: type and value of each.
pub(crate) fn of_records<'a>(rules: &Set, records: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<Product> {
    let mut subject = Subject::default();
    for (kind, value) in records {
        subject.add(Place::Dns(kind.into()), value.trim_end_matches('.'));
    }
    rules.products(&subject)
}

/// Returns the products of a `Server` header.
pub(crate) fn web_servers(rules: &Set, header: &str) -> Vec<Product> {
    let mut subject = Subject::default();
    subject.add_header("server", header);
    rules.products(&subject)
}

/// Returns the products that the greeting of a service names.
pub(crate) fn greeted(rules: &Set, service: Service, text: &str) -> Vec<Product> {
    let mut subject = Subject::default();
    subject.add(Place::Banner(service), text);
    if let Some((place, said)) = spoken(service, text) {
        subject.add(Place::Said(place.into()), said);
    }
    rules.products(&subject)
}

/// Adds to a product that code recognised what packs say of the version of the same server.
pub(crate) fn with_packs(rules: &Set, product: Product, version: &str) -> Vec<Product> {
    let mut subject = Subject::default();
    subject.add(Place::Said("mysql.banners".into()), version);
    let mut products = vec![product];
    join(&mut products, rules.products(&subject));
    products
}

/// What a server says of itself in its greeting, without the words of the protocol, and what recog calls that.
fn spoken(service: Service, text: &str) -> Option<(&'static str, &str)> {
    let line = text.lines().next()?;
    let behind_code = || line.get(..3).filter(|code| code.bytes().all(|byte| byte.is_ascii_digit())).and(line.get(4..));
    match service {
        Service::Ssh => Some(("ssh.banner", line.strip_prefix("SSH-")?.split_once('-')?.1)),
        Service::Ftp => Some(("ftp.banner", behind_code()?)),
        Service::Smtp => Some(("smtp.banner", behind_code()?)),
        Service::Nntp => Some(("nntp.banner", behind_code()?)),
        Service::Imap => Some(("imap4.banner", line.strip_prefix("* OK ")?)),
        Service::Pop3 => Some(("pop3.banner", line.strip_prefix("+OK ")?)),
        Service::Telnet => Some(("telnet", text)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn see(headers: &[(&str, &str)], cookies: &[&str], html: &str) -> Vec<(String, Option<String>)> {
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let headers: Vec<(String, String)> = headers.iter().map(pair).collect();
        let cookies: Vec<(String, String)> = cookies.iter().map(|name| pair(&(name, "1"))).collect();
        let page = Page::parse(html, &ambit_net::http::Url::parse("https://www.acme.test/").unwrap());
        let (headers, cookies, page) = (&headers[..], &cookies[..], &page);
        let seen = Seen { status: 200, headers, cookies, body: html, page, url: "", redirects: &[], certificate: None };
        let found = products(&ambit_fingerprints::own(), &seen);
        found.into_iter().map(|product| (product.product, product.version)).collect()
    }

    #[test]
    fn products_and_versions_show() {
        let found = see(
            &[("server", "nginx/1.24.0"), ("x-powered-by", "PHP/8.1.2")],
            &["laravel_session"],
            "<meta name=generator content='WordPress 6.4.1'>",
        );
        for (product, version) in
            [("PHP", Some("8.1.2")), ("Laravel", None), ("WordPress", Some("6.4.1")), ("nginx", Some("1.24.0"))]
        {
            assert!(found.contains(&(product.to_owned(), version.map(str::to_owned))), "{product}: {found:?}");
        }
        assert_eq!(
            see(&[], &[], "<script src='/js/jquery-3.6.0.min.js'></script>"),
            [("jQuery".to_owned(), Some("3.6.0".to_owned()))]
        );
    }

    #[test]
    fn a_page_about_a_product_is_not_the_product() {
        assert!(see(&[], &[], "<title>We love PHP and WordPress</title><p>nginx is great</p>").is_empty());
        assert!(see(&[("x-frame-options", "DENY")], &["lang"], "").is_empty());
    }

    #[test]
    fn a_greeting_is_what_the_server_says_without_the_words_of_the_protocol() {
        for (service, text, expected) in [
            (Service::Ssh, "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", Some("OpenSSH_9.2p1 Debian-2")),
            (Service::Ftp, "220-Pure\r\n220 go\r\n", Some("Pure")),
            (Service::Smtp, "220 mx.acme.test ESMTP\r\n", Some("mx.acme.test ESMTP")),
            (Service::Smtp, "éé\r\n", None),
            (Service::Imap, "* OK Dovecot ready.\r\n", Some("Dovecot ready.")),
            (Service::Pop3, "+OK Dovecot ready.\r\n", Some("Dovecot ready.")),
            (Service::Telnet, "Ubuntu\nlogin:", Some("Ubuntu\nlogin:")),
            (Service::Redis, "+PONG", None),
            (Service::Ssh, "", None),
        ] {
            assert_eq!(spoken(service, text).map(|(_, said)| said), expected, "{text}");
        }
    }
}
