//! Finds the services of an address that speak over UDP. Each of them is a service.

use crate::ask::bindings::services_stand;
use crate::ask::datagram;
use crate::tasks::port_sweep::members;
use crate::{Again, Answer, Context, Plan, Task, TaskError};
use ambit_model::entity::ip_address::{self, Port};
use ambit_model::{Details, EdgeKind, Kind, TaskName, workflow};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};

pub(crate) const TASK: Task = Task {
    name: TaskName::UdpSweep,
    pretty_name: "UDP services",
    description: "Asks DNS, NTP, SNMP, IKE, SIP, STUN, TFTP, mDNS, SSDP, memcached, NetBIOS, CoAP and QUIC each with \
                  one small datagram of the protocol. A service is there where its answer proves it.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::IpAddress],
    produces: &[Kind::NetworkService],
    again: Again::Found(&[]),
    cost: 15,
    gain: 15,
    slow: true,
    plan: |_, _| Plan::Once,
    run: |cx| Box::pin(run(cx)),
    ..Task::PROBES
};

/// How often a port that spoke before is asked until it counts as silent: datagrams are lost.
const TRIES_OF_KNOWN: usize = 3;

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let address: IpAddr = cx.facts.name.parse().map_err(|_| TaskError::Failed("not an address".into()))?;
    let known = known(&cx.facts.details);
    let (mut there, mut failures) = (BTreeSet::new(), BTreeMap::new());
    let mut ports = datagram::ports();
    if cx.verifies() {
        ports.retain(|port| known.contains(port));
        let spoke = datagram::send(cx, address, &ports).await.end(cx).await.1;
        if !known.is_empty() && known.iter().all(|port| matches!(spoke.get(port), Some(Ok(true)))) {
            report(cx, address, &known, &known);
            return Ok(Answer::Found);
        }
        cx.ask_for_all();
        ports = datagram::ports();
    }
    for _ in 0..TRIES_OF_KNOWN {
        for (port, speaks) in datagram::send(cx, address, &ports).await.end(cx).await.1 {
            match speaks {
                Ok(false) => continue,
                Ok(true) => drop(there.insert(port)),
                Err(error) => drop(failures.insert(port, error)),
            }
            ports.remove(&port);
        }
        // What was there may have lost its answer on the way.
        ports.retain(|port| known.contains(port));
        if ports.is_empty() {
            break;
        }
    }
    if there.is_empty() {
        return Answer::despite(false, failures.into_values().next());
    }
    // What could not be asked now is as it was known.
    let standing = services_stand(cx, TASK.name, &failures.keys().copied().collect());
    let ports: BTreeSet<u16> = there.iter().copied().chain(standing).collect();
    report(cx, address, &ports, &there);
    Answer::despite(true, failures.into_values().next())
}

/// Reports the ports of an address, and a service on each of those that spoke.
fn report(cx: &Context<'_>, address: IpAddr, ports: &BTreeSet<u16>, there: &BTreeSet<u16>) {
    let ports = ports.iter().map(|number| Port { number: *number, protocol: "udp".to_owned() });
    cx.observe(ip_address::PORTS, ports.collect::<Vec<_>>());
    for port in there {
        let socket = SocketAddr::new(address, *port);
        cx.found_with(Kind::NetworkService, &format!("{socket}/udp"), EdgeKind::Service, members(socket, "udp"));
    }
}

/// UDP ports that are known of the address.
fn known(details: &Details) -> BTreeSet<u16> {
    ip_address::PORTS.items(details).filter(|port| port.protocol == "udp").map(|port| port.number).collect()
}
