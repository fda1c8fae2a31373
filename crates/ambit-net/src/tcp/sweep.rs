//! Port sweeps: many ports at once, within the rate limits. Ports without an answer are tried again, so
//! that loss is measured and not assumed.

use super::{PortState, PortSweep};
use crate::door::Door;
use crate::error::NetError;
use crate::guard::{Grant, Transport};
use crate::limits::{KNOCK_TIMEOUT, PROBE_TIMEOUT, SLOW_PROBE_TIMEOUT};
use futures::StreamExt;
use futures::stream;
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// Answering ports below which loss cannot be distinguished from filtering.
const LOSS_SAMPLE_MIN: usize = 20;
/// Loss, per mille, from which the silent ports of a sweep are asked a third time.
const LOSS_TO_REPEAT: usize = 10;
/// Silent ports that are asked a second time even where most ports are silent: the ones most often open.
const REPEAT_MAX: usize = 2_000;
/// Ports that an address which never answered is asked with more patience, and how many others with them: one that is
/// slow and not silent answers on some.
const USUAL: [u16; 6] = [443, 80, 22, 25, 53, 3389];
const OTHERS: usize = 6;

/// One port. A port without an answer is asked twice.
pub(crate) async fn probe(door: &Door, address: SocketAddr) -> Result<PortState, NetError> {
    match probe_once(door, address, PROBE_TIMEOUT).await? {
        PortState::Filtered => probe_once(door, address, PROBE_TIMEOUT).await,
        answered => Ok(answered),
    }
}

async fn probe_once(door: &Door, address: SocketAddr, limit: Duration) -> Result<PortState, NetError> {
    match door.knock(address, limit).await {
        Ok(()) => Ok(PortState::Open),
        Err(NetError::ConnectionRefused) => Ok(PortState::Closed),
        // A reset before the connection stood comes from a filter; so do the unreachables. Where this machine itself is
        // cut off, nothing was asked.
        Err(NetError::Timeout(_) | NetError::Reset(_) | NetError::Unreachable(_)) => Ok(PortState::Filtered),
        Err(error) => Err(error),
    }
}

/// Many ports of one address, `in_flight` at once.
pub(crate) async fn sweep(
    door: &Door,
    address: IpAddr,
    ports: &[u16],
    in_flight: usize,
) -> Result<PortSweep, NetError> {
    door.check_grant(Grant::Target)?;
    let mut states: BTreeMap<u16, Result<PortState, NetError>> = BTreeMap::new();
    let (mut silent, refused) = allowed(door, address, ports)?;
    let mut loss_permille = 0;
    for round in 0..3 {
        if round > 0 {
            silent.truncate(REPEAT_MAX);
        }
        let before = count_answers(&states);
        states.extend(ask_all(door, address, &silent, in_flight, PROBE_TIMEOUT).await?);
        let late = count_answers(&states) - before;
        silent = still_silent(&states);
        if round > 0 {
            loss_permille = late * 1_000 / (before + late).max(1);
        }
        let enough = round > 0 && (before + late < LOSS_SAMPLE_MIN || loss_permille < LOSS_TO_REPEAT);
        if silent.is_empty() || enough {
            break;
        }
    }
    if count_answers(&states) == 0 && !silent.is_empty() && !door.is_prompt(address) {
        states.extend(ask_slowly(door, address, silent, in_flight).await?);
    }
    let mut sweep =
        PortSweep { loss_permille: u16::try_from(loss_permille).unwrap_or(1_000), refused, ..PortSweep::default() };
    for (port, state) in states {
        match state {
            Ok(PortState::Open) => sweep.open.push(port),
            Ok(PortState::Closed) => sweep.closed.push(port),
            Ok(PortState::Filtered) => sweep.filtered.push(port),
            Err(error) => sweep.failed.push((port, error)),
        }
    }
    Ok(sweep)
}

