//! What the files of a repository lead to: hosts, addresses, pages and interfaces that they name, mailboxes and storage
//! buckets. Pure.

use super::assignments::assigned;
use super::endpoints::{endpoints, is_of_platforms, unopened};
use super::mentions::Mentions;
use ambit_model::Kind;
use ambit_model::entity::{host_of, unmapped};
use ambit_model::reserved::is_internal;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::LazyLock;

/// Hosts of one history that are kept, and as many mailboxes, buckets and addresses.
const LEADS_MAX: usize = 300;
/// Pages and interfaces of one history that are kept.
const URLS_MAX: usize = 1_000;
/// URLs of one history that are weighed: each is searched for what it opens.
const MET_MAX: usize = 20_000;

/// A path of an interface, by one of its parts.
static INTERFACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)/(?:api|apis|rest|graphql|gql|v\d{1,2}|rpc|odata)(?:/|$)").expect("constant"));

/// What texts lead to.
#[derive(Debug, Default)]
pub(crate) struct Leads {
    /// Hosts by name.
    pub(crate) hosts: BTreeSet<String>,
    /// Addresses of the internet, alone or in URLs.
    pub(crate) addresses: BTreeSet<IpAddr>,
    pub(crate) mailboxes: BTreeSet<String>,
    pub(crate) buckets: BTreeSet<String>,
    /// URLs without their queries: of pages, and of interfaces.
    urls: BTreeMap<String, Kind>,
    /// URLs that were met, as they are written.
    met: BTreeSet<String>,
    /// Of what there is more than is kept.
    left_out: BTreeSet<&'static str>,
}

impl Leads {
    /// Takes up what a file says, or a text of none where the path is empty.
    pub(crate) fn read(&mut self, path: &str, text: &str) {
        let mut named = Mentions::default();
        named.read(text);
        let assigned = assigned(path, text);
        let (mut names, mut addresses) = (Vec::new(), Vec::new());
        for host in named.hosts.into_iter().chain(assigned.hosts) {
            match host.parse::<IpAddr>() {
                Ok(address) => addresses.push(address),
                Err(_) => names.push(host),
            }
        }
        let addresses = addresses.into_iter().chain(assigned.addresses).map(unmapped);
        // Those of networks that are not the internet lead nowhere.
        let addresses = addresses.filter(|address| !is_internal(*address));
        self.left_out.append(&mut named.cut);
        let cut = [
            (keep(&mut self.hosts, names), "hosts"),
            (keep(&mut self.addresses, addresses), "addresses"),
            (keep(&mut self.mailboxes, named.mailboxes), "e-mail addresses"),
            (keep(&mut self.buckets, named.buckets), "buckets"),
        ];
        self.left_out.extend(cut.iter().filter(|(is_cut, _)| *is_cut).map(|(_, what)| what));
        for url in endpoints(text).into_iter().filter(|url| is_of_interest(url)) {
            if self.met.contains(&url) {
                continue;
            }
            if self.urls.len() >= URLS_MAX || self.met.len() >= MET_MAX {
                self.left_out.insert("pages and interfaces");
                break;
            }
            self.met.insert(url.clone());
            self.take(unopened(url));
        }
    }

    /// Says of what there is more than is kept, a sentence each.
    pub(crate) fn left_out(&self) -> impl Iterator<Item = String> {
        self.left_out.iter().map(|what| format!("more {what} are named than are kept; the others are left out"))
    }

    fn take(&mut self, url: String) {
        let kind = if INTERFACE.is_match(path_of(&url)) { Kind::ApiEndpoint } else { Kind::Uri };
        // What a template fills in is no page that there is.
        if kind == Kind::ApiEndpoint || !url.contains('{') {
            self.urls.insert(url, kind);
        }
    }

    /// The pages and interfaces that are named.
    pub(crate) fn urls(&self) -> impl Iterator<Item = (&str, Kind)> {
        self.urls.iter().take(URLS_MAX).map(|(url, kind)| (url.as_str(), *kind))
    }
}

/// Adds values up to the limit of their kind; true: there are more.
fn keep<T: Ord>(kept: &mut BTreeSet<T>, values: impl IntoIterator<Item = T>) -> bool {
    for value in values {
        if kept.len() >= LEADS_MAX && !kept.contains(&value) {
            return true;
        }
        kept.insert(value);
    }
    false
}

