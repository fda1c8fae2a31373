//! Names that spell an address, as providers give them to all of their addresses (`ec2-192-0-2-1.compute.example`,
//! `1.2.0.192.rev.isp.example`). Such a name is not chosen by anybody, so it says nothing about who uses the address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Digits of one decimal part of an IPv4 address; longer runs are numbers of something else.
const PART_DIGITS_MAX: usize = 3;

/// True where the host name spells the address.
pub fn spells(host: &str, address: &str) -> bool {
    match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(v4)) => spells_v4(host, v4),
        Ok(IpAddr::V6(v6)) => spells_v6(host, v6),
        Err(_) => false,
    }
}

/// All four parts in a row, forwards or backwards, in decimal; or the eight hexadecimal digits; or twelve digits padded
/// with zeros.
fn spells_v4(host: &str, address: Ipv4Addr) -> bool {
    let octets = address.octets();
    let reversed = [octets[3], octets[2], octets[1], octets[0]];
    let numbers: Vec<Option<u16>> = host
        .split(|c: char| !c.is_ascii_digit())
        .filter(|run| !run.is_empty())
        .map(|run| run.parse().ok().filter(|_| run.len() <= PART_DIGITS_MAX))
        .collect();
    let in_a_row = |octets: [u8; 4]| {
        numbers.windows(4).any(|four| four.iter().zip(octets).all(|(number, octet)| *number == Some(u16::from(octet))))
    };
    let padded: String = octets.iter().map(|octet| format!("{octet:03}")).collect();
    in_a_row(octets) || in_a_row(reversed) || host.contains(&hex::encode(octets)) || host.contains(&padded)
}

/// One label that is the address with hyphens for colons, after an optional word; or all nibbles, forwards or
/// backwards.
fn spells_v6(host: &str, address: Ipv6Addr) -> bool {
    let nibbles = hex::encode(address.octets());
    let backwards: String = nibbles.chars().rev().collect();
    let plain: String = host.chars().filter(char::is_ascii_hexdigit).collect();
    let dashed = |label: &str| {
        let after_word = label.split_once('-').map_or(label, |(_, rest)| rest);
        [label, after_word].iter().any(|text| text.replace('-', ":").parse() == Ok(address))
    };
    plain.contains(&nibbles) || plain.contains(&backwards) || host.split('.').any(dashed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_providers_spell_their_address() {
        for (host, address) in [
            ("ec2-192-0-2-10.compute.example", "192.0.2.10"),
            ("static.10.2.0.192.clients.example", "192.0.2.10"),
            ("host192-000-002-010.isp.example", "192.0.2.10"),
            ("192000002010.isp.example", "192.0.2.10"),
            ("c000020a.dyn.example", "192.0.2.10"),
            ("2001-db8--1.isp.example", "2001:db8::1"),
            ("ip6-2001-db8-0-0-0-0-0-1.isp.example", "2001:db8::1"),
            ("20010db8000000000000000000000001.isp.example", "2001:db8::1"),
            ("1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.rev.example", "2001:db8::1"),
        ] {
            assert!(spells(host, address), "{host} {address}");
        }
    }

    #[test]
    fn other_names_do_not() {
        for (host, address) in [
            ("www.other.example", "192.0.2.10"),
            ("ec2-192-0-2-11.compute.example", "192.0.2.10"),
            ("v192-0-2.example", "192.0.2.10"),
            ("a192.b0.example", "192.0.2.10"),
            ("1920-0-2-10.example", "192.0.2.10"),
            ("2001-db8--2.isp.example", "2001:db8::1"),
            ("www.other.example", "no address"),
        ] {
            assert!(!spells(host, address), "{host} {address}");
        }
    }
}
