//! Datagrams and what comes back: services that speak when spoken to.

mod asking;

pub(crate) use asking::ask_ports;
pub use asking::{Asking, PortQuestion, ReadAnswer};

use crate::door::{Door, rates_of_target};
use crate::error::NetError;
use crate::guard::{Grant, Transport};
use crate::limits::{DATAGRAM_BYTES_MAX, DATAGRAM_TRIES};
use std::net::SocketAddr;
use std::time::Duration;

/// The result of asking a port by datagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortAnswer {
    /// This came back.
    Said(Vec<u8>),
    /// The host reports that nothing listens there.
    Closed,
    /// Nothing came, or a router's word: that says nothing.
    Silent,
}

/// Who may answer a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerFrom {
    /// The port that was asked.
    ThatPort,
    /// Any port of that address, as with TFTP (RFC 1350 §4). A refusal is not heard then.
    AnyPort,
}

/// Sends one datagram, never a second one, and waits for the first answer.
pub(crate) async fn ask_port(
    door: &Door,
    address: SocketAddr,
    payload: &[u8],
    answers: AnswerFrom,
    wait: Duration,
) -> Result<PortAnswer, NetError> {
    door.check(Grant::Target, address, Transport::Udp, None)?;
    let socket = door.datagram_socket(address.ip(), "datagram")?;
    let buckets = rates_of_target(address.ip());
    let pass = door.admit_datagram(Grant::Target, address, None, &buckets).await?;
    let mut buffer = vec![0; DATAGRAM_BYTES_MAX];
    let exchange = async {
        if answers == AnswerFrom::ThatPort {
            socket.connect(address)?;
        }
        socket.send(pass, payload).await?;
        loop {
            let (length, from) = socket.receive(&mut buffer).await?;
            if from == address || (answers == AnswerFrom::AnyPort && from.ip() == address.ip()) {
                return Ok(buffer[..length].to_vec());
            }
        }
    };
    match door.until(door.now() + wait, "datagram", exchange).await {
        Ok(Ok(bytes)) => Ok(PortAnswer::Said(bytes)),
        Ok(Err(error)) => match NetError::from_io(&error, "datagram") {
            NetError::ConnectionRefused => Ok(PortAnswer::Closed),
            NetError::Unreachable(_) => Ok(PortAnswer::Silent),
            error => Err(error),
        },
        Err(_) => Ok(PortAnswer::Silent),
    }
}

/// Sends and waits, again where nothing came.
pub(crate) async fn exchange(
    door: &Door,
    address: SocketAddr,
    payload: &[u8],
    wait: Duration,
) -> Result<PortAnswer, NetError> {
    for _ in 0..DATAGRAM_TRIES {
        match ask_port(door, address, payload, AnswerFrom::ThatPort, wait).await? {
            PortAnswer::Silent => {}
            answer => return Ok(answer),
        }
    }
    Ok(PortAnswer::Silent)
}
