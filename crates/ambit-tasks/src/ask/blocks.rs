//! Blocks of addresses that a person named: how large they are, and which addresses a range of a sweep stands for.

use ambit_model::Facts;
use ambit_model::estimate::addresses_of;
use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The block of an entity.
pub(crate) fn block(facts: &Facts) -> Option<IpNet> {
    facts.name.parse::<IpNet>().ok().map(|net| net.trunc())
}

/// How many addresses a block has; `None` where they are too many to be asked one by one.
pub(crate) fn size(block: IpNet) -> Option<i64> {
    i64::try_from(addresses_of(block)?).ok()
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
        IpAddr::V4(first) => {
            Ipv4Addr::from(u32::from(first) + u32::try_from(index).expect("below the size of the block")).into()
        }
        IpAddr::V6(first) => Ipv6Addr::from(u128::from(first) + index).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
