//! Networks that are asked whether one of them holds an address.

use ipnet::IpNet;
use std::collections::{BTreeSet, HashSet};

/// A set of networks. A question costs one look-up for each prefix length that occurs in it, however many there are: a
/// collection may have tens of thousands of seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Networks {
    /// Each by its first address.
    known: HashSet<IpNet>,
    lengths: BTreeSet<u8>,
}

impl FromIterator<IpNet> for Networks {
    fn from_iter<T: IntoIterator<Item = IpNet>>(networks: T) -> Self {
        let known: HashSet<IpNet> = networks.into_iter().map(|network| network.trunc()).collect();
        Self { lengths: known.iter().map(IpNet::prefix_len).collect(), known }
    }
}

impl Networks {
    /// True where one of them holds every address of the given one. An address is a network of itself alone.
    pub fn hold(&self, network: impl Into<IpNet>) -> bool {
        let network = network.into();
        let around = self.lengths.range(..=network.prefix_len());
        let mut around = around.filter_map(|length| IpNet::new(network.addr(), *length).ok());
        around.any(|around| self.known.contains(&around.trunc()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::IpAddr;

    #[test]
    fn a_network_holds_what_lies_in_it_as_a_whole() {
        let networks = ["192.0.2.0/24", "198.51.100.7/32", "203.0.113.77/25", "2001:db8::/32", "::/0"];
        let networks: Networks = networks.into_iter().map(|text| text.parse().unwrap()).collect();
        for (network, held) in [
            ("192.0.2.0/24", true),
            ("192.0.2.128/25", true),
            ("192.0.0.0/16", false),
            ("198.51.100.7/32", true),
            ("198.51.100.8/32", false),
            ("203.0.113.5/32", true),
            ("203.0.113.128/32", false),
            ("2001:db8:7::/48", true),
            ("3fff::1/128", true),
            ("0.0.0.0/0", false),
        ] {
            assert_eq!(networks.hold(network.parse::<IpNet>().unwrap()), held, "{network}");
        }
        assert!(networks.hold("192.0.2.9".parse::<IpAddr>().unwrap()));
        assert!(!Networks::default().hold("192.0.2.9".parse::<IpAddr>().unwrap()));
    }
}
