//! A web server: reads requests, finds the site, writes answers. HTTP/1.1 with keep-alive, tolerant enough for probes,
//! strict enough to be one.

use super::connection::{Connection, IDLE, Peer, http_date};
use super::request::{Request, Response};
use super::{hostile, page};
use crate::draft::UnknownHost;
use crate::exchange::response_words;
use crate::internet::{Host, Virtual, Web};
use std::io::Write;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Longest request head, in bytes, as usual servers have it.
const HEAD_BYTES_MAX: usize = 32 << 10;
/// Longest request body that is read, in bytes.
const BODY_BYTES_MAX: u64 = 1 << 20;
/// Read and written at once, in bytes: a request's head, most pages.
const BUFFER_BYTES: usize = 8 << 10;
/// Requests on one connection, as usual servers have it.
const REQUESTS_MAX: usize = 1_000;

/// Serves the sites of a port.
pub(crate) async fn web(connection: &Connection, host: &Host, web: &Web, stream: &mut impl Peer) {
    let stream = &mut tokio::io::BufStream::with_capacity(BUFFER_BYTES, BUFFER_BYTES, stream);
    for _ in 0..REQUESTS_MAX {
        let request = match next(connection, stream).await {
            Next::Request(request) => request,
            Next::Bad => {
                let response = Response::new(400, "text/html", "<h1>Bad Request</h1>");
                let _ = write(connection, stream, None, response).await;
                return;
            }
            Next::End => return,
        };
        connection.visit.asked(request.host.as_deref(), &format!("{} {}", request.method, request.target));
        let now = connection.clock.now();
        if let Some(response) = connection.turns.too_many(connection.to.ip(), &host.limits, now) {
            tell(connection, &request, &response);
            if write(connection, stream, Some(&request), response).await.is_err() || !request.keep {
                return;
            }
            continue;
        }
        let site = web.choose(request.host.as_deref()).map(|site| site.machine(connection.turn));
        if let Some(behaviour) = site.filter(|site| !site.to_https).and_then(|site| site.site.hostile) {
            hostile::after_request(connection, behaviour, stream).await;
            return;
        }
        let Some(response) = respond(connection, host, site, &request) else {
            return;
        };
        tell(connection, &request, &response);
        let keep = request.keep;
        if write(connection, stream, Some(&request), response).await.is_err() || !keep {
            return;
        }
    }
}

fn tell(connection: &Connection, request: &Request, response: &Response) {
    let asked = format!("{} {}", request.method, request.target);
    connection.tell(request.host.as_deref(), &asked, || response_words(response));
}

/// `None`: close without a word.
fn respond(
    connection: &Connection,
    host: &Host,
    site: Option<&std::sync::Arc<Virtual>>,
    request: &Request,
) -> Option<Response> {
    if let Some(site) = site {
        return Some(page::respond(connection, site, request));
    }
    match &host.unknown {
        UnknownHost::Close => None,
        UnknownHost::Page(status, text) => {
            let response = Response::new(*status, "text/html", text.clone());
            Some(response.header("Server", "nginx"))
        }
        // The site is not served on this port.
        UnknownHost::Site(_) => Some(Response::new(404, "text/html", "<h1>Not Found</h1>").header("Server", "nginx")),
    }
}

/// Serves one function of requests.
pub(crate) async fn answer(connection: &Connection, stream: &mut impl Peer, respond: impl Fn(&Request) -> Response) {
    let stream = &mut tokio::io::BufStream::with_capacity(BUFFER_BYTES, BUFFER_BYTES, stream);
    for _ in 0..REQUESTS_MAX {
        let Next::Request(request) = next(connection, stream).await else {
            return;
        };
        connection.visit.asked(request.host.as_deref(), &format!("{} {}", request.method, request.target));
        let response = respond(&request);
        tell(connection, &request, &response);
        let keep = request.keep;
        if write(connection, stream, Some(&request), response).await.is_err() || !keep {
            return;
        }
    }
}

enum Next {
    Request(Request),
    Bad,
    End,
}

