//! Who may be contacted for what. The engine implements [`Guard`] over the collection's scope; net itself refuses
//! reserved addresses. Asked when the socket opens, on the address really dialled, and for each request on an open one:
//! first contacts, retries and redirects alike.

use crate::error::{NetError, Refused, Result};
use crate::http::Url;
use ambit_model::Clearance;
use ambit_model::reserved::carried;
use ambit_model::scope::Exclusions;
use ipnet::IpNet;
use std::fmt;
use std::net::IpAddr;

/// Decides over contacts.
pub trait Guard: Send + Sync {
    /// Decides whether this contact may be made now. Called at every socket and every request.
    fn allow(&self, contact: &Contact) -> Result<(), Refused>;

    /// Checks that this name may be looked up in order to contact its addresses. Called before the host of a request is
    /// resolved; other questions to resolvers are no contact with the name.
    fn allow_name(&self, _name: &str, _grant: Grant) -> Result<(), String> {
        Ok(())
    }

    /// Checks that this page may be requested. Called for every request and redirect, for each host that it names.
    fn allow_page(&self, _page: &Url, _grant: Grant) -> Result<(), String> {
        Ok(())
    }

    /// Returns whether some pages of a host and port must not be requested, so that each page must be checked.
    fn has_closed_pages(&self, _host: &str, _port: u16) -> bool {
        false
    }

    /// Returns true if the installation's administrator opened this address, or a block around it. Only then may it lie
    /// in a reserved range.
    fn named(&self, address: IpAddr) -> bool;
}

/// A contact about to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    /// The address really dialled.
    pub address: IpAddr,
    /// The port.
    pub port: u16,
    /// TCP or UDP.
    pub transport: Transport,
    /// The name asked for: SNI, else `Host`, else the name of the DNS question.
    pub name: Option<String>,
    /// The clearance that the contact needs.
    pub footprint: Clearance,
    /// On which ground it is made.
    pub grant: Grant,
}

/// Transport of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// A stream.
    Tcp,
    /// Datagrams.
    Udp,
}

/// The ground of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grant {
    /// Scope gives the target the clearance.
    Target,
    /// A data provider, by name.
    Source(&'static str),
    /// What the operator set up: `resolver`, `proxy`, `mail`, `server`.
    Operator(&'static str),
    /// A receiver of notifications, which a person of the installation named. It is nobody's target, and reserved
    /// ranges are closed to it like to any.
    Receiver,
    /// The same over plain HTTP: only in the reserved ranges that the operator opened to receivers.
    PlainReceiver,
}

/// The purpose under which resolvers are contacted.
pub const RESOLVER: &str = "resolver";

/// What one unit of work may contact, given by the engine with its session. A call outside it opens no socket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// Targets may be contacted with this footprint; the guard decides for each.
    pub target: Option<Clearance>,
    /// Names may be looked up through the resolvers.
    pub resolve: bool,
    /// Data providers that may be asked.
    pub sources: Vec<&'static str>,
    /// Purposes of the operator.
    pub operator: Vec<&'static str>,
    /// Receivers of notifications may be contacted.
    pub receivers: bool,
    /// What the work's partition covers, so that its pace is not divided by the number of engines.
    pub home: Option<Home>,
}

