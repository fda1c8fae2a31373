//! Whom the guard lets a run contact: addresses, names and pages under clearances, exclusions and the deny list.

use super::*;
use crate::plan::{Terms, plan};
use ambit_model::facts::{Facts, Probes};
use ambit_model::scope::{Decision, Edge, Rules, SharedBy};
use ambit_model::{Details, Timestamp, Uid};
use ambit_store::engine::{GraphDelta, GraphNode};
use ambit_tasks::Settings;
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
            shared: if row.4 { SharedBy::Platform } else { SharedBy::Nobody },
        },
        observed: true,
        present: true,
        decision: Decision {
            ownership: row.3,
            clearance: row.2,
            reason: "test".into(),
            path: Vec::new(),
            evidence: Vec::new(),
        },
    };
    let never: Vec<String> = never.iter().map(|pattern| (*pattern).to_owned()).collect();
    let mut graph = Graph::default();
    let delta = |revision| GraphDelta { revision, nodes: rows.iter().map(node).collect(), ..GraphDelta::default() };
    graph.apply(delta(1));
    graph.decide(&Rules { ceiling: Clearance::L3, never: never.clone() }, false);
    // What the rows say stands before what was decided.
    graph.apply(delta(2));
    let guard = ScopeGuard::default();
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
fn planning_is_told_what_an_address_a_block_and_a_named_site_are_cleared_for() {
    let rows = [
        (Kind::IpAddress, "203.0.113.1", Clearance::L3, 900, false, false),
        (Kind::IpAddress, "198.51.100.1", Clearance::L2, 500, false, false),
        (Kind::NetBlock, "192.0.2.0/28", Clearance::L3, 1000, false, true),
        (Kind::Uri, "https://app.vendor.test:8443/x", Clearance::L3, 1000, false, true),
        (Kind::CloudStorageBucket, "https://acme.s3.amazonaws.com", Clearance::L2, 200, false, false),
    ];
    let guard = guard(&rows, &[]);
    for (host, socket, footprint, cleared) in [
        ("www.acme.test", "203.0.113.1:443", Clearance::L3, true),
        ("www.acme.test", "203.0.113.1:443", Clearance::L4, false),
        ("www.acme.test", "198.51.100.1:443", Clearance::L3, false),
        ("www.acme.test", "198.51.100.1:443", Clearance::L2, true),
        ("www.acme.test", "192.0.2.3:443", Clearance::L3, true),
        ("www.acme.test", "192.0.2.77:443", Clearance::L2, false),
        ("app.vendor.test", "198.51.100.9:8443", Clearance::L3, true),
        ("acme.s3.amazonaws.com", "198.51.100.9:443", Clearance::L2, true),
        ("acme.s3.amazonaws.com", "198.51.100.9:443", Clearance::L3, false),
    ] {
        let is = guard.clears(host, socket.parse().expect("a socket address"), footprint);
        assert_eq!(is, cleared, "{host} {socket} {footprint:?}");
    }
}

