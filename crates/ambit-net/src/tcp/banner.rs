//! Banners of services, and answers of providers that speak plain lines.

use super::{Banner, BannerOptions};
use crate::dns::resolver::Engine;
use crate::door::Door;
use crate::error::{NetError, Result};
use crate::guard::Grant;
use crate::limits::{
    BANNER_BYTES_MAX, BANNER_QUIET, BANNER_TIMEOUT, CONNECT_TIMEOUT, EXCHANGE_TIMEOUT, PLAIN_ANSWER_MAX,
};
use crate::tls::{TlsOptions, handshake};
use crate::wire::{WireTime, read_more};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

/// Connects, sends the given bytes, and reads the answer.
pub(crate) async fn read(
    door: &Door,
    address: SocketAddr,
    name: Option<&str>,
    options: &BannerOptions,
) -> Result<Banner> {
    let mut connection = door.open(Grant::Target, address, name, CONNECT_TIMEOUT).await?;
    ask(door, &mut connection, options).await
}

/// Makes a TLS handshake, sends the given bytes, and reads the answer.
pub(crate) async fn read_inside(
    door: &Door,
    address: SocketAddr,
    sni: Option<&str>,
    options: &BannerOptions,
) -> Result<Banner> {
    let shaken = handshake::connect(door, Grant::Target, address, sni, &TlsOptions::plain()).await?;
    let (mut stream, _) = shaken.into_stream()?;
    ask(door, &mut stream, options).await
}

async fn ask(
    door: &Door,
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    options: &BannerOptions,
) -> Result<Banner> {
    let limit = door.now() + options.timeout.min(BANNER_TIMEOUT);
    send(door, stream, &options.send, limit).await?;
    read_banner(door, stream, options.bytes_max.min(BANNER_BYTES_MAX), limit, BANNER_QUIET).await
}

/// Sends a line and reads until the provider closes.
pub(crate) async fn source_line(
    door: &Door,
    dns: &Engine,
    provider: &'static str,
    host: &str,
    port: u16,
    line: &str,
) -> Result<Banner> {
    let grant = Grant::Source(provider);
    door.check_grant(grant)?;
    crate::source::check_line(provider, port)?;
    if line.chars().any(char::is_control) {
        return Err(NetError::invalid("line", line));
    }
    let address = dns.dialled(door, grant, host, port).await?[0];
    let mut connection = door.open(grant, address, Some(host), CONNECT_TIMEOUT).await.map_err(NetError::of_helper)?;
    let limit = door.now() + EXCHANGE_TIMEOUT;
    send(door, &mut connection, format!("{line}\r\n").as_bytes(), limit).await?;
    let answer = read_banner(door, &mut connection, PLAIN_ANSWER_MAX, limit, BANNER_TIMEOUT).await?;
    if answer.closed || answer.truncated { Ok(answer) } else { Err(NetError::Timeout("the provider's answer".into())) }
}

async fn send(door: &Door, stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8], limit: WireTime) -> Result<()> {
    let sending = async {
        stream.write_all(bytes).await?;
        stream.flush().await
    };
    door.until(limit, "sending", sending).await?.map_err(|error| NetError::from_io(&error, "sending"))
}

/// Reads until the limit of bytes or time, the end, or a silence of `quiet` after the first bytes. Silence from the
/// beginning is an empty banner; a reset before the first byte is an error.
pub(super) async fn read_banner(
    door: &Door,
    stream: &mut (impl AsyncRead + Unpin),
    bytes_max: usize,
    limit: WireTime,
    quiet: Duration,
) -> Result<Banner> {
    let mut banner = Banner::default();
    loop {
        let at = if banner.bytes.is_empty() { limit } else { limit.min(door.now() + quiet) };
        match door.until(at, "banner", read_more(stream, &mut banner.bytes)).await {
            Err(_) => return Ok(banner),
            Ok(Ok(0)) => {
                banner.closed = true;
                return Ok(banner);
            }
            Ok(Ok(_)) => {
                if banner.bytes.len() > bytes_max {
                    banner.bytes.truncate(bytes_max);
                    banner.truncated = true;
                    return Ok(banner);
                }
            }
            Ok(Err(error)) if banner.bytes.is_empty() => return Err(NetError::from_io(&error, "banner")),
            Ok(Err(_)) => {
                banner.closed = true;
                return Ok(banner);
            }
        }
    }
}
