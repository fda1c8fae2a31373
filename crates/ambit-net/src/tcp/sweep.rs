//! Port sweeps: many ports at once, within the rate limits. Ports without an answer are tried again, so
//! that loss is measured and not assumed.

use super::half_open::HalfOpen;
use super::{Answers, PortState, PortSweep};
use crate::door::{Admissions, Door};
use crate::error::{NetError, Result};
use crate::guard::{Grant, Transport};
use crate::limits::{PROBE_TIMEOUT, SLOW_PROBE_TIMEOUT};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::ops::ControlFlow;
use std::time::Duration;

/// Answering ports below which loss cannot be distinguished from filtering.
const LOSS_SAMPLE_MIN: usize = 20;
/// Loss, per mille, from which the silent ports of a sweep are asked a third time.
const LOSS_TO_REPEAT: usize = 10;
/// Loss on the way, per mille, below which an address is asked a few of its silent ports again before all.
pub(super) const LOSS_LITTLE: u32 = 5;
/// Loss on the way, per mille, from which nothing is said of addresses that stay silent.
const LOSS_MAX: u32 = 400;
/// Times that each port of a sweep is asked at most, and each of a block.
pub(super) const ROUNDS: usize = 3;
/// Silent ports that are asked a second time even where most ports are silent: the ones most often open.
const REPEAT_MAX: usize = 2_000;
/// Silent ports that show whether an address loses what is asked.
const REPEAT_SOME: usize = 32;
/// Ports asked with half a handshake that count as one connection: each is a row of a table and takes no socket.
const HALF_OPEN_OF_ONE: usize = 8;
/// Questions of one sweep that wait for their turn: as many as a rate lets out between two ticks of the timer.
const TURNS_AHEAD: usize = 32;
/// Ports that an address which never answered is asked with more patience, and how many others with them: one that is
/// slow and not silent answers on some.
const USUAL: [u16; 6] = [443, 80, 22, 25, 53, 3389];
const OTHERS: usize = 6;

/// What an answer says of a port.
fn state_of(answer: Result<()>) -> Result<PortState> {
    match answer {
        Ok(()) => Ok(PortState::Open),
        Err(NetError::ConnectionRefused) => Ok(PortState::Closed),
        // A reset before the connection stood comes from a filter; so do the unreachables. Where this machine itself is
        // cut off, nothing was asked.
        Err(NetError::Timeout(_) | NetError::Reset(_) | NetError::Unreachable(_)) => Ok(PortState::Filtered),
        Err(error) => Err(error),
    }
}

/// Many ports of one address, `in_flight` at once.
pub(crate) async fn sweep(door: &Door, address: IpAddr, ports: &[u16], in_flight: usize) -> Result<PortSweep> {
    door.check_grant(Grant::Target)?;
    let (asked, refused) = allowed(door, address, ports)?;
    let mut said = ask_all(door, address, &asked, in_flight, PROBE_TIMEOUT).await?;
    let mut loss_permille = 0;
    for round in 1..ROUNDS {
        let (repeated, is_sample) = to_repeat(said.silent.clone(), round, door.loss_permille());
        if repeated.is_empty() {
            break;
        }
        let before = said.answers();
        said.take_again(&repeated, ask_all(door, address, &repeated, in_flight, PROBE_TIMEOUT).await?);
        let late = said.answers() - before;
        loss_permille = late * 1_000 / said.answers().max(1);
        let enough = said.answers() < LOSS_SAMPLE_MIN || loss_permille < LOSS_TO_REPEAT;
        if enough && !(is_sample && late > 0) {
            break;
        }
    }
    if said.answers() == 0 && !said.silent.is_empty() && !door.is_prompt(address) {
        ask_slowly(door, address, &mut said, in_flight).await?;
    }
    if let Some(lost) = most_is_lost(door) {
        said.fail_silent(&lost);
    }
    said.sort();
    let Answers { open, closed, silent, failed } = said;
    let loss_permille = u16::try_from(loss_permille).unwrap_or(1_000);
    Ok(PortSweep { open, closed, filtered: silent, refused, failed, loss_permille })
}

impl<T> Default for Answers<T> {
    fn default() -> Self {
        Self { open: Vec::new(), closed: Vec::new(), silent: Vec::new(), failed: Vec::new() }
    }
}

impl<T: Copy + Ord> Answers<T> {
    pub(super) fn note(&mut self, port: T, state: Result<PortState>) {
        match state {
            Ok(PortState::Open) => self.open.push(port),
            Ok(PortState::Closed) => self.closed.push(port),
            Ok(PortState::Filtered) => self.silent.push(port),
            Err(error) => self.failed.push((port, error)),
        }
    }

    /// Takes over the results of silent ports that were probed again.
    pub(super) fn take_again(&mut self, asked: &[T], again: Self) {
        let asked: BTreeSet<T> = asked.iter().copied().collect();
        self.silent.retain(|port| !asked.contains(port));
        self.open.extend(again.open);
        self.closed.extend(again.closed);
        self.silent.extend(again.silent);
        self.failed.extend(again.failed);
    }

    /// How many answered.
    fn answers(&self) -> usize {
        self.open.len() + self.closed.len()
    }

    /// Where silence means nothing, silent ports have failed.
    pub(super) fn fail_silent(&mut self, lost: &NetError) {
        self.failed.extend(std::mem::take(&mut self.silent).into_iter().map(|port| (port, lost.clone())));
    }

