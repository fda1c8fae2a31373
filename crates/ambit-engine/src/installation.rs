//! What the administrator of the installation set for all runs of a process, whatever a collection says.

use ambit_model::Kind;
use ambit_model::entity::host_of;
use ambit_model::reserved::Reserved;
use std::net::IpAddr;

/// What the installation's administrator said for every run of this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Installation {
    /// Patterns of what is never touched (the setting `exclude`), beside those of each collection.
    pub never: Vec<String>,
    /// Reserved ranges that may be contacted all the same (the setting `reserved_ranges`).
    pub opened: Vec<ipnet::IpNet>,
    /// The networks and the port on which this server listens. They are never contacted, even as a seed.
    pub listens: Vec<(ipnet::IpNet, u16)>,
    /// Where those who are contacted find the people behind it: a URL, `mailto:` among them (the setting `contact`).
    pub contact: Option<String>,
}

impl Installation {
    /// The patterns that hold in a collection.
    pub fn never_in(&self, collection: Vec<String>) -> Vec<String> {
        let mut never = self.never.clone();
        never.extend(collection);
        never
    }

    /// The reserved ranges of an internet, less what is opened here, and what the operator named on the command line:
    /// addresses, blocks, hosts of sites.
    pub fn reserved(&self, ranges: &[ipnet::IpNet], by_operator: &[(Kind, String)]) -> Reserved {
        let mut opened = self.opened.clone();
        for (kind, name) in by_operator {
            if *kind == Kind::NetBlock {
                opened.extend(name.parse::<ipnet::IpNet>());
            } else {
                opened.extend(host_of(name).parse::<IpAddr>().map(ipnet::IpNet::from));
            }
        }
        Reserved::new(ranges.to_vec(), opened)
    }

    /// How requests name the program, and its people where a contact is set.
    pub fn user_agent(&self) -> String {
        let name = ambit_net::NetOptions::default().user_agent;
        match &self.contact {
            Some(contact) => format!("{name} (+{contact})"),
            None => name,
        }
    }

    /// Returns whether this server listens at an address, also where the address carries one of IPv4, and a port.
    pub(crate) fn listens_at(&self, address: IpAddr, port: u16) -> bool {
        let at = |address: IpAddr| self.listens.iter().any(|(net, own)| *own == port && net.contains(&address));
        at(address) || ambit_model::reserved::carried(address).any(|four| at(IpAddr::V4(four)))
    }
}
