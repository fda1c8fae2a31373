//! One datagram and what comes back: services that speak when spoken to.

use crate::door::Door;
use crate::error::NetError;
use crate::guard::{Grant, Transport};
use crate::limits::{DATAGRAM_BYTES_MAX, DATAGRAM_TRIES};
use crate::pace::Bucket;
use std::net::SocketAddr;
use std::time::Duration;

/// Sends and waits; `None`: silence.
pub(crate) async fn exchange(
    door: &Door,
    address: SocketAddr,
    payload: &[u8],
    wait: Duration,
) -> Result<Option<Vec<u8>>, NetError> {
    door.check(Grant::Target, address, Transport::Udp, None)?;
    let failed = |error: std::io::Error| NetError::from_io(&error, "datagram");
    let socket = door.datagram_socket(address.ip(), "datagram")?;
    let buckets = [Bucket::Address(address.ip()), Bucket::block(address.ip())];
    let mut buffer = vec![0; DATAGRAM_BYTES_MAX];
    for _ in 0..DATAGRAM_TRIES {
        let pass = door.admit_datagram(Grant::Target, address, None, &buckets).await?;
        socket.send(pass, payload).await.map_err(failed)?;
        let limit = door.now() + wait;
        // Whatever comes from elsewhere is not the answer.
        let answer = async {
            loop {
                let (length, from) = socket.receive(&mut buffer).await?;
                if from == address {
                    return Ok(buffer[..length].to_vec());
                }
            }
        };
        match door.until(limit, "datagram", answer).await {
            Ok(answer) => return answer.map(Some).map_err(failed),
            Err(_) => continue,
        }
    }
    Ok(None)
}
