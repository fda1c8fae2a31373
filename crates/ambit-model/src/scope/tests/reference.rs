//! What `decide` must give, by repeating every rule until nothing changes: slow and obvious. Ownership and clearance
//! only.

use super::*;
use crate::entity::{is_shared_suffix, registrable};
use std::net::IpAddr;

/// What the rounds have shown so far.
#[derive(Default, PartialEq)]
struct Shown {
    evident: BTreeSet<Uid>,
    foreign_aliases: BTreeSet<Uid>,
    own_machines: BTreeSet<Uid>,
    /// Names that are theirs.
    names: BTreeSet<String>,
    /// What evidence gives to domains that nobody named.
    sisters: BTreeMap<Uid, (u16, Clearance)>,
}

fn of_kind(world: &World, kind: EdgeKind) -> impl Iterator<Item = (&Node, &Node)> {
    let edges = world.edges.iter().filter(move |edge| edge.kind == kind);
    edges.map(|edge| (&world.nodes[&edge.from], &world.nodes[&edge.to]))
}

fn given(node: &Node) -> bool {
    node.allow || (node.seed && !node.deny)
}

pub(super) fn decide(world: &World, ceiling: Clearance) -> BTreeMap<Uid, (u16, Clearance)> {
    let mut shown = Shown {
        foreign_aliases: of_kind(world, EdgeKind::Alias).map(|(from, _)| from.uid).collect(),
        ..Shown::default()
    };
    shown.names = names(world, &|node| given(node) && !takes_out(world, node));
    loop {
        let decided = round(world, ceiling, &shown);
        let scoped = |node: &Node| decided[&node.uid].0 >= SCOPED_FROM;
        let foreign_aliases: BTreeSet<Uid> =
            of_kind(world, EdgeKind::Alias).filter(|(_, to)| !scoped(to)).map(|(from, _)| from.uid).collect();
        let evident: BTreeSet<Uid> = world
            .nodes
            .values()
            .filter(|node| evident(world, node, &scoped, &foreign_aliases))
            .map(|node| node.uid)
            .collect();
        let sister = |node: &Node| Some((node.uid, sister(world, node, &scoped, ceiling)?));
        let next = Shown {
            sisters: world.nodes.values().filter_map(sister).collect(),
            names: names(world, &scoped),
            evident,
            own_machines: world
                .nodes
                .values()
                .filter(|node| own_machines(world, node, &scoped))
                .map(|node| node.uid)
                .collect(),
            foreign_aliases,
        };
        if next == shown {
            return decided;
        }
        shown = next;
    }
}

fn names(world: &World, theirs: &impl Fn(&Node) -> bool) -> BTreeSet<String> {
    let is_name = |node: &&Node| matches!(node.kind, Kind::Domain | Kind::DnsRecord);
    world.nodes.values().filter(is_name).filter(|node| theirs(node)).map(|node| node.name.clone()).collect()
}

fn own_machines(world: &World, node: &Node, scoped: &impl Fn(&Node) -> bool) -> bool {
    let addresses = || of_kind(world, EdgeKind::ResolvesTo).filter(|(from, _)| from.uid == node.uid);
    addresses().next().is_some() && addresses().all(|(_, to)| scoped(to))
}

fn evident(world: &World, node: &Node, scoped: &impl Fn(&Node) -> bool, foreign_aliases: &BTreeSet<Uid>) -> bool {
    let names = || of_kind(world, EdgeKind::ResolvesTo).filter(|(_, to)| to.uid == node.uid).map(|(from, _)| from);
    if is_shared(world, node) || !names().any(scoped) {
        return false;
    }
    let out = |kind| of_kind(world, kind).filter(|(from, _)| from.uid == node.uid).map(|(_, to)| to);
    let reverse = out(EdgeKind::Pointer)
        .any(|name| scoped(name) && !foreign_aliases.contains(&name.uid) && names().any(|other| other.uid == name.uid));
    let certified = out(EdgeKind::DefaultCertificate).any(|certificate| {
        let of = |kind| of_kind(world, kind).filter(|(from, _)| from.uid == certificate.uid).map(|(_, to)| to);
        of(EdgeKind::CertificateName).any(scoped)
            && of(EdgeKind::CertificateName).all(scoped)
            && of(EdgeKind::DelegatedSubdomain).chain(of(EdgeKind::ForeignCertificateName)).next().is_none()
    });
    registered(world, node)
        || narrowest(world, node).is_some_and(|block| opens(world, block))
        || (names().all(scoped) && (reverse || certified))
}

