//! One datagram and what comes back: services that speak when spoken to.

use crate::error::NetError;
use crate::guard::{Grant, Transport};
use crate::limits::{DATAGRAM_BYTES_MAX, DATAGRAM_TRIES};
use crate::net::{Session, until};
use crate::pace::Cell;
use std::net::SocketAddr;
use std::time::Duration;

/// Sends and waits; `None`: silence.
pub(crate) async fn exchange(session: &Session, address: SocketAddr, payload: &[u8], wait: Duration) -> Result<Option<Vec<u8>>, NetError> {
    session.check(Grant::Target, address, Transport::Udp, None)?;
    let failed = |error: std::io::Error| NetError::from_io(&error, "datagram");
    let socket = session.wire().datagrams(address.ip()).map_err(failed)?;
    let cells = [Cell::Address(address.ip()), Cell::block(address.ip())];
    let mut buffer = vec![0; DATAGRAM_BYTES_MAX];
    for _ in 0..DATAGRAM_TRIES {
        session.admit(Grant::Target, address, Transport::Udp, None, &cells).await?;
        socket.send_to(payload, address).await.map_err(failed)?;
        let limit = session.now() + wait;
        // Whatever comes from elsewhere is not the answer.
        let answer = async {
            loop {
                let (length, from) = socket.receive(&mut buffer).await?;
                if from == address {
                    return Ok(buffer[..length].to_vec());
                }
            }
        };
        match until(&**session.wire(), limit, "datagram", answer).await {
            Ok(answer) => return answer.map(Some).map_err(failed),
            Err(_) => continue,
        }
    }
    Ok(None)
}
