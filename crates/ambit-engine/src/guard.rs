//! The guard over a collection's scope: asked by the network when a socket opens, on the address really dialled (design §5).

use ambit_model::scope::{Node, host_of, is_never};
use ambit_model::{Clearance, EdgeKind, Kind};
use ambit_net::http::Url;
use ambit_net::{Contact, Grant, Guard, Refused};
use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};
use std::sync::RwLock;

use crate::graph::{Graph, State};

/// Ports of an address that is not theirs alone that may be contacted, with a name of theirs only (`research/discovery.md` §3.2).
const SHARED_PORTS: [u16; 2] = [80, 443];
/// The port that may be asked without a name.
const TLS_PORT: u16 = 443;

/// Today's clearances of one collection, by address and by name.
#[derive(Debug, Default)]
pub struct ScopeGuard {
    view: RwLock<View>,
}

#[derive(Debug, Default)]
struct View {
    ceiling: Option<Clearance>,
    addresses: HashMap<IpAddr, Known>,
    names: HashMap<String, Clearance>,
    /// Hosts of storage buckets: the provider's addresses are asked by that very name, and are nobody's entity.
    buckets: HashMap<String, Clearance>,
    /// Hosts (names or addresses) and ports of sites and services that somebody named.
    sites: HashSet<(String, u16)>,
    blocks: Vec<ipnet::IpNet>,
    /// Blocks within those that somebody else registered: they wait for a person's word.
    foreign_blocks: Vec<ipnet::IpNet>,
    named: Vec<IpAddr>,
    never: Vec<String>,
}

/// What is known of an address.
#[derive(Clone, Copy, Debug)]
struct Known {
    clearance: Clearance,
    /// Nothing shows that it is theirs alone.
    unproven: bool,
    /// Strangers are known to share it.
    shared: bool,
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
                    let known = Known {
                        clearance: state.decision.clearance,
                        unproven: node.shared || !state.decision.scoped(),
                        shared: node.shared,
                    };
                    self.addresses.insert(address, known);
                    if node.seed {
                        self.named.push(address);
                    }
                }
            }
            Kind::Uri | Kind::NetworkService if node.seed => {
                let place = place(node);
                self.named.extend(place.iter().filter_map(|(host, _)| host.parse::<IpAddr>().ok()));
                self.sites.extend(place);
            }
            Kind::NetBlock if node.seed || node.allow => self.blocks.extend(node.name.parse::<ipnet::IpNet>()),
            Kind::NetBlock if state.decision.reason == EdgeKind::Suballocation.name() && !state.decision.scoped() => {
                self.foreign_blocks.extend(node.name.parse::<ipnet::IpNet>());
            }
            Kind::Domain | Kind::DnsRecord | Kind::Nameserver | Kind::Mailserver => {
                let known = self.names.entry(node.name.clone()).or_insert(state.decision.clearance);
                *known = (*known).max(state.decision.clearance);
            }
            Kind::CloudStorageBucket => {
                let known = self.buckets.entry(host_of(&node.name).to_owned()).or_insert(state.decision.clearance);
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
        if self.is_bucket(contact) {
            return Ok(());
        }
        let in_block = self.is_in_given_block(&address);
        let known = match self.addresses.get(&address) {
            Some(known) if !in_block => *known,
            _ if in_block => Known {
                clearance: self.ceiling.unwrap_or(Clearance::L0),
                unproven: false,
                shared: false,
            },
            _ => return Err("no edge of scope leads to this address".to_owned()),
        };
        let clearance = known.clearance;
        let site = self.is_named_site(contact);
        let clearance = if site {
            self.ceiling.unwrap_or(clearance).max(clearance)
        } else {
            clearance
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
        let by_name = name.is_some() && SHARED_PORTS.contains(&contact.port);
        if known.unproven && !site && !by_name && !is_question_whose(contact, name, known) {
            return Err("the address is not known to be theirs alone: only ports 80 and 443 with a name of theirs".to_owned());
        }
        Ok(())
    }

    /// True in a block that somebody gave, where no narrower one is somebody else's.
    fn is_in_given_block(&self, address: &IpAddr) -> bool {
        let narrowest = |blocks: &[ipnet::IpNet]| blocks.iter().filter(|block| block.contains(address)).map(ipnet::IpNet::prefix_len).max();
        let given = narrowest(&self.blocks);
        given.is_some() && given >= narrowest(&self.foreign_blocks)
    }
}

/// One handshake without a name at an address that nobody is known to share: what it shows to everybody tells whether it is theirs.
fn is_question_whose(contact: &Contact, name: Option<&str>, known: Known) -> bool {
    name.is_none() && !known.shared && contact.port == TLS_PORT && contact.footprint <= Clearance::L2
}

/// Where a site or service is: its host, and its port.
fn place(node: &Node) -> Option<(String, u16)> {
    if node.kind == Kind::NetworkService {
        let socket: SocketAddr = node.name.rsplit_once('/')?.0.parse().ok()?;
        return Some((socket.ip().to_string(), socket.port()));
    }
    let url = Url::parse(&node.name).ok()?;
    Some((url.host.trim_start_matches('[').trim_end_matches(']').to_owned(), url.port))
}

impl View {
    /// A contact for the very site or service that somebody named: by its name, or without one at its address.
    fn is_named_site(&self, contact: &Contact) -> bool {
        // Asked at every contact, and hardly any collection names sites.
        if self.sites.is_empty() {
            return false;
        }
        let address = contact.address.to_string();
        let host = contact.name.as_deref().unwrap_or(&address);
        self.sites.contains(&(host.to_owned(), contact.port))
    }