fn registered(world: &World, node: &Node) -> bool {
    of_kind(world, EdgeKind::Registrant).any(|(from, to)| from.uid == node.uid && is_registrant(world, to))
}

/// True for an organisation that registered a seed, and a mailbox in a seed's domain.
fn is_registrant(world: &World, registrant: &Node) -> bool {
    let seeds: Vec<&Node> =
        world.nodes.values().filter(|node| node.kind == Kind::Domain && node.seed && given(node)).collect();
    match registrant.kind {
        Kind::Organization => of_kind(world, EdgeKind::Registrant).any(|(from, to)| {
            speaks_for_itself(world, from, &seeds)
                && seeds.iter().any(|seed| seed.uid == from.uid)
                && to.kind == Kind::Organization
                && to.name.eq_ignore_ascii_case(&registrant.name)
        }),
        Kind::EmailAddress => seeds.iter().any(|seed| registrant.name.ends_with(&format!("@{}", seed.name))),
        _ => false,
    }
}

fn in_seed(world: &World, name: &str) -> bool {
    let seeds = world.nodes.values().filter(|node| node.kind == Kind::Domain && node.seed && !takes_out(world, node));
    seeds.into_iter().any(|seed| is_at_or_below(name, &seed.name))
}

fn takes_out(world: &World, node: &Node) -> bool {
    !node.allow && world.nodes.values().any(|other| other.deny && !other.allow && takes_along(other, node))
}

fn is_at_or_below(name: &str, domain: &str) -> bool {
    name == domain || name.ends_with(&format!(".{domain}"))
}

/// Ownership and clearance of a domain that evidence shows to be theirs, or perhaps theirs.
fn sister(world: &World, node: &Node, scoped: &impl Fn(&Node) -> bool, ceiling: Clearance) -> Option<(u16, Clearance)> {
    let resembles = of_kind(world, EdgeKind::Resembles).any(|(_, to)| to.uid == node.uid);
    if node.kind != Kind::Domain || node.allow || node.seed || takes_out(world, node) || resembles {
        return None;
    }
    // The innermost domain that nobody decided on takes what is shown of the names in it.
    let about = |name: &str| {
        let open =
            |other: &&Node| other.kind == Kind::Domain && !(other.allow || other.seed || takes_out(world, other));
        let around = world.nodes.values().filter(open).filter(|other| is_at_or_below(name, &other.name));
        around.max_by_key(|other| other.name.len()).is_some_and(|other| other.uid == node.uid)
    };
    let any =
        |kind: EdgeKind, shows: &dyn Fn(&Node, &Node) -> bool| of_kind(world, kind).any(|(from, to)| shows(from, to));
    let is_here = |from: &Node| about(host_of(&from.name));
    let registration = any(EdgeKind::Registrant, &|from, to| {
        let first = of_kind(world, EdgeKind::Registrant).filter(|(other, _)| other.uid == from.uid);
        let first = first.map(|(_, to)| to).filter(|to| is_registrant(world, to)).min_by_key(|to| to.name.clone());
        from.kind == Kind::Domain && is_here(from) && first.is_some_and(|first| first.uid == to.uid)
    });
    let mailbox = |kind: EdgeKind| {
        any(kind, &|from, to| {
            let is_theirs = to.kind == Kind::EmailAddress && in_seed(world, host_of(&to.name));
            from.kind == Kind::Domain && is_here(from) && is_theirs
        })
    };
    let server =
        |kind: Kind| any(EdgeKind::Vendor, &|from, to| is_here(from) && to.kind == kind && in_seed(world, &to.name));
    let address = any(EdgeKind::ResolvesTo, &|from, to| is_here(from) && is_titled(world, to));
    let is_of_crowd = |certificate: &Node| {
        of_kind(world, EdgeKind::Certificate).any(|(shows, to)| to.uid == certificate.uid && is_in_crowd(world, shows))
    };
    let certificate = any(EdgeKind::ForeignCertificateName, &|from, to| {
        is_here(to) && scoped(from) && !is_of_crowd(from) && foreign_domains(world, from.uid) <= 3
    });
    let redirect = any(EdgeKind::Redirect, &|from, to| is_here(to) && scoped(from) && !is_in_crowd(world, from));
    let is_named = redirect
        || any(EdgeKind::ForeignCertificateName, &|from, to| {
            is_here(to) && scoped(from) && !is_of_crowd(from) && !is_in_crowd(world, from)
        });
    let serves = !is_named && serves_seed(world, &is_here);
    let mail = mailbox(EdgeKind::Contact) || server(Kind::Mailserver);
    let registration = if mailbox(EdgeKind::Registrant) { 4.0 } else { 3.0 * f64::from(u8::from(registration)) };
    let odds = [(true, registration), (address, 2.0), (server(Kind::Nameserver), 1.5), (mail, 1.5)];
    let odds = odds.into_iter().chain([(certificate, 1.5), (redirect, 1.0), (serves, 0.5)]);
    let sum: f64 = odds.filter(|(shown, _)| *shown).map(|(_, odds)| odds).sum();
    let of_others = any(EdgeKind::Registrant, &|from, to| {
        let is_others = to.kind == Kind::Organization && !registered(world, from);
        from.kind == Kind::Domain && is_here(from) && is_others && !is_registered_with_seeds(world, from)
    });
    let seeds: Vec<&Node> = world.nodes.values().filter(|node| node.kind == Kind::Domain && node.seed).collect();
    let is_known = any(EdgeKind::Registrant, &|from, to| {
        let is_seed = seeds.iter().any(|seed| seed.uid == from.uid);
        to.kind == Kind::Organization && is_seed && speaks_for_itself(world, from, &seeds)
    });
    let of_others = of_others && is_known && registration <= 0.0;
    let sum = if of_others && !is_named { sum - 3.0 } else { sum };
    let probability = ((1.0 / (1.0 + (3.0 - sum).exp())) * 1000.0) as u16;
    match probability {
        950.. if !of_others && !serves => Some((probability, Clearance::L2.min(ceiling))),
        600.. => Some((probability.min(899), Clearance::L1.min(ceiling))),
        _ => None,
    }
}

