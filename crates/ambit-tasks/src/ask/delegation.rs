//! Decides whether a name below a domain is served by the domain's own name servers or was delegated to others.
//!
//! A zone of its own below the domain is theirs where its servers are those of the zone above it, or have names of the
//! domain above the cut: both are written by whoever holds the zone above, and no delegate can make them so. A server
//! that a platform gives to all of its customers alike says nothing; nor does one that has its name below the cut,
//! unless it is at an address of the zone above's servers. What a zone says of itself (its SOA, its reports) is the
//! delegate's to write, and a certificate for it the delegate's to have.

use crate::ask::denial::is_there;
use crate::ask::host::{is_below, levels, same_domain};
use crate::{Context, Result};
use ambit_model::entity::registrable;
use ambit_model::facts::Neighbour;
use ambit_model::{EdgeKind, Kind, platforms};
use ambit_net::NetError;
use ambit_net::dns::{Rcode, RecordData, RecordType};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// Labels between a domain and a name that are asked for a cut; deeper names are wild chains.
const LEVELS_MAX: usize = 8;
/// Servers of one zone whose addresses are asked; a delegation has seldom more than these (RFC 1034 asks for two).
const SERVERS_MAX: usize = 13;

/// The edge from a domain to a name below it: `DelegatedSubdomain` where some level between them has servers of its own
/// that are not theirs; `Subdomain` otherwise.
pub(crate) async fn edge_below(cx: &Context<'_>, domain: &str, name: &str) -> Result<EdgeKind> {
    let mut above = None;
    for level in levels(name, domain).into_iter().take(LEVELS_MAX) {
        let servers = name_servers(cx, level).await?;
        if servers.is_empty() {
            continue;
        }
        let zone_above = match above.take() {
            Some(servers) => servers,
            None => enclosing(cx, domain).await?,
        };
        if !is_kept(cx, domain, level, &servers, &zone_above).await? {
            return Ok(EdgeKind::DelegatedSubdomain);
        }
        above = Some(servers);
    }
    Ok(EdgeKind::Subdomain)
}

/// Servers of the zone that holds a name: its own, or those of the nearest name above it that has some.
async fn enclosing(cx: &Context<'_>, name: &str) -> Result<BTreeSet<String>> {
    let top = registrable(name).unwrap_or(name);
    let mut level = name;
    loop {
        let servers = name_servers(cx, level).await?;
        match level.split_once('.') {
            Some((_, above)) if servers.is_empty() && level != top => level = above,
            _ => return Ok(servers),
        }
    }
}

/// What the names of a zone's servers say.
pub(crate) enum Judged<'a> {
    /// It is theirs.
    Kept,
    /// It was handed to others.
    Handed,
    /// It is theirs if these servers, whose names lie inside it, are at addresses of the zone above's.
    Inside(Vec<&'a String>),
}

/// Judges a zone below a domain by its servers and those of the zone above. One that is not theirs has as much say over
/// the zone as the others.
pub(crate) fn judged<'a>(
    domain: &str,
    cut: &str,
    servers: &'a BTreeSet<String>,
    above: &BTreeSet<String>,
) -> Judged<'a> {
    let is_inside = |server: &str| server == cut || is_below(server, cut);
    let (inside, outside): (Vec<&String>, Vec<&String>) = servers.iter().partition(|server| is_inside(server));
    let is_theirs = |server: &String| {
        same_domain(server, domain) || (above.contains(server) && !platforms::serves_every_customer(server))
    };
    match outside.iter().all(|server| is_theirs(server)) {
        false => Judged::Handed,
        true if inside.is_empty() => Judged::Kept,
        true => Judged::Inside(inside),
    }
}

