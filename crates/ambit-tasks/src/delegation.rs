//! Is a name below a domain answered by the domain's own servers, or was it handed to others?

use crate::host::{levels, same_domain};
use crate::{Context, TaskError};
use ambit_model::EdgeKind;
use ambit_net::NetError;
use ambit_net::dns::{RecordData, RecordType};
use std::collections::BTreeSet;

/// Labels between a domain and a name that are asked for a cut; deeper names are wild chains.
const LEVELS_MAX: usize = 8;

/// The edge from a domain to a name below it: `DelegatedSubdomain` where some level between them has name servers of its own, none of which is the
/// domain's or lies under it; `Subdomain` otherwise.
pub(crate) async fn edge_below(cx: &Context<'_>, domain: &str, name: &str) -> Result<EdgeKind, TaskError> {
    let mut own = None;
    for level in levels(name, domain).into_iter().take(LEVELS_MAX) {
        let servers = name_servers(cx, level).await?;
        if servers.is_empty() {
            continue;
        }
        if own.is_none() {
            own = Some(name_servers(cx, domain).await?);
        }
        let own = own.as_ref().expect("set above");
        if servers.iter().all(|server| !own.contains(server) && !same_domain(server, domain)) {
            return Ok(EdgeKind::DelegatedSubdomain);
        }
    }
    Ok(EdgeKind::Subdomain)
}

/// Says that a domain led to a name below it. Where nobody says whose the name is, it counts as handed to others, which allows less; or as what it was.
pub(crate) async fn found_below(cx: &Context<'_>, domain: &str, name: &str) -> Result<(), TaskError> {
    let known = || {
        let led = cx.facts.outward.iter().filter(|neighbour| neighbour.name == name);
        let mut edges = led.map(|neighbour| neighbour.edge);
        edges.find(|edge| matches!(edge, EdgeKind::Subdomain | EdgeKind::DelegatedSubdomain))
    };
    let edge = match edge_below(cx, domain, name).await {
        Err(TaskError::Failed(_)) => known().unwrap_or(EdgeKind::DelegatedSubdomain),
        edge => edge?,
    };
    cx.found_host(name, edge);
    Ok(())
}

/// The same of a name that a record of the domain tells of, where it exists; one that cannot be asked for now stays what it was.
pub(crate) async fn found_existing(cx: &Context<'_>, domain: &str, name: &str) -> Result<(), TaskError> {
    let exists = match cx.net.lookup(name, RecordType::A).await {
        Ok(answer) => !answer.is_nxdomain() || !answer.chain.is_empty(),
        Err(error @ NetError::Budget(_)) => return Err(error.into()),
        Err(_) => cx.facts.outward.iter().any(|neighbour| neighbour.name == name),
    };
    if exists { found_below(cx, domain, name).await } else { Ok(()) }
}

/// Name servers of a zone whose top is this very name.
async fn name_servers(cx: &Context<'_>, name: &str) -> Result<BTreeSet<String>, TaskError> {
    let answer = cx.net.lookup(name, RecordType::NS).await?;
    let servers = answer
        .records
        .iter()
        .filter(|record| record.name == name)
        .filter_map(|record| match &record.data {
            RecordData::Ns(server) => Some(server.clone()),
            _ => None,
        });
    Ok(servers.collect())
}