/// Asks an address that has not answered so far with more patience: a few ports, and all where one of them answers.
async fn ask_slowly(
    door: &Door,
    address: IpAddr,
    silent: Vec<u16>,
    in_flight: usize,
) -> Result<BTreeMap<u16, Result<PortState, NetError>>, NetError> {
    let (usual, others): (Vec<u16>, Vec<u16>) = silent.iter().partition(|port| USUAL.contains(port));
    let some: Vec<u16> = usual.into_iter().chain(others.into_iter().take(OTHERS)).collect();
    let mut states: BTreeMap<_, _> =
        ask_all(door, address, &some, in_flight, SLOW_PROBE_TIMEOUT).await?.into_iter().collect();
    if count_answers(&states) > 0 {
        let rest = silent
            .into_iter()
            .filter(|port| !matches!(states.get(port), Some(Ok(state)) if *state != PortState::Filtered));
        let rest: Vec<u16> = rest.take(REPEAT_MAX).collect();
        states.extend(ask_all(door, address, &rest, in_flight, SLOW_PROBE_TIMEOUT).await?);
    }
    Ok(states)
}

/// The ports that have not answered so far.
fn still_silent(states: &BTreeMap<u16, Result<PortState, NetError>>) -> Vec<u16> {
    let silent = states.iter().filter(|(_, state)| matches!(state, Ok(PortState::Filtered)));
    silent.map(|(port, _)| *port).collect()
}

/// The ports that may be asked, and those that may not, sorted. An error where none may be.
fn allowed(door: &Door, address: IpAddr, ports: &[u16]) -> Result<(Vec<u16>, Vec<u16>), NetError> {
    let (mut allowed, mut refused, mut first) = (Vec::new(), Vec::new(), None);
    for port in ports.iter().copied().collect::<BTreeSet<u16>>() {
        match door.check(Grant::Target, SocketAddr::new(address, port), Transport::Tcp, None) {
            Ok(()) => allowed.push(port),
            Err(error) => {
                refused.push(port);
                first = first.or(Some(error));
            }
        }
    }
    match first {
        Some(error) if allowed.is_empty() => Err(error),
        _ => Ok((allowed, refused)),
    }
}

/// Many sockets of many addresses, each asked once; the answers in the order of the sockets.
pub(crate) async fn knock(
    door: &Door,
    sockets: &[SocketAddr],
    in_flight: usize,
) -> Result<Vec<(SocketAddr, Result<PortState, NetError>)>, NetError> {
    door.check_grant(Grant::Target)?;
    let asking = stream::iter(sockets.iter().copied())
        .map(|socket| async move { (socket, probe_once(door, socket, KNOCK_TIMEOUT).await) });
    let mut answers: Vec<_> = asking.buffer_unordered(in_flight.max(1)).collect().await;
    answers.sort_by_key(|(socket, _)| *socket);
    Ok(answers)
}

fn count_answers(states: &BTreeMap<u16, Result<PortState, NetError>>) -> usize {
    states.values().filter(|state| matches!(state, Ok(PortState::Open | PortState::Closed))).count()
}

/// Asks each port once. A contact that scope refuses now ends the sweep: scope has changed meanwhile.
async fn ask_all(
    door: &Door,
    address: IpAddr,
    ports: &[u16],
    in_flight: usize,
    limit: Duration,
) -> Result<Vec<(u16, Result<PortState, NetError>)>, NetError> {
    let mut asking = stream::iter(ports.iter().copied())
        .map(|port| async move { (port, probe_once(door, SocketAddr::new(address, port), limit).await) })
        .buffer_unordered(in_flight.max(1));
    let mut answers = Vec::with_capacity(ports.len());
    while let Some((port, state)) = asking.next().await {
        if let Err(refused @ (NetError::OutOfScope(_) | NetError::NoGrant(_))) = state {
            return Err(refused);
        }
        answers.push((port, state));
    }
    Ok(answers)
}