#[test]
fn only_what_scope_cleared_is_contacted() {
    let rows = [
        (Kind::IpAddress, "203.0.113.1", Clearance::L3, 900, false, false),
        (Kind::IpAddress, "198.51.100.1", Clearance::L2, 500, false, false),
        (Kind::IpAddress, "198.51.100.2", Clearance::L3, 900, true, false),
        (Kind::IpAddress, "198.51.100.3", Clearance::L3, 1000, true, true),
        (Kind::NetBlock, "192.0.2.0/28", Clearance::L3, 1000, false, true),
        (Kind::DnsRecord, "www.acme.test", Clearance::L3, 990, false, false),
        (Kind::DnsRecord, "www.stranger.test", Clearance::L1, 50, false, false),
        (Kind::IpAddress, "198.51.100.7", Clearance::L2, 400, false, false),
        (Kind::DnsRecord, "app.vendor.test", Clearance::L2, 400, false, false),
        (Kind::Uri, "https://app.vendor.test:8443/x", Clearance::L3, 1000, false, true),
        (Kind::Uri, "https://198.51.100.7:9443", Clearance::L3, 1000, false, true),
        (Kind::CloudStorageBucket, "https://acme.s3.amazonaws.com", Clearance::L2, 200, false, false),
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
        ("198.51.100.3:22", None, Clearance::L3, true),
        ("192.0.2.5:22", None, Clearance::L3, true),
        ("192.0.2.99:22", None, Clearance::L3, false),
        ("198.18.0.1:443", Some("acme.s3.amazonaws.com"), Clearance::L2, true),
        ("198.18.0.1:443", Some("acme.s3.amazonaws.com"), Clearance::L3, false),
        ("198.18.0.1:443", Some("other.s3.amazonaws.com"), Clearance::L2, false),
        ("198.18.0.1:443", Some("acme.s3.eu-west-1.amazonaws.com"), Clearance::L2, true),
        ("198.18.0.1:443", Some("acme.s3.eu-west-1.amazonaws.com"), Clearance::L3, false),
        ("198.18.0.1:443", Some("other.s3.eu-west-1.amazonaws.com"), Clearance::L2, false),
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
    assert!(!guard.named("192.0.2.5".parse().expect("an address")), "a seed opens no reserved range");
}

/// A guard over entities with flags (`seed allow deny`), decided by scope on an internet whose 10.0.0.0/8 is
/// reserved, less 10.9.9.0/28.
fn decided(nodes: &[(Kind, &str, &str)], never: &[&str], installation: Installation) -> ScopeGuard {
    let node = |(kind, name, flags): &(Kind, &str, &str)| GraphNode {
        node: Node {
            uid: Uid::of_entity(Uuid::nil(), *kind, name),
            kind: *kind,
            name: (*name).to_owned(),
            seed: flags.contains("seed"),
            allow: flags.contains("allow"),
            deny: flags.contains("deny"),
            shared: SharedBy::Nobody,
        },
        observed: true,
        present: true,
        decision: Decision::unreached(),
    };
    let reserved = installation.reserved(&ambit_model::reserved::networks(&["10.0.0.0/8", "127.0.0.0/8"]), &[]);
    let mut graph = Graph::beside(reserved.clone());
    graph.apply(GraphDelta {
        revision: 1,
        nodes: nodes.iter().map(node).collect(),
        opened: Vec::new(),
        closed: Vec::new(),
    });
    let rules = Rules {
        ceiling: Clearance::L3,
        never: installation.never_in(never.iter().map(|pattern| (*pattern).to_owned()).collect()),
    };
    graph.decide(&rules, false);
    let guard = ScopeGuard::new(installation, reserved);
    guard.show(&graph, rules.ceiling, &rules.never);
    guard
}

#[test]
fn a_word_of_a_person_holds_inside_a_block_that_was_named() {
    let nodes = [
        (Kind::NetBlock, "192.0.2.0/24", "seed"),
        (Kind::NetBlock, "192.0.2.64/26", "deny"),
        (Kind::NetBlock, "198.51.100.0/24", "allow"),
        (Kind::NetBlock, "203.0.113.0/24", "seed deny"),
        (Kind::IpAddress, "192.0.2.10", "deny"),
        (Kind::IpAddress, "192.0.2.70", ""),
        (Kind::IpAddress, "192.0.2.71", "allow"),
        (Kind::IpAddress, "192.0.2.80", "seed"),
        (Kind::NetworkService, "192.0.2.11:22/tcp", "deny"),
        (Kind::DnsRecord, "www.acme.test", "seed"),
        (Kind::DnsRecord, "pay.acme.test", "seed deny"),
        (Kind::Nameserver, "pay.acme.test", "seed"),
        (Kind::Domain, "sold.test", "deny"),
        (Kind::DnsRecord, "www.sold.test", "seed"),
        (Kind::DnsRecord, "kept.sold.test", "seed allow"),
        (Kind::Uri, "https://shop.acme.test:8443", "seed deny"),
        (Kind::DnsRecord, "shop.acme.test", "seed"),
        (Kind::Uri, "https://192.0.2.10:9443", "seed"),
    ];
    let guard = decided(&nodes, &["192.0.2.12", "*.secret.test", "198.51.100.64/26"], Installation::default());
    for (socket, name, allowed) in [
        ("192.0.2.5:80", None, true),
        ("192.0.2.10:80", None, false),
        ("192.0.2.10:443", Some("www.acme.test"), false),
        ("192.0.2.10:9443", None, false),
        ("[::ffff:192.0.2.10]:80", None, false),
        ("[64:ff9b::c000:20a]:80", None, false),
        ("192.0.2.65:80", None, false),
        ("192.0.2.70:80", None, false),
        ("192.0.2.71:80", None, true),
        ("192.0.2.80:80", None, false),
        ("192.0.2.11:22", None, false),
        ("192.0.2.11:23", None, true),
        ("192.0.2.12:80", None, false),
        ("192.0.2.5:443", Some("www.acme.test"), true),
        ("192.0.2.5:443", Some("pay.acme.test"), false),
        ("192.0.2.5:443", Some("www.sold.test"), false),
        ("192.0.2.5:443", Some("kept.sold.test"), true),
        ("192.0.2.5:443", Some("x.secret.test"), false),
        ("192.0.2.5:443", Some("shop.acme.test"), true),
        ("192.0.2.5:8443", Some("shop.acme.test"), false),
        ("198.51.100.5:80", None, true),
        ("198.51.100.70:80", None, false),
        ("203.0.113.5:80", None, false),
    ] {
        assert_eq!(asked(&guard, socket, name, Clearance::L2), allowed, "{socket} as {name:?}");
    }
}

/// Nodes with flags (`Kind name [seed|names|platform]`) and edges (`name edge name`), decided.
fn graph(lines: &[String]) -> Graph {
    let uid = |name: &str| Uid::of_entity(Uuid::nil(), Kind::Domain, name);
    let (mut nodes, mut opened) = (Vec::new(), Vec::new());
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let Some(kind) = Kind::from_name(words[0]) else {
            let kind = EdgeKind::from_name(words[1]).expect("an edge");
            opened.push(Edge { from: uid(words[0]), to: uid(words[2]), kind, task: "sample".to_owned() });
            continue;
        };
        let flag = words.get(2).copied().unwrap_or_default();
        let shared = match flag {
            "names" => SharedBy::Names,
            "platform" => SharedBy::Platform,
            _ => SharedBy::Nobody,
        };
        let name = words[1].to_owned();
        let (uid, seed) = (uid(&name), flag == "seed");
        let node = Node { uid, kind, name, seed, allow: false, deny: false, shared };
        nodes.push(GraphNode { node, observed: true, present: true, decision: Decision::unreached() });
    }
    let mut graph = Graph::default();
    graph.apply(GraphDelta { revision: 1, nodes, opened, closed: Vec::new() });
    graph.decide(&Rules { ceiling: Clearance::L3, never: Vec::new() }, false);
    graph
}

