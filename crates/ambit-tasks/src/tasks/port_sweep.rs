//! Finds which ports of the list are open on an address. Each of them is a service.

use crate::ask::bindings::open_ports;
use crate::ask::identify::hear;
use crate::ask::together::together;
use crate::{Answer, Contacts, Context, Plan, Sights, Task, TaskError};
use ambit_model::entity::ip_address::Port;
use ambit_model::entity::network_service::Service;
use ambit_model::entity::{ip_address, network_service};
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::{Clearance, Details, EdgeKind, Kind, TaskName, Wave, workflow};
use ambit_net::{Meaning, NetError};
use serde_json::json;
use std::net::{IpAddr, SocketAddr};

pub(crate) const TASK: Task = Task {
    name: TaskName::PortSweep,
    pretty_name: "TCP port sweep",
    description: "Connects to the ports of our list, or to those that the person asked for. Where an address answers \
                  on every port, only services that speak their protocol count.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::IpAddress],
    produces: &[Kind::NetworkService],
    footprint: Clearance::L3,
    wave: Wave::Sweeps,
    ttl_ms: DAY_MS,
    cost: 200,
    gain: 40,
    slow: true,
    volatile: &[],
    contacts: Contacts::Address,
    sights: Sights::All(Sighting::Entity),
    plan: |facts, _| Plan::once_if(facts.looked(TaskName::PortOracle)),
    run: |cx| Box::pin(run(cx)),
};

/// Ports of a catch-all address that are asked for their protocol at once: most stay silent for as long as we wait.
const CONFIRM_IN_FLIGHT: usize = 32;
/// Ports of a catch-all address that count although it speaks the same protocol everywhere: those of a browser.
const BROWSER_PORTS: &[u16] = &[80, 443];

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let address: IpAddr = cx.facts.name.parse().map_err(|_| TaskError::Failed("not an address".into()))?;
    let catch_all = ip_address::CATCH_ALL.is_true(&cx.facts.details);
    // A list without them does not make known services gone.
    let known = open_ports(&cx.facts.details);
    let asked: Vec<u16> = cx.settings.ports.iter().copied().chain(known.iter().copied()).collect();
    let sweep = cx.net.sweep_ports(address, &asked).await?;
    if let Some((_, error)) = sweep.failed.first() {
        return Err(error.clone().into());
    }
    let mut open = sweep.open;
    // What must not be asked now is as it was known.
    open.extend(sweep.refused.iter().filter(|port| known.contains(port)));
    if catch_all {
        open = confirmed(cx, address, &open).await?;
    }
    open.sort_unstable();
    open.dedup();
    cx.observe(
        ip_address::PORTS,
        open.iter().map(|port| Port { number: *port, protocol: "tcp".to_owned() }).collect::<Vec<_>>(),
    );
    for port in &open {
        let socket = SocketAddr::new(address, *port);
        cx.found_with(Kind::NetworkService, &format!("{socket}/tcp"), EdgeKind::Service, members(socket));
    }
    Ok(Answer::found_if(!open.is_empty()))
}

/// Does a service of a catch-all address say more than its improbable ports do? Where those speak a protocol, that
/// protocol is the machine's voice on every port; where they speak several, nothing that it says is true.
fn counts(details: &Details, port: u16, service: &str) -> bool {
    let says: Vec<&str> = ip_address::CATCH_ALL_SAYS.texts(details).collect();
    let browser = BROWSER_PORTS.contains(&port) && service == Service::Http.as_str();
    browser || (says.len() <= 1 && !says.contains(&service))
}

/// Of open ports that prove nothing, those whose service spoke a protocol that we know.
async fn confirmed(cx: &Context<'_>, address: IpAddr, open: &[u16]) -> Result<Vec<u16>, TaskError> {
    let ask = |port: u16| async move { (port, hear(cx, SocketAddr::new(address, port)).await) };
    let answers = together(open.iter().copied().map(ask), CONFIRM_IN_FLIGHT).await;
    let mut spoke = Vec::new();
    for (port, identity) in answers {
        match identity {
            Ok(identity) if identity.voice().is_some_and(|service| counts(&cx.facts.details, port, service)) => {
                spoke.push(port)
            }
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
    Details::from_iter([
        network_service::IP_ADDRESS.is(json!(socket.ip().to_string())),
        network_service::PORT.is(json!(socket.port())),
        network_service::PROTO.is(json!("tcp")),
        network_service::PROTOCOL.is(json!("tcp")),
    ])
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
