//! Peers as text, one act a line:
//!
//! ```text
//! read-head                  reads up to an empty line
//! read-line                  reads up to a line break
//! read 8                     reads 8 bytes
//! send "HTTP/1.1 200 OK\r\n"
//! repeat 1000 "text"         sends it so often
//! endless "text"             sends it for ever
//! drip 1s "text"             sends it byte by byte, one each second, for ever
//! wait 5s
//! reset                      cuts the connection
//! hang                       says nothing more, stays
//! ```
//! A script that ends closes the connection.

use super::wire::PeerStream;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

#[derive(Clone, Debug)]
pub(super) struct Script(Vec<Act>);

#[derive(Clone, Debug)]
enum Act {
    ReadUntil(&'static str),
    Read(usize),
    Repeat(usize, Vec<u8>),
    Drip(Duration, Vec<u8>),
    Wait(Duration),
    Reset,
    Hang,
}

impl Script {
    pub(super) fn parse(text: &str) -> Self {
        Self(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(parse_act).collect())
    }

    /// Sends bytes once a head was read, then closes.
    pub(super) fn answer(bytes: Vec<u8>) -> Self {
        Self(vec![Act::ReadUntil("\r\n\r\n"), Act::Repeat(1, bytes)])
    }

    /// Sends bytes once so many were read, then says nothing more.
    pub(super) fn after_bytes(length: usize, bytes: Vec<u8>) -> Self {
        Self(vec![Act::Read(length), Act::Repeat(1, bytes), Act::Hang])
    }
}

fn parse_act(line: &str) -> Act {
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    let seconds = |text: &str| Duration::from_secs_f64(text.trim_end_matches('s').parse().unwrap());
    let two = || rest.split_once(' ').unwrap();
    match verb {
        "read-head" => Act::ReadUntil("\r\n\r\n"),
        "read-line" => Act::ReadUntil("\n"),
        "read" => Act::Read(rest.parse().unwrap()),
        "send" => Act::Repeat(1, unquote(rest)),
        "repeat" => Act::Repeat(two().0.parse().unwrap(), unquote(two().1)),
        "endless" => Act::Repeat(usize::MAX, unquote(rest)),
        "drip" => Act::Drip(seconds(two().0), unquote(two().1)),
        "wait" => Act::Wait(seconds(rest)),
        "reset" => Act::Reset,
        "hang" => Act::Hang,
        other => panic!("no such act: {other}"),
    }
}

fn unquote(text: &str) -> Vec<u8> {
    let inner =
        text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_else(|| panic!("not quoted: {text}"));
    let mut bytes = Vec::new();
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match (byte, byte == b'\\') {
            (plain, false) => plain,
            (_, true) => match rest.next().unwrap() {
                b'r' => b'\r',
                b'n' => b'\n',
                b't' => b'\t',
                b'x' => {
                    u8::from_str_radix(&format!("{}{}", rest.next().unwrap() as char, rest.next().unwrap() as char), 16)
                        .unwrap()
                }
                other => other,
            },
        });
    }
    bytes
}

/// Plays a script; ends early where our side has gone.
pub(super) async fn play(script: Script, mut peer: PeerStream) {
    for act in script.0 {
        let done = match act {
            Act::ReadUntil(end) => read_until(&mut peer, end).await,
            Act::Read(length) => peer.stream.read_exact(&mut vec![0; length]).await.is_ok(),
            Act::Repeat(times, bytes) => repeat(&mut peer, times, &bytes).await,
            Act::Drip(pause, bytes) => drip(&mut peer, pause, &bytes).await,
            Act::Wait(duration) => {
                peer.clock.sleep_until(peer.clock.now() + duration).await;
                true
            }
            Act::Reset => {
                peer.reset.store(true, Ordering::Relaxed);
                return;
            }
            // Reads, so that it notices when we leave.
            Act::Hang => peer.stream.read_to_end(&mut Vec::new()).await.is_err(),
        };
        if !done {
            return;
        }
    }
}

async fn read_until(peer: &mut PeerStream, end: &str) -> bool {
    let mut read = Vec::new();
    while !read.ends_with(end.as_bytes()) {
        match peer.stream.read_u8().await {
            Ok(byte) => read.push(byte),
            Err(_) => return false,
        }
    }
    true
}

async fn repeat(peer: &mut PeerStream, times: usize, bytes: &[u8]) -> bool {
    for _ in 0..times {
        if peer.stream.write_all(bytes).await.is_err() {
            return false;
        }
    }
    true
}

async fn drip(peer: &mut PeerStream, pause: Duration, bytes: &[u8]) -> bool {
    loop {
        for byte in bytes {
            if peer.stream.write_all(&[*byte]).await.is_err() {
                return false;
            }
            peer.clock.sleep_until(peer.clock.now() + pause).await;
        }
    }
}
