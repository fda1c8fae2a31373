//! Machines and addresses of a region, and the regions themselves.

use super::{Asset, Instance, List, Page, Request, action, is_region};
use crate::xml::Element;
use std::net::IpAddr;

const VERSION: &str = "2016-11-15";
/// Machines of one page: the most that is given out.
const PAGE: &str = "1000";

/// Elastic addresses, whether anything uses them or not.
pub(super) const ADDRESSES: List = List {
    service: "ec2",
    permission: "ec2:DescribeAddresses",
    is_regional: true,
    request: |_| action(VERSION, "DescribeAddresses", &[]),
    read: |answer| {
        answer.find("addressesSet")?;
        let addresses = answer.list("addressesSet", "item").filter_map(|item| address(item.text(&["publicIp"])?));
        Some(Page { assets: addresses.map(Asset::Address).collect(), next: None })
    },
};

/// Machines with a public address.
pub(super) const INSTANCES: List = List {
    service: "ec2",
    permission: "ec2:DescribeInstances",
    is_regional: true,
    request: |next| {
        let mark = next.map(|mark| ("NextToken", mark));
        let arguments: Vec<(&str, &str)> = [("MaxResults", PAGE)].into_iter().chain(mark).collect();
        action(VERSION, "DescribeInstances", &arguments)
    },
    read: |answer| {
        answer.find("reservationSet")?;
        let reservations = answer.list("reservationSet", "item");
        let found = reservations.flat_map(|reservation| reservation.list("instancesSet", "item")).filter_map(instance);
        let next = answer.text(&["nextToken"]).map(str::to_owned);
        Some(Page { assets: found.map(|found| Asset::Instance(Box::new(found))).collect(), next })
    },
};

/// The request for the regions that the account may use.
pub(super) fn list_regions() -> Request {
    action(VERSION, "DescribeRegions", &[])
}

/// Regions that the account may use, those that it did not ask for left out.
pub(super) fn regions(answer: &Element) -> Option<Vec<String>> {
    answer.find("regionInfo")?;
    let is_open = |item: &&Element| item.text(&["optInStatus"]) != Some("not-opted-in");
    let named = answer.list("regionInfo", "item").filter(is_open).filter_map(|item| item.text(&["regionName"]));
    Some(named.filter(|region| is_region(region)).map(str::to_owned).collect())
}

fn address(text: &str) -> Option<IpAddr> {
    text.parse().ok()
}

