//! Finds which ports of the list are open on an address. Each of them is a service.

use crate::ask::bindings::open_ports;
use crate::ask::identify::hear;
use crate::ask::together::together;
use crate::{Answer, Contacts, Context, Plan, Task, TaskError};
use ambit_model::moment::DAY_MS;
use ambit_model::{Clearance, Details, EdgeKind, Kind, TaskName};
use ambit_net::{Meaning, NetError};
use serde_json::{Value, json};
use std::net::{IpAddr, SocketAddr};

pub(crate) const TASK: Task = Task {
    name: TaskName::PortSweep,
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
    plan: |facts, _| Plan::once_if(facts.looked(TaskName::PortOracle)),
    run: |cx| Box::pin(run(cx)),
};

/// Ports of a catch-all address that are asked for their protocol at once: most stay silent for as long as we wait.
const CONFIRM_IN_FLIGHT: usize = 32;
/// Ports of a catch-all address that count although it speaks the same protocol everywhere: those of a browser.
const BROWSER_PORTS: &[u16] = &[80, 443];

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let address: IpAddr = cx.facts.name.parse().map_err(|_| TaskError::Failed("not an address".into()))?;
    let catch_all = catch_all(&cx.facts.details);
    let sweep = cx.net.sweep_ports(address, &cx.settings.ports).await?;
    if let Some((_, error)) = sweep.failed.first() {
        return Err(error.clone().into());
    }
    let mut open = sweep.open;
    // What must not be asked now is as it was known.
    let known = open_ports(&cx.facts.details);
    open.extend(sweep.refused.iter().filter(|port| known.contains(port)));
    if catch_all {
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

/// Does a service of a catch-all address say more than its improbable ports do? Where those speak a protocol, that protocol is the machine's voice on
/// every port; where they speak several, nothing that it says is true.
fn counts(details: &Details, port: u16, service: &str) -> bool {
    let says: Vec<&str> = details
        .get("hidden_catch_all_says")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let browser = BROWSER_PORTS.contains(&port) && service == "HTTP";
    browser || (says.len() <= 1 && !says.contains(&service))
}

/// Of open ports that prove nothing, those whose service spoke a protocol that we know.
async fn confirmed(cx: &Context<'_>, address: IpAddr, open: &[u16]) -> Result<Vec<u16>, TaskError> {
    let ask = |port: u16| async move { (port, hear(cx, SocketAddr::new(address, port)).await) };
    let answers = together(open.iter().copied().map(ask), CONFIRM_IN_FLIGHT).await;
    let mut spoke = Vec::new();
    for (port, identity) in answers {
        match identity {
            Ok(identity) if identity.voice().is_some_and(|service| counts(&cx.facts.details, port, service)) => spoke.push(port),
            Ok(_) => {}
            Err(error) if was_asked(&error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(spoke)
}

/// Was the port asked, and did not speak? Where we could not or must not ask it, nothing is known.
fn was_asked(error: &NetError) -> bool {
    error.meaning() != Meaning::NotAsked && !matches!(error, NetError::Budget(_) | NetError::Offline(_))
}

fn members(socket: SocketAddr) -> Details {
    let members = json!({"ip_address": socket.ip().to_string(), "port": socket.port(), "proto": "tcp", "protocol": "tcp"});
    match members {
        Value::Object(members) => members,
        _ => Details::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_a_catch_all_address_only_what_differs_from_its_own_voice_counts() {
        let says = |voices: &[&str]| json!({"hidden_catch_all_says": voices}).as_object().cloned().unwrap();
        assert!(counts(&says(&[]), 8080, "HTTP"), "improbable ports stay silent: whoever speaks is there");
        assert!(!counts(&says(&["HTTP"]), 8080, "HTTP"));
        assert!(counts(&says(&["HTTP"]), 443, "TLS"), "encrypted, and not a browser's");
        assert!(counts(&says(&["HTTP"]), 22, "SSH"));
        assert!(counts(&says(&["HTTP"]), 443, "HTTP"), "a browser would see it");
        assert!(!counts(&says(&["FTP", "SSH"]), 25, "SMTP"), "a machine that says anything anywhere");
    }
}
