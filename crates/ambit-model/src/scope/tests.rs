//! Scope by example (design §7, `research/discovery.md` §3.2), and against a reference that is slow and obvious.

use super::*;
use crate::entity::registrable;
use proptest::prelude::*;
use uuid::Uuid;

/// A graph as text. A line is `Kind name [flag …]` or `name edge_kind name`.
#[derive(Debug, Default)]
struct World {
    nodes: BTreeMap<Uid, Node>,
    edges: BTreeSet<Edge>,
    collection: Uuid,
}

fn uid(collection: Uuid, name: &str) -> Uid {
    Uid::of_entity(collection, Kind::Domain, name)
}

fn world(text: &str) -> World {
    let mut world = World::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match Kind::from_name(words[0]) {
            Some(kind) => world.node(kind, words[1], &words[2..]),
            None => world.edge(words[0], EdgeKind::from_name(words[1]).unwrap(), words[2]),
        }
    }
    world
}

impl World {
    fn node(&mut self, kind: Kind, name: &str, flags: &[&str]) {
        let uid = uid(self.collection, name);
        let node = Node {
            uid,
            kind,
            name: name.to_owned(),
            seed: flags.contains(&"seed"),
            allow: flags.contains(&"allow"),
            deny: flags.contains(&"deny"),
            shared: flags.contains(&"shared"),
        };
        self.nodes.insert(uid, node);
    }

    fn edge(&mut self, from: &str, kind: EdgeKind, to: &str) {
        self.edges.insert(Edge {
            from: uid(self.collection, from),
            to: uid(self.collection, to),
            kind,
            task: "sample".to_owned(),
        });
    }

    fn decide(&self, never: &[&str]) -> BTreeMap<String, Decision> {
        let rules = Rules {
            ceiling: Clearance::L3,
            never: never.iter().map(|pattern| (*pattern).to_owned()).collect(),
        };
        let decisions = decide(&self.nodes, &self.edges, &rules);
        decisions
            .into_iter()
            .map(|(uid, decision)| (self.nodes[&uid].name.clone(), decision))
            .collect()
    }
}

/// `name ownership clearance reason` of each name, one line each.
fn shown(decisions: &BTreeMap<String, Decision>) -> Vec<String> {
    decisions
        .iter()
        .map(|(name, decision)| format!("{name} {} {:?} {}", decision.ownership, decision.clearance, decision.reason))
        .collect()
}

