//! Asks git's own server for a repository, over a connection without HTTP (gitprotocol-pack, gitprotocol-v2): each
//! question on a connection of its own, which the server closes after its answer.

use super::{PROVIDER, failed};
use crate::{Context, Result, TaskError};
use ambit_git::{Advertised, END, GitError, HashKind, advertised, daemon_request, end_of_section};
use ambit_net::http::BodyEnd;
use ambit_net::wire::WireTime;
use ambit_net::{Connection, NetError, limits};
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// What the URLs of such repositories begin with.
const SCHEME: &str = "git://";
/// Bytes of what a server says of itself at most; one of an older version says all its branches there.
const ADVERTISED_MAX: usize = 64 * 1_024;
/// Bytes that are read at once.
const PIECE_BYTES: usize = 64 * 1_024;
/// Longest silence: the server looks for what it sends.
const QUIET_MAX: Duration = limits::SOURCE_TIMEOUT;

/// Where a repository is: host, port and path.
pub(super) struct DaemonUrl<'a> {
    /// With its brackets, where it is an IPv6 address.
    host: &'a str,
    port: u16,
    path: &'a str,
}

impl<'a> DaemonUrl<'a> {
    /// Reads the canonical URL of a repository at git's own server; `None` of any other.
    pub(super) fn of(url: &'a str) -> Option<Self> {
        let rest = url.strip_prefix(SCHEME)?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) = authority.rsplit_once(':')?;
        Some(Self { host, port: port.parse().ok()?, path })
    }
}

/// Asks for the list of branches and tags: the lines of the answer, and whether the server leaves out files where it is
/// asked to.
pub(super) async fn list(
    cx: &Context<'_>,
    place: &DaemonUrl<'_>,
    request: impl Fn(HashKind) -> Vec<u8>,
) -> Result<(Vec<u8>, bool)> {
    let until = cx.net.now() + limits::SOURCE_TIMEOUT;
    let mut answer = Vec::new();
    let end = ask(cx, place, request, until, |piece| {
        answer.extend_from_slice(piece);
        answer.len() <= limits::SOURCE_LIST_MAX
    });
    match end.await? {
        (BodyEnd::Complete, filters) => Ok((answer, filters)),
        _ => Err(TaskError::Failed("the list of branches was truncated".into())),
    }
}

/// Asks for a pack, which goes to the writer: at most so many bytes with the lines around it.
pub(super) async fn fetch(
    cx: &Context<'_>,
    place: &DaemonUrl<'_>,
    request: &[u8],
    (writer, bytes_max): (&Mutex<impl Write>, usize),
) -> Result<BodyEnd> {
    let until = cx.net.now() + limits::DOWNLOAD_TIMEOUT;
    let mut bytes = 0;
    let take = |piece: &[u8]| {
        bytes += piece.len();
        // What the writer refuses, it says itself when it is asked for the pack.
        bytes <= bytes_max && writer.lock().unwrap_or_else(PoisonError::into_inner).write_all(piece).is_ok()
    };
    let (end, _) = ask(cx, place, |_| request.to_vec(), until, take).await?;
    Ok(if bytes > bytes_max { BodyEnd::TooLarge } else { end })
}

/// Puts one question and hands over what comes until the server closes, or until `take` wants no more; with whether it
/// leaves out files.
async fn ask(
    cx: &Context<'_>,
    place: &DaemonUrl<'_>,
    request: impl Fn(HashKind) -> Vec<u8>,
    until: WireTime,
    mut take: impl FnMut(&[u8]) -> bool,
) -> Result<(BodyEnd, bool)> {
    let host = place.host.trim_matches(['[', ']']);
    let mut connection = cx.net.source_stream(PROVIDER, host, place.port).await?;
    send(cx, &mut connection, &daemon_request(place.path, &format!("{}:{}", place.host, place.port))).await?;
    let (mut piece, filters, hash) = greeting(cx, &mut connection, until).await?;
    send(cx, &mut connection, &[request(hash).as_slice(), END].concat()).await?;
    loop {
        if !take(&piece) {
            return Ok((BodyEnd::Short, filters));
        }
        piece = match read(cx, &mut connection, until).await {
            Ok(piece) if piece.is_empty() => return Ok((BodyEnd::Complete, filters)),
            Ok(piece) => piece,
            Err(NetError::Timeout(_)) => return Ok((BodyEnd::Timeout, filters)),
            Err(error) => return Err(error.into()),
        };
    }
}

/// Reads the greeting of the server: the bytes after it, whether the server can filter files, and the hash of its
/// objects.
async fn greeting(cx: &Context<'_>, connection: &mut Connection, until: WireTime) -> Result<(Vec<u8>, bool, HashKind)> {
    let mut said = Vec::new();
    loop {
        match end_of_section(&said).map_err(|error| refused(&error))? {
            Some(end) => {
                return match advertised(&said[..end]).map_err(|error| refused(&error))? {
                    Advertised::Version2 { filters, hash } => Ok((said.split_off(end), filters, hash)),
                    Advertised::Older => Err(older()),
                };
            }
            None if said.len() > ADVERTISED_MAX => return Err(older()),
            None => {}
        }
        let piece = read(cx, connection, until).await?;
        if piece.is_empty() {
            return Err(TaskError::Failed("the server closed the connection before it said anything of itself".into()));
        }
        said.extend_from_slice(&piece);
    }
}

fn older() -> TaskError {
    TaskError::Failed("the server speaks no version 2 of the protocol of git".into())
}

/// A server that refuses is treated like one that demands credentials: the repository stays unknown.
fn refused(error: &GitError) -> TaskError {
    match error {
        GitError::Refused(_) => TaskError::Denied(error.to_string()),
        other => failed(other),
    }
}

async fn send(cx: &Context<'_>, connection: &mut Connection, bytes: &[u8]) -> Result<()> {
    let sent = async {
        connection.write_all(bytes).await?;
        connection.flush().await
    };
    let sent = cx.net.until(cx.net.now() + limits::SOURCE_TIMEOUT, "sending", sent).await?;
    Ok(sent.map_err(|error| NetError::from_io(&error, "sending"))?)
}

/// Reads a piece; an empty one is the end.
async fn read(cx: &Context<'_>, connection: &mut Connection, until: WireTime) -> Result<Vec<u8>, NetError> {
    let mut piece = vec![0; PIECE_BYTES];
    let at = until.min(cx.net.now() + QUIET_MAX);
    let read = cx.net.until(at, "answer of the git server", connection.read(&mut piece)).await?;
    piece.truncate(read.map_err(|error| NetError::from_io(&error, "answer of the git server"))?);
    Ok(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_from_the_canonical_name() {
        let place = |url: &str| {
            let DaemonUrl { host, port, path } = DaemonUrl::of(url)?;
            Some(format!("{host} {port} {path}"))
        };
        assert_eq!(
            place("git://code.acme.test:9418/team/app.git").as_deref(),
            Some("code.acme.test 9418 /team/app.git")
        );
        assert_eq!(place("git://[2001:db8::1]:9419/app").as_deref(), Some("[2001:db8::1] 9419 /app"));
        assert_eq!(place("https://code.acme.test:443/app.git"), None);
    }
}