/// True for an address that is registered as theirs, or lies in a block that is.
fn is_titled(world: &World, address: &Node) -> bool {
    let is_opened = || narrowest(world, address).is_some_and(|block| opens(world, block));
    address.kind == Kind::IpAddress && !address.shared.is_shared() && (registered(world, address) || is_opened())
}

/// True where something here, in no seed's domain, serves a seed, or a pointer of theirs names it and it leads back.
fn serves_seed(world: &World, is_here: &impl Fn(&Node) -> bool) -> bool {
    let any =
        |kind: EdgeKind, shows: &dyn Fn(&Node, &Node) -> bool| of_kind(world, kind).any(|(from, to)| shows(from, to));
    let is_third = |to: &Node| is_here(to) && !in_seed(world, host_of(&to.name));
    let is_host =
        |node: &Node| matches!(node.kind, Kind::Domain | Kind::DnsRecord | Kind::Nameserver | Kind::Mailserver);
    let is_of_seed = |from: &Node| matches!(from.kind, Kind::Domain | Kind::DnsRecord) && in_seed(world, &from.name);
    let leads_back = |address: &Node, name: &Node| {
        of_kind(world, EdgeKind::ResolvesTo).any(|(from, to)| (from.uid, to.uid) == (name.uid, address.uid))
    };
    any(EdgeKind::Vendor, &|from, to| is_of_seed(from) && is_host(to) && is_third(to))
        || any(EdgeKind::Registrant, &|from, to| is_of_seed(from) && to.kind == Kind::EmailAddress && is_third(to))
        || any(EdgeKind::Pointer, &|from, to| {
            is_titled(world, from) && is_host(to) && is_third(to) && leads_back(from, to)
        })
}

/// True where a registrant of a domain registered any seed, or is one. Names here have no legal form.
fn is_registered_with_seeds(world: &World, domain: &Node) -> bool {
    let is_seed = |node: &Node| node.seed && given(node) && !takes_out(world, node);
    let registered = || of_kind(world, EdgeKind::Registrant).filter(|(_, to)| to.kind == Kind::Organization);
    let of_seeds = registered().filter(|(from, _)| from.kind == Kind::Domain && is_seed(from)).map(|(_, to)| to);
    let seeds = world.nodes.values().filter(|node| node.kind == Kind::Organization && is_seed(node));
    let theirs: BTreeSet<String> = of_seeds.chain(seeds).map(|node| node.name.to_lowercase()).collect();
    let own = registered().filter(|(from, _)| from.uid == domain.uid);
    own.map(|(_, to)| to).any(|to| theirs.contains(&to.name.to_lowercase()))
}

