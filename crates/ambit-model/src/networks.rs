//! Networks that are asked which of them holds an address.

use ipnet::IpNet;
use std::collections::{BTreeSet, HashMap};

/// A set of networks, each with what is known of it. A question costs one look-up for each prefix length that occurs in
/// it, however many networks there are: a collection may have tens of thousands of seeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Networks<T = ()> {
    /// Each by its first address.
    known: HashMap<IpNet, T>,
    lengths: BTreeSet<u8>,
}

impl<T> Default for Networks<T> {
    fn default() -> Self {
        Self { known: HashMap::new(), lengths: BTreeSet::new() }
    }
}

impl FromIterator<IpNet> for Networks {
    fn from_iter<I: IntoIterator<Item = IpNet>>(networks: I) -> Self {
        networks.into_iter().map(|network| (network, ())).collect()
    }
}

/// Of a network that comes twice, what is known last counts.
impl<T> FromIterator<(IpNet, T)> for Networks<T> {
    fn from_iter<I: IntoIterator<Item = (IpNet, T)>>(networks: I) -> Self {
        let known: HashMap<IpNet, T> = networks.into_iter().map(|(network, known)| (network.trunc(), known)).collect();
        Self { lengths: known.keys().map(IpNet::prefix_len).collect(), known }
    }
}

impl<T> Networks<T> {
    /// Returns the narrowest of them that holds every address of the given one, and what is known of it. An address is
    /// a network of itself alone.
    pub fn narrowest(&self, network: impl Into<IpNet>) -> Option<(IpNet, &T)> {
        let network = network.into();
        let around = self.lengths.range(..=network.prefix_len()).rev();
        let mut around = around.filter_map(|length| IpNet::new(network.addr(), *length).ok());
        around.find_map(|around| self.known.get_key_value(&around.trunc()).map(|(net, known)| (*net, known)))
    }

    /// True where one of them holds every address of the given one.
    pub fn hold(&self, network: impl Into<IpNet>) -> bool {
        self.narrowest(network).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::IpAddr;

    #[test]
    fn a_network_holds_what_lies_in_it_as_a_whole() {
        let networks = ["192.0.2.0/24", "198.51.100.7/32", "203.0.113.77/25", "2001:db8::/32", "::/0"];
        let networks: Networks = networks.into_iter().map(|text| text.parse::<IpNet>().unwrap()).collect();
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
        assert!(!<Networks>::default().hold("192.0.2.9".parse::<IpAddr>().unwrap()));
    }

    #[test]
    fn the_narrowest_network_around_an_address_tells_of_it() {
        let networks = [("192.0.2.0/24", "wide"), ("192.0.2.64/26", "narrow"), ("192.0.2.99/26", "narrow, again")];
        let networks: Networks<&str> =
            networks.into_iter().map(|(text, known)| (text.parse::<IpNet>().unwrap(), known)).collect();
        let narrowest = |text: &str| networks.narrowest(text.parse::<IpAddr>().unwrap()).map(|(_, known)| *known);
        assert_eq!(narrowest("192.0.2.1"), Some("wide"));
        assert_eq!(narrowest("192.0.2.65"), Some("narrow, again"));
        assert_eq!(narrowest("192.0.3.1"), None);
    }
}