#[test]
fn a_name_whose_alias_leads_to_others_is_not_visited_at_their_address_for_another_name() {
    let text = "Domain acme.test seed\nDnsRecord www.acme.test\nDnsRecord cdn.acme.test\nacme.test subdomain \
                www.acme.test\nacme.test subdomain cdn.acme.test\nDnsRecord tenant.stranger.test\nwww.acme.test \
                alias tenant.stranger.test\nNetBlock 192.0.2.0/28 seed\nIpAddress 192.0.2.1\n192.0.2.0/28 \
                block_member 192.0.2.1\nIpAddress 198.51.100.10 platform\nwww.acme.test resolves_to \
                192.0.2.1\nwww.acme.test resolves_to 198.51.100.10\ncdn.acme.test resolves_to 198.51.100.10";
    let guard = ScopeGuard::default();
    guard.show(&graph(&text.lines().map(str::to_owned).collect::<Vec<_>>()), Clearance::L3, &[]);
    for (socket, name, allowed) in [
        ("198.51.100.10:443", "cdn.acme.test", true),
        ("198.51.100.10:443", "www.acme.test", false),
        ("192.0.2.1:443", "www.acme.test", true),
    ] {
        assert_eq!(asked(&guard, socket, Some(name), Clearance::L2), allowed, "{socket} as {name}");
        assert_eq!(guard.clears(name, socket.parse().expect("a socket address"), Clearance::L2), allowed);
    }
}

