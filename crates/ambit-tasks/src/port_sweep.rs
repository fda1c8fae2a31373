//! Which of the ports of our list are open on an address? Each that is, is a service.

use crate::together::together;
use crate::{Answer, Contacts, Context, Plan, Task, TaskError, identify};
use ambit_model::moment::DAY_MS;
use ambit_model::{Clearance, Details, EdgeKind, Kind};
use serde_json::{Value, json};
use std::net::{IpAddr, SocketAddr};

pub(crate) const TASK: Task = Task {
    name: "port_sweep",
    pretty_name: "TCP port sweep",
    description: "Connects to the ports of our list. Where an address answers on every port, only services that speak their protocol count.",
    watches: &[Kind::IpAddress],
    produces: &[Kind::NetworkService],
    footprint: Clearance::L3,
    ttl_ms: DAY_MS,
    cost: 200,
    gain: 40,
    owns: &[
        (Kind::IpAddress, &["ports"]),
        (Kind::NetworkService, &["ip_address", "port", "proto", "protocol"]),
    ],
    volatile: &[],
    contacts: Contacts::Address,
    plan: |facts, _| Plan::once_if(facts.looked("port_oracle")),
    run: |cx| Box::pin(run(cx)),
};

/// Services of a catch-all address that are asked for their protocol at once.
const CONFIRM_IN_FLIGHT: usize = 8;

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let address: IpAddr = cx.facts.name.parse().map_err(|_| TaskError::Failed("not an address".into()))?;
    let sweep = cx.net.sweep_ports(address, &cx.settings.ports).await?;
    if let Some((_, error)) = sweep.failed.first() {
        return Err(error.clone().into());
    }
    let mut open = sweep.open;
    if catch_all(&cx.facts.details) {
        open = confirmed(cx, address, &open).await?;
    }
    open.sort_unstable();
    open.dedup();
    cx.observe("ports", open.iter().map(|port| json!({"number": port, "protocol": "tcp"})).collect());
    for port in &open {
        let socket = SocketAddr::new(address, *port);
        cx.found_with(Kind::NetworkService, &format!("{socket}/tcp"), EdgeKind::Service, members(socket));
    }
    Ok(Answer::found_if(!open.is_empty()))
}

fn catch_all(details: &Details) -> bool {
    details.get("hidden_catch_all") == Some(&Value::Bool(true))
}

/// Of open ports that prove nothing, those whose service spoke a protocol that we know.
async fn confirmed(cx: &Context<'_>, address: IpAddr, open: &[u16]) -> Result<Vec<u16>, TaskError> {
    let ask = |port: u16| async move { (port, identify::identify(cx, SocketAddr::new(address, port)).await) };
    let answers = together(open.iter().copied().map(ask).collect(), CONFIRM_IN_FLIGHT).await;
    let mut spoke = Vec::new();
    for (port, identity) in answers {
        match identity {
            Ok(identity) if identity.service.is_some() => spoke.push(port),
            Ok(_) | Err(TaskError::Failed(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(spoke)
}

fn members(socket: SocketAddr) -> Details {
    let members = json!({"ip_address": socket.ip().to_string(), "port": socket.port(), "proto": "tcp", "protocol": "tcp"});
    match members {
        Value::Object(members) => members,
        _ => Details::new(),
    }
}
