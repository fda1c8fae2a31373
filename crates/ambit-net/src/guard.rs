//! Who may be contacted for what. The engine implements [`Guard`] over the collection's scope; net itself refuses reserved addresses.
//! Asked when the socket opens, on the address really dialled, and for each request on an open one: first contacts, retries and redirects alike.

use crate::error::NetError;
use crate::wire::Wire;
use ambit_model::Clearance;
use ipnet::IpNet;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Decides over contacts.
pub trait Guard: Send + Sync {
    /// May this contact be made now? Called at every socket and every request.
    fn allow(&self, contact: &Contact) -> Result<(), Refused>;

    /// Did a seed or an operator name this very address, or a block around it? Only then may it lie in a reserved range.
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
    /// What the operator set up: `resolver`, `proxy`, `webhook`, `server`.
    Operator(&'static str),
}

/// The purpose under which resolvers are contacted.
pub const RESOLVER: &str = "resolver";

/// A contact that must not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not contacted: {address}: {why}")]
pub struct Refused {
    /// The address.
    pub address: IpAddr,
    /// Why, for the run's record.
    pub why: String,
}

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
    /// What the work's partition covers, so that its pace is not divided by the number of engines.
    pub home: Option<Home>,
}

impl Grants {
    /// No contact at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// What a task of this footprint gets: look-ups from L1 on, targets from L1 on as far as the guard says, and its sources.
    pub fn task(footprint: Clearance, sources: &[&'static str]) -> Self {
        let active = footprint > Clearance::L0;
        Self {
            target: active.then_some(footprint),
            resolve: active,
            sources: sources.to_vec(),
            operator: Vec::new(),
            home: None,
        }
    }

    /// One purpose of the operator, with look-ups.
    pub fn operator(purpose: &'static str) -> Self {
        Self {
            resolve: true,
            operator: vec![purpose],
            ..Self::default()
        }
    }

    /// The same grants, for work of this partition.
    pub fn at_home(mut self, home: Home) -> Self {
        self.home = Some(home);
        self
    }

    /// Is this ground given?
    pub(crate) fn check(&self, grant: Grant) -> Result<Clearance, NetError> {
        match grant {
            Grant::Target => self.target.ok_or(NetError::NoGrant("targets")),
            Grant::Source(provider) if self.sources.contains(&provider) => Ok(Clearance::L1),
            Grant::Source(provider) => Err(NetError::NoGrant(provider)),
            Grant::Operator(RESOLVER) if self.resolve => Ok(Clearance::L1),
            Grant::Operator(purpose) if self.operator.contains(&purpose) => Ok(Clearance::L0),
            Grant::Operator(purpose) => Err(NetError::NoGrant(purpose)),
        }
    }
}

/// What a work row's partition stands for (design §4): contacts with it are paced by this process alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Home {
    /// The /24 or /48 around an address.
    Block(IpAddr),
    /// The servers of a zone.
    Zone(String),
    /// A data provider.
    Provider(String),
}

/// A guard for client commands and webhooks: allows what the operator named, and no target and no source.
#[derive(Clone, Copy, Debug)]
pub struct OperatorOnly;

impl Guard for OperatorOnly {
    fn allow(&self, contact: &Contact) -> Result<(), Refused> {
        match contact.grant {
            Grant::Operator(_) => Ok(()),
            Grant::Target | Grant::Source(_) => Err(Refused {
                address: contact.address,
                why: "only the operator's own servers are contacted here".into(),
            }),
        }
    }

    fn named(&self, _address: IpAddr) -> bool {
        true
    }
}

/// Refuses a contact that lies in a reserved range, itself or by an IPv4 address embedded in it, unless it is named; then asks the guard.
/// Resolvers are named by the operator as addresses, so that their ranges are not asked; nothing else is contacted on their ground.
pub(crate) fn check(wire: &dyn Wire, guard: &dyn Guard, contact: &Contact) -> Result<(), NetError> {
    let refused = |why: String| {
        Err(Refused {
            address: contact.address,
            why,
        }
        .into())
    };
    if contact.grant == Grant::Operator(RESOLVER) {
        if !wire.resolvers().contains(&SocketAddr::new(contact.address, contact.port)) {
            return refused("not a resolver".into());
        }
    } else if let Some(range) = reserved_range(wire.reserved(), contact.address)
        && !guard.named(contact.address)
    {
        return refused(format!("reserved range {range}, named by no seed"));
    }
    guard.allow(contact).map_err(NetError::from)
}