/// True for what is at an address that third parties share.
fn is_in_crowd(world: &World, node: &Node) -> bool {
    let shared = world.nodes.values().filter(|other| other.kind == Kind::IpAddress && other.shared.is_shared());
    shared.into_iter().any(|address| address.name == host_of(&node.name))
}

fn foreign_domains(world: &World, certificate: Uid) -> usize {
    let names = of_kind(world, EdgeKind::ForeignCertificateName).filter(|(from, _)| from.uid == certificate);
    names.map(|(_, to)| registrable(&to.name).unwrap_or(&to.name)).collect::<BTreeSet<_>>().len()
}

fn speaks_for_itself(world: &World, domain: &Node, seeds: &[&Node]) -> bool {
    let from_it = world.edges.iter().filter(|edge| edge.from == domain.uid).map(|edge| &world.nodes[&edge.to]);
    let servers: Vec<&Node> = from_it.filter(|node| node.kind == Kind::Nameserver).collect();
    let own = |server: &&Node| seeds.iter().any(|seed| server.name.ends_with(&format!(".{}", seed.name)));
    !servers.is_empty() && servers.iter().all(own)
}

/// True for a block that is given, or that a network which is given announces.
fn opens(world: &World, block: &Node) -> bool {
    let announced = || of_kind(world, EdgeKind::Announces).any(|(from, to)| to.uid == block.uid && given(from));
    (block.kind == Kind::NetBlock && given(block)) || announced()
}

/// The narrowest block around an address of those that count: given ones, and those that somebody else registered
/// within them.
fn narrowest<'a>(world: &'a World, node: &Node) -> Option<&'a Node> {
    let address: IpAddr = node.name.parse().ok().filter(|_| node.kind == Kind::IpAddress)?;
    let foreign: BTreeSet<Uid> = of_kind(world, EdgeKind::Suballocation)
        .chain(of_kind(world, EdgeKind::UnknownPart))
        .chain(of_kind(world, EdgeKind::CoveringBlock).filter(|(from, to)| is_apart(world, from, to)))
        .filter(|(_, to)| !registered(world, to))
        .map(|(_, to)| to.uid)
        .collect();
    let counts = |block: &&Node| opens(world, block) || foreign.contains(&block.uid);
    let net = |block: &Node| block.name.parse::<ipnet::IpNet>().ok().filter(|net| net.contains(&address));
    let around = world.nodes.values().filter(counts).filter(|block| net(block).is_some());
    around.max_by_key(|block| (net(block).map(|net| net.prefix_len()), given(block)))
}

/// True for an address that third parties share, whatever the blocks around it say.
fn is_shared(world: &World, node: &Node) -> bool {
    let is_open = narrowest(world, node).is_some_and(|block| opens(world, block));
    let contains = |block: &Node| {
        let net: Option<ipnet::IpNet> = block.name.parse().ok();
        net.is_some_and(|net| net.prefix_len() >= 24 && node.name.parse::<IpAddr>().is_ok_and(|it| net.contains(&it)))
    };
    let is_given = |block: &&Node| block.kind == Kind::NetBlock && given(block);
    match node.shared {
        SharedBy::Nobody => false,
        SharedBy::Names => !is_open,
        SharedBy::Platform => !(is_open && world.nodes.values().filter(is_given).any(contains)),
    }
}

