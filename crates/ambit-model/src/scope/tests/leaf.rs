//! What is decided by one edge, against the whole graph.

use super::*;

/// What may hang on a node of the graph, with a name that lies in or on it.
fn leaves_on(node: &Node) -> Vec<(EdgeKind, Kind, String)> {
    let name = &node.name;
    match node.kind {
        Kind::Domain | Kind::DnsRecord => vec![
            (EdgeKind::Link, Kind::DnsRecord, format!("leaf.{name}")),
            (EdgeKind::Site, Kind::Uri, format!("https://{name}:443/leaf")),
            (EdgeKind::Api, Kind::ApiEndpoint, format!("https://{name}:443/leaf/{{id}}")),
            (EdgeKind::Contact, Kind::EmailAddress, format!("leaf@{name}")),
        ],
        Kind::IpAddress => vec![
            (EdgeKind::Service, Kind::NetworkService, format!("{name}:8443/tcp")),
            (EdgeKind::Site, Kind::Uri, format!("http://{name}:80/leaf")),
        ],
        Kind::NetBlock => vec![(EdgeKind::BlockMember, Kind::IpAddress, "192.0.2.7".to_owned())],
        _ => Vec::new(),
    }
}

fn is_delegated(world: &World, name: &str) -> bool {
    let cuts = world.edges.iter().filter(|edge| edge.kind == EdgeKind::DelegatedSubdomain);
    cuts.map(|edge| &world.nodes[&edge.to].name).any(|cut| name == cut || name.ends_with(&format!(".{cut}")))
}

fn is_in_narrower(world: &World, address: &str, stem: &Node) -> bool {
    let net = |node: &Node| node.name.parse::<ipnet::IpNet>().ok().filter(|_| node.kind == Kind::NetBlock);
    let address: std::net::IpAddr = address.parse().unwrap();
    let around = world.nodes.values().filter_map(net).filter(|net| net.contains(&address));
    around.max_by_key(ipnet::IpNet::prefix_len) != net(stem)
}

proptest! {
    #[test]
    fn a_leaf_is_decided_as_the_whole_graph_decides_it_and_moves_nothing_else(world in reference::graphs()) {
        let before = world.decide(&["never.test"]);
        let denied: Vec<Node> = world.nodes.values().filter(|node| node.deny).cloned().collect();
        let rules = Rules { ceiling: Clearance::L3, never: vec!["never.test".to_owned()] };
        let (reserved, uids) = (Reserved::default(), world.nodes.keys().copied().collect::<Vec<_>>());
        let leaves = Leaves::new(&denied, &rules, &reserved);
        for stem in uids.iter().map(|uid| world.nodes[uid].clone()) {
            for (edge, kind, name) in leaves_on(&stem) {
                let mut grown = World { nodes: world.nodes.clone(), edges: world.edges.clone(), ..World::default() };
                grown.node(kind, &name, &[]);
                grown.edge(&stem.name, edge, &name);
                let leaf = grown.nodes[&uid(grown.collection, &name)].clone();
                let place = Stem { kind: stem.kind, name: &stem.name, decision: &before[&stem.name] };
                let alone = leaves.decide(&leaf, place, edge, "sample");
                // What the caller has to know.
                let is_cut = kind == Kind::DnsRecord && is_delegated(&world, &name);
                if alone.is_none() || is_cut || (kind == Kind::IpAddress && is_in_narrower(&world, &name, &stem)) {
                    continue;
                }
                let mut whole = grown.decide(&["never.test"]);
                prop_assert_eq!(alone, whole.remove(&name), "{} at {}", name, stem.name);
                prop_assert_eq!(&whole, &before, "{} at {}", name, stem.name);
            }
        }
    }
}

#[test]
fn what_hangs_on_what_is_theirs_is_decided_by_its_edge_alone() {
    let world = world(
        "Domain acme.test seed
         NetBlock 192.0.2.0/24 seed
         NetBlock 198.51.100.0/24
         acme.test covering_block 198.51.100.0/24",
    );
    let decisions = world.decide(&[]);
    let (rules, reserved) =
        (Rules { ceiling: Clearance::L3, never: vec!["*.off.acme.test".to_owned()] }, Reserved::default());
    let leaves = Leaves::new(&[], &rules, &reserved);
    let shown = |stem: &str, edge: EdgeKind, kind: Kind, name: &str| {
        let node = &world.nodes[&uid(world.collection, stem)];
        let stem = Stem { kind: node.kind, name: stem, decision: &decisions[stem] };
        let leaf = Node { kind, name: name.to_owned(), seed: false, uid: uid(world.collection, name), ..node.clone() };
        let decision = leaves.decide(&leaf, stem, edge, "import");
        decision.map_or_else(
            || "-".to_owned(),
            |decision| {
                format!("{} {:?} {} {}", decision.ownership, decision.clearance, decision.reason, decision.path.len())
            },
        )
    };
    let site = "https://acme.test:443/a";
    assert_eq!(shown("acme.test", EdgeKind::Site, Kind::Uri, site), "1000 L3 site 1");
    assert_eq!(shown("acme.test", EdgeKind::Link, Kind::DnsRecord, "www.acme.test"), "50 L1 link 1");
    assert_eq!(shown("acme.test", EdgeKind::Link, Kind::DnsRecord, "a.off.acme.test"), "0 L0 hard_stop 0");
    assert_eq!(shown("192.0.2.0/24", EdgeKind::BlockMember, Kind::IpAddress, "192.0.2.7"), "970 L3 block_member 1");
    let unnamed = shown("198.51.100.0/24", EdgeKind::BlockMember, Kind::IpAddress, "198.51.100.7");
    assert_eq!(unnamed, "-", "a narrower block may be somebody else's");
    assert_eq!(shown("acme.test", EdgeKind::Redirect, Kind::Domain, "other.test"), "-");
}