    /// A bucket's host, asked by its name as a browser does.
    fn is_bucket(&self, contact: &Contact) -> bool {
        let clearance = contact.name.as_ref().and_then(|name| self.buckets.get(name));
        clearance.is_some_and(|clearance| *clearance >= contact.footprint) && SHARED_PORTS.contains(&contact.port)
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

#[cfg(test)]
mod tests {
    use super::*;
    use ambit_model::Uid;
    use ambit_model::scope::Decision;
    use ambit_net::Transport;
    use ambit_store::engine::{GraphDelta, GraphNode};
    use uuid::Uuid;

    /// Kind, name, clearance, ownership, shared, seed.
    type Row = (Kind, &'static str, Clearance, u16, bool, bool);

    fn guard(rows: &[Row], never: &[&str]) -> ScopeGuard {
        let node = |row: &Row| GraphNode {
            node: Node {
                uid: Uid::of_entity(Uuid::nil(), row.0, row.1),
                kind: row.0,
                name: row.1.to_owned(),
                seed: row.5,
                allow: false,
                deny: false,
                shared: row.4,
            },
            observed: true,
            present: true,
            decision: Decision {
                ownership: row.3,
                clearance: row.2,
                reason: "test".to_owned(),
                path: Vec::new(),
            },
        };
        let mut graph = Graph::default();
        graph.apply(GraphDelta {
            revision: 1,
            nodes: rows.iter().map(node).collect(),
            opened: Vec::new(),
            closed: Vec::new(),
        });
        let guard = ScopeGuard::default();
        let never: Vec<String> = never.iter().map(|pattern| (*pattern).to_owned()).collect();
        guard.show(&graph, Clearance::L3, &never);
        guard
    }

    fn asked(guard: &ScopeGuard, socket: &str, name: Option<&str>, footprint: Clearance) -> bool {
        let socket: std::net::SocketAddr = socket.parse().expect("a socket address");
        let contact = Contact {
            address: socket.ip(),
            port: socket.port(),
            transport: Transport::Tcp,
            name: name.map(str::to_owned),
            footprint,
            grant: Grant::Target,
        };
        guard.allow(&contact).is_ok()
    }

    #[test]
    fn only_what_scope_cleared_is_contacted() {
        let rows = [
            (Kind::IpAddress, "203.0.113.1", Clearance::L3, 900, false, false),
            (Kind::IpAddress, "198.51.100.1", Clearance::L2, 500, false, false),
            (Kind::IpAddress, "198.51.100.2", Clearance::L3, 900, true, false),
            (Kind::NetBlock, "192.0.2.0/28", Clearance::L3, 1000, false, true),
            (Kind::DnsRecord, "www.acme.test", Clearance::L3, 990, false, false),
            (Kind::DnsRecord, "www.stranger.test", Clearance::L1, 50, false, false),
            (Kind::IpAddress, "198.51.100.7", Clearance::L2, 400, false, false),
            (Kind::DnsRecord, "app.vendor.test", Clearance::L2, 400, false, false),
            (Kind::Uri, "https://app.vendor.test:8443/x", Clearance::L3, 1000, false, true),
            (Kind::Uri, "https://198.51.100.7:9443", Clearance::L3, 1000, false, true),
            (
                Kind::CloudStorageBucket,
                "https://acme.s3.amazonaws.com",
                Clearance::L2,
                200,
                false,
                false,
            ),
        ];
        let guard = guard(&rows, &["*.never.test"]);
        let (ours, stranger) = (Some("www.acme.test"), Some("www.stranger.test"));
        for (socket, name, footprint, allowed) in [
            ("203.0.113.1:22", None, Clearance::L3, true),
            ("203.0.113.1:22", None, Clearance::L4, false),
            ("203.0.113.1:443", stranger, Clearance::L2, false),
            ("203.0.113.9:443", ours, Clearance::L2, false),
            ("198.51.100.1:443", ours, Clearance::L2, true),
            ("198.51.100.1:443", None, Clearance::L2, true),
            ("198.51.100.1:443", None, Clearance::L3, false),
            ("198.51.100.1:80", None, Clearance::L2, false),
            ("198.51.100.2:443", None, Clearance::L2, false),
            ("198.51.100.1:22", ours, Clearance::L2, false),
            ("198.51.100.1:443", ours, Clearance::L3, false),
            ("198.51.100.2:443", ours, Clearance::L2, true),
            ("198.51.100.2:22", ours, Clearance::L3, false),
            ("192.0.2.5:22", None, Clearance::L3, true),
            ("192.0.2.99:22", None, Clearance::L3, false),
            ("198.18.0.1:443", Some("acme.s3.amazonaws.com"), Clearance::L2, true),
            ("198.18.0.1:443", Some("acme.s3.amazonaws.com"), Clearance::L3, false),
            ("198.18.0.1:443", Some("other.s3.amazonaws.com"), Clearance::L2, false),
            ("203.0.113.1:443", Some("x.never.test"), Clearance::L1, false),
            ("198.51.100.7:8443", Some("app.vendor.test"), Clearance::L3, true),
            ("198.51.100.7:8443", Some("app.vendor.test"), Clearance::L4, false),
            ("198.51.100.7:8443", None, Clearance::L2, false),
            ("198.51.100.7:22", Some("app.vendor.test"), Clearance::L2, false),
            ("198.51.100.7:9443", None, Clearance::L3, true),
            ("198.51.100.8:8443", Some("app.vendor.test"), Clearance::L2, false),
        ] {
            assert_eq!(asked(&guard, socket, name, footprint), allowed, "{socket} as {name:?} at {footprint:?}");
        }
        assert!(guard.named("192.0.2.5".parse().expect("an address")));
        assert!(guard.named("198.51.100.7".parse().expect("an address")), "a site there is a seed");
        assert!(!guard.named("203.0.113.1".parse().expect("an address")));
    }
}