/// True where the block that an address tells of lies in a given one, or in an announced one, and each
/// has registrants, none of them the same.
fn is_apart(world: &World, address: &Node, block: &Node) -> bool {
    let net = |node: &Node| node.name.parse::<ipnet::IpNet>().ok();
    let holders = |node: &Node| -> BTreeSet<String> {
        let named = of_kind(world, EdgeKind::Registrant)
            .filter(|(from, to)| from.uid == node.uid && to.kind == Kind::Organization);
        named.map(|(_, to)| to.name.to_lowercase()).collect()
    };
    let is_around = |other: &&Node| {
        let (Some(inner), Some(outer)) = (net(block), net(other)) else { return false };
        outer.contains(&inner.network()) && outer.prefix_len() < inner.prefix_len()
    };
    let is_given = |node: &Node| given(node) && !takes_out(world, node);
    let given = |node: &&Node| node.kind == Kind::NetBlock && is_given(node);
    let announced =
        |node: &&Node| of_kind(world, EdgeKind::Announces).any(|(from, to)| to.uid == node.uid && is_given(from));
    let opens = |node: &&Node| given(node) || announced(node);
    let around = world.nodes.values().filter(opens).filter(|node| !holders(node).is_empty()).filter(is_around);
    let around = around.max_by_key(|node| net(node).map(|net| net.prefix_len()));
    let own = holders(address);
    !(given(&block) || own.is_empty()) && around.is_some_and(|node| own.is_disjoint(&holders(node)))
}

fn handed(world: &World, node: &Node) -> bool {
    let cut = |name: &str| {
        let into = |kind| of_kind(world, kind).any(|(_, to)| to.name == name);
        into(EdgeKind::DelegatedSubdomain) && !into(EdgeKind::Subdomain)
    };
    if !matches!(node.kind, Kind::DnsRecord | Kind::Nameserver | Kind::Mailserver) {
        return false;
    }
    let mut level = Some(node.name.as_str());
    while let Some(name) = level.filter(|name| !world.nodes.values().any(|node| given(node) && node.name == *name)) {
        if cut(name) {
            return true;
        }
        level = name.split_once('.').map(|(_, above)| above);
    }
    false
}

/// Whether denying the one denies the other: itself, what is in a block, on a host, or below a registrable domain.
fn takes_along(denied: &Node, node: &Node) -> bool {
    let host = host_of(&node.name);
    let is_within = || {
        let block: ipnet::IpNet = denied.name.parse().ok()?;
        let address = host.parse::<IpAddr>().map(ipnet::IpNet::from);
        Some(block.contains(&node.name.parse().or(address).ok()?))
    };
    let is_below =
        || denied.kind == Kind::Domain && host.strip_suffix(&denied.name).is_some_and(|rest| rest.ends_with('.'));
    let is_host =
        matches!(denied.kind, Kind::Domain | Kind::DnsRecord | Kind::Nameserver | Kind::Mailserver | Kind::IpAddress)
            && host == denied.name;
    denied.uid == node.uid || is_host || is_below() || (denied.kind == Kind::NetBlock && is_within().unwrap_or(false))
}

fn round(world: &World, ceiling: Clearance, shown: &Shown) -> BTreeMap<Uid, (u16, Clearance)> {
    let denied = |node: &Node| {
        !node.allow && world.nodes.values().any(|other| other.deny && !other.allow && takes_along(other, node))
    };
    let fixed = |node: &Node| match (node.allow, denied(node), node.seed) {
        (true, _, _) | (false, false, true) => Some((1000, ceiling)),
        (false, true, _) => Some((0, Clearance::L0)),
        _ if node.kind == Kind::IpAddress => {
            let into = world.edges.iter().filter(|edge| edge.to == node.uid && edge.kind == EdgeKind::ResolvesTo);
            let names: Vec<&Node> = into.map(|edge| &world.nodes[&edge.from]).collect();
            let aliases = |name: &Node| {
                let out = world.edges.iter().filter(|edge| edge.from == name.uid);
                let out: Vec<&Edge> = out.collect();
                out.into_iter().any(|edge| {
                    matches!(edge.kind, EdgeKind::Alias | EdgeKind::HostedAlias) && denied(&world.nodes[&edge.to])
                })
            };
            let closed = |name: &Node| denied(name) || aliases(name);
            let spelled = |name: &Node| super::super::spells(host_of(&name.name), &node.name);
            let is_closed =
                names.iter().any(|name| closed(name)) && names.iter().all(|name| closed(name) || spelled(name));
            is_closed.then_some((0, Clearance::L0))
        }
        _ => None,
    };
    let by_evidence = |node: &Node| shown.sisters.get(&node.uid).copied();
    let first = |node: &Node| (node.uid, fixed(node).or_else(|| by_evidence(node)).unwrap_or((0, Clearance::L0)));
    let mut decided: BTreeMap<Uid, (u16, Clearance)> = world.nodes.values().map(first).collect();
    loop {
        let before = decided.clone();
        for edge in &world.edges {
            let to = &world.nodes[&edge.to];
            if fixed(to).is_some() {
                continue;
            }
            let (own, cap) = weigh(world, edge, shown);
            let from = decided[&edge.from];
            let cap = if edge.kind == EdgeKind::Service && from.0 < 900 { cap.min(Clearance::L1) } else { cap };
            let is_titled = edge.kind == EdgeKind::ResolvesTo
                && is_kin(world, &world.nodes[&edge.from], shown)
                && shown.evident.contains(&to.uid)
                && (registered(world, to) || narrowest(world, to).is_some_and(|block| opens(world, block)));
            let passed = if is_titled && from.1 > Clearance::L0 { ceiling } else { from.1 };
            let known = decided.get_mut(&edge.to).unwrap();
            *known = (known.0.max(from.0.min(own)), known.1.max(passed.min(cap)));
        }
        if decided == before {
            return decided;
        }
    }
}