impl Grants {
    /// No contact at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// What a task of this footprint gets: look-ups from L1 on, targets from L1 on as far as the guard says, and its
    /// sources.
    pub fn task(footprint: Clearance, sources: &[&'static str]) -> Self {
        let active = footprint > Clearance::L0;
        Self {
            target: active.then_some(footprint),
            resolve: active,
            sources: sources.to_vec(),
            operator: Vec::new(),
            receivers: false,
            home: None,
        }
    }

    /// One purpose of the operator, with look-ups.
    pub fn operator(purpose: &'static str) -> Self {
        Self { resolve: true, operator: vec![purpose], ..Self::default() }
    }

    /// Receivers of notifications, with look-ups.
    pub fn receivers() -> Self {
        Self { resolve: true, receivers: true, ..Self::default() }
    }

    /// The same grants, for work of this partition.
    pub fn at_home(mut self, home: Home) -> Self {
        self.home = Some(home);
        self
    }

    /// Returns true if these grants hold the ground.
    pub(crate) fn check(&self, grant: Grant) -> Result<Clearance> {
        match grant {
            Grant::Target => self.target.ok_or(NetError::NoGrant("targets")),
            Grant::Source(provider) if self.sources.contains(&provider) => Ok(Clearance::L1),
            Grant::Source(provider) => Err(NetError::NoGrant(provider)),
            Grant::Operator(RESOLVER) if self.resolve => Ok(Clearance::L1),
            Grant::Operator(purpose) if self.operator.contains(&purpose) => Ok(Clearance::L0),
            Grant::Operator(purpose) => Err(NetError::NoGrant(purpose)),
            Grant::Receiver | Grant::PlainReceiver if self.receivers => Ok(Clearance::L0),
            Grant::Receiver | Grant::PlainReceiver => Err(NetError::NoGrant("receivers")),
        }
    }
}

/// What a work row's partition stands for (docs/architecture.md §2): contacts with it are paced by this process alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Home {
    /// The /24 or /48 around an address.
    Block(IpAddr),
    /// The servers of a zone.
    Zone(String),
    /// A data provider.
    Provider(String),
}

/// A guard for client commands and mail: allows what the operator named, and no target and no source.
#[derive(Clone, Copy, Debug)]
pub struct OperatorOnly;

impl Guard for OperatorOnly {
    fn allow(&self, contact: &Contact) -> Result<(), Refused> {
        match contact.grant {
            Grant::Operator(_) => Ok(()),
            Grant::Target | Grant::Source(_) | Grant::Receiver | Grant::PlainReceiver => Err(Refused {
                address: contact.address,
                why: "only the operator's own servers are contacted here".into(),
                in_doubt: false,
            }),
        }
    }

    fn named(&self, _address: IpAddr) -> bool {
        true
    }
}

/// A guard for the feeds that the operator loads: allows data providers, and no target.
#[derive(Debug, Default)]
pub struct SourcesOnly {
    /// What the installation excludes holds for data providers, too.
    pub never: Exclusions,
}

impl Guard for SourcesOnly {
    fn allow(&self, contact: &Contact) -> Result<(), Refused> {
        let is_excluded = self.never.cover_address(contact.address)
            || contact.name.as_deref().is_some_and(|name| self.never.cover(name));
        match contact.grant {
            Grant::Operator(RESOLVER) => Ok(()),
            Grant::Source(_) if is_excluded => {
                Err(Refused { address: contact.address, why: "the installation excludes it".into(), in_doubt: false })
            }
            Grant::Source(_) => Ok(()),
            Grant::Target | Grant::Operator(_) | Grant::Receiver | Grant::PlainReceiver => Err(Refused {
                address: contact.address,
                why: "only publishers of feeds are contacted here".into(),
                in_doubt: false,
            }),
        }
    }

    fn named(&self, _address: IpAddr) -> bool {
        false
    }
}

/// A guard for notifications: allows receivers, and of reserved ranges only those that the operator opened to them.
#[derive(Clone, Debug, Default)]
pub struct ReceiversOnly {
    /// Addresses at which receivers may be though their range is reserved, and though they speak plain HTTP.
    pub opened: Vec<IpNet>,
}

impl Guard for ReceiversOnly {
    fn allow(&self, contact: &Contact) -> Result<(), Refused> {
        match contact.grant {
            Grant::Receiver | Grant::Operator(RESOLVER) => Ok(()),
            Grant::PlainReceiver if self.named(contact.address) => Ok(()),
            Grant::PlainReceiver => Err(Refused {
                address: contact.address,
                why: "plain HTTP is sent only to addresses that the setting notify_ranges opens".into(),
                in_doubt: false,
            }),
            Grant::Target | Grant::Source(_) | Grant::Operator(_) => Err(Refused {
                address: contact.address,
                why: "only receivers of notifications are contacted here".into(),
                in_doubt: false,
            }),
        }
    }