#[test]
fn an_address_is_not_contacted_while_no_name_that_leads_there_can_be_looked_up() {
    let text = "Domain acme.test seed\nDnsRecord www.acme.test\nDnsRecord app.acme.test\nacme.test subdomain \
                www.acme.test\nacme.test subdomain app.acme.test\nIpAddress 198.51.100.1\nIpAddress \
                198.51.100.2\nIpAddress 192.0.2.1\nNetBlock 192.0.2.0/28 seed\nwww.acme.test resolves_to \
                198.51.100.1\napp.acme.test resolves_to 198.51.100.1\nwww.acme.test resolves_to \
                198.51.100.2\nwww.acme.test resolves_to 192.0.2.1";
    let graph = graph(&text.lines().map(str::to_owned).collect::<Vec<_>>());
    let guard = ScopeGuard::default();
    let open = |guard: &ScopeGuard| {
        ["198.51.100.1:443", "198.51.100.2:443", "192.0.2.1:443"]
            .map(|socket| asked(guard, socket, Some("www.acme.test"), Clearance::L2))
    };
    guard.show(&graph, Clearance::L3, &[]);
    assert_eq!(open(&guard), [true, true, true]);
    for (name, is_answered, opened) in [
        ("www.acme.test", false, [true, false, true]),
        ("www.acme.test", false, [true, false, true]),
        ("app.acme.test", false, [false, false, true]),
        ("www.acme.test", true, [true, true, true]),
        ("www.acme.test", true, [true, true, true]),
        ("app.acme.test", true, [true, true, true]),
        ("app.acme.test", false, [true, true, true]),
        ("www.acme.test", false, [false, false, true]),
    ] {
        let unanswered = if is_answered { Unanswered::NOTHING } else { Unanswered::ALL };
        guard.looked_up([(name, unanswered)].into_iter());
        assert_eq!(open(&guard), opened, "{name} {is_answered}");
        guard.show(&graph, Clearance::L3, &[]);
        assert_eq!(open(&guard), opened, "{name} {is_answered}, shown again");
    }
    let whole = ScopeGuard::default();
    whole.show(&graph, Clearance::L3, &[]);
    for (unanswered, opened) in [
        (Unanswered::beside(["198.51.100.2".parse().expect("an address")]), [true, true, true]),
        (Unanswered { six: true, ..Unanswered::NOTHING }, [true, true, true]),
        (Unanswered { four: true, ..Unanswered::NOTHING }, [true, false, true]),
        (Unanswered::ALL, [true, false, true]),
        (Unanswered::beside(["2001:db8::1".parse().expect("an address")]), [true, false, true]),
        (Unanswered::NOTHING, [true, true, true]),
    ] {
        whole.looked_up([("www.acme.test", unanswered)].into_iter());
        assert_eq!(open(&whole), opened, "{unanswered:?}");
        let in_doubt: BTreeSet<IpAddr> =
            if opened[1] { BTreeSet::new() } else { BTreeSet::from(["198.51.100.2".parse().expect("one")]) };
        assert_eq!(whole.in_doubt(), in_doubt, "{unanswered:?}");
    }
    let resumed = ScopeGuard::default();
    resumed.looked_up([("www.acme.test", Unanswered::ALL)].into_iter());
    resumed.show(&graph, Clearance::L3, &[]);
    assert_eq!(open(&resumed), [true, false, true], "told before it saw anything");
    let socket = "198.51.100.2:443".parse().expect("a socket address");
    let contact = contact("www.acme.test", socket, Clearance::L2);
    assert!(resumed.allow(&contact).is_err_and(|refused| refused.in_doubt));
    let louder = Contact { footprint: Clearance::L4, ..contact };
    assert!(resumed.allow(&louder).is_err_and(|refused| !refused.in_doubt), "scope refuses it anyway");
    assert!(resumed.is_in_doubt("www.acme.test", socket, Clearance::L2));
}