/// A sister, and the names in one.
fn is_kin(world: &World, node: &Node, shown: &Shown) -> bool {
    let within = |(domain, (own, _)): (&Uid, &(u16, Clearance))| {
        *own >= 950 && is_at_or_below(&node.name, &world.nodes[domain].name)
    };
    matches!(node.kind, Kind::Domain | Kind::DnsRecord | Kind::Nameserver | Kind::Mailserver)
        && shown.sisters.iter().any(within)
}

/// The provider's suffix that a name lies below.
fn suffix_above(name: &str) -> Option<&str> {
    let mut level = name;
    while !is_shared_suffix(level) {
        level = level.split_once('.')?.1;
    }
    (level != name).then_some(level)
}

/// True for a name at or below one of theirs; what lies below a provider's suffix does not lie below that.
fn is_within(node: &Node, shown: &Shown) -> bool {
    let suffix = suffix_above(&node.name).map_or(0, str::len);
    shown.names.iter().any(|name| is_at_or_below(&node.name, name) && name.len() > suffix)
}

/// True for an edge to a name below a provider's suffix from the suffix, a name above it, or a certificate.
fn is_customers(world: &World, edge: &Edge, shown: &Shown) -> bool {
    let (from, to) = (&world.nodes[&edge.from], &world.nodes[&edge.to]);
    let is_name =
        |node: &Node| matches!(node.kind, Kind::Domain | Kind::DnsRecord | Kind::Nameserver | Kind::Mailserver);
    let Some(suffix) = suffix_above(&to.name).filter(|_| is_name(to)) else { return false };
    let by_provider = is_name(from) && is_at_or_below(suffix, &from.name);
    let is_host = |node: &&Node| matches!(node.kind, Kind::Domain | Kind::DnsRecord);
    let is_named = |node: &Node| node.seed || node.allow;
    let around =
        || world.nodes.values().filter(is_host).any(|node| is_named(node) && is_at_or_below(suffix, &node.name));
    match edge.kind {
        EdgeKind::Subdomain | EdgeKind::OwnServer => by_provider,
        EdgeKind::DelegatedSubdomain | EdgeKind::CertificateName => by_provider || (around() && !is_within(to, shown)),
        _ => false,
    }
}

fn weigh(world: &World, edge: &Edge, shown: &Shown) -> (u16, Clearance) {
    let (rule, to) = (edge.kind.rule(), &world.nodes[&edge.to]);
    let (own, cap) = match edge.kind {
        EdgeKind::ResolvesTo if shown.evident.contains(&edge.to) => (900, Clearance::L3),
        EdgeKind::ResolvesTo if shown.foreign_aliases.contains(&edge.from) => (100, Clearance::L1),
        EdgeKind::CloudAccount => (rule.own, rule.cap),
        EdgeKind::BlockMember if narrowest(world, to).is_some_and(|block| !opens(world, block)) => (50, Clearance::L1),
        _ if is_shared(world, to) => (rule.own.min(200), rule.cap.min(Clearance::L2)),
        EdgeKind::ResolvesTo => (500, Clearance::L2),
        EdgeKind::Suballocation | EdgeKind::UnknownPart if registered(world, to) => (970, Clearance::L3),
        EdgeKind::UnrelatedCertificate if shown.own_machines.contains(&edge.from) => (950, Clearance::L4),
        _ if is_customers(world, edge, shown) => (50, Clearance::L1),
        EdgeKind::CertificateName if !is_within(to, shown) => (600, Clearance::L1),
        EdgeKind::Host if to.kind == Kind::Domain => (400, rule.cap),
        EdgeKind::Subdomain if to.kind == Kind::Domain => (50, Clearance::L1),
        EdgeKind::ForeignCertificateName => {
            ((600.0 / (foreign_domains(world, edge.from) as f64).sqrt()) as u16, rule.cap)
        }
        _ => (rule.own, rule.cap),
    };
    let is_shown = matches!(edge.kind, EdgeKind::CloudAccount | EdgeKind::AppLink);
    let cap = if is_kin(world, to, shown) && !is_shown { cap.min(Clearance::L2) } else { cap };
    if handed(world, to) { (own.min(600), cap.min(Clearance::L2)) } else { (own, cap) }
}

