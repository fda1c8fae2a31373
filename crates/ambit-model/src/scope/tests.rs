//! Scope by example (docs/architecture.md §4), and against a reference that is slow and obvious.

mod edges;
mod evidence;
mod leaf;
mod reference;
mod sisters;
mod stops;

use super::*;
use crate::entity::host_of;
use proptest::prelude::*;
use uuid::Uuid;

/// A graph as text. A line is `Kind name [flag …]` or `name edge_kind name [task]`. An `_` stands for a blank in the
/// name of an organisation.
#[derive(Clone, Debug, Default)]
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
            None => {
                let task = words.get(3).copied().unwrap_or("sample");
                world.edge_of(task, words[0], EdgeKind::from_name(words[1]).unwrap(), words[2]);
            }
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
            name: if kind == Kind::Organization { name.replace('_', " ") } else { name.to_owned() },
            seed: flags.contains(&"seed"),
            allow: flags.contains(&"allow"),
            deny: flags.contains(&"deny"),
            shared: match (flags.contains(&"shared"), flags.contains(&"crowded")) {
                (true, _) => SharedBy::Platform,
                (false, true) => SharedBy::Names,
                (false, false) => SharedBy::Nobody,
            },
        };
        self.nodes.insert(uid, node);
    }

    fn edge(&mut self, from: &str, kind: EdgeKind, to: &str) {
        self.edge_of("sample", from, kind, to);
    }

    fn edge_of(&mut self, task: &str, from: &str, kind: EdgeKind, to: &str) {
        self.edges.insert(Edge {
            from: uid(self.collection, from),
            to: uid(self.collection, to),
            kind,
            task: task.to_owned(),
        });
    }

    fn decide(&self, never: &[&str]) -> BTreeMap<String, Decision> {
        let rules =
            Rules { ceiling: Clearance::L3, never: never.iter().map(|pattern| (*pattern).to_owned()).collect() };
        let decisions = decide(&self.nodes, &self.edges, &rules);
        decisions.into_iter().map(|(uid, decision)| (self.nodes[&uid].name.clone(), decision)).collect()
    }
}

