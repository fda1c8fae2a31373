//! Derives the host of a site or service that is a seed, because its addresses are needed to contact it. Sends nothing.

use crate::ask::bindings;
use crate::{Answer, Contacts, Context, Plan, Sights, Task, TaskError};
use ambit_model::entity::host_of;
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::{Clearance, EdgeKind, Kind, TaskName, Wave, workflow};
use std::net::IpAddr;

pub(crate) const TASK: Task = Task {
    name: TaskName::SeedHost,
    pretty_name: "Host of a seed",
    description: "Leads from a site, service or interface that was given as a seed to the host that it is on.",
    workflows: &[
        workflow::EXTERNAL_DISCOVERY,
        workflow::CLOUD_ACCOUNTS,
        workflow::APPLICATIONS,
        workflow::THIRD_PARTIES,
    ],
    watches: &[Kind::ApiEndpoint, Kind::AppEndpoint, Kind::NetworkService, Kind::Uri],
    produces: &[Kind::DnsRecord, Kind::Domain, Kind::IpAddress],
    footprint: Clearance::L0,
    wave: Wave::Passive,
    ttl_ms: 30 * DAY_MS,
    cost: 1,
    gain: 20,
    slow: false,
    volatile: &[],
    contacts: Contacts::Nothing,
    sights: Sights::All(Sighting::Nothing),
    plan: |facts, _| Plan::bound_if(facts.seed),
    run: |cx| Box::pin(run(cx)),
};

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let host = match cx.facts.kind {
        Kind::NetworkService => bindings::socket(cx.facts.kind, &cx.facts.name, "")
            .or_else(|| bindings::datagram_socket(&cx.facts.name))
            .map(|socket| socket.ip().to_string()),
        _ => Some(host_of(&cx.facts.name).to_owned()),
    };
    let host = host.ok_or_else(|| TaskError::Failed(format!("{:?} names no host", cx.facts.name)))?;
    match host.parse::<IpAddr>() {
        Ok(address) => cx.found(Kind::IpAddress, &address.to_string(), EdgeKind::Host),
        Err(_) => cx.found_host(&host, EdgeKind::Host),
    }
    Ok(Answer::Found)
}
