//! Reserved addresses: those that are not routed on the internet, so that contacting one reaches the own machine, the
//! own network or the cloud provider's internal services. Every IPv6 form that embeds an IPv4 address is covered. Pure:
//! the lists, and whether a name falls into them.

use crate::entity::host_of;
use crate::networks::Networks;
pub use ipnet::IpNet;
use ipnet::{Ipv4Net, Ipv6Net};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Addresses of a machine, a network or a provider's inside: the special-purpose registries of the IANA for IPv4 and
/// IPv6 (as of 2025) as far as they are not globally reachable, multicast, and what cloud providers keep for their
/// machines' own use. Blocks of the registries that lie in larger ones of them are left out; so are the anycast
/// services that anybody may reach (AS112, AMT).
pub const INTERNAL: &[&str] = &[
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    // The metadata service of one cloud provider; those of the others lie in ranges of this list.
    "168.63.129.16/32",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "::/128",
    "::1/128",
    "64:ff9b:1::/48",
    "100::/64",
    "100:0:0:1::/64",
    // Protocol assignments: Teredo, benchmarking, ORCHID, DRIP and anycast services.
    "2001::/23",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
];

/// Addresses for documentation and for measurements in laboratories. They belong to nobody, so naming one does no harm.
pub const DOCUMENTATION: &[&str] =
    &["192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"];

/// The networks of a list of this module.
pub fn networks(list: &[&str]) -> Vec<IpNet> {
    list.iter().map(|text| text.parse().expect("the lists hold networks")).collect()
}

/// True for an address of [`INTERNAL`], itself or by an IPv4 address that it carries.
pub fn is_internal(address: IpAddr) -> bool {
    use std::sync::LazyLock;
    static RANGES: LazyLock<Reserved> = LazyLock::new(|| Reserved::internal(Vec::new()));
    RANGES.closes(address).is_some()
}

/// The reserved ranges of an internet, and what the installation's administrator opened of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reserved {
    ranges: Vec<IpNet>,
    opened: Networks,
}

impl Reserved {
    /// These ranges are closed but for those that are opened.
    pub fn new(ranges: Vec<IpNet>, opened: Vec<IpNet>) -> Self {
        Self { ranges, opened: opened.into_iter().collect() }
    }

    /// The ranges of [`INTERNAL`], but for those that are opened.
    pub fn internal(opened: Vec<IpNet>) -> Self {
        Self::new(networks(INTERNAL), opened)
    }

    /// True where the administrator opened this very address.
    pub fn opens(&self, address: IpAddr) -> bool {
        self.opened.hold(address)
    }

    /// The reserved range that closes an address: one that holds it, or an IPv4 address that it carries. `None`: it is
    /// not reserved, or opened.
    pub fn closes(&self, address: IpAddr) -> Option<IpNet> {
        if self.opens(address) {
            return None;
        }
        let find = |address: IpAddr| self.ranges.iter().find(|range| range.contains(&address)).copied();
        find(address).or_else(|| {
            let carried = carried(address).map(IpAddr::V4);
            carried.filter(|four| !self.opens(*four)).find_map(find)
        })
    }

    /// The reserved range that closes what a canonical name stands for: an address, the host of a site, service or
    /// server, or a block that lies in the range as a whole (of a larger one only the addresses in the range are
    /// closed).
    pub(crate) fn closes_name(&self, name: &str) -> Option<IpNet> {
        if let Some(block) = block_of(name) {
            let closed = |part: IpNet| {
                let range = self.ranges.iter().find(|range| range.contains(&part));
                range.filter(|_| !self.is_opened(part)).copied()
            };
            return if self.is_opened(block) { None } else { parts(block).into_iter().find_map(closed) };
        }
        self.closes(host_of(name).parse().ok()?)
    }

    /// The reserved range that a canonical name reaches into: as `closes_name`, but a block does as soon as
    /// one address of it is closed.
    pub fn reaches(&self, name: &str) -> Option<IpNet> {
        let Some(block) = block_of(name) else {
            return self.closes_name(name);
        };
        if self.is_opened(block) {
            return None;
        }
        let common = |part: IpNet, range: &IpNet| match (range.contains(&part), part.contains(range)) {
            (true, _) => Some(part),
            (_, true) => Some(*range),
            _ => None,
        };
        let closed = |part: IpNet| {
            let reached = |range: &&IpNet| common(part, range).is_some_and(|common| !self.is_opened(common));
            self.ranges.iter().find(reached).copied()
        };
        parts(block).into_iter().find_map(closed)
    }