    fn named(&self, address: IpAddr) -> bool {
        self.opened.iter().any(|range| range.contains(&address))
    }
}

/// The reserved range that an address lies in, directly or by the IPv4 address that it carries, unless that is opened.
pub(crate) fn reserved_range(reserved: &[IpNet], guard: &dyn Guard, address: IpAddr) -> Option<IpNet> {
    let find = |address: IpAddr| reserved.iter().find(|range| range.contains(&address)).copied();
    let all = std::iter::once(address).chain(carried(address).map(IpAddr::V4));
    if guard.named(address) {
        return None;
    }
    all.filter_map(|address| Some((address, find(address)?)))
        .find(|(address, _)| !guard.named(*address))
        .map(|(_, range)| range)
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target => f.write_str("target"),
            Self::Source(provider) => write!(f, "source {provider}"),
            Self::Operator(purpose) => write!(f, "operator {purpose}"),
            Self::Receiver | Self::PlainReceiver => f.write_str("receiver"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_gives_only_what_it_names() {
        let grants = Grants::task(Clearance::L2, &["rdap"]);
        assert_eq!(grants.check(Grant::Target), Ok(Clearance::L2));
        assert_eq!(grants.check(Grant::Source("rdap")), Ok(Clearance::L1));
        assert_eq!(grants.check(Grant::Source("crt.sh")), Err(NetError::NoGrant("crt.sh")));
        assert_eq!(grants.check(Grant::Operator("mail")), Err(NetError::NoGrant("mail")));
        assert_eq!(grants.check(Grant::Receiver), Err(NetError::NoGrant("receivers")));
        assert_eq!(Grants::receivers().check(Grant::Receiver), Ok(Clearance::L0));
        assert!(Grants::receivers().check(Grant::Target).is_err());
        for grant in [Grant::Target, Grant::Source("rdap"), Grant::Operator(RESOLVER)] {
            assert!(Grants::none().check(grant).is_err());
            assert!(Grants::task(Clearance::L0, &[]).check(grant).is_err());
        }
    }

    #[test]
    fn publishers_of_feeds_are_contacted_unless_they_are_excluded() {
        let guard = SourcesOnly { never: Exclusions::new(&["*.gov".to_owned(), "198.51.100.0/24".to_owned()]) };
        for (name, address, grant, allowed) in [
            ("endoflife.date", "203.0.113.1", Grant::Source("endoflife"), true),
            ("www.cisa.gov", "203.0.113.1", Grant::Source("cisa"), false),
            ("endoflife.date", "198.51.100.7", Grant::Source("endoflife"), false),
            ("www.cisa.gov", "203.0.113.1", Grant::Operator(RESOLVER), true),
            ("endoflife.date", "203.0.113.1", Grant::Target, false),
            ("endoflife.date", "203.0.113.1", Grant::Operator("mirror"), false),
        ] {
            let contact = Contact {
                address: address.parse().unwrap(),
                port: 443,
                transport: Transport::Tcp,
                name: Some(name.to_owned()),
                footprint: Clearance::L1,
                grant,
            };
            assert_eq!(guard.allow(&contact).is_ok(), allowed, "{name} {address} {grant}");
        }
    }

    #[test]
    fn receivers_without_tls_are_only_where_the_operator_opened_addresses() {
        let guard = ReceiversOnly { opened: vec!["10.20.0.0/16".parse().unwrap(), "203.0.113.7/32".parse().unwrap()] };
        for (address, grant, allowed) in [
            ("10.20.0.9", Grant::PlainReceiver, true),
            ("203.0.113.7", Grant::PlainReceiver, true),
            ("203.0.113.8", Grant::PlainReceiver, false),
            ("203.0.113.8", Grant::Receiver, true),
        ] {
            let (address, transport, footprint) = (address.parse().unwrap(), Transport::Tcp, Clearance::L0);
            let contact = Contact { address, port: 80, transport, name: None, footprint, grant };
            assert_eq!(guard.allow(&contact).is_ok(), allowed, "{contact:?}");
        }
    }
}
