//! HTTP/2 as far as those see it who speak HTTP/1.1: the frames with which a server begins and ends.

use super::connection::{Connection, IDLE, Peer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// A frame SETTINGS that sets nothing.
const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
/// A frame GOAWAY: the last stream is none, and what came was PROTOCOL_ERROR (RFC 9113 §6.8).
const GOAWAY: [u8; 17] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

/// Says that HTTP/2 is spoken here, and ends the connection once the other side has said anything.
pub(super) async fn turn_away(connection: &Connection, stream: &mut impl Peer) {
    let mut said = [0; 1_024];
    if stream.write_all(&SETTINGS).await.is_ok()
        && stream.flush().await.is_ok()
        && let Some(Ok(1..)) = connection.within(IDLE, stream.read(&mut said)).await
    {
        let _ = stream.write_all(&GOAWAY).await;
    }
}