    fn is_opened(&self, block: IpNet) -> bool {
        self.opened.hold(block)
    }
}

/// The block of a name such as `192.0.2.0/24`; sites and services are none.
fn block_of(name: &str) -> Option<IpNet> {
    name.contains('/').then(|| name.parse().ok()).flatten()
}

/// Prefixes of IPv6 behind which an IPv4 address stands: compatible, mapped, translated (SIIT), NAT64, 6to4.
const CARRIERS: &[&str] = &["::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "2002::/16"];

/// A block, and the blocks of IPv4 addresses that its addresses carry.
fn parts(block: IpNet) -> Vec<IpNet> {
    let mut parts = vec![block];
    let IpNet::V6(six) = block else { return parts };
    for carrier in CARRIERS {
        let carrier: Ipv6Net = carrier.parse().expect("the list holds networks");
        if six.contains(&carrier) {
            parts.extend(Ipv4Net::new(Ipv4Addr::UNSPECIFIED, 0).map(IpNet::V4));
        } else if carrier.contains(&six) {
            let first = carried(IpAddr::V6(six.network())).next();
            let bits = (six.prefix_len() - carrier.prefix_len()).min(32);
            parts.extend(first.and_then(|first| Ipv4Net::new(first, bits).ok()).map(IpNet::V4));
        }
    }
    parts
}

/// The IPv4 addresses that an IPv6 address carries, or may carry: mapped, compatible, translated, NAT64 (of the local
/// prefix by each of the lengths of RFC 6052 §2.2), 6to4, Teredo (server and client), ISATAP.
pub fn carried(address: IpAddr) -> impl Iterator<Item = Ipv4Addr> {
    let found = match address {
        IpAddr::V6(six) => carried_by(six),
        IpAddr::V4(_) => [None; 4],
    };
    found.into_iter().flatten()
}

fn carried_by(address: Ipv6Addr) -> [Option<Ipv4Addr>; 4] {
    let octets = address.octets();
    let four = |at: [usize; 4]| Some(Ipv4Addr::from(at.map(|at| octets[at])));
    let last = four([12, 13, 14, 15]);
    match address.segments() {
        [0, 0, 0, 0, 0, 0 | 0xffff, _, _] | [0x64, 0xff9b, 0, 0, 0, 0, _, _] | [0, 0, 0, 0, 0xffff, 0, _, _] => {
            [last, None, None, None]
        }
        // Prefixes of 48, 56, 64 and 96 bits; the octet of bits 64 to 71 carries nothing.
        [0x64, 0xff9b, 1, ..] => [last, four([6, 7, 9, 10]), four([7, 9, 10, 11]), four([9, 10, 11, 12])],
        [0x2002, ..] => [four([2, 3, 4, 5]), None, None, None],
        [0x2001, 0, ..] => [four([4, 5, 6, 7]), last.map(|four| !four), None, None],
        [_, _, _, _, 0 | 0x200, 0x5efe, _, _] => [last, None, None, None],
        _ => [None; 4],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(opened: &[&str]) -> Reserved {
        Reserved::new(networks(&[INTERNAL, DOCUMENTATION].concat()), networks(opened))
    }

    fn closes(reserved: &Reserved, address: &str) -> Option<String> {
        reserved.closes(address.parse().unwrap()).map(|range| range.to_string())
    }

    #[test]
    fn reserved_addresses_are_found_in_every_spelling_that_carries_them() {
        for (address, range) in [
            ("127.0.0.1", "127.0.0.0/8"),
            ("169.254.169.254", "169.254.0.0/16"),
            ("100.100.100.200", "100.64.0.0/10"),
            ("168.63.129.16", "168.63.129.16/32"),
            ("192.0.0.192", "192.0.0.0/24"),
            ("255.255.255.255", "240.0.0.0/4"),
            ("::ffff:127.0.0.1", "127.0.0.0/8"),
            ("::7f00:1", "127.0.0.0/8"),
            ("::ffff:0:7f00:1", "127.0.0.0/8"),
            ("64:ff9b::a00:1", "10.0.0.0/8"),
            ("2002:7f00:1::1", "127.0.0.0/8"),
            ("2a00:1:2:3:0:5efe:a00:1", "10.0.0.0/8"),
            ("2a00:1:2:3:200:5efe:a00:1", "10.0.0.0/8"),
            ("64:ff9b:1::808:808", "64:ff9b:1::/48"),
            ("2001:0:5ef5:79fd::80ff:fffe", "2001::/23"),
            ("2001:2::1", "2001::/23"),
            ("2001:20::1", "2001::/23"),
            ("100:0:0:1::1", "100:0:0:1::/64"),
            ("fd00:ec2::254", "fc00::/7"),
            ("fd20:ce::254", "fc00::/7"),
            ("ff02::1", "ff00::/8"),
            ("203.0.113.7", "203.0.113.0/24"),
            ("3fff::1", "3fff::/20"),
        ] {
            assert_eq!(closes(&all(&[]), address).as_deref(), Some(range), "{address}");
        }
        for address in [
            "8.8.8.8",
            "192.0.1.1",
            "172.32.0.1",
            "2606:4700::1111",
            "64:ff9b::808:808",
            "2002:808:808::1",
            "::ffff:8.8.8.8",
        ] {
            assert_eq!(closes(&all(&[]), address), None, "{address}");
        }
    }

    #[test]
    fn a_local_nat64_address_carries_by_every_length_of_prefix() {
        let carries = |address: &str| carried(address.parse().unwrap()).any(|four| four == Ipv4Addr::new(10, 1, 2, 3));
        for address in ["64:ff9b:1:a01:2:300::", "64:ff9b:1:a:1:203::", "64:ff9b:1::a:102:300:0", "64:ff9b:1::a01:203"]
        {
            assert!(carries(address), "{address}");
        }
        let teredo: Vec<String> =
            carried("2001:0:a00:1::80ff:fffe".parse().unwrap()).map(|four| four.to_string()).collect();
        assert_eq!(teredo, ["10.0.0.1", "127.0.0.1"]);
    }

    #[test]
    fn what_the_administrator_opened_is_open_and_no_more() {
        let reserved = all(&["10.9.9.0/28", "fd00:1::/32", "64:ff9b:1::/48"]);
        for address in ["10.9.9.9", "::ffff:10.9.9.9", "64:ff9b::a09:909", "fd00:1::5", "64:ff9b:1::7f00:1"] {
            assert_eq!(closes(&reserved, address), None, "{address}");
        }
        for address in ["10.9.9.16", "::ffff:10.9.9.16", "127.0.0.1", "fd00:2::5"] {
            assert!(closes(&reserved, address).is_some(), "{address}");
        }
    }

    #[test]
    fn names_are_closed_by_their_host_and_blocks_as_a_whole() {
        let reserved = all(&["10.9.9.0/28"]);
        for name in [
            "127.0.0.1",
            "https://127.0.0.1:8443/x",
            "http://[64:ff9b::7f00:1]:80",
            "127.0.0.1:22/tcp",
            "[fe80::1]:22/tcp",
            "10.0.0.0/28",
            "64:ff9b::a00:0/120",
            "2002:a00::/24",
        ] {
            assert!(reserved.closes_name(name).is_some() && reserved.reaches(name).is_some(), "{name}");
        }
        for name in
            ["acme.test", "https://localhost:80", "8.8.8.0/24", "10.9.9.0/29", "10.9.9.3", "AS64500", "2002:808::/32"]
        {
            assert!(reserved.closes_name(name).is_none() && reserved.reaches(name).is_none(), "{name}");
        }
        for name in ["0.0.0.0/0", "8.0.0.0/5", "10.9.9.0/27", "::/0", "2002::/16", "64:ff9b::/96", "2000::/3"] {
            assert!(reserved.reaches(name).is_some(), "{name}");
        }
        assert!(reserved.closes_name("8.0.0.0/5").is_none(), "the rest of it is open");
    }
}