#[test]
fn what_hangs_on_names_that_cannot_be_looked_up_is_not_planned_before_they_can() {
    let text = "Domain acme.test seed\nDnsRecord www.acme.test\nacme.test subdomain www.acme.test\nIpAddress \
                198.51.100.2\nwww.acme.test resolves_to 198.51.100.2\n198.51.100.2 pointer www.acme.test";
    let graph = graph(&text.lines().map(str::to_owned).collect::<Vec<_>>());
    let guard = ScopeGuard::default();
    guard.show(&graph, Clearance::L3, &[]);
    let (node, state) = graph.iter().find(|(node, _)| node.kind == Kind::IpAddress).expect("it is there");
    let facts = Facts {
        uid: node.uid,
        kind: node.kind,
        name: node.name.clone(),
        seed: false,
        present: true,
        decision: state.decision.clone(),
        details: Details::new(),
        probes: Probes::new(),
        inward: Vec::new(),
        outward: Vec::new(),
        seeds: Default::default(),
        vulnerabilities: None,
        maintained: Vec::new(),
    };
    let (settings, confirmed) = (Settings::default(), BTreeSet::new());
    let terms = Terms {
        ceiling: Clearance::L3,
        by_person: true,
        date: Timestamp(0),
        settings: &settings,
        confirmed: &confirmed,
        guard: Some(&guard),
    };
    let planned = || {
        let planned = plan(&facts, &state.decision, &terms);
        let rows = planned.work.iter().filter(|row| row.footprint >= Clearance::L2);
        let rows: BTreeSet<String> = rows.map(|row| row.task.to_owned()).collect();
        let quiet = planned.work.iter().any(|row| row.task == "ptr");
        let waiting: BTreeSet<String> = planned.in_doubt.iter().map(|(task, _)| task.to_string()).collect();
        (rows, quiet, waiting)
    };
    let (rows, quiet, waiting) = planned();
    assert!(rows.contains("port_sweep") && quiet && waiting.is_empty(), "{rows:?} {waiting:?}");
    guard.looked_up([("www.acme.test", Unanswered::ALL)].into_iter());
    assert_eq!(planned(), (BTreeSet::new(), true, rows.clone()));
    guard.looked_up([("www.acme.test", Unanswered::NOTHING)].into_iter());
    assert_eq!(planned(), (rows, true, BTreeSet::new()));
}

/// What gives the block that stands for `WHOLE`, and that block.
const WHOLE: [(&str, &str); 3] = [
    ("192.0.2.0/24", "NetBlock WHOLE seed"),
    ("192.0.2.0/23", "NetBlock WHOLE seed"),
    ("192.0.2.0/24", "NetBlock WHOLE\nAutonomousSystem AS64500 seed\nAS64500 announces WHOLE"),
];
/// What shows that a part of it is others', or that nobody knows whose it is; nothing does of the first.
const PARTS: [&str; 5] = [
    "",
    "WHOLE suballocation 192.0.2.96/28",
    "WHOLE unknown_part 192.0.2.96/28",
    "WHOLE suballocation 192.0.2.96/28\nOrganization Acme seed\nAcme registered_name 192.0.2.96/28",
    "192.0.2.97 covering_block 192.0.2.96/28\nOrganization Acme\nWHOLE registrant Acme\nOrganization \
     Customer\n192.0.2.97 registrant Customer",
];

