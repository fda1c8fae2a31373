//! Typed edges between entities: how one led to another, and what that says about ownership and clearance (docs/architecture.md §4).

use crate::Clearance;
use serde::de::IntoDeserializer;
use serde::{Deserialize, Serialize};

/// How one entity led to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// A domain to a name below it that its own zone (or a look-up) shows.
    Subdomain,
    /// A name, or a certificate, to a name below a domain of theirs that is delegated to other authorities, whatever told of the name.
    DelegatedSubdomain,
    /// A name to its registrable domain.
    RegistrableDomain,
    /// A name to an address, by A or AAAA.
    ResolvesTo,
    /// A name to a name in its chain of CNAME records.
    Alias,
    /// The same, where that name is one of a known platform's (CDN, website builder, cloud): it serves each customer by the customer's name.
    HostedAlias,
    /// An address to a name, by PTR.
    Pointer,
    /// An address to a service on it.
    Service,
    /// A service, or a name bound to it, to a site.
    Site,
    /// A site to another site below it (login page, document, well-known file).
    Page,
    /// A page to the host it redirects to.
    Redirect,
    /// A page to a host that it links to or loads from.
    Link,
    /// A name to a service that tells it what it may not tell others. Says nothing of who owns the service: strangers share addresses.
    Binding,
    /// A service to the certificate it served; a name to the certificate that was served for it and names it or another name of theirs.
    Certificate,
    /// A name to a certificate that was served for it and names nothing of theirs: often that of the platform it is on.
    UnrelatedCertificate,
    /// An address to the certificate that it shows to whoever names nobody, where every name in it is under a domain of a seed and it verifies.
    DefaultCertificate,
    /// A certificate to a name in it, under a registrable domain that led to the certificate.
    CertificateName,
    /// A certificate to a name in it, under another registrable domain.
    ForeignCertificateName,
    /// A domain to its name server, mail server, SPF include or vendor outside its own names.
    Vendor,
    /// A domain to its name server or mail server within its own names.
    OwnServer,
    /// A domain to a certificate in a public log that names it.
    LoggedCertificate,
    /// An address to the block that covers it, and to the system that announces that: seldom theirs.
    CoveringBlock,
    /// A block to an address in it.
    BlockMember,
    /// A block to a more specific one within it that is registered to somebody else.
    Suballocation,
    /// An autonomous system that is theirs to a block that it announces.
    Announces,
    /// A domain, block or address to the organisation that registered it (of an address: the narrowest block around it), or to the registrant's mailbox.
    Registrant,
    /// An entity to an e-mail address found on it.
    Contact,
    /// A page, name or certificate to a storage bucket.
    Bucket,
    /// A site or service that somebody named to the host that it is on.
    Host,
    /// A page to a token or tracking identifier in it.
    Token,
    /// A page to an API that it documents or calls.
    Api,
}

/// One row of the edge table: the ownership that an edge passes on at most, and its cap of clearance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeRule {
    /// The edge's kind.
    pub kind: EdgeKind,
    /// Ownership of the edge, in thousandths. A path's ownership is that of its weakest edge.
    pub own: u16,
    /// The highest clearance that passes.
    pub cap: Clearance,
}

/// The edge table of docs/architecture.md §4. `scope` refines several rows from their surroundings: what an address, an alias or a block within a
/// block passes on depends on the evidence around it.
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
    rule(EdgeKind::Announces, 970, Clearance::L3),
    rule(EdgeKind::Registrant, 20, Clearance::L1),
    rule(EdgeKind::Contact, 20, Clearance::L1),
    rule(EdgeKind::Bucket, 200, Clearance::L2),
    rule(EdgeKind::Host, 950, Clearance::L2),
    rule(EdgeKind::Token, 900, Clearance::L1),
    rule(EdgeKind::Api, 1000, Clearance::L4),
];

const fn rule(kind: EdgeKind, own: u16, cap: Clearance) -> EdgeRule {
    EdgeRule { kind, own, cap }
}

impl EdgeKind {
    /// The table row of this kind.
    pub fn rule(self) -> EdgeRule {
        *EDGES.iter().find(|rule| rule.kind == self).expect("every kind has a row, see the test")
    }

    /// True where the details of an edge's end are facts of its start: tasks plan and judges judge the start by them.
    pub fn tells_start(self) -> bool {
        matches!(self, Self::ResolvesTo | Self::Service | Self::Bucket | Self::Token)
    }

    /// True where the details of an edge's start are facts of its end.
    pub fn tells_end(self) -> bool {
        matches!(self, Self::ResolvesTo | Self::Service | Self::Site | Self::Binding)
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
        assert_eq!(EDGES.len(), 31, "a new kind needs its row");
    }
}
