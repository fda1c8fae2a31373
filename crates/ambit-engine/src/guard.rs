//! The guard over a collection's scope: asked by the network when a socket opens, on the address really dialled (design §5).

use ambit_model::scope::{Node, is_never};
use ambit_model::{Clearance, Kind};
use ambit_net::{Contact, Grant, Guard, Refused};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::RwLock;

use crate::graph::{Graph, State};

/// Ports of an address that is not theirs alone that may be contacted, with a name of theirs only (`research/discovery.md` §3.2).
const SHARED_PORTS: [u16; 2] = [80, 443];

/// Today's clearances of one collection, by address and by name.
#[derive(Debug, Default)]
pub struct ScopeGuard {
    view: RwLock<View>,
}

#[derive(Debug, Default)]
struct View {
    ceiling: Option<Clearance>,
    /// Clearance, and whether strangers use the address too (it is shared, or not known to be theirs alone).
    addresses: HashMap<IpAddr, (Clearance, bool)>,
    names: HashMap<String, Clearance>,
    blocks: Vec<ipnet::IpNet>,
    named: Vec<IpAddr>,
    never: Vec<String>,
}

impl ScopeGuard {
    /// Shows the guard the whole graph.
    pub fn show(&self, graph: &Graph, ceiling: Clearance, never: &[String]) {
        let mut view = View {
            ceiling: Some(ceiling),
            never: never.to_vec(),
            ..View::default()
        };
        for (node, state) in graph.iter() {
            view.add(node, state);
        }
        *self.view.write().unwrap_or_else(std::sync::PoisonError::into_inner) = view;
    }
}

impl View {
    fn add(&mut self, node: &Node, state: &State) {
        match node.kind {
            Kind::IpAddress => {
                if let Ok(address) = node.name.parse() {
                    self.addresses
                        .insert(address, (state.decision.clearance, node.shared || !state.decision.scoped()));
                    if node.seed {
                        self.named.push(address);
                    }
                }
            }
            Kind::NetBlock if node.seed => self.blocks.extend(node.name.parse::<ipnet::IpNet>()),
            Kind::Domain | Kind::DnsRecord | Kind::Nameserver | Kind::Mailserver => {
                let known = self.names.entry(node.name.clone()).or_insert(state.decision.clearance);
                *known = (*known).max(state.decision.clearance);
            }
            _ => {}
        }
    }

    fn check(&self, contact: &Contact) -> Result<(), String> {
        let address = contact.address;
        if is_never(&address.to_string(), &self.never) || contact.name.as_deref().is_some_and(|name| is_never(name, &self.never)) {
            return Err("it is excluded".to_owned());
        }
        let in_block = self.blocks.iter().any(|block| block.contains(&address));
        let (clearance, shared) = match self.addresses.get(&address) {
            Some((clearance, shared)) if !in_block => (*clearance, *shared),
            _ if in_block => (self.ceiling.unwrap_or(Clearance::L0), false),
            _ => return Err("no edge of scope leads to this address".to_owned()),
        };
        if clearance < contact.footprint {
            return Err(format!(
                "the address has clearance {clearance:?}, the contact needs {:?}",
                contact.footprint
            ));
        }
        let name = contact.name.as_deref().filter(|name| name.parse::<IpAddr>().is_err());
        if let Some(name) = name {
            let known = self.names.get(name).copied().unwrap_or(Clearance::L0);
            if known < contact.footprint.min(Clearance::L2) {
                return Err(format!("the name {name} has clearance {known:?}"));
            }
        }
        if shared && (name.is_none() || !SHARED_PORTS.contains(&contact.port)) {
            return Err("the address is not theirs alone: only ports 80 and 443 with a name of theirs".to_owned());
        }
        Ok(())
    }
}

impl Guard for ScopeGuard {
    fn allow(&self, contact: &Contact) -> Result<(), Refused> {
        match contact.grant {
            Grant::Source(_) | Grant::Operator(_) => Ok(()),
            Grant::Target => {
                let view = self.view.read().unwrap_or_else(std::sync::PoisonError::into_inner);
                view.check(contact).map_err(|why| Refused {
                    address: contact.address,
                    why,
                })
            }
        }
    }

    fn named(&self, address: IpAddr) -> bool {
        let view = self.view.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        view.named.contains(&address) || view.blocks.iter().any(|block| block.contains(&address))
    }
}