/// Small graphs over a few names, with every kind of edge and flag.
pub(super) fn graphs() -> impl Strategy<Value = World> {
    let nodes = proptest::collection::vec((0..9u8, 0..12u8), 3..10);
    nodes.prop_flat_map(|nodes| {
        let count = nodes.len();
        // Edges that evidence hangs on are drawn more often.
        let often = [
            EdgeKind::ResolvesTo,
            EdgeKind::Registrant,
            EdgeKind::Pointer,
            EdgeKind::Subdomain,
            EdgeKind::DefaultCertificate,
            EdgeKind::CertificateName,
            EdgeKind::Suballocation,
            EdgeKind::BlockMember,
            EdgeKind::CoveringBlock,
        ];
        let kind =
            (0..crate::edge::EDGES.len() + 2 * often.len()).prop_map(move |at| match crate::edge::EDGES.get(at) {
                Some(rule) => rule.kind,
                None => often[at % often.len()],
            });
        let edge = (0..count, 0..count, kind);
        proptest::collection::vec(edge, 0..30).prop_map(move |edges| {
            let mut world = World::default();
            let named = |at: usize| name(nodes[at].0, at);
            for (at, (kind, flag)) in nodes.iter().enumerate() {
                let flags: &[&str] = match (at, flag) {
                    (0, _) => &["seed"],
                    (_, 0) => &["allow"],
                    (_, 1) => &["deny"],
                    (_, 2) => &["shared"],
                    (_, 4) => &["crowded"],
                    (_, 3) => &["seed"],
                    _ => &[],
                };
                world.node(KINDS[usize::from(*kind)], &named(at), flags);
            }
            for (from, to, kind) in edges {
                world.edge(&named(from), kind, &named(to));
            }
            world
        })
    })
}

const KINDS: [Kind; 9] = [
    Kind::Domain,
    Kind::DnsRecord,
    Kind::DnsRecord,
    Kind::IpAddress,
    Kind::SslCertificate,
    Kind::NetBlock,
    Kind::Organization,
    Kind::EmailAddress,
    Kind::Nameserver,
];

/// Names that lie in each other: hosts below a domain and a provider's suffix, addresses within blocks, registrants
/// that differ by case.
fn name(kind: u8, at: usize) -> String {
    let domain = ["github.io", "d1.test"][at % 2];
    match KINDS[usize::from(kind)] {
        Kind::DnsRecord if at == 0 => domain.to_owned(),
        Kind::Domain => format!("e{at}.{domain}"),
        Kind::DnsRecord if at > 4 => format!("n{at}.n{}.e{}.{domain}", at - 2, at - 4),
        Kind::DnsRecord => format!("n{at}.e{}.{domain}", at.saturating_sub(2)),
        Kind::IpAddress => format!("192.0.2.{}", at * 16 + 1),
        Kind::NetBlock => format!("192.0.2.0/{}", 24 + at % 5),
        Kind::Organization => ["Acme", "ACME", "Other"][at % 3].to_owned(),
        Kind::EmailAddress => format!("m@e{}.{domain}", at.saturating_sub(2)),
        Kind::Nameserver if at.is_multiple_of(2) => format!("ns{at}.host.example"),
        Kind::Nameserver => format!("ns{at}.e{}.{domain}", at.saturating_sub(2)),
        _ => format!("certificate {at}"),
    }
}