    pub(super) fn sort(&mut self) {
        [&mut self.open, &mut self.closed, &mut self.silent].into_iter().for_each(|ports| ports.sort_unstable());
        self.failed.sort_unstable_by_key(|(port, _)| *port);
    }
}

/// The silent ports that are asked again in a round, and whether they are a sample: where next to nothing is lost on
/// the way, a few tell whether the address itself loses questions.
fn to_repeat(mut silent: Vec<u16>, round: usize, on_the_way: Option<u32>) -> (Vec<u16>, bool) {
    silent.sort_unstable();
    if round == 1 && silent.len() > REPEAT_SOME && on_the_way.is_some_and(|loss| loss < LOSS_LITTLE) {
        silent.sort_by_key(|port| !USUAL.contains(port));
        silent.truncate(REPEAT_SOME);
        return (silent, true);
    }
    silent.truncate(REPEAT_MAX);
    (silent, false)
}

/// Asks an address that has not answered so far with more patience: a few ports, and all where one of them answers.
async fn ask_slowly(door: &Door, address: IpAddr, said: &mut Answers<u16>, in_flight: usize) -> Result<()> {
    said.sort();
    let (usual, others): (Vec<u16>, Vec<u16>) = said.silent.iter().partition(|port| USUAL.contains(port));
    let some: Vec<u16> = usual.into_iter().chain(others.into_iter().take(OTHERS)).collect();
    said.take_again(&some, ask_all(door, address, &some, in_flight, SLOW_PROBE_TIMEOUT).await?);
    if said.answers() > 0 {
        said.sort();
        let rest: Vec<u16> = said.silent.iter().copied().take(REPEAT_MAX).collect();
        said.take_again(&rest, ask_all(door, address, &rest, in_flight, SLOW_PROBE_TIMEOUT).await?);
    }
    Ok(())
}

/// The ports that may be asked, and those that may not, sorted. An error where none may be.
fn allowed(door: &Door, address: IpAddr, ports: &[u16]) -> Result<(Vec<u16>, Vec<u16>)> {
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

/// What is said of ports that stay silent where the way loses so much that silence means nothing.
pub(super) fn most_is_lost(door: &Door) -> Option<NetError> {
    let loss = door.loss_permille().filter(|loss| *loss >= LOSS_MAX)?;
    Some(NetError::Budget(format!("{} of 100 answers of ports came late or not at all: lower the rate", loss / 10)))
}

/// Asks each port once. A contact that scope refuses now is an error: scope has changed meanwhile.
async fn ask_all(
    door: &Door,
    address: IpAddr,
    ports: &[u16],
    in_flight: usize,
    limit: Duration,
) -> Result<Answers<u16>> {
    let sockets = ports.iter().map(|port| SocketAddr::new(address, *port));
    let (mut said, mut forbidden) = (Answers::default(), None);
    let mut take = |socket: SocketAddr, state| match state {
        Err(refused @ (NetError::OutOfScope(_) | NetError::NoGrant(_))) => {
            forbidden = Some(refused);
            ControlFlow::Break(())
        }
        state => {
            said.note(socket.port(), state);
            ControlFlow::Continue(())
        }
    };
    probe_all(door, sockets, (in_flight, limit), &mut take).await;
    forbidden.map_or(Ok(said), Err)
}

/// Asks each socket once, at most `in_flight` connections at a time ([`HALF_OPEN_OF_ONE`] times as many with half a
/// handshake), until an answer breaks it off; the answers as they come. At most [`TURNS_AHEAD`] wait for their turn.
pub(super) async fn probe_all(
    door: &Door,
    mut sockets: impl Iterator<Item = SocketAddr>,
    (in_flight, limit): (usize, Duration),
    take: &mut impl FnMut(SocketAddr, Result<PortState>) -> ControlFlow<()>,
) {
    let mut waiting = Admissions::new(door);
    let (mut half_open, mut connecting) = (HalfOpen::new(door, limit), FuturesUnordered::new());
    loop {
        let asking = connecting.len() + half_open.len() / HALF_OPEN_OF_ONE;
        let room = in_flight.max(1).saturating_sub(waiting.len() + asking);
        let room = room.min(TURNS_AHEAD - waiting.len());
        sockets.by_ref().take(room).for_each(|socket| waiting.add(socket));
        let taken = tokio::select! {
            biased;
            Some((socket, may)) = waiting.next() => match may.map(|()| ask_half_open(&mut half_open, socket)) {
                Ok(Some(Ok(()))) => ControlFlow::Continue(()),
                Ok(Some(failed)) => take(socket, state_of(failed)),
                Ok(None) => {
                    connecting.push(async move { (socket, door.knock(socket, limit).await) });
                    ControlFlow::Continue(())
                }
                Err(refused) => take(socket, Err(refused)),
            },
            Some((socket, answer)) = half_open.next() => take(socket.into(), state_of(answer)),
            Some((socket, answer)) = connecting.next() => take(socket, state_of(answer)),
            else => return,
        };
        if taken.is_break() {
            return;
        }
    }
}

/// Asks with half a handshake; `None` where that cannot be done, as with IPv6.
fn ask_half_open(half_open: &mut HalfOpen<'_>, socket: SocketAddr) -> Option<Result<()>> {
    match socket {
        SocketAddr::V4(four) => half_open.ask(four),
        SocketAddr::V6(_) => None,
    }
}