#[test]
fn the_guard_clears_no_address_of_a_block_for_more_than_scope_decides() {
    let addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.97", "192.0.2.98", "192.0.2.99"];
    for (((net, whole), part), flag) in WHOLE.iter().flat_map(|whole| {
        let parts = PARTS.iter().map(move |part| (whole, *part));
        parts.flat_map(|row| ["", "names", "platform"].map(|flag| (row, flag)))
    }) {
        let lines = |left_out: &str| -> Vec<String> {
            let mut text = format!(
                "Domain acme.test seed\nDnsRecord www.acme.test\nacme.test subdomain www.acme.test\nNetBlock \
                 192.0.2.96/28\n{whole}\n{part}"
            );
            for address in addresses.iter().filter(|address| **address != left_out) {
                text += &format!("\nIpAddress {address} {flag}\nWHOLE block_member {address}");
            }
            // A name of theirs leads to a machine of each part.
            text += "\nwww.acme.test resolves_to 192.0.2.2\nwww.acme.test resolves_to 192.0.2.98";
            let text = text.replace("WHOLE", net);
            text.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(str::to_owned).collect()
        };
        let decided = graph(&lines(""));
        for address in addresses {
            let uid = Uid::of_entity(Uuid::nil(), Kind::Domain, address);
            let (_, state) = decided.get(&uid).expect("an address");
            // Of what nobody met yet nobody knows who shares it, nor what it tells.
            let is_known = !flag.is_empty() || part.starts_with(address);
            let left_out = if is_known { vec![""] } else { ["", address].to_vec() };
            for left_out in left_out {
                let guard = ScopeGuard::default();
                guard.show(&graph(&lines(left_out)), Clearance::L3, &[]);
                for (port, name) in [(22, None), (22, Some("www.acme.test")), (443, Some("www.acme.test"))] {
                    let clears = |footprint: &Clearance| asked(&guard, &format!("{address}:{port}"), name, *footprint);
                    let cleared = [Clearance::L3, Clearance::L2, Clearance::L1].into_iter().find(clears);
                    let most =
                        if port == 22 && !state.decision.scoped() { Clearance::L0 } else { state.decision.clearance };
                    let cleared = cleared.unwrap_or(Clearance::L0);
                    let of = format!("{address}:{port} as {name:?} {flag} {left_out:?} in {whole:?} with {part:?}");
                    assert!(cleared <= most, "{of}: {cleared:?} {:?}", state.decision);
                    if left_out.is_empty() && port == 22 {
                        assert_eq!(cleared, most, "{of}: {:?}", state.decision);
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_excluded_or_denied_of_a_bucket_is_so_in_every_region() {
    let bucket = |name, flags| (Kind::CloudStorageBucket, name, flags);
    let nodes = [
        bucket("https://acme.s3.amazonaws.com", "seed"),
        bucket("https://gone.s3.amazonaws.com", "seed"),
        bucket("https://sold.s3.amazonaws.com", "seed deny"),
        bucket("https://shut.s3.amazonaws.com", "seed"),
        (Kind::Uri, "https://acme.s3.amazonaws.com/denied/", "deny"),
    ];
    let never = [
        "https://acme.s3.eu-central-1.amazonaws.com/private",
        "gone.s3.us-west-2.amazonaws.com",
        "https://shut.s3.amazonaws.com",
    ];
    let guard = decided(&nodes, &never, Installation::default());
    for (host, allowed) in [("acme", true), ("gone", false), ("sold", false), ("shut", false)] {
        for region in ["", ".eu-west-1", ".dualstack.eu-west-1"] {
            let name = format!("{host}.s3{region}.amazonaws.com");
            assert_eq!(asked(&guard, "198.18.0.1:443", Some(&name), Clearance::L2), allowed, "{name}");
            // A site is closed at its port, and its name may be looked up.
            let is_named = allowed || host == "shut";
            assert_eq!(guard.allow_name(&name, Grant::Target).is_ok(), is_named, "{name}");
        }
    }
    for region in ["", ".eu-west-1", ".dualstack.eu-west-1"] {
        let host = format!("acme.s3{region}.amazonaws.com");
        assert!(guard.has_closed_pages(&host, 443), "{host}");
        for (path, allowed) in [("/private/a", false), ("/denied/", false), ("/open/a", true), ("/", true)] {
            let page = Url::parse(&format!("https://{host}{path}")).expect("a page");
            assert_eq!(guard.allow_page(&page, Grant::Target).is_ok(), allowed, "{page}");
        }
    }
}

#[test]
fn exclusions_and_denials_hold_for_data_providers_and_not_for_the_operator_s_own() {
    let installation =
        Installation { never: vec!["6.6.6.6".to_owned(), "*.evil.test".to_owned()], ..Installation::default() };
    let nodes = [(Kind::IpAddress, "7.7.7.7", "deny"), (Kind::Domain, "denied.test", "deny")];
    let guard = decided(&nodes, &["8.8.8.0/24"], installation);
    for (address, name, allowed) in [
        ("6.6.6.6", "rdap.org", false),
        ("7.7.7.7", "rdap.org", false),
        ("8.8.8.8", "rdap.org", false),
        ("9.9.9.9", "whois.evil.test", false),
        ("9.9.9.9", "whois.denied.test", false),
        ("9.9.9.9", "rdap.org", true),
    ] {
        let contact = |grant| Contact {
            address: address.parse().expect("an address"),
            port: 443,
            transport: Transport::Tcp,
            name: Some(name.to_owned()),
            footprint: Clearance::L1,
            grant,
        };
        assert_eq!(guard.allow(&contact(Grant::Source("rdap"))).is_ok(), allowed, "{address} {name}");
        assert!(guard.allow(&contact(Grant::Operator(ambit_net::guard::RESOLVER))).is_ok(), "{address} {name}");
    }
    for (name, allowed) in [("whois.evil.test", false), ("denied.test", false), ("rdap.org", true)] {
        assert_eq!(guard.allow_name(name, Grant::Source("rdap")).is_ok(), allowed, "{name}");
        assert!(guard.allow_name(name, Grant::Operator("proxy")).is_ok(), "{name}");
    }
}

#[test]
fn only_the_administrator_opens_reserved_ranges_and_nobody_this_server() {
    let installation = Installation {
        opened: ambit_model::reserved::networks(&["10.9.9.0/28", "127.0.0.1/32"]),
        listens: vec![("127.0.0.1/32".parse().expect("a network"), 8080)],
        ..Installation::default()
    };
    let nodes = [
        (Kind::NetBlock, "10.0.0.0/8", "seed"),
        (Kind::NetBlock, "10.9.9.0/29", "seed"),
        (Kind::IpAddress, "127.0.0.1", "seed"),
        (Kind::IpAddress, "127.0.0.2", "seed allow"),
        (Kind::Uri, "http://127.0.0.1:8080", "seed"),
    ];
    let guard = decided(&nodes, &[], installation);
    for (socket, allowed) in [
        ("10.9.9.5:80", true),
        ("10.9.9.20:80", false),
        ("127.0.0.1:80", true),
        ("127.0.0.1:8080", false),
        ("[::ffff:127.0.0.1]:8080", false),
        ("127.0.0.2:80", false),
    ] {
        assert_eq!(asked(&guard, socket, None, Clearance::L2), allowed, "{socket}");
    }
    assert!(
        guard.named("10.9.9.5".parse().expect("an address")) && !guard.named("10.9.9.20".parse().expect("an address"))
    );
    let operator = [
        (Kind::Uri, "http://10.1.1.1:80/x".to_owned()),
        (Kind::NetBlock, "10.2.0.0/16".to_owned()),
        (Kind::Domain, "acme.test".to_owned()),
        (Kind::NetworkService, "[fd00::1]:22/tcp".to_owned()),
    ];
    let ranges = ambit_model::reserved::networks(&["10.0.0.0/8", "fc00::/7"]);
    let reserved = Installation::default().reserved(&ranges, &operator);
    for (address, opened) in
        [("10.1.1.1", true), ("10.2.9.9", true), ("fd00::1", true), ("10.1.1.2", false), ("fd00::2", false)]
    {
        assert_eq!(reserved.opens(address.parse().expect("an address")), opened, "{address}");
    }
}
