//! Finds which ports of the list are open on an address. Each of them is a service. Ports that no service uses are
//! asked beside them: an address that accepts connections on those accepts them on all, so that its open ports prove
//! nothing, and only services that speak count.

use crate::ask::bindings::{announced_ports, open_ports, services_stand};
use crate::ask::identify::identify;
use crate::ask::together::together;
use crate::{Again, Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::ip_address::Port;
use ambit_model::entity::network_service::Service;
use ambit_model::entity::{ip_address, network_service};
use ambit_model::ports::{BROWSER, COMMON};
use ambit_model::{Details, EdgeKind, Kind, TaskName, Wave, workflow};
use ambit_net::{Meaning, NetError};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

pub(crate) const TASK: Task = Task {
    name: TaskName::PortSweep,
    pretty_name: "TCP port sweep",
    description: "Connects to the default ports, or to those that were asked for, and to those in a name's HTTPS \
                  record. Where an address answers on every port, only services that speak their protocol count.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::IpAddress],
    produces: &[Kind::NetworkService],
    wave: Wave::Sweeps,
    again: Again::Found(&[]),
    cost: 200,
    gain: 40,
    slow: true,
    plan: |_, _| Plan::Once,
    run: |cx| Box::pin(run(cx)),
    ..Task::PROBES
};

/// Ports of a catch-all address that are asked for their protocol at once: most stay silent for as long as we wait.
const CONFIRM_IN_FLIGHT: usize = 32;

/// Improbable ports that are tried.
const PROBES: usize = 8;
/// Of them, how many must be open: a real host has none, loss may hide a few.
const OPEN_MIN: usize = 4;
/// Improbable ports of a catch-all address that are asked for their protocol.
const VOICES: usize = 3;
/// Improbable ports lie here: above all registered ones, below the range from which systems take client ports.
const RANGE: std::ops::Range<u16> = 28_100..32_300;

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let address: IpAddr = cx.facts.name.parse().map_err(|_| TaskError::Failed("not an address".into()))?;
    // A list without them does not make known services gone.
    let known = open_ports(&cx.facts.details);
    let names = cx.facts.from(EdgeKind::ResolvesTo);
    let announced = names.flat_map(|name| announced_ports(&name.name, &name.details));
    let announced: BTreeSet<u16> = announced.chain(known.iter().copied()).collect();
    if cx.verifies() {
        if !ip_address::CATCH_ALL.is_true(&cx.facts.details) && is_as_it_was(cx, address, &known, &announced).await? {
            return Ok(Answer::Found);
        }
        cx.ask_for_all();
    }
    let listed: BTreeSet<u16> = cx.settings.ports.iter().copied().chain(announced).collect();
    let improbable = improbable(&cx.facts.name);
    let asked: Vec<u16> = listed.union(&improbable).copied().collect();
    let sweep = cx.net.sweep_ports(address, &asked).await?;
    let failure = sweep.failed.first().map(|(_, error)| TaskError::from(error.clone()));
    let untold = sweep.failed.iter().filter(|(port, _)| improbable.contains(port)).count();
    let improbable: Vec<u16> = sweep.open.iter().filter(|port| improbable.contains(port)).copied().collect();
    let is_catch_all = match (&failure, is_catch_all(improbable.len(), untold)) {
        (Some(failure), None) => return Err(failure.clone()),
        (Some(failure), _) if sweep.open.is_empty() => return Err(failure.clone()),
        (_, said) => said == Some(true),
    };
    let mut open: Vec<u16> = sweep.open.into_iter().filter(|port| listed.contains(port)).collect();
    // What must not or could not be asked now is as it was known.
    let unasked = sweep.refused.iter().chain(sweep.failed.iter().map(|(port, _)| port)).copied().collect();
    if is_catch_all {
        cx.observe(ip_address::CATCH_ALL, true);
        let (confirmed, says) = confirmed(cx, address, &open, &improbable[..VOICES.min(improbable.len())]).await?;
        cx.observe(ip_address::CATCH_ALL_SAYS, says.into_iter().map(str::to_owned).collect::<Vec<_>>());
        open = confirmed;
    }
    let standing = services_stand(cx, TASK.name, &unasked);
    let ports: BTreeSet<u16> = open.iter().copied().chain(standing).collect();
    let is_found = !ports.is_empty();
    report(cx, address, &ports, &open);
    Answer::despite(is_found, failure)
}

/// Asks the known ports alone, and those that a name announces. Reports them and returns true where all that were open
/// are.
async fn is_as_it_was(
    cx: &Context<'_>,
    address: IpAddr,
    known: &BTreeSet<u16>,
    announced: &BTreeSet<u16>,
) -> Result<bool> {
    let asked: Vec<u16> = announced.iter().copied().collect();
    let sweep = cx.net.sweep_ports(address, &asked).await?;
    let open: BTreeSet<u16> = sweep.open.iter().copied().collect();
    let is_as_it_was = !open.is_empty() && known.is_subset(&open);
    if is_as_it_was {
        report(cx, address, &open, &sweep.open);
    }
    Ok(is_as_it_was)
}

/// Reports the ports of an address, and a service on each of those that are open.
fn report(cx: &Context<'_>, address: IpAddr, ports: &BTreeSet<u16>, open: &[u16]) {
    let ports = ports.iter().map(|number| Port { number: *number, protocol: "tcp".to_owned() });
    cx.observe(ip_address::PORTS, ports.collect::<Vec<_>>());
    for port in open {
        let socket = SocketAddr::new(address, *port);
        cx.found_with(Kind::NetworkService, &format!("{socket}/tcp"), EdgeKind::Service, members(socket, "tcp"));
    }
}