/// The reserved range that an address lies in, directly or by the IPv4 address that it carries.
pub fn reserved_range(reserved: &[IpNet], address: IpAddr) -> Option<IpNet> {
    let find = |address: IpAddr| reserved.iter().find(|range| range.contains(&address)).copied();
    find(address).or_else(|| match address {
        IpAddr::V6(six) => embedded(six).into_iter().flatten().find_map(|four| find(IpAddr::V4(four))),
        IpAddr::V4(_) => None,
    })
}

/// IPv4 addresses carried by an IPv6 address: mapped, compatible, NAT64, 6to4, Teredo (server and client), ISATAP.
fn embedded(address: Ipv6Addr) -> [Option<Ipv4Addr>; 2] {
    let octets = address.octets();
    let four = |at: usize| Ipv4Addr::new(octets[at], octets[at + 1], octets[at + 2], octets[at + 3]);
    let segments = address.segments();
    match segments {
        [0, 0, 0, 0, 0, 0 | 0xffff, _, _] | [0x64, 0xff9b, 0, 0, 0, 0, _, _] | [0, 0, 0, 0, 0xffff, 0, _, _] => [Some(four(12)), None],
        [0x64, 0xff9b, 1, ..] => [Some(four(12)), None],
        [0x2002, ..] => [Some(four(2)), None],
        [0x2001, 0, ..] => [Some(four(4)), Some(Ipv4Addr::from(u32::from(four(12)) ^ u32::MAX))],
        [_, _, _, _, 0 | 0x200, 0x5efe, _, _] => [Some(four(12)), None],
        _ => [None, None],
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target => f.write_str("target"),
            Self::Source(provider) => write!(f, "source {provider}"),
            Self::Operator(purpose) => write!(f, "operator {purpose}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_addresses_are_found_in_every_spelling_that_carries_them() {
        let reserved: Vec<IpNet> = ["127.0.0.0/8", "10.0.0.0/8", "169.254.0.0/16", "fd00::/8", "::1/128"]
            .iter()
            .map(|text| text.parse().unwrap())
            .collect();
        for (address, range) in [
            ("127.0.0.1", Some("127.0.0.0/8")),
            ("169.254.169.254", Some("169.254.0.0/16")),
            ("::ffff:127.0.0.1", Some("127.0.0.0/8")),
            ("::7f00:1", Some("127.0.0.0/8")),
            ("64:ff9b::a00:1", Some("10.0.0.0/8")),
            ("64:ff9b:1::a00:1", Some("10.0.0.0/8")),
            ("2002:7f00:1::", Some("127.0.0.0/8")),
            ("2001:0:5ef5:79fd::80ff:fffe", Some("127.0.0.0/8")),
            ("2001:0:a00:1::ffff:ffff", Some("10.0.0.0/8")),
            ("2001:db8::5efe:a00:1", Some("10.0.0.0/8")),
            ("fd00:ec2::254", Some("fd00::/8")),
            ("::1", Some("::1/128")),
            ("192.0.2.1", None),
            ("2001:db8::1", None),
            ("::ffff:192.0.2.1", None),
        ] {
            let found = reserved_range(&reserved, address.parse().unwrap()).map(|range| range.to_string());
            assert_eq!(found.as_deref(), range, "{address}");
        }
    }

    #[test]
    fn a_grant_gives_only_what_it_names() {
        let grants = Grants::task(Clearance::L2, &["rdap"]);
        assert_eq!(grants.check(Grant::Target), Ok(Clearance::L2));
        assert_eq!(grants.check(Grant::Source("rdap")), Ok(Clearance::L1));
        assert_eq!(grants.check(Grant::Source("crt.sh")), Err(NetError::NoGrant("crt.sh")));
        assert_eq!(grants.check(Grant::Operator("webhook")), Err(NetError::NoGrant("webhook")));
        for grant in [Grant::Target, Grant::Source("rdap"), Grant::Operator(RESOLVER)] {
            assert!(Grants::none().check(grant).is_err());
            assert!(Grants::task(Clearance::L0, &[]).check(grant).is_err());
        }
    }
}
