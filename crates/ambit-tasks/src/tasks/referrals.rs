//! The servers of names that a zone handed away and for which none of them answers. A resolver tells nothing of such a
//! delegation; the zone's own servers say to whom the names were handed.

use crate::tasks::dangling::{gone, server_gone};
use crate::tasks::zone_profile::found_server;
use crate::tasks::zone_transfer::{PORT, own_servers};
use crate::{Answer, Context, Plan, Result, Sights, Task};
use ambit_model::entity::domain::{self, Dangling, DanglingReason, DeadDelegation};
use ambit_model::observation::Sighting;
use ambit_model::{Clearance, Facts, Kind, TaskName, Wave, workflow};
use ambit_net::NetError;
use ambit_net::dns::{DnsAnswer, RecordType};
use std::collections::BTreeSet;
use std::net::SocketAddr;

pub(crate) const TASK: Task = Task {
    name: TaskName::Referrals,
    pretty_name: "Referrals",
    description: "Asks a zone's own servers to which servers they delegate names for which nobody answers.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::DnsRecord, Kind::Domain],
    produces: &[Kind::DnsRecord, Kind::Domain, Kind::Nameserver],
    footprint: Clearance::L3,
    wave: Wave::Words,
    cost: 2,
    gain: 2,
    sights: Sights::All(Sighting::Entity),
    plan: |facts, _| {
        if facts.decision.scoped() { Plan::bound(lame(facts)) } else { Plan::No }
    },
    run: |cx| Box::pin(run(cx)),
    ..Task::ASKS_NAMES
};

/// Servers of one delegation that are told; one has seldom more than this (RFC 1034 asks for two).
const SERVERS_MAX: usize = 13;

/// Names that were handed to servers of which none answers, where the zone has servers of its own to ask.
fn lame(facts: &Facts) -> BTreeSet<String> {
    if own_servers(facts).is_empty() {
        return BTreeSet::new();
    }
    let dead = domain::DEAD_DELEGATIONS.items(&facts.details);
    dead.filter(|item| item.reason == DanglingReason::Lame).map(|item| item.name).collect()
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let mut failure = None;
    for server in own_servers(cx.facts) {
        for address in cx.net.addresses(&server).await? {
            match cx.net.ask(SocketAddr::new(address, PORT), cx.argument, RecordType::NS).await {
                Ok(answer) if answer.referral_cut => {
                    failure = Some(NetError::TooLarge("servers of one referral"));
                }
                Ok(answer) => {
                    return led_to(cx, servers(&answer, cx.argument)).await;
                }
                Err(error @ NetError::Budget(_)) => return Err(error.into()),
                Err(error) => failure = Some(error),
            }
        }
    }
    failure.map_or(Ok(Answer::Absent), |error| Err(error.into()))
}

/// Leads to the servers, and records which of them do not exist. A server that could not be looked up is what it was.
async fn led_to(cx: &Context<'_>, servers: BTreeSet<String>) -> Result<Answer> {
    let servers: BTreeSet<String> = cx.kept(TASK.name, servers, SERVERS_MAX, "servers").into_iter().collect();
    for server in &servers {
        found_server(cx, Kind::Nameserver, server).await?;
    }
    let known = domain::DEAD_REFERRALS.items(&cx.facts.details).filter(|item| item.name == cx.argument);
    let known: Vec<Dangling> = known.map(|item| server_gone(&item.target, item.reason)).collect();
    let gone = gone(cx, "NS", &servers.clone().into(), &known).await;
    let dead = gone.items.into_iter().map(|item| DeadDelegation {
        name: cx.argument.to_owned(),
        target: item.target,
        reason: item.reason,
    });
    cx.observe(domain::DEAD_REFERRALS, dead.collect::<Vec<_>>());
    Ok(Answer::found_if(!servers.is_empty()))
}

/// To whom the server says that the name was handed.
fn servers(answer: &DnsAnswer, name: &str) -> BTreeSet<String> {
    let own = answer.referral.iter().filter(|record| record.name == name);
    own.filter_map(|record| record.data.target()).map(str::to_owned).collect()
}