/// A machine of the list; `None` for one without a public address, and for one that is gone.
fn instance(item: &Element) -> Option<Instance> {
    let said = |path: &[&str]| item.text(path).map(str::to_owned);
    let state = said(&["instanceState", "name"]);
    if state.as_deref() == Some("terminated") {
        return None;
    }
    let mut addresses: Vec<IpAddr> = item.text(&["ipAddress"]).and_then(address).into_iter().collect();
    for interface in item.list("networkInterfaceSet", "item") {
        let v4 = interface.list("privateIpAddressesSet", "item");
        addresses.extend(v4.filter_map(|held| held.text(&["association", "publicIp"])).filter_map(address));
        let v6 = interface.list("ipv6AddressesSet", "item").filter_map(|held| held.text(&["ipv6Address"]));
        addresses.extend(v6.filter_map(address));
    }
    addresses.sort_unstable();
    addresses.dedup();
    if addresses.is_empty() {
        return None;
    }
    let groups = item.list("groupSet", "item").filter_map(|group| group.text(&["groupId"]));
    let of_interfaces = item
        .list("networkInterfaceSet", "item")
        .flat_map(|interface| interface.list("groupSet", "item").filter_map(|group| group.text(&["groupId"])));
    let mut security_groups: Vec<String> = groups.chain(of_interfaces).map(str::to_owned).collect();
    security_groups.sort();
    security_groups.dedup();
    Some(Instance {
        id: said(&["instanceId"])?,
        host: said(&["dnsName"]).or_else(|| said(&["privateDnsName"]))?,
        addresses,
        private_address: said(&["privateIpAddress"]),
        image: said(&["imageId"]),
        size: said(&["instanceType"]),
        state,
        network: said(&["vpcId"]),
        security_groups,
        launched_at: said(&["launchTime"]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with these elements.
    fn machine(elements: &str) -> String {
        format!(
            "<item><instanceId>i-1</instanceId><privateDnsName>ip-10-0-0-5.ec2.internal</privateDnsName>{elements}</item>"
        )
    }

    fn answer(machines: &str, end: &str) -> String {
        format!(
            "<DescribeInstancesResponse><reservationSet><item><instancesSet>{machines}</instancesSet></item>\
             </reservationSet>{end}</DescribeInstancesResponse>"
        )
    }

    #[test]
    fn machines_with_a_public_address_are_read_and_the_next_page_asked_for() {
        let shown = machine(
            "<dnsName>ec2-203-0-113-9.compute-1.amazonaws.com</dnsName><ipAddress>203.0.113.9</ipAddress>\
             <instanceState><name>running</name></instanceState><groupSet><item><groupId>sg-2</groupId></item></groupSet>\
             <networkInterfaceSet><item><groupSet><item><groupId>sg-1</groupId></item></groupSet><privateIpAddressesSet>\
             <item><association><publicIp>203.0.113.10</publicIp></association></item><item/></privateIpAddressesSet>\
             <ipv6AddressesSet><item><ipv6Address>2001:db8::9</ipv6Address></item></ipv6AddressesSet></item>\
             </networkInterfaceSet><dnsNameOdd/>",
        );
        let unnamed = machine("<dnsName/><ipAddress>203.0.113.11</ipAddress>");
        let hidden = machine("<privateIpAddress>10.0.0.5</privateIpAddress>");
        let gone = machine("<ipAddress>203.0.113.12</ipAddress><instanceState><name>terminated</name></instanceState>");
        let body = answer(&[shown, unnamed, hidden, gone].concat(), "<nextToken>m&amp;1</nextToken>");
        let page = INSTANCES.page(200, body.as_bytes()).unwrap();
        let [Asset::Instance(first), Asset::Instance(second)] = page.assets.as_slice() else {
            panic!("{:?}", page.assets);
        };
        assert_eq!(first.host, "ec2-203-0-113-9.compute-1.amazonaws.com");
        let addresses: Vec<String> = first.addresses.iter().map(ToString::to_string).collect();
        assert_eq!(addresses, ["203.0.113.9", "203.0.113.10", "2001:db8::9"]);
        assert_eq!(first.security_groups, ["sg-1", "sg-2"]);
        assert_eq!(second.host, "ip-10-0-0-5.ec2.internal");
        assert!((INSTANCES.request)(page.next.as_deref()).body.ends_with("&NextToken=m%261"));
        let empty = INSTANCES.page(200, answer("", "").as_bytes()).unwrap();
        assert_eq!(empty, Page::default());
        assert!(INSTANCES.page(200, b"<DescribeInstancesResponse/>").is_err(), "no list is not an empty one");
    }

    #[test]
    fn addresses_and_regions_are_read() {
        let body = b"<R><addressesSet><item><publicIp>203.0.113.7</publicIp></item><item/></addressesSet></R>";
        let page = ADDRESSES.page(200, body).unwrap();
        assert_eq!(page.assets, [Asset::Address("203.0.113.7".parse().unwrap())]);
        let item = |name: &str, status: &str| {
            format!("<item><optInStatus>{status}</optInStatus><regionName>{name}</regionName></item>")
        };
        let all = [
            item("us-west-2", "opt-in-not-required"),
            item("eu-west-1", "opted-in"),
            item("ap-east-1", "not-opted-in"),
            item("cn-north-1", "opt-in-not-required"),
            item("evil.test/", "opted-in"),
        ];
        let body = format!("<R><regionInfo>{}</regionInfo></R>", all.concat());
        assert_eq!(super::super::regions("aws", 200, body.as_bytes()).unwrap(), ["eu-west-1", "us-west-2"]);
        assert_eq!(super::super::regions("aws-cn", 200, body.as_bytes()).unwrap(), ["cn-north-1"]);
    }
}