async fn next(connection: &Connection, stream: &mut impl Peer) -> Next {
    match connection.within(IDLE, read(stream)).await {
        Some(Ok(request)) => Next::Request(request),
        Some(Err(true)) => Next::Bad,
        Some(Err(false)) | None => Next::End,
    }
}

/// Reads one request; an error says whether there was anything to complain about.
async fn read(stream: &mut impl Peer) -> Result<Request, bool> {
    let mut head = Vec::new();
    // Byte by byte from the buffer: nothing of the next request is taken away.
    while !head.ends_with(b"\r\n\r\n") && !head.ends_with(b"\n\n") {
        match stream.read_u8().await {
            Ok(byte) if head.len() < HEAD_BYTES_MAX => head.push(byte),
            Ok(_) => return Err(true),
            Err(_) => return Err(false),
        }
        // What can never become a request is answered at once, as usual servers do: TLS to a plain port, banners of
        // other protocols.
        if head.len() == 1 && !head[0].is_ascii_alphabetic() && !head[0].is_ascii_whitespace() {
            return Err(true);
        }
    }
    let text = String::from_utf8_lossy(&head);
    let mut lines = text.lines().skip_while(|line| line.is_empty());
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version)) = (words.next(), words.next(), words.next()) else {
        return Err(true);
    };
    if !version.starts_with("HTTP/1.") || method.is_empty() {
        return Err(true);
    }
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect();
    let mut request = Request {
        method: method.to_owned(),
        target: target.to_owned(),
        host: None,
        headers,
        body: Vec::new(),
        keep: version == "HTTP/1.1",
    };
    let stated = request.header("host").map(str::to_owned);
    if let Some((authority, path)) = absolute(target) {
        request.target = path;
        request.host = host_of(&authority);
    } else {
        request.host = stated.as_deref().and_then(host_of);
        if !target.starts_with('/') && target != "*" {
            return Err(true);
        }
    }
    if version == "HTTP/1.1" && stated.is_none() {
        return Err(true);
    }
    if request.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close")) {
        request.keep = false;
    }
    let length: u64 = request.header("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
    if length > BODY_BYTES_MAX {
        return Err(true);
    }
    stream.take(length).read_to_end(&mut request.body).await.map_err(|_| false)?;
    Ok(request)
}

fn absolute(target: &str) -> Option<(String, String)> {
    // A path may hold a URL in its query.
    let (_, rest) = target.split_once("://").filter(|(scheme, _)| !scheme.starts_with('/'))?;
    let at = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(at);
    Some((authority.to_owned(), if path.is_empty() { "/".to_owned() } else { path.to_owned() }))
}

/// The host of `host:port`, in small letters.
fn host_of(authority: &str) -> Option<String> {
    let host = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => authority.split(':').next().unwrap_or(authority),
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    (!host.is_empty()).then_some(host)
}

async fn write(
    connection: &Connection,
    stream: &mut impl Peer,
    request: Option<&Request>,
    mut response: Response,
) -> std::io::Result<()> {
    let accepts = request.and_then(|request| request.header("accept-encoding")).unwrap_or_default();
    if response.compress && accepts.contains("gzip") && !response.body.is_empty() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&response.body)?;
        response.body = encoder.finish()?;
        response.headers.push(("Content-Encoding".to_owned(), "gzip".to_owned()));
    }
    let keep = request.is_some_and(|request| request.keep);
    let mut out = format!("HTTP/1.1 {} {}\r\n", response.status, reason(response.status));
    out.push_str(&format!("Date: {}\r\n", http_date(connection.date())));
    for (name, value) in &response.headers {
        // A value from a file stays on its line; hostile peers have their own behaviours.
        let value: String = value.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
        out.push_str(&format!("{name}: {value}\r\n"));
    }
    out.push_str(&format!("Content-Length: {}\r\n", response.body.len()));
    out.push_str(if keep { "Connection: keep-alive\r\n\r\n" } else { "Connection: close\r\n\r\n" });
    let mut bytes = out.into_bytes();
    if request.is_none_or(|request| request.method != "HEAD") {
        bytes.extend(response.body);
    }
    stream.write_all(&bytes).await?;
    stream.flush().await
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
