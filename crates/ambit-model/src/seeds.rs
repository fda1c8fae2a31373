//! The seeds of a collection, as tasks and judges ask about them.

use crate::Kind;
use crate::entity::{host_of, registrable};
use std::collections::{BTreeMap, BTreeSet};

/// Canonical names of a collection's seeds, with their kinds. The facts of all its entities share them: there may be
/// tens of thousands.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Seeds {
    by_kind: BTreeMap<Kind, BTreeSet<String>>,
    /// Every host that a seed names, with the sites on it that are seeds themselves.
    hosts: BTreeMap<String, Vec<String>>,
    /// Registrable domains of the seeds of [`WITH_DOMAIN`].
    domains: BTreeSet<String>,
}

/// Kinds of seeds that stand for a domain of theirs.
const WITH_DOMAIN: [Kind; 4] = [Kind::Domain, Kind::DnsRecord, Kind::Uri, Kind::EmailAddress];

impl FromIterator<(Kind, String)> for Seeds {
    fn from_iter<T: IntoIterator<Item = (Kind, String)>>(named: T) -> Self {
        let mut seeds = Self::default();
        for (kind, name) in named {
            let host = host_of(&name);
            if let Some(domain) = registrable(host).filter(|_| WITH_DOMAIN.contains(&kind))
                && !seeds.domains.contains(domain)
            {
                seeds.domains.insert(domain.to_owned());
            }
            let sites = seeds.hosts.entry(host.to_owned()).or_default();
            if kind == Kind::Uri {
                sites.push(name.clone());
            }
            seeds.by_kind.entry(kind).or_default().insert(name);
        }
        seeds
    }
}

impl Seeds {
    /// Returns the names of the seeds of a kind, in their order.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &str> {
        self.by_kind.get(&kind).into_iter().flatten().map(String::as_str)
    }

    /// True where a seed of any kind has the name.
    pub fn contain(&self, name: &str) -> bool {
        self.by_kind.values().any(|names| names.contains(name))
    }

    /// True where a seed of the kind has the name.
    pub fn contain_of_kind(&self, kind: Kind, name: &str) -> bool {
        self.by_kind.get(&kind).is_some_and(|names| names.contains(name))
    }

    /// True for a host at or below one that a seed of any kind names.
    pub fn cover(&self, host: &str) -> bool {
        upwards(host).any(|name| self.hosts.contains_key(name))
    }

    /// True for a host at or below a domain that is a seed.
    pub fn cover_by_domain(&self, host: &str) -> bool {
        upwards(host).any(|name| self.contain_of_kind(Kind::Domain, name))
    }

    /// Returns the registrable domains of the seeds that are domains, names, sites or mailboxes.
    pub fn domains(&self) -> &BTreeSet<String> {
        &self.domains
    }

    /// True for a host at or below one of [`Seeds::domains`].
    pub fn cover_by_registrable(&self, host: &str) -> bool {
        upwards(host).any(|name| self.domains.contains(name))
    }

    /// Returns the sites on a host that are seeds.
    pub fn sites_on(&self, host: &str) -> impl Iterator<Item = &str> {
        self.hosts.get(host).into_iter().flatten().map(String::as_str)
    }
}

/// A name and all names above it, the nearest first.
fn upwards(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| name.split_once('.').map(|(_, parent)| parent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_covers_its_host_and_what_is_below() {
        let named = [
            (Kind::Domain, "acme.test"),
            (Kind::Uri, "https://www.acme.shop:443/"),
            (Kind::Uri, "http://www.acme.shop:80/"),
            (Kind::EmailAddress, "it@mail.acme.example"),
            (Kind::UniqueKeyword, "zip"),
        ];
        let seeds: Seeds = named.into_iter().map(|(kind, name)| (kind, name.to_owned())).collect();
        for (host, covered) in [
            ("acme.test", true),
            ("a.b.acme.test", true),
            ("notacme.test", false),
            ("test", false),
            ("www.acme.shop", true),
            ("acme.shop", false),
            ("", false),
        ] {
            assert_eq!(seeds.cover(host), covered, "{host}");
        }
        assert_eq!(seeds.sites_on("www.acme.shop").count(), 2);
        assert_eq!(seeds.sites_on("acme.test").count(), 0);
        assert!(seeds.cover_by_domain("a.acme.test") && seeds.cover_by_domain("acme.test"));
        assert!(!seeds.cover_by_domain("www.acme.shop") && !seeds.cover_by_domain("acme.zip"));
        assert_eq!(seeds.domains().iter().collect::<Vec<_>>(), ["acme.example", "acme.shop", "acme.test"]);
        assert!(seeds.cover_by_registrable("a.acme.shop") && !seeds.cover_by_registrable("acme.zip"));
        assert!(seeds.contain("zip") && !seeds.contain_of_kind(Kind::Domain, "zip"));
        assert_eq!(seeds.of_kind(Kind::Domain).collect::<Vec<_>>(), ["acme.test"]);
    }
}
