//! What other tools reported about an entity: their name, the time, and a short text. An import makes nothing theirs:
//! it leads from entities of the collection to what lies in or on them, and our own tasks probe those.

use super::{Member, host_of, registrable};
use crate::moment::DAY_MS;
use crate::names::names;
use crate::{EdgeKind, Kind, Timestamp};
use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// The name under which observations of imports are stored, in the place of a task's.
pub const TASK: &str = "import";
/// How long an import counts after its own date: what nobody saw again since is as likely gone as not. Milliseconds.
pub const LASTS_MS: i64 = 90 * DAY_MS;
/// What imports reported about an entity.
pub const IMPORTED: Member<Vec<Said>> = Member::named("imported");
/// Prefixes of blocks of which an address may be a part; shorter ones are nobody's.
const BITS_MIN: [(bool, u8); 2] = [(true, 8), (false, 16)];

names! {
    /// Whose output a file is.
    pub enum Source {
        Nmap,
        Masscan,
        Naabu,
        Httpx,
        Nuclei,
        Bbot,
        Amass,
        Csv,
        Gti,
        Openapi,
        Postman,
        Graphql,
        Terraform,
    }
}

impl Source {
    /// Returns the kind of the account that its files are of, and hold things of; `None` where they are of none.
    pub fn account(self) -> Option<Kind> {
        (self == Self::Terraform).then_some(Kind::TerraformState)
    }
}

/// Returns true for an account that imports alone tell of: no task looks at it.
pub fn is_account(kind: Kind) -> bool {
    Source::ALL.iter().any(|source| source.account() == Some(kind))
}

/// A thing that a tool saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighted {
    pub kind: Kind,
    /// In canonical form.
    pub name: String,
    pub seen_at: Timestamp,
    /// What the tool reported, in a few words.
    pub says: BTreeMap<String, String>,
    /// The account that was imported holds it.
    pub owned: bool,
    /// What it is, in a word or two, and how it is set up, as that account says.
    pub resource_type: Option<String>,
    pub configuration: Map<String, Value>,
}

/// What one import reported about an entity, as it is stored in the details.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    pub source: String,
    pub seen_at: Timestamp,
    pub says: BTreeMap<String, String>,
}

/// Returns the entities in or on which such a thing lies, nearest first; those that a collection has lead to it. Of
/// blocks, systems and domains it returns none: they are known already or are not the collection's.
pub fn places(kind: Kind, name: &str) -> Vec<(Kind, String)> {
    let host = host_of(name);
    match kind {
        Kind::DnsRecord => {
            let domain = registrable(name).map(|domain| (Kind::Domain, domain.to_owned()));
            let parents = std::iter::successors(parent(name), |name| parent(name));
            domain.into_iter().chain(parents.map(|name| (Kind::DnsRecord, name.to_owned()))).collect()
        }
        Kind::IpAddress => name.parse().map(blocks).unwrap_or_default(),
        Kind::NetworkService => vec![(Kind::IpAddress, host.to_owned())],
        Kind::ApiEndpoint | Kind::Uri => {
            let address = host.parse::<IpAddr>().is_ok().then(|| (Kind::IpAddress, host.to_owned()));
            let site = site_of(name).filter(|_| kind == Kind::ApiEndpoint).map(|site| (Kind::Uri, site.to_owned()));
            address.or_else(|| Kind::of_host(host).ok()).into_iter().chain(site).collect()
        }
        Kind::EmailAddress => registrable(host).map(|domain| (Kind::Domain, domain.to_owned())).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Returns what closes a name to its domain where it is delegated to others: the name and those above it, in each kind
/// that a delegation leads to. Of what is no name, nothing.
pub fn delegations(kind: Kind, name: &str) -> Vec<(Kind, String)> {
    let names = [Kind::Domain, Kind::DnsRecord, Kind::Nameserver, Kind::Mailserver];
    let levels = std::iter::successors(Some(name).filter(|_| kind == Kind::DnsRecord), |name| above(name));
    levels.flat_map(|level| names.map(|kind| (kind, level.to_owned()))).collect()
}

/// Returns the blocks that may be around an address, the narrowest first. Of anything else, nothing.
pub fn blocks_around(kind: Kind, name: &str) -> Vec<(Kind, String)> {
    if kind == Kind::IpAddress { places(kind, name) } else { Vec::new() }
}

/// Returns how a place leads to a thing. A name that somebody else saw has the clearance of a look-up until its zone
/// answers for it; a service or site has that of its host.
pub fn edge(kind: Kind) -> EdgeKind {
    match kind {
        Kind::IpAddress => EdgeKind::BlockMember,
        Kind::NetworkService => EdgeKind::Service,
        Kind::Uri => EdgeKind::Site,
        Kind::ApiEndpoint => EdgeKind::Api,
        Kind::EmailAddress => EdgeKind::Contact,
        _ => EdgeKind::Link,
    }
}

/// Returns true for what lies on a host, and is imported after all hosts.
pub fn is_on_a_host(kind: Kind) -> bool {
    matches!(kind, Kind::ApiEndpoint | Kind::NetworkService | Kind::Uri)
}

/// The site of a URL: all before its path.
fn site_of(url: &str) -> Option<&str> {
    let host = url.find("://")? + 3;
    Some(&url[..url[host..].find('/').map_or(url.len(), |path| host + path)])
}

fn above(name: &str) -> Option<&str> {
    name.split_once('.').map(|(_, above)| above)
}

fn parent(name: &str) -> Option<&str> {
    name.split_once('.').map(|(_, parent)| parent).filter(|parent| parent.contains('.'))
}

fn blocks(address: IpAddr) -> Vec<(Kind, String)> {
    let most = IpNet::from(address).max_prefix_len();
    let least = BITS_MIN.iter().find(|(is_ipv4, _)| *is_ipv4 == address.is_ipv4()).map_or(most, |(_, bits)| *bits);
    let around = (least..=most).rev().filter_map(|bits| IpNet::new(address, bits).ok());
    around.map(|block| (Kind::NetBlock, block.trunc().to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_lies_in_or_on_others() {
        for (kind, name, nearest, count) in [
            (Kind::DnsRecord, "a.b.acme.test", Some((Kind::Domain, "acme.test")), 3),
            (Kind::IpAddress, "192.0.2.7", Some((Kind::NetBlock, "192.0.2.7/32")), 25),
            (Kind::IpAddress, "2001:db8::1", Some((Kind::NetBlock, "2001:db8::1/128")), 113),
            (Kind::NetworkService, "[2001:db8::1]:53/udp", Some((Kind::IpAddress, "2001:db8::1")), 1),
            (Kind::Uri, "https://www.acme.test:443/a", Some((Kind::DnsRecord, "www.acme.test")), 1),
            (Kind::Uri, "https://acme.test:443", Some((Kind::Domain, "acme.test")), 1),
            (Kind::Uri, "http://192.0.2.7:80", Some((Kind::IpAddress, "192.0.2.7")), 1),
            (Kind::ApiEndpoint, "https://api.acme.test:443/v1/{id}", Some((Kind::DnsRecord, "api.acme.test")), 2),
            (Kind::EmailAddress, "ann@mail.acme.test", Some((Kind::Domain, "acme.test")), 1),
            (Kind::Domain, "acme.test", None, 0),
            (Kind::NetBlock, "192.0.2.0/24", None, 0),
        ] {
            let places = places(kind, name);
            assert_eq!(places.first().map(|(kind, name)| (*kind, name.as_str())), nearest, "{name}");
            assert_eq!(places.len(), count, "{name}");
        }
    }
}
