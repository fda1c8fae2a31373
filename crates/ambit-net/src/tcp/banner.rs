//! What a service says first, and answers of providers that speak plain lines.

use super::{Banner, BannerOptions};
use crate::error::NetError;
use crate::guard::Grant;
use crate::limits::{BANNER_BYTES_MAX, BANNER_QUIET, BANNER_TIMEOUT, CONNECT_TIMEOUT, EXCHANGE_TIMEOUT, PLAIN_ANSWER_MAX};
use crate::net::{Session, until};
use crate::tls::{TlsOptions, handshake};
use crate::wire::WireTime;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Connects, sends what is to be sent, reads what comes.
pub(crate) async fn read(session: &Session, address: SocketAddr, name: Option<&str>, options: &BannerOptions) -> Result<Banner, NetError> {
    let mut connection = session.open(Grant::Target, address, name, CONNECT_TIMEOUT).await?;
    ask(session, &mut connection, options).await
}

/// Shakes hands, sends what is to be sent, reads what comes.
pub(crate) async fn read_inside(session: &Session, address: SocketAddr, sni: Option<&str>, options: &BannerOptions) -> Result<Banner, NetError> {
    let shaken = handshake::connect(session, Grant::Target, address, sni, &TlsOptions { alpn: Vec::new() }).await?;
    let (mut stream, _) = shaken.into_stream()?;
    ask(session, &mut stream, options).await
}

async fn ask(session: &Session, stream: &mut (impl AsyncRead + AsyncWrite + Unpin), options: &BannerOptions) -> Result<Banner, NetError> {
    let limit = session.now() + options.timeout.min(BANNER_TIMEOUT);
    send(session, stream, &options.send, limit).await?;
    read_banner(session, stream, options.bytes_max.min(BANNER_BYTES_MAX), limit, BANNER_QUIET).await
}

/// Sends a line and reads until the provider closes.
pub(crate) async fn source_line(session: &Session, provider: &'static str, host: &str, port: u16, line: &str) -> Result<Banner, NetError> {
    let grant = Grant::Source(provider);
    session.check_grant(grant)?;
    crate::source::check_line(provider, port)?;
    if line.chars().any(char::is_control) {
        return Err(NetError::invalid("line", line));
    }
    let address = session.dialled(grant, host, port).await?[0];
    let mut connection = session
        .open(grant, address, Some(host), CONNECT_TIMEOUT)
        .await
        .map_err(NetError::of_helper)?;
    let limit = session.now() + EXCHANGE_TIMEOUT;
    send(session, &mut connection, format!("{line}\r\n").as_bytes(), limit).await?;
    let answer = read_banner(session, &mut connection, PLAIN_ANSWER_MAX, limit, BANNER_TIMEOUT).await?;
    if answer.closed || answer.truncated {
        Ok(answer)
    } else {
        Err(NetError::Timeout("the provider's answer"))
    }
}

async fn send(session: &Session, stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8], limit: WireTime) -> Result<(), NetError> {
    let sending = async {
        stream.write_all(bytes).await?;
        stream.flush().await
    };
    until(&**session.wire(), limit, "sending", sending)
        .await?
        .map_err(|error| NetError::from_io(&error, "sending"))
}

/// Reads until the limit of bytes or time, the end, or a silence of `quiet` after the first bytes. Silence from the beginning is an empty banner;
/// a reset before the first byte is an error.
pub(super) async fn read_banner(
    session: &Session,
    stream: &mut (impl AsyncRead + Unpin),
    bytes_max: usize,
    limit: WireTime,
    quiet: Duration,
) -> Result<Banner, NetError> {
    let mut banner = Banner::default();
    let mut buffer = [0; 4096];
    loop {
        let at = if banner.bytes.is_empty() {
            limit
        } else {
            limit.min(session.now() + quiet)
        };
        match until(&**session.wire(), at, "banner", stream.read(&mut buffer)).await {
            Err(_) => return Ok(banner),
            Ok(Ok(0)) => {
                banner.closed = true;
                return Ok(banner);
            }
            Ok(Ok(length)) => {
                banner.bytes.extend_from_slice(&buffer[..length]);
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