/// What made a step count for more or less, or `-`.
fn ground(step: &PathStep) -> String {
    let kind = |ground: &crate::entity::Ground| serde_json::to_value(ground.kind).unwrap().as_str().unwrap().to_owned();
    step.ground.as_ref().map_or_else(|| "-".to_owned(), |ground| format!("{} {}", kind(ground), ground.name))
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
fn names_below_a_suffix_that_is_given_are_its_customers() {
    assert_decided(
        "DnsRecord github.io seed
         Domain customer.github.io
         DnsRecord api.customer.github.io
         DnsRecord shop.customer.github.io
         DnsRecord www.named.github.io
         Domain certified.github.io
         Domain ours.github.io seed
         DnsRecord www.ours.github.io
         DnsRecord vpn.ours.github.io
         Nameserver ns1.server.github.io
         SslCertificate served
         github.io subdomain customer.github.io
         github.io subdomain api.customer.github.io
         github.io delegated_subdomain shop.customer.github.io
         github.io own_server ns1.server.github.io
         github.io certificate served
         served certificate_name github.io
         served certificate_name certified.github.io
         served delegated_subdomain www.named.github.io
         served certificate_name www.ours.github.io
         ours.github.io subdomain vpn.ours.github.io",
        &[],
        &[
            "github.io 1000 L3 seed",
            "customer.github.io 50 L1 subdomain",
            "api.customer.github.io 50 L1 subdomain",
            "shop.customer.github.io 50 L1 delegated_subdomain",
            "www.named.github.io 50 L1 delegated_subdomain",
            "certified.github.io 50 L1 certificate_name",
            "ours.github.io 1000 L3 seed",
            "www.ours.github.io 950 L3 certificate_name",
            "vpn.ours.github.io 990 L3 subdomain",
            "ns1.server.github.io 50 L1 own_server",
            "served 950 L3 certificate",
        ],
    );
    // So they are where a name above the suffix is given.
    assert_decided(
        "Domain amazonaws.com seed
         DnsRecord s3.amazonaws.com
         DnsRecord backup.s3.amazonaws.com
         amazonaws.com subdomain s3.amazonaws.com
         amazonaws.com subdomain backup.s3.amazonaws.com",
        &[],
        &["amazonaws.com 1000 L3 seed", "s3.amazonaws.com 990 L3 subdomain", "backup.s3.amazonaws.com 50 L1 subdomain"],
    );
}

#[test]
fn a_block_that_is_larger_than_anybody_holds_opens_nothing() {
    let of = |block: &str, address: &str, more: &str| {
        let text = format!(
            "Domain acme.test seed
             DnsRecord www.acme.test
             IpAddress {address}
             acme.test subdomain www.acme.test
             www.acme.test resolves_to {address}
             {}",
            more.replace("BLOCK", block)
        );
        world(&text).decide(&[]).remove(address).unwrap().ownership
    };
    let (seed, allowed) = ("NetBlock BLOCK seed", "NetBlock BLOCK allow");
    let announced = "AutonomousSystem AS64500 seed\nNetBlock BLOCK\nAS64500 announces BLOCK";
    let table = [
        ("0.0.0.0/0", "198.51.100.1", 500),
        ("128.0.0.0/2", "198.51.100.1", 500),
        ("198.0.0.0/8", "198.51.100.1", 900),
        ("::/0", "2a00:1::1", 500),
        ("2a00::/12", "2a00:1::1", 500),
        ("2a00::/16", "2a00:1::1", 900),
    ];
    for (block, address, ownership) in table {
        for more in [seed, allowed, announced] {
            assert_eq!(of(block, address, more), ownership, "{block} {more}");
        }
    }
    assert_decided(
        "NetBlock 0.0.0.0/0 seed deny\nIpAddress 198.51.100.1 seed",
        &[],
        &["0.0.0.0/0 0 L0 deny_list_override", "198.51.100.1 0 L0 deny_list_override"],
    );
}

#[test]
fn the_path_is_printable_edge_by_edge() {
    let decisions = world(
        "Domain acme.test seed
         DnsRecord www.acme.test
         IpAddress 192.0.2.1
         acme.test subdomain www.acme.test
         www.acme.test resolves_to 192.0.2.1
         192.0.2.1 pointer www.acme.test",
    )
    .decide(&[]);
    let path: Vec<String> = decisions["192.0.2.1"]
        .path
        .iter()
        .map(|step| format!("{} -{}-> {} {:?} {}", step.from_name, step.edge.name(), step.own, step.cap, ground(step)))
        .collect();
    let reverse = "www.acme.test -resolves_to-> 900 L3 reverse_name www.acme.test";
    assert_eq!(path, ["acme.test -subdomain-> 990 L4 -", reverse]);
    assert!(decisions["acme.test"].path.is_empty());
}

#[test]
fn an_address_of_a_platform_is_never_owned_whatever_leads_there() {
    assert_decided(
        "Domain acme.test seed
         IpAddress 192.0.2.1 shared
         IpAddress 198.51.100.1 shared
         NetBlock 198.51.100.0/23 seed
         IpAddress 203.0.113.1 shared seed
         NetworkService 192.0.2.1:22/tcp
         acme.test resolves_to 192.0.2.1
         192.0.2.1 pointer acme.test
         198.51.100.0/23 block_member 198.51.100.1
         192.0.2.1 service 192.0.2.1:22/tcp",
        &[],
        &[
            "acme.test 1000 L3 seed",
            "192.0.2.1 200 L2 resolves_to",
            "192.0.2.1:22/tcp 200 L1 service",
            "198.51.100.0/23 1000 L3 seed",
            "198.51.100.1 200 L2 block_member",
            "203.0.113.1 1000 L3 seed",
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
            "192.0.2.1 100 L1 resolves_to",
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
    assert_eq!(
        (brand.ownership, brand.clearance, &brand.reason),
        (900, Clearance::L2, &ScopeReason::Edge(EdgeKind::Token))
    );
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
    let mut graph = world(
        "Domain acme.test seed\nOrganization Acme\nacme.test registrant Acme\nNameserver ns1.acme.test\nacme.test \
         own_server ns1.acme.test",
    );
    let mut last = "acme.test".to_owned();
    for at in 0..NAMES {
        let name = format!("n{at}.acme.test");
        graph.node(Kind::DnsRecord, &name, &[]);
        graph.edge(&last, EdgeKind::Subdomain, &name);
        let address = format!("10.{}.{}.{}", at >> 16, (at >> 8) & 255, at & 255);
        graph.node(Kind::IpAddress, &address, &[]);
        graph.edge(&name, EdgeKind::ResolvesTo, &address);
        graph.edge(&address, EdgeKind::Registrant, "Acme");
        last = name;
    }
    let decisions = graph.decide(&[]);
    let end = &decisions[&last];
    assert_eq!((end.ownership, end.path.len()), (990, PATH_STEPS_MAX));
    assert_eq!(end.path[PATH_STEPS_MAX - 1].from_name, format!("n{}.acme.test", NAMES - 2));
    assert!(decisions.iter().all(|(name, decision)| name == "Acme" || decision.scoped()));
}

/// The same graph with other uids, so that everything is met in another order.
fn renumbered(world: &World, collection: Uuid) -> World {
    let mut other = World { collection, ..World::default() };
    for node in world.nodes.values() {
        let node = Node { uid: uid(collection, &node.name), ..node.clone() };
        other.nodes.insert(node.uid, node);
    }
    for edge in &world.edges {
        other.edge(&world.nodes[&edge.from].name, edge.kind, &world.nodes[&edge.to].name);
    }
    other
}

proptest! {
    #[test]
    fn decisions_do_not_depend_on_order(world in reference::graphs(), number in any::<u128>()) {
        let other = renumbered(&world, Uuid::from_u128(number));
        prop_assert_eq!(world.decide(&[]), other.decide(&[]));
    }

    #[test]
    fn what_is_decided_again_is_told_where_it_differs_alone(world in reference::graphs(), cut in any::<usize>()) {
        let mut before = world.clone();
        if let Some(edge) = world.edges.iter().nth(cut % world.edges.len().max(1)) {
            before.edges.remove(edge);
        }
        let rules = Rules { ceiling: Clearance::L3, never: Vec::new() };
        let mut held = decide(&before.nodes, &before.edges, &rules);
        let whole = decide(&world.nodes, &world.edges, &rules);
        let (again, _) = decide_again(&world.nodes, &world.edges, &rules, &Reserved::default(), |uid| held.get(uid));
        prop_assert_eq!(again.len(), world.nodes.len());
        for node in again {
            prop_assert_eq!(node.decision.is_some(), held[&node.uid] != whole[&node.uid]);
            held.extend(node.decision.map(|decision| (node.uid, decision)));
        }
        prop_assert_eq!(held, whole);
    }

    #[test]
    fn decisions_are_those_of_the_reference(world in reference::graphs()) {
        let expected = reference::decide(&world, Clearance::L3);
        for (uid, node) in &world.nodes {
            let decision = &world.decide(&[])[&node.name];
            prop_assert_eq!((decision.ownership, decision.clearance), expected[uid], "{}", node.name);
        }
    }

    #[test]
    fn a_deny_adds_nothing(world in reference::graphs(), at in any::<prop::sample::Index>()) {
        let mut denied = world.clone();
        let uid = *at.get(&world.nodes.keys().collect::<Vec<_>>());
        denied.nodes.get_mut(uid).expect("it is one of them").deny = true;
        let before = world.decide(&[]);
        for (name, decision) in denied.decide(&[]) {
            let of = |decision: &Decision| (decision.clearance, decision.scoped());
            let ((clearance, scoped), (most, was_scoped)) = (of(&decision), of(&before[&name]));
            prop_assert!(clearance <= most && scoped <= was_scoped, "{}: {:?}, {:?}", name, before[&name], decision);
        }
    }

    #[test]
    fn paths_lead_from_a_seed_and_their_weakest_edge_is_the_ownership(world in reference::graphs()) {
        let decisions = world.decide(&[]);
        for (name, decision) in decisions.iter().filter(|(_, decision)| !decision.path.is_empty()) {
            let start = &decisions[&decision.path[0].from_name];
            let is_root = start.ownership == 1000 || start.reason == ScopeReason::Evidence;
            prop_assert!(start.path.is_empty() && is_root, "{}", name);
            let weakest = decision.path.iter().map(|step| step.own).min();
            prop_assert_eq!(weakest.map(|own| own.min(start.ownership)), Some(decision.ownership));
            let caps = decision.path.iter().map(|step| step.cap).fold(Clearance::L3, Clearance::min);
            prop_assert!(decision.clearance >= caps && decision.clearance <= Clearance::L3);
            prop_assert_eq!(&decision.reason, &ScopeReason::Edge(decision.path[decision.path.len() - 1].edge));
        }
    }
}