/// The path of a canonical URL.
fn path_of(url: &str) -> &str {
    let site = url.find("://").map_or(0, |at| at + 3);
    url[site..].find('/').map_or("", |slash| &url[site + slash..])
}

/// Addresses of networks that are not the internet, and what stands in everybody's files, are nobody's leads.
fn is_of_interest(url: &str) -> bool {
    let host = host_of(url);
    !is_of_platforms(host) && !host.parse().is_ok_and(is_internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &str, text: &str) -> Vec<String> {
        let mut leads = Leads::default();
        leads.read(path, text);
        let hosts = leads.hosts.iter().map(|host| format!("host {host}"));
        let addresses = leads.addresses.iter().map(|address| format!("address {address}"));
        let urls = leads.urls().map(|(url, kind)| format!("{} {url}", kind.name()));
        hosts.chain(addresses).chain(urls).collect()
    }

    #[test]
    fn files_lead_to_hosts_addresses_pages_and_interfaces() {
        let webhook = ["https://hooks.slack.com/serv", "ices/T0AB1CD2E/B0AB1CD2E/q7Lx2VbN9sKd4TfR8mWz1YcH"].concat();
        for (path, text, expected) in [
            (
                "README.md",
                "See https://wiki.acme.test/start?x=1.",
                &["host wiki.acme.test", "Uri https://wiki.acme.test:443/start"][..],
            ),
            (
                "app.py",
                "get('https://api.acme.test/v2/orders/{id}')",
                &["host api.acme.test", "ApiEndpoint https://api.acme.test:443/v2/orders/{}"],
            ),
            ("app.py", "get('https://www.acme.test/orders/{id}')", &["host www.acme.test"]),
            ("deploy.yaml", "host: db.acme.test\nip: 203.0.113.7", &["host db.acme.test", "address 203.0.113.7"]),
            ("x.py", "get('http://203.0.113.9:8080/x')", &["address 203.0.113.9", "Uri http://203.0.113.9:8080/x"]),
            ("x.py", "get('http://10.0.0.9:8080/x'); get('http://127.0.0.1/x')", &[]),
            ("x.py", "get('http://localhost:8080/api')", &["host localhost"]),
            ("Cargo.toml", "version = \"1.2.3.4\"\nlink = 1.2.3.4", &[]),
            ("x.xml", "xmlns='http://www.w3.org/2000/svg'", &["host www.w3.org"]),
            ("a.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:1", &["host git-lfs.github.com"]),
            ("x.sh", &format!("curl {webhook}"), &["host hooks.slack.com", "Uri https://hooks.slack.com:443"]),
            (
                "x.sh",
                "git clone https://ann.lee:secret-1@git.acme.test/x.git",
                &["host git.acme.test", "Uri https://git.acme.test:443/x.git"],
            ),
        ] {
            assert_eq!(told(path, text), expected, "{path}: {text}");
        }
    }

    #[test]
    fn no_text_leads_to_more_than_is_kept() {
        let text: String = (0..5_000).map(|number| format!("https://h{number}.acme.test/p{number} ")).collect();
        let mut leads = Leads::default();
        (0..5).for_each(|_| leads.read("x", &text));
        assert_eq!((leads.hosts.len(), leads.urls().count()), (LEADS_MAX, URLS_MAX));
    }

    #[test]
    fn many_of_one_kind_keep_none_of_another_out() {
        let inside: String = (0..320).map(|number| format!("http://10.0.{number}.7/ ")).collect();
        let hosts: String = (0..320).map(|number| format!("https://h{number}.acme.test/ ")).collect();
        let mut leads = Leads::default();
        leads.read("a.txt", &inside);
        assert_eq!(leads.addresses.len(), 0, "those of networks that are not the internet lead nowhere");
        leads.read("b.txt", &hosts);
        leads.read("z/z.env", "DB_HOST=203.0.113.9\nMAIL=ops@acme.test\nhttps://acme-files.s3.amazonaws.com/x");
        assert_eq!((leads.addresses.len(), leads.mailboxes.len(), leads.buckets.len()), (1, 1, 1));
        assert_eq!(leads.hosts.len(), LEADS_MAX);
        let left_out: Vec<String> = leads.left_out().collect();
        assert_eq!(left_out, ["more hosts are named than are kept; the others are left out"]);
    }
}