async fn is_kept(
    cx: &Context<'_>,
    domain: &str,
    cut: &str,
    servers: &BTreeSet<String>,
    above: &BTreeSet<String>,
) -> Result<bool> {
    let inside = match judged(domain, cut, servers, above) {
        Judged::Kept => return Ok(true),
        Judged::Handed => return Ok(false),
        Judged::Inside(servers) => servers,
    };
    let same_machines = addresses(cx, above).await?;
    for server in inside {
        let own = addresses(cx, [server]).await?;
        if !own.is_empty() && !own.is_subset(&same_machines) && above.len() > SERVERS_MAX {
            // It may be one of those that were not asked for.
            return Err(NetError::TooLarge("name servers of one zone").into());
        }
        if own.is_empty() || !own.is_subset(&same_machines) {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn addresses(cx: &Context<'_>, servers: impl IntoIterator<Item = &String>) -> Result<BTreeSet<IpAddr>> {
    let mut addresses = BTreeSet::new();
    for server in servers.into_iter().take(SERVERS_MAX) {
        addresses.extend(cx.net.addresses(server).await?);
    }
    Ok(addresses)
}

/// Reports that a domain led to a name below it. If the delegation cannot be determined, the name counts as delegated
/// to others, which allows less, or keeps its earlier edge.
pub(crate) async fn found_below(cx: &Context<'_>, domain: &str, name: &str) -> Result<()> {
    let edge = edge_or(cx, domain, name, EdgeKind::Subdomain).await?;
    cx.found_host(name, edge);
    Ok(())
}

/// The edge from a domain to something below it under another kind of name or edge: a server, a name in a certificate.
/// `kept` is the edge where the name was not handed to others.
pub(crate) async fn edge_or(cx: &Context<'_>, domain: &str, name: &str, kept: EdgeKind) -> Result<EdgeKind> {
    match edge_below(cx, domain, name).await {
        Ok(EdgeKind::Subdomain) => Ok(kept),
        Err(error) if error.is_no_answer() => Ok(edge_untold(cx, name, kept)),
        edge => edge,
    }
}

/// The edge to a name of which it cannot be determined now: the earlier one, or that of a name that was handed to
/// others.
pub(crate) fn edge_untold(cx: &Context<'_>, name: &str, kept: EdgeKind) -> EdgeKind {
    let led = cx.facts.outward.iter().filter(|neighbour| neighbour.name == name);
    let mut edges = led.map(|neighbour| neighbour.edge);
    let known = edges.find(|edge| *edge == kept || *edge == EdgeKind::DelegatedSubdomain);
    known.unwrap_or(EdgeKind::DelegatedSubdomain)
}

/// The same of a name that a record of the domain tells of, where it exists; one that cannot be asked for now stays
/// what it was.
async fn found_existing(cx: &Context<'_>, domain: &str, name: &str) -> Result<()> {
    if exists(cx, name).await? { found_below(cx, domain, name).await } else { Ok(()) }
}

/// The same for a name that is not below the entity. It leads on by its spelling: to its registered domain, whose own
/// zone shows whether it is theirs.
async fn found_beside(cx: &Context<'_>, name: &str) -> Result<()> {
    if name != cx.facts.name && exists(cx, name).await? {
        cx.found_host(name, EdgeKind::Link);
    }
    Ok(())
}

/// A host that a record or a file of theirs names, where it is of the same domain.
pub(crate) async fn found_own(cx: &Context<'_>, host: &str) -> Result<()> {
    if is_below(host, &cx.facts.name) {
        found_existing(cx, &cx.facts.name, host).await
    } else if same_domain(host, &cx.facts.name) {
        found_beside(cx, host).await
    } else {
        Ok(())
    }
}

async fn exists(cx: &Context<'_>, name: &str) -> Result<bool> {
    // A server of this name, which its role alone tells, is no host that was there.
    let is_known = |host: &Neighbour| host.name == name && matches!(host.kind, Kind::DnsRecord | Kind::Domain);
    match is_there(cx, name).await {
        Ok(exists) => Ok(exists),
        Err(error @ NetError::Budget(_)) => Err(error.into()),
        Err(_) => Ok(cx.facts.outward.iter().any(is_known)),
    }
}

/// Returns true for a name whose look-up fails because it, or a name above it, was handed to servers that do not answer
/// for it. False where it is an alias, so that the servers that fail are those of its target. An error where it answers
/// at times, or where nobody says that it was handed to others.
pub(crate) async fn fails_alone(cx: &Context<'_>, name: &str) -> Result<bool, NetError> {
    for rtype in [RecordType::CNAME, RecordType::NS] {
        match cx.net.lookup_uncached(name, rtype).await {
            Ok(answer) if !answer.is_empty() || !answer.chain.is_empty() => return Ok(false),
            Ok(_) => return Err(NetError::Dns(Rcode::SERVFAIL)),
            Err(NetError::Dns(Rcode::SERVFAIL)) => {}
            Err(error) => return Err(error),
        }
    }
    let above = levels(name, registrable(name).unwrap_or(name)).into_iter().filter(|level| *level != name);
    let mut cut = name;
    for level in above.take(LEVELS_MAX) {
        if let Err(NetError::Dns(Rcode::SERVFAIL)) = cx.net.lookup(level, RecordType::NS).await {
            cut = level;
            break;
        }
    }
    // The zone above alone answers for DS records (RFC 4035 §3.1.4.1): of a name that it did not hand out it fails at
    // them as at all others.
    cx.net.lookup_uncached(cut, RecordType::DS).await?;
    Ok(true)
}

/// True where the zone around a name says that it is an alias, whatever becomes of its target.
async fn is_alias(cx: &Context<'_>, name: &str) -> Result<bool, NetError> {
    let answer = cx.net.lookup(name, RecordType::CNAME).await?;
    Ok(!answer.chain.is_empty() || answer.records.iter().any(|record| record.data.rtype() == RecordType::CNAME))
}

/// Name servers of a zone whose top is this very name. Fails where not all were read: one of the others may be somebody
/// else's.
async fn name_servers(cx: &Context<'_>, name: &str) -> Result<BTreeSet<String>> {
    let answer = match cx.net.lookup(name, RecordType::NS).await {
        // Of an alias the resolver asks whoever has its target: no zone begins at an alias (RFC 1912 §2.4).
        Err(NetError::Dns(Rcode::SERVFAIL)) if is_alias(cx, name).await? => return Ok(BTreeSet::new()),
        answer => answer?,
    };
    if answer.cut {
        return Err(NetError::TooLarge("records of one DNS answer").into());
    }
    let servers = answer.records.iter().filter(|record| record.name == name).filter_map(|record| match &record.data {
        RecordData::Ns(server) => Some(server.clone()),
        _ => None,
    });
    Ok(servers.collect())
}
