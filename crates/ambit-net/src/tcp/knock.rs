//! A few ports of many addresses, to find those that are there. A run asks hundreds of thousands of them at once, so
//! that each is a number here and not a socket.

use super::Answers;
use super::sweep::{LOSS_LITTLE, ROUNDS, most_is_lost, probe_all};
use crate::door::Door;
use crate::error::Result;
use crate::guard::Grant;
use crate::limits::KNOCK_TIMEOUT;
use std::net::{IpAddr, SocketAddr};
use std::ops::ControlFlow;

/// Loss on the way, per mille, from which the silent ports of a block are asked a third time.
const LOSS_MUCH: u32 = 100;

/// The ports of some addresses, numbered: a port of every address before the next port, since an address is asked only
/// so many times a second.
struct Grid<'a> {
    /// Sorted, each once.
    addresses: Vec<IpAddr>,
    ports: &'a [u16],
}

impl Grid<'_> {
    fn numbers(&self) -> impl Iterator<Item = u32> + use<> {
        0..u32::try_from(self.addresses.len() * self.ports.len()).unwrap_or(u32::MAX)
    }

    fn socket(&self, number: u32) -> SocketAddr {
        let (port, address) = (number as usize / self.addresses.len(), number as usize % self.addresses.len());
        SocketAddr::new(self.addresses[address], self.ports[port])
    }

    fn number(&self, socket: SocketAddr) -> Option<u32> {
        let address = self.addresses.binary_search(&socket.ip()).ok()?;
        let port = self.ports.iter().position(|port| *port == socket.port())?;
        u32::try_from(port * self.addresses.len() + address).ok()
    }
}

/// Asks ports of many addresses. Those without an answer are asked again where the way to them loses much. Where it
/// loses so much that silence means nothing, silence is a failure.
pub(crate) async fn knock(
    door: &Door,
    addresses: &[IpAddr],
    ports: &[u16],
    in_flight: usize,
) -> Result<Answers<SocketAddr>> {
    door.check_grant(Grant::Target)?;
    let mut addresses = addresses.to_vec();
    addresses.sort_unstable();
    addresses.dedup();
    let grid = Grid { addresses, ports };
    let mut said = knock_once(door, &grid, grid.numbers(), in_flight).await;
    for round in 1..ROUNDS {
        let loss_enough = if round == 1 { LOSS_LITTLE } else { LOSS_MUCH };
        if said.silent.is_empty() || door.loss_permille().is_none_or(|loss| loss < loss_enough) {
            break;
        }
        // More slowly: what is lost is mostly lost by us, or by a line that cannot take so much.
        let silent = std::mem::take(&mut said.silent);
        said.take_again(&[], knock_once(door, &grid, silent.into_iter(), in_flight >> round).await);
    }
    if let Some(lost) = most_is_lost(door) {
        said.fail_silent(&lost);
    }
    let sockets = |numbers: Vec<u32>| numbers.into_iter().map(|number| grid.socket(number)).collect();
    let failed = said.failed.into_iter().map(|(number, error)| (grid.socket(number), error)).collect();
    let (open, closed, silent) = (sockets(said.open), sockets(said.closed), sockets(said.silent));
    let mut said = Answers { open, closed, silent, failed };
    said.sort();
    Ok(said)
}

async fn knock_once(
    door: &Door,
    grid: &Grid<'_>,
    numbers: impl Iterator<Item = u32>,
    in_flight: usize,
) -> Answers<u32> {
    let mut said = Answers::default();
    let mut take = |socket, state| {
        // Only sockets that were asked can answer.
        if let Some(number) = grid.number(socket) {
            said.note(number, state);
        }
        ControlFlow::Continue(())
    };
    probe_all(door, numbers.map(|number| grid.socket(number)), (in_flight, KNOCK_TIMEOUT), &mut take).await;
    said
}