/// Returns whether the address accepts connections on ports that nothing uses, from the numbers of open and of
/// unanswered ones. `None` if too few were answered to tell.
fn is_catch_all(open: usize, untold: usize) -> Option<bool> {
    if open >= OPEN_MIN || (open > 0 && untold > 0) {
        return Some(true);
    }
    (untold <= PROBES - OPEN_MIN).then_some(false)
}

/// Ports on which nothing is, the same for the same address each time, so that an answer does not depend on chance.
fn improbable(address: &str) -> BTreeSet<u16> {
    let hashes = (0_u32..).map(|round| Sha256::digest(format!("{address}#{round}")));
    let ports = hashes.map(|hash| RANGE.start + u16::from_be_bytes([hash[0], hash[1]]) % (RANGE.end - RANGE.start));
    let mut found = BTreeSet::new();
    for port in ports.filter(|port| !COMMON.contains(port)) {
        found.insert(port);
        if found.len() == PROBES {
            break;
        }
    }
    found
}

/// Returns whether a service of a catch-all address is real. If the improbable ports speak one protocol, that protocol
/// is what the machine speaks on every port, except on the ports of browsers; if they speak several, no answer of the
/// machine can be trusted.
fn counts(says: &BTreeSet<&str>, port: u16, service: &str) -> bool {
    let browser = BROWSER.contains(&port) && service == Service::Http.as_str();
    browser || (says.len() <= 1 && !says.contains(service))
}

/// Of open ports that prove nothing, those whose service speaks a protocol that we know and the improbable ones do not;
/// and the protocols of those.
async fn confirmed(
    cx: &Context<'_>,
    address: IpAddr,
    open: &[u16],
    improbable: &[u16],
) -> Result<(Vec<u16>, BTreeSet<&'static str>)> {
    let ask = |port: u16| async move { (port, identify(cx, SocketAddr::new(address, port)).await) };
    let asked: BTreeSet<u16> = improbable.iter().chain(open).copied().collect();
    // The improbable ports come first, because their answers decide how the others count.
    let asked = improbable.iter().copied().chain(asked.into_iter().filter(|port| !improbable.contains(port)));
    let (mut says, mut spoke) = (BTreeSet::new(), Vec::new());
    for (port, identity) in together(asked.map(ask), CONFIRM_IN_FLIGHT).await {
        let voice = match identity {
            Ok(identity) => identity.voice(),
            Err(error) if was_asked(&error) => None,
            Err(error) => return Err(error.into()),
        };
        if improbable.contains(&port) {
            says.extend(voice);
        }
        if open.contains(&port) {
            spoke.extend(voice.map(|voice| (port, voice)));
        }
    }
    let counted = spoke.into_iter().filter(|(port, voice)| counts(&says, *port, voice)).map(|(port, _)| port);
    let counted = counted.collect();
    Ok((counted, says))
}

/// Returns whether the port was probed and stayed silent. If it could not or must not be probed, nothing is known.
fn was_asked(error: &NetError) -> bool {
    error.meaning() != Meaning::NotAsked && !matches!(error, NetError::Budget(_) | NetError::Offline(_))
}

/// What a service at a port is by its place.
pub(crate) fn members(socket: SocketAddr, protocol: &str) -> Details {
    Details::from_iter([
        network_service::IP_ADDRESS.is(json!(socket.ip().to_string())),
        network_service::PORT.is(json!(socket.port())),
        network_service::PROTO.is(json!(protocol)),
        network_service::PROTOCOL.is(json!(protocol)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_a_catch_all_address_only_what_differs_from_its_own_voice_counts() {
        let says = |voices: &[&'static str]| voices.iter().copied().collect::<BTreeSet<_>>();
        assert!(counts(&says(&[]), 8080, "HTTP"), "improbable ports stay silent: whoever speaks is there");
        assert!(!counts(&says(&["HTTP"]), 8080, "HTTP"));
        assert!(counts(&says(&["HTTP"]), 443, "TLS"), "encrypted, and not a browser's");
        assert!(counts(&says(&["HTTP"]), 22, "SSH"));
        assert!(counts(&says(&["HTTP"]), 443, "HTTP"), "a browser would see it");
        assert!(!counts(&says(&["FTP", "SSH"]), 25, "SMTP"), "a machine that says anything anywhere");
    }

    #[test]
    fn an_address_that_accepts_everywhere_is_told_by_the_improbable_ports_that_were_asked() {
        let told = [(0, 0), (3, 0), (4, 0), (0, 4), (1, 1), (0, 5)].map(|(open, untold)| is_catch_all(open, untold));
        assert_eq!(told, [Some(false), Some(false), Some(true), Some(false), Some(true), None]);
    }

    #[test]
    fn improbable_ports_are_many_and_the_same_each_time() {
        let ports = improbable("203.0.113.7");
        assert_eq!(ports.len(), PROBES);
        assert_eq!(ports, improbable("203.0.113.7"));
        assert_ne!(ports, improbable("203.0.113.8"));
        assert!(ports.iter().all(|port| RANGE.contains(port) && !COMMON.contains(port)));
    }
}