fn assert_decided(text: &str, never: &[&str], expected: &[&str]) {
    let mut expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
    expected.sort();
    let mut found = shown(&world(text).decide(never));
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn a_seed_passes_ownership_along_its_weakest_edge() {
    assert_decided(
        "Domain acme.test seed
         DnsRecord www.acme.test
         DnsRecord a.www.acme.test
         Domain lonely.test
         acme.test subdomain www.acme.test
         www.acme.test subdomain a.www.acme.test",
        &[],
        &[
            "acme.test 1000 L3 seed",
            "www.acme.test 990 L3 subdomain",
            "a.www.acme.test 990 L3 subdomain",
            "lonely.test 0 L0 unreached",
        ],
    );
}

#[test]
fn the_path_is_printable_edge_by_edge() {
    let decisions = world(
        "Domain acme.test seed
         DnsRecord www.acme.test
         IpAddress 192.0.2.1
         acme.test subdomain www.acme.test
         www.acme.test resolves_to 192.0.2.1",
    )
    .decide(&[]);
    let path: Vec<String> = decisions["192.0.2.1"]
        .path
        .iter()
        .map(|step| format!("{} -{}-> {} {:?}", step.from_name, step.edge.name(), step.own, step.cap))
        .collect();
    assert_eq!(path, ["acme.test -subdomain-> 990 L4", "www.acme.test -resolves_to-> 900 L3"]);
    assert!(decisions["acme.test"].path.is_empty());
}

#[test]
fn never_stands_before_allow_and_allow_before_deny_and_deny_before_seed() {
    assert_decided(
        "Domain a.test seed allow deny
         Domain b.test seed allow deny
         Domain c.test seed deny
         Domain d.test seed
         DnsRecord x.a.test
         DnsRecord x.c.test
         a.test subdomain x.a.test
         c.test subdomain x.c.test",
        &["a.test"],
        &[
            "a.test 0 L0 hard_stop",
            "b.test 1000 L3 allow_list_override",
            "c.test 0 L0 deny_list_override",
            "d.test 1000 L3 seed",
            "x.a.test 0 L0 unreached",
            "x.c.test 0 L0 unreached",
        ],
    );
}

#[test]
fn a_denied_name_is_no_detour_around_a_better_one() {
    assert_decided(
        "Domain acme.test seed
         DnsRecord old.acme.test deny
         DnsRecord a.old.acme.test
         acme.test subdomain old.acme.test
         old.acme.test subdomain a.old.acme.test
         acme.test link a.old.acme.test",
        &[],
        &[
            "acme.test 1000 L3 seed",
            "old.acme.test 0 L0 deny_list_override",
            "a.old.acme.test 50 L1 link",
        ],
    );
}

#[test]
fn an_address_is_dedicated_while_every_name_on_it_is_scoped() {
    let own = "Domain acme.test seed
         DnsRecord www.acme.test
         IpAddress 192.0.2.1
         NetworkService 192.0.2.1:443/tcp
         acme.test subdomain www.acme.test
         acme.test resolves_to 192.0.2.1
         www.acme.test resolves_to 192.0.2.1
         192.0.2.1 service 192.0.2.1:443/tcp";
    assert_decided(
        own,
        &[],
        &[
            "acme.test 1000 L3 seed",
            "www.acme.test 990 L3 subdomain",
            "192.0.2.1 900 L3 resolves_to",
            "192.0.2.1:443/tcp 900 L3 service",
        ],
    );
    let with_stranger = format!("{own}\n Domain other.test\n other.test resolves_to 192.0.2.1");
    assert_decided(
        &with_stranger,
        &[],
        &[
            "acme.test 1000 L3 seed",
            "www.acme.test 990 L3 subdomain",
            "other.test 0 L0 unreached",
            "192.0.2.1 500 L2 resolves_to",
            "192.0.2.1:443/tcp 500 L2 service",
        ],
    );
}

#[test]
fn a_providers_name_of_the_address_is_no_stranger_on_it() {
    let graph = |name: &str| {
        let text = format!(
            "Domain acme.test seed
             IpAddress 192.0.2.1
             DnsRecord {name}
             acme.test resolves_to 192.0.2.1
             192.0.2.1 pointer {name}
             {name} resolves_to 192.0.2.1"
        );
        world(&text).decide(&[])
    };
    let own = graph("ip-192-0-2-1.isp.example");
    assert_eq!((own["192.0.2.1"].ownership, own["ip-192-0-2-1.isp.example"].ownership), (900, 50));
    assert_eq!(graph("mail.other.example")["192.0.2.1"].ownership, 500);
    let alone = world(
        "IpAddress 192.0.2.1
         DnsRecord ip-192-0-2-1.isp.example
         NetBlock 192.0.2.0/24 seed
         192.0.2.0/24 announces 192.0.2.1
         ip-192-0-2-1.isp.example resolves_to 192.0.2.1",
    );
    assert_eq!(alone.decide(&[])["192.0.2.1"].reason, "announces");
}

#[test]
fn a_name_that_is_no_node_makes_an_address_strange() {
    let mut graph = world(
        "Domain acme.test seed
         IpAddress 192.0.2.1
         acme.test resolves_to 192.0.2.1",
    );
    graph.edge("nobody.test", EdgeKind::ResolvesTo, "192.0.2.1");
    assert_eq!(graph.decide(&[])["192.0.2.1"].ownership, 500);
}

#[test]
fn a_shared_address_is_never_owned_whatever_leads_there() {
    assert_decided(
        "Domain acme.test seed
         IpAddress 192.0.2.1 shared
         IpAddress 198.51.100.1 shared
         NetBlock 198.51.100.0/24 seed
         IpAddress 203.0.113.1 shared seed
         NetworkService 192.0.2.1:22/tcp
         acme.test resolves_to 192.0.2.1
         198.51.100.0/24 block_member 198.51.100.1
         192.0.2.1 service 192.0.2.1:22/tcp",
        &[],
        &[
            "acme.test 1000 L3 seed",
            "192.0.2.1 200 L2 resolves_to",
            "192.0.2.1:22/tcp 200 L2 service",
            "198.51.100.0/24 1000 L3 seed",
            "198.51.100.1 200 L2 block_member",
            "203.0.113.1 1000 L3 seed",
        ],
    );
}

#[test]
fn dedication_spreads_from_address_to_name_to_address() {
    // The certificate on the first address names b, b makes the second address dedicated, and so on.
    assert_decided(
        "Domain acme.test seed
         IpAddress 192.0.2.1
         SslCertificate one
         DnsRecord b.acme.test
         IpAddress 192.0.2.2
         NetworkService 192.0.2.2:443/tcp
         acme.test resolves_to 192.0.2.1
         192.0.2.1 certificate one
         one certificate_name b.acme.test
         b.acme.test resolves_to 192.0.2.2
         192.0.2.2 service 192.0.2.2:443/tcp",
        &[],
        &[
            "acme.test 1000 L3 seed",
            "192.0.2.1 900 L3 resolves_to",
            "one 900 L3 certificate",
            "b.acme.test 900 L3 certificate_name",
            "192.0.2.2 900 L3 resolves_to",
            "192.0.2.2:443/tcp 900 L3 service",
        ],
    );
}

#[test]
fn foreign_names_of_a_certificate_count_less_the_more_domains_there_are() {
    let certificate = |names: &[String]| {
        let mut text = String::from("Domain acme.test seed\nSslCertificate cert\nacme.test logged_certificate cert\n");
        for name in names {
            text.push_str(&format!("DnsRecord {name}\ncert foreign_certificate_name {name}\n"));
        }
        world(&text).decide(&[])[&names[0]].clone()
    };
    let domains = |count: usize| (0..count).map(|at| format!("www.foreign{at}.test")).collect::<Vec<_>>();
    assert_eq!(certificate(&domains(1)).ownership, 600);
    assert_eq!(certificate(&domains(4)).ownership, 300);
    assert_eq!(certificate(&domains(10)).ownership, 189);
    assert_eq!(certificate(&domains(11)).ownership, 0);
    assert_eq!(certificate(&domains(1)).clearance, Clearance::L1);
    let of_one_domain: Vec<String> = (0..30).map(|at| format!("n{at}.foreign.test")).collect();
    assert_eq!(certificate(&of_one_domain).ownership, 600, "names of one domain are one");
}

#[test]
fn strangers_are_known_about_and_not_touched() {
    assert_decided(
        "Domain acme.test seed
         DnsRecord lab.acme.test
         DnsRecord shop.host.example
         Domain vendor.example
         DnsRecord ptr.isp.example
         IpAddress 192.0.2.1
         IpAddress 192.0.2.9
         CloudStorageBucket https://files.store.example
         Uri https://acme.test:443
         Domain linked.example
         acme.test delegated_subdomain lab.acme.test
         acme.test alias shop.host.example
         acme.test vendor vendor.example
         acme.test resolves_to 192.0.2.1
         192.0.2.1 pointer ptr.isp.example
         shop.host.example resolves_to 192.0.2.9
         acme.test site https://acme.test:443
         https://acme.test:443 bucket https://files.store.example
         https://acme.test:443 link linked.example",
        &[],
        &[
            "acme.test 1000 L3 seed",
            "lab.acme.test 600 L2 delegated_subdomain",
            "shop.host.example 100 L1 alias",
            "vendor.example 20 L1 vendor",
            "ptr.isp.example 50 L1 pointer",
            "192.0.2.1 900 L3 resolves_to",
            "192.0.2.9 100 L1 resolves_to",
            "https://files.store.example 200 L2 bucket",
            "https://acme.test:443 1000 L3 site",
            "linked.example 50 L1 link",
        ],
    );
}

#[test]
fn ownership_and_clearance_may_come_by_different_paths() {
    let decisions = world(
        "Domain acme.test seed
         UniqueToken token
         Domain brand.test
         acme.test token token
         token token brand.test
         acme.test bucket brand.test",
    )
    .decide(&[]);
    let brand = &decisions["brand.test"];
    assert_eq!((brand.ownership, brand.clearance, brand.reason.as_str()), (900, Clearance::L2, "token"));
    assert_eq!(brand.path.len(), 2, "the path explains the ownership");
}

#[test]
fn of_equal_paths_the_shortest_and_then_the_lowest_spelling_explains() {
    let decisions = world(
        "Domain acme.test seed
         Domain brand.test seed
         DnsRecord a.acme.test
         DnsRecord x.acme.test
         acme.test subdomain a.acme.test
         a.acme.test subdomain x.acme.test
         brand.test subdomain x.acme.test
         acme.test subdomain x.acme.test",
    )
    .decide(&[]);
    let path = &decisions["x.acme.test"].path;
    assert_eq!(path.len(), 1);
    assert_eq!(path[0].from_name, "acme.test");
}

#[test]
fn loops_end() {
    assert_decided(
        "Domain acme.test seed
         DnsRecord a.acme.test
         DnsRecord b.acme.test
         acme.test alias a.acme.test
         a.acme.test alias b.acme.test
         b.acme.test alias a.acme.test
         b.acme.test alias b.acme.test
         b.acme.test subdomain acme.test",
        &[],
        &["acme.test 1000 L3 seed", "a.acme.test 100 L1 alias", "b.acme.test 100 L1 alias"],
    );
}

#[test]
fn never_covers_names_hosts_and_blocks() {
    let covered = |name: &str, patterns: &[&str]| {
        let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        is_never(name, &patterns)
    };
    for (name, pattern) in [
        ("pay.acme.test", "pay.acme.test"),
        ("pay.acme.test", "PAY.Acme.test."),
        ("xn--bcher-kva.example", "bücher.example"),
        ("a.b.acme.test", "*.acme.test"),
        ("https://pay.acme.test:443/login", "pay.acme.test"),
        ("https://a.acme.test:443", "*.acme.test"),
        ("someone@acme.test", "acme.test"),
        ("192.0.2.7", "192.0.2.0/24"),
        ("192.0.2.7", "192.0.2.7"),
        ("192.0.2.7", "::ffff:192.0.2.7"),
        ("192.0.2.7:22/tcp", "192.0.2.0/24"),
        ("https://192.0.2.7:8443", "192.0.2.7"),
        ("[2001:db8::7]:22/tcp", "2001:db8::/32"),
        ("https://[2001:db8::7]:443", "2001:DB8:0::7"),
        ("192.0.2.0/25", "192.0.2.0/24"),
        ("192.0.2.0/24", "192.0.2.5/24"),
        ("AS64500", "as64500"),
        ("https://www.acme.test:443/login", "https://www.Acme.test/login"),
    ] {
        assert!(covered(name, &[pattern]), "{name} {pattern}");
    }
    for (name, pattern) in [
        ("acme.test", "*.acme.test"),
        ("notacme.test", "*.acme.test"),
        ("www.acme.test", "acme.test"),
        ("pay.acme.test.evil.example", "pay.acme.test"),
        ("https://www.acme.test:443/pay.acme.test", "pay.acme.test"),
        ("192.0.20.7", "192.0.2.0/24"),
        ("192.0.0.0/8", "192.0.0.0/24"),
        ("acme.test", ""),
        ("acme.test", "*."),
        ("https://www.acme.test:443", "https://www.acme.test/login"),
    ] {
        assert!(!covered(name, &[pattern]), "{name} {pattern}");
    }
    assert!(!covered("acme.test", &[]));
}

#[test]
fn a_hard_stop_stops_everything_behind_it() {
    assert_decided(
        "Domain acme.test seed
         DnsRecord pay.acme.test
         IpAddress 192.0.2.1
         Uri https://192.0.2.1:443
         acme.test subdomain pay.acme.test
         acme.test resolves_to 192.0.2.1
         192.0.2.1 site https://192.0.2.1:443
         pay.acme.test site https://192.0.2.1:443",
        &["pay.acme.test", "192.0.2.0/24"],
        &[
            "acme.test 1000 L3 seed",
            "pay.acme.test 0 L0 hard_stop",
            "192.0.2.1 0 L0 hard_stop",
            "https://192.0.2.1:443 0 L0 hard_stop",
        ],
    );
}

#[test]
fn hosts_are_found_in_names_of_every_kind() {
    for (name, host) in [
        ("acme.test", "acme.test"),
        ("https://acme.test:443", "acme.test"),
        ("https://acme.test:443/a?b=https://x", "acme.test"),
        ("https://acme.test:443/@x", "acme.test"),
        ("https://files.acme.test", "files.acme.test"),
        ("https://[2001:db8::1]:443/x", "2001:db8::1"),
        ("[2001:db8::1]:22/tcp", "2001:db8::1"),
        ("192.0.2.1:22/tcp", "192.0.2.1"),
        ("2001:db8::1", "2001:db8::1"),
        ("a@b@acme.test", "acme.test"),
        ("", ""),
    ] {
        assert_eq!(host_of(name), host, "{name}");
    }
}

#[test]
fn long_chains_and_wide_graphs_are_decided_with_short_paths() {
    const NAMES: usize = 20_000;
    let mut graph = world("Domain acme.test seed");
    let mut last = "acme.test".to_owned();
    for at in 0..NAMES {
        let name = format!("n{at}.acme.test");
        graph.node(Kind::DnsRecord, &name, &[]);
        graph.edge(&last, EdgeKind::Subdomain, &name);
        let address = format!("10.{}.{}.{}", at >> 16, (at >> 8) & 255, at & 255);
        graph.node(Kind::IpAddress, &address, &[]);
        graph.edge(&name, EdgeKind::ResolvesTo, &address);
        last = name;
    }
    let decisions = graph.decide(&[]);
    let end = &decisions[&last];
    assert_eq!((end.ownership, end.path.len()), (990, PATH_STEPS_MAX));
    assert_eq!(end.path[PATH_STEPS_MAX - 1].from_name, format!("n{}.acme.test", NAMES - 2));
    assert!(decisions.values().all(Decision::scoped));
}

/// What `decide` must give, by repeating every rule until nothing changes: ownership and clearance only.
fn reference(world: &World, ceiling: Clearance) -> BTreeMap<Uid, (u16, Clearance)> {
    let mut dedicated: BTreeSet<Uid> = BTreeSet::new();
    loop {
        let decided = reference_round(world, ceiling, &dedicated);
        let names = |uid: Uid| {
            let into = world.edges.iter().filter(move |edge| edge.to == uid && edge.kind == EdgeKind::ResolvesTo);
            into.map(|edge| edge.from)
        };
        let found: BTreeSet<Uid> = world
            .nodes
            .values()
            .filter(|node| !node.shared && names(node.uid).next().is_some() && names(node.uid).all(|name| decided[&name].0 >= SCOPED_FROM))
            .map(|node| node.uid)
            .collect();
        if found == dedicated {
            return decided;
        }
        dedicated = found;
    }
}

fn reference_round(world: &World, ceiling: Clearance, dedicated: &BTreeSet<Uid>) -> BTreeMap<Uid, (u16, Clearance)> {
    let fixed = |node: &Node| match (node.allow, node.deny, node.seed) {
        (true, _, _) | (false, false, true) => Some((1000, ceiling)),
        (false, true, _) => Some((0, Clearance::L0)),
        _ => None,
    };
    let mut decided: BTreeMap<Uid, (u16, Clearance)> = world
        .nodes
        .values()
        .map(|node| (node.uid, fixed(node).unwrap_or((0, Clearance::L0))))
        .collect();
    loop {
        let before = decided.clone();
        for edge in &world.edges {
            let to = &world.nodes[&edge.to];
            if fixed(to).is_some() {
                continue;
            }
            let rule = edge.kind.rule();
            let foreign: BTreeSet<&str> = world
                .edges
                .iter()
                .filter(|other| other.from == edge.from && other.kind == EdgeKind::ForeignCertificateName)
                .map(|other| world.nodes[&other.to].name.as_str())
                .map(|name| registrable(name).unwrap_or(name))
                .collect();
            let (own, cap) = match edge.kind {
                _ if to.shared => (rule.own.min(200), rule.cap.min(Clearance::L2)),
                EdgeKind::ResolvesTo if dedicated.contains(&edge.to) => (900, rule.cap),
                EdgeKind::ResolvesTo => (500, Clearance::L2),
                EdgeKind::Host if to.kind == Kind::Domain => (400, rule.cap),
                EdgeKind::ForeignCertificateName => (((600.0 / (foreign.len() as f64).sqrt()) as u16), rule.cap),
                _ => (rule.own, rule.cap),
            };
            let from = decided[&edge.from];
            let known = decided.get_mut(&edge.to).unwrap();
            *known = (known.0.max(from.0.min(own)), known.1.max(from.1.min(cap)));
        }
        if decided == before {
            return decided;
        }
    }
}

/// Small graphs over a few names, with every kind of edge and flag.
fn graphs() -> impl Strategy<Value = World> {
    let nodes = proptest::collection::vec((0..4u8, 0..12u8), 3..9);
    nodes.prop_flat_map(|nodes| {
        let count = nodes.len();
        let edge = (0..count, 0..count, 0..crate::edge::EDGES.len());
        proptest::collection::vec(edge, 0..24).prop_map(move |edges| {
            let mut world = World::default();
            let name = |at: usize| format!("n{at}.d{}.test", at / 2);
            for (at, (kind, flag)) in nodes.iter().enumerate() {
                let kind = [Kind::Domain, Kind::DnsRecord, Kind::IpAddress, Kind::SslCertificate][usize::from(*kind)];
                let flags: &[&str] = match (at, flag) {
                    (0, _) => &["seed"],
                    (_, 0) => &["allow"],
                    (_, 1) => &["deny"],
                    (_, 2) => &["shared"],
                    (_, 3) => &["seed"],
                    _ => &[],
                };
                world.node(kind, &name(at), flags);
            }
            for (from, to, kind) in edges {
                world.edge(&name(from), crate::edge::EDGES[kind].kind, &name(to));
            }
            world
        })
    })
}

/// The same graph with other uids, so that everything is met in another order.
fn renumbered(world: &World, collection: Uuid) -> World {
    let mut other = World {
        collection,
        ..World::default()
    };
    for node in world.nodes.values() {
        let node = Node {
            uid: uid(collection, &node.name),
            ..node.clone()
        };
        other.nodes.insert(node.uid, node);
    }
    for edge in &world.edges {
        other.edge(&world.nodes[&edge.from].name, edge.kind, &world.nodes[&edge.to].name);
    }
    other
}

proptest! {
    #[test]
    fn decisions_do_not_depend_on_order(world in graphs(), number in any::<u128>()) {
        let other = renumbered(&world, Uuid::from_u128(number));
        prop_assert_eq!(world.decide(&[]), other.decide(&[]));
    }

    #[test]
    fn decisions_are_those_of_the_reference(world in graphs()) {
        let expected = reference(&world, Clearance::L3);
        for (uid, node) in &world.nodes {
            let decision = &world.decide(&[])[&node.name];
            prop_assert_eq!((decision.ownership, decision.clearance), expected[uid], "{}", node.name);
        }
    }

    #[test]
    fn paths_lead_from_a_seed_and_their_weakest_edge_is_the_ownership(world in graphs()) {
        let decisions = world.decide(&[]);
        for (name, decision) in decisions.iter().filter(|(_, decision)| !decision.path.is_empty()) {
            let start = &decisions[&decision.path[0].from_name];
            prop_assert!(start.path.is_empty() && start.ownership == 1000, "{}", name);
            prop_assert_eq!(decision.path.iter().map(|step| step.own).min(), Some(decision.ownership));
            let caps = decision.path.iter().map(|step| step.cap).fold(Clearance::L3, Clearance::min);
            prop_assert!(decision.clearance >= caps && decision.clearance <= Clearance::L3);
            prop_assert_eq!(&decision.reason, &decision.path[decision.path.len() - 1].edge.name());
        }
    }
}
