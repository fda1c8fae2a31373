//! Blocks of addresses that a person named: how large they are, and which addresses a range of a sweep stands for.

use ambit_model::Facts;
use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Addresses of the largest block that is swept: a /8. Larger ones are no single organisation's, and a sweep would not end.
const ADDRESSES_MAX: u128 = 1 << 24;

/// The block of an entity.
pub(crate) fn block(facts: &Facts) -> Option<IpNet> {
    facts.name.parse::<IpNet>().ok().map(|net| net.trunc())
}

/// How many addresses a block has; `None` where they are too many to be asked one by one.
pub(crate) fn size(block: IpNet) -> Option<i64> {
    let host_bits = u32::from(block.max_prefix_len() - block.prefix_len());
    let size = 1_u128.checked_shl(host_bits).filter(|size| *size <= ADDRESSES_MAX)?;
    i64::try_from(size).ok()
}

/// True for the name of a block with more addresses than a sweep asks one by one: as a seed it says what is ours, and no more.
pub fn too_large_to_sweep(name: &str) -> bool {
    name.parse::<IpNet>().is_ok_and(|block| size(block).is_none())
}

/// The addresses of a range that the engine wrote (`512-768`, the end excluded); `None` for another text.
pub(crate) fn addresses(block: IpNet, range: &str) -> Option<Vec<IpAddr>> {
    let (from, to) = range.split_once('-')?;
    let (from, to): (u128, u128) = (from.parse().ok()?, to.parse().ok()?);
    let size = u128::try_from(size(block)?).ok()?;
    (from <= to && to <= size).then(|| (from..to).map(|index| nth(block, index)).collect())
}

fn nth(block: IpNet, index: u128) -> IpAddr {
    match block.network() {
        IpAddr::V4(first) => Ipv4Addr::from(u32::from(first) + u32::try_from(index).expect("below the size of the block")).into(),
        IpAddr::V6(first) => Ipv6Addr::from(u128::from(first) + index).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_known_by_its_name() {
        for (name, expected) in [("10.0.0.0/8", false), ("8.0.0.0/7", true), ("2001:db8::/64", true), ("acme.test", false)] {
            assert_eq!(too_large_to_sweep(name), expected, "{name}");
        }
    }

    fn net(text: &str) -> IpNet {
        text.parse().unwrap()
    }

    #[test]
    fn a_range_stands_for_its_addresses() {
        let found = addresses(net("192.0.2.0/24"), "254-256").unwrap();
        assert_eq!(found, ["192.0.2.254".parse::<IpAddr>().unwrap(), "192.0.2.255".parse().unwrap()]);
        assert_eq!(addresses(net("2001:db8::/126"), "0-4").unwrap().len(), 4);
        for range in ["255-257", "4-3", "a-b", ""] {
            assert_eq!(addresses(net("192.0.2.0/24"), range), None, "{range}");
        }
    }

    #[test]
    fn only_blocks_that_can_be_asked_one_by_one_have_a_size() {
        assert_eq!(size(net("192.0.2.1/32")), Some(1));
        assert_eq!(size(net("10.0.0.0/8")), Some(1 << 24));
        assert_eq!(size(net("2001:db8::/120")), Some(256));
        for block in ["0.0.0.0/0", "2001:db8::/64", "::/0"] {
            assert_eq!(size(net(block)), None, "{block}");
        }
    }
}
