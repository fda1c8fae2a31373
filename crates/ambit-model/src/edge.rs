//! Typed edges between entities: how one led to another, and what that says about ownership and clearance
//! (docs/architecture.md §4).

use crate::Clearance;
use serde::de::IntoDeserializer;
use serde::{Deserialize, Serialize};

/// How one entity led to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// From a domain to a name below it that its own zone (or a look-up) shows.
    Subdomain,
    /// From a name, or a certificate, to a name below a domain of theirs that is delegated to other authorities,
    /// whatever told of the name.
    DelegatedSubdomain,
    /// From a name to its registrable domain.
    RegistrableDomain,
    /// From a name to an address, by A or AAAA.
    ResolvesTo,
    /// From a name to a name in its chain of CNAME records.
    Alias,
    /// The same, where that name is one of a known platform's (CDN, website builder, cloud): it serves each customer by
    /// the customer's name. Or from a name to one that its HTTPS record makes it an alias of: the name's own addresses
    /// stay what they are.
    HostedAlias,
    /// From an address to a name, by PTR.
    Pointer,
    /// From an address to a service on it.
    Service,
    /// From a service, or a name bound to it, to a site.
    Site,
    /// From a site to another site below it (login page, document, well-known file).
    Page,
    /// From a page to the host it redirects to.
    Redirect,
    /// From a page to a host that it links to or loads from, or from a name to another of theirs that its records, or a
    /// wildcard below it, mention and that does not lie below it.
    Link,
    /// From a name to a service that may present different content to that name than to others. The edge says nothing
    /// about who owns the service, because third parties share addresses.
    Binding,
    /// From a service to the certificate it served; a name to the certificate that was served for it and names it or
    /// another name of theirs.
    Certificate,
    /// From a name to a certificate that was served for it and names nothing of theirs: often that of the platform it
    /// is on.
    UnrelatedCertificate,
    /// From an address to the certificate that it presents without SNI, if the certificate verifies and every name in
    /// it lies under a domain of a seed.
    DefaultCertificate,
    /// From a certificate to a name in it, under a registrable domain that led to the certificate.
    CertificateName,
    /// From a certificate to a name in it, under another registrable domain.
    ForeignCertificateName,
    /// From a domain to its name server, mail server, SPF include or vendor outside its own names.
    Vendor,
    /// From a domain to its name server or mail server within its own names.
    OwnServer,
    /// From a domain to a certificate in a public log that names it.
    LoggedCertificate,
    /// From an address to the block that covers it, and to the system that announces that: seldom theirs.
    CoveringBlock,
    /// From a block to an address in it.
    BlockMember,
    /// From a block to a more specific one within it, or from an autonomous system to a block that it announces, where
    /// that is registered to somebody else.
    Suballocation,
    /// From an autonomous system that is theirs to a block within one that it announces, of which no registry could be
    /// asked whose it is: until one says so it is nobody's to sweep.
    UnknownPart,
    /// From an autonomous system that is theirs to a block that it announces and that its own holder registered.
    Announces,
    /// From an organisation that is a seed to a block or an autonomous system that a regional registry holds under
    /// exactly its name. Others may bear the same name, so that a person's word is waited for.
    RegisteredName,
    /// From a domain, block or address to the organisation that registered it (of an address: the narrowest block
    /// around it), or to the registrant's mailbox.
    Registrant,
    /// From an entity to an e-mail address found on it.
    Contact,
    /// From a page, name or certificate to a storage bucket.
    Bucket,
    /// From an account at a cloud provider to what it owns, as the provider reports; from an asset in an account that
    /// is a seed to its public address.
    CloudAccount,
    /// From a site or service that is a seed to the host that it is on.
    Host,
    /// From a page to a token or tracking identifier in it.
    Token,
    /// From a page to an API that it documents or calls.
    Api,
    /// From a domain or word of theirs to a domain of others that can be mistaken for it.
    Resembles,
    /// From a domain to an organisation whose service its records or pages show it to use.
    Uses,
    /// From an account at a forge of code to a repository that it has.
    AccountRepository,
    /// From an account at a forge to that of somebody who belongs to it.
    AccountMember,
    /// From a repository to the account that has it.
    RepositoryAccount,
    /// From a word or token of theirs to a repository that matches it.
    RepositoryWord,
    /// From an app to an address that its package names.
    AppCall,
    /// From an app to a host whose links open it and that says itself that the app is its own.
    AppLink,
}

/// One row of the edge table: the most ownership that an edge passes on, and the highest clearance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeRule {
    /// The edge's kind.
    pub kind: EdgeKind,
    /// Ownership of the edge, in thousandths. A path's ownership is that of its weakest edge.
    pub own: u16,
    /// The highest clearance that passes.
    pub cap: Clearance,
}

