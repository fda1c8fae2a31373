//! Checks whether an address accepts connections on ports that no service uses. If it does, open ports prove nothing,
//! and only services that speak count.

use crate::ask::identify::identify;
use crate::ask::together::together;
use crate::{Answer, Contacts, Context, Plan, Sights, Task, TaskError};
use ambit_model::entity::ip_address;
use ambit_model::moment::DAY_MS;
use ambit_model::observation::Sighting;
use ambit_model::ports::COMMON;
use ambit_model::{Clearance, Kind, TaskName, Wave, workflow};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

pub(crate) const TASK: Task = Task {
    name: TaskName::PortOracle,
    pretty_name: "Catch-all ports",
    description: "Tries improbable ports: an address that answers on them answers on all.",
    workflows: &[workflow::EXTERNAL_DISCOVERY, workflow::CLOUD_ACCOUNTS],
    watches: &[Kind::IpAddress],
    produces: &[],
    footprint: Clearance::L3,
    wave: Wave::Sweeps,
    ttl_ms: DAY_MS,
    cost: PROBES as i64,
    gain: 8,
    slow: false,
    volatile: &[],
    contacts: Contacts::Address,
    sights: Sights::All(Sighting::Entity),
    plan: |_, _| Plan::Once,
    run: |cx| Box::pin(run(cx)),
};

/// Improbable ports that are tried.
const PROBES: usize = 8;
/// Of them, how many must be open: a real host has none, loss may hide a few.
const OPEN_MIN: usize = 4;
/// Improbable ports of a catch-all address that are asked for their protocol.
const VOICES: usize = 3;
/// Improbable ports lie here: above all registered ones, below the range from which systems take client ports.
const RANGE: std::ops::Range<u16> = 28_100..32_300;

async fn run(cx: &Context<'_>) -> Result<Answer, TaskError> {
    let address: IpAddr = cx.facts.name.parse().map_err(|_| TaskError::Failed("not an address".into()))?;
    let ports = improbable(&cx.facts.name, COMMON);
    let sweep = cx.net.sweep_ports(address, &ports).await?;
    if let Some((_, error)) = sweep.failed.first() {
        return Err(error.clone().into());
    }
    let catch_all = sweep.open.len() >= OPEN_MIN;
    if catch_all {
        cx.observe(ip_address::CATCH_ALL, true);
        cx.observe(
            ip_address::CATCH_ALL_SAYS,
            voices(cx, address, &sweep.open).await?.into_iter().map(str::to_owned).collect::<Vec<_>>(),
        );
    }
    Ok(Answer::found_if(catch_all))
}

/// The protocols that a catch-all address speaks where nothing can be, sorted.
async fn voices(cx: &Context<'_>, address: IpAddr, open: &[u16]) -> Result<BTreeSet<&'static str>, TaskError> {
    let ask = |port: u16| async move { identify(cx, SocketAddr::new(address, port)).await };
    let mut said = BTreeSet::new();
    for answer in together(open.iter().take(VOICES).copied().map(ask), VOICES).await {
        match answer {
            Ok(identity) => said.extend(identity.voice()),
            Err(error) if error.is_no_answer() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(said)
}

/// Ports on which nothing is, the same for the same address each time, so that an answer does not depend on chance.
fn improbable(address: &str, known: &[u16]) -> Vec<u16> {
    let mut ports = BTreeSet::new();
    let mut round = 0_u32;
    while ports.len() < PROBES {
        let hash = Sha256::digest(format!("{address}#{round}"));
        let port = RANGE.start + u16::from_be_bytes([hash[0], hash[1]]) % (RANGE.end - RANGE.start);
        if !known.contains(&port) {
            ports.insert(port);
        }
        round += 1;
    }
    ports.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn improbable_ports_are_many_and_the_same_each_time() {
        let ports = improbable("203.0.113.7", &[30_000]);
        assert_eq!(ports.len(), PROBES);
        assert_eq!(ports, improbable("203.0.113.7", &[30_000]));
        assert_ne!(ports, improbable("203.0.113.8", &[30_000]));
        assert!(!improbable("203.0.113.7", &ports).iter().any(|port| ports.contains(port)));
    }
}
