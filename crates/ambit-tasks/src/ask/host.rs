//! Questions about host names and addresses that many tasks ask.

use ambit_model::entity::registrable;
use ambit_model::{EdgeKind, Facts, Kind};
use std::net::IpAddr;

/// True when both names lie under one registrable domain.
pub(crate) fn same_domain(a: &str, b: &str) -> bool {
    matches!((registrable(a), registrable(b)), (Some(a), Some(b)) if a == b)
}

/// True when the name lies strictly below the other.
pub(crate) fn is_below(name: &str, parent: &str) -> bool {
    name.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.'))
}

/// The names between a name and a parent above it, nearest to the parent first, the name itself last.
pub(crate) fn levels<'a>(name: &'a str, parent: &str) -> Vec<&'a str> {
    let mut levels = Vec::new();
    let mut rest = name;
    while is_below(rest, parent) {
        levels.push(rest);
        rest = rest.split_once('.').map_or("", |(_, above)| above);
    }
    levels.reverse();
    levels
}

/// Returns true for an address that no public name should have, because it leads whoever resolves it into their own
/// network. Addresses that embed one count as well.
pub(crate) fn is_private(address: IpAddr) -> bool {
    ambit_model::reserved::is_internal(address)
}

/// The name under which an address is looked up in reverse (`in-addr.arpa`, `ip6.arpa`).
pub(crate) fn reverse_name(address: IpAddr) -> String {
    match address {
        IpAddr::V4(_) => format!("{}.in-addr.arpa", reversed(address)),
        IpAddr::V6(_) => format!("{}.ip6.arpa", reversed(address)),
    }
}

/// Octets or nibbles of an address, last first, with dots.
pub(crate) fn reversed(address: IpAddr) -> String {
    let parts: Vec<String> = match address {
        IpAddr::V4(v4) => v4.octets().iter().rev().map(u8::to_string).collect(),
        IpAddr::V6(v6) => {
            let nibbles = v6.octets().into_iter().rev().flat_map(|octet| [octet & 15, octet >> 4]);
            nibbles.map(|nibble| format!("{nibble:x}")).collect()
        }
    };
    parts.join(".")
}

/// Returns true if every edge that leads here is only a mention on a page. Such a third party is not even resolved.
pub(crate) fn only_mentioned(facts: &Facts) -> bool {
    let mention = |edge: EdgeKind| matches!(edge, EdgeKind::Link | EdgeKind::Redirect);
    !facts.seed
        && !facts.decision.scoped()
        && !facts.inward.is_empty()
        && facts.inward.iter().all(|neighbour| mention(neighbour.edge))
}

/// True for a host at or below what a seed names.
pub(crate) fn is_theirs(facts: &Facts, host: &str) -> bool {
    facts.seeds.cover(host)
}

/// Returns true for a domain of others that resembles one of theirs: it is looked at as far as a browser does, and
/// never theirs.
pub(crate) fn is_resembling(facts: &Facts) -> bool {
    facts.kind == Kind::Domain
        && !facts.seed
        && !facts.decision.scoped()
        && !facts.decision.is_closed()
        && facts.from(EdgeKind::Resembles).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_run_from_the_parent_to_the_name() {
        assert_eq!(levels("a.b.acme.test", "acme.test"), ["b.acme.test", "a.b.acme.test"]);
        assert_eq!(levels("acme.test", "acme.test"), [""; 0]);
        assert_eq!(levels("notacme.test", "acme.test"), [""; 0]);
    }

    #[test]
    fn private_addresses_are_known_in_both_families() {
        for address in [
            "10.1.2.3",
            "127.0.0.1",
            "169.254.1.1",
            "100.64.0.1",
            "0.0.0.0",
            "192.168.0.1",
            "::1",
            "fd00::1",
            "fe80::1",
            "::ffff:10.0.0.1",
            "2002:7f00:1::1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "168.63.129.16",
        ] {
            assert!(is_private(address.parse().unwrap()), "{address}");
        }
        for address in ["203.0.113.7", "100.128.0.1", "2001:db8::1", "172.32.0.1", "11.0.0.1"] {
            assert!(!is_private(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn reverse_names_are_those_of_the_rfc() {
        assert_eq!(reverse_name("203.0.113.7".parse().unwrap()), "7.113.0.203.in-addr.arpa");
        let v6 = reverse_name("2001:db8::1".parse().unwrap());
        assert!(v6.starts_with("1.0.0.0.") && v6.ends_with(".8.b.d.0.1.0.0.2.ip6.arpa"), "{v6}");
    }
}