/// The edge table of docs/architecture.md §4. `scope` refines several rows from their surroundings: what an address, an
/// alias or a block within a block passes on depends on the evidence around it.
pub const EDGES: &[EdgeRule] = &[
    rule(EdgeKind::Subdomain, 990, Clearance::L4),
    rule(EdgeKind::DelegatedSubdomain, 600, Clearance::L2),
    rule(EdgeKind::RegistrableDomain, 50, Clearance::L1),
    rule(EdgeKind::ResolvesTo, 500, Clearance::L3),
    rule(EdgeKind::Alias, 100, Clearance::L1),
    rule(EdgeKind::HostedAlias, 100, Clearance::L1),
    rule(EdgeKind::Pointer, 50, Clearance::L1),
    rule(EdgeKind::Service, 1000, Clearance::L4),
    rule(EdgeKind::Site, 1000, Clearance::L4),
    rule(EdgeKind::Page, 1000, Clearance::L4),
    rule(EdgeKind::Redirect, 50, Clearance::L1),
    rule(EdgeKind::Link, 50, Clearance::L1),
    rule(EdgeKind::Binding, 0, Clearance::L0),
    rule(EdgeKind::Certificate, 950, Clearance::L4),
    rule(EdgeKind::UnrelatedCertificate, 500, Clearance::L2),
    rule(EdgeKind::DefaultCertificate, 950, Clearance::L4),
    rule(EdgeKind::CertificateName, 950, Clearance::L4),
    rule(EdgeKind::ForeignCertificateName, 600, Clearance::L1),
    rule(EdgeKind::Vendor, 20, Clearance::L1),
    rule(EdgeKind::OwnServer, 950, Clearance::L4),
    rule(EdgeKind::LoggedCertificate, 950, Clearance::L4),
    rule(EdgeKind::CoveringBlock, 20, Clearance::L1),
    rule(EdgeKind::BlockMember, 970, Clearance::L3),
    rule(EdgeKind::Suballocation, 50, Clearance::L1),
    rule(EdgeKind::UnknownPart, 50, Clearance::L1),
    rule(EdgeKind::Announces, 970, Clearance::L3),
    rule(EdgeKind::RegisteredName, 600, Clearance::L1),
    rule(EdgeKind::Registrant, 20, Clearance::L1),
    rule(EdgeKind::Contact, 20, Clearance::L1),
    rule(EdgeKind::Bucket, 200, Clearance::L2),
    rule(EdgeKind::CloudAccount, 1000, Clearance::L3),
    rule(EdgeKind::Host, 950, Clearance::L2),
    rule(EdgeKind::Token, 900, Clearance::L1),
    rule(EdgeKind::Api, 1000, Clearance::L4),
    rule(EdgeKind::Resembles, 10, Clearance::L2),
    rule(EdgeKind::Uses, 20, Clearance::L1),
    rule(EdgeKind::AccountRepository, 950, Clearance::L1),
    rule(EdgeKind::AccountMember, 50, Clearance::L1),
    rule(EdgeKind::RepositoryAccount, 300, Clearance::L1),
    rule(EdgeKind::RepositoryWord, 20, Clearance::L1),
    rule(EdgeKind::AppCall, 50, Clearance::L1),
    rule(EdgeKind::AppLink, 950, Clearance::L3),
];

const fn rule(kind: EdgeKind, own: u16, cap: Clearance) -> EdgeRule {
    EdgeRule { kind, own, cap }
}

impl EdgeKind {
    /// The table row of this kind.
    pub fn rule(self) -> EdgeRule {
        *EDGES.iter().find(|rule| rule.kind == self).expect("every kind has a row, see the test")
    }

    /// Returns true if the details of the edge's end are facts of its start, which tasks plan by and judges judge by.
    pub fn shares_details_with_start(self) -> bool {
        matches!(self, Self::ResolvesTo | Self::Service | Self::Bucket | Self::Token | Self::Resembles)
    }

    /// Returns true if the details of the edge's start are facts of its end.
    pub fn shares_details_with_end(self) -> bool {
        matches!(self, Self::ResolvesTo | Self::Service | Self::Site | Self::Binding | Self::Resembles)
    }

    /// The stored and printed name.
    pub fn name(self) -> String {
        serde_json::to_value(self)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .expect("a unit variant is a string")
    }

    /// The kind of a stored name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::deserialize(IntoDeserializer::<serde::de::value::Error>::into_deserializer(name)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_through_the_table() {
        for rule in EDGES {
            assert_eq!(EdgeKind::from_name(&rule.kind.name()), Some(rule.kind));
            assert_eq!(rule.kind.rule(), *rule);
        }
        assert_eq!(EDGES.len(), 42, "a new kind needs its row");
    }
}
