//! The head of an answer, read leniently: what is odd is noted and kept, what cannot be a head is an error.

use crate::error::{NetError, Result};
use crate::limits::HEADERS_MAX;
use crate::untrusted::{Untrusted, escape};
use std::collections::BTreeSet;

/// A head as read.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) version: Untrusted,
    pub(super) status: u16,
    pub(super) reason: Untrusted,
    pub(super) headers: Vec<(Untrusted, Untrusted)>,
    pub(super) oddities: BTreeSet<&'static str>,
}

/// How the length of a body is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    None,
    Length(u64),
    Chunked,
    UntilClose,
}

/// Where the head ends in the bytes read so far: behind its empty line. `from`: bytes that were searched before.
pub(super) fn end_of_head(bytes: &[u8], from: usize) -> Option<usize> {
    // An empty line is at most three bytes long with the end of the line before it.
    let mut at = from.saturating_sub(3);
    while let Some(line) = bytes[at..].iter().position(|byte| *byte == b'\n') {
        let after = at + line + 1;
        match &bytes[after..] {
            [b'\n', ..] => return Some(after + 1),
            [b'\r', b'\n', ..] => return Some(after + 2),
            _ => at = after,
        }
    }
    None
}

/// Returns whether these first bytes could begin an HTTP response.
pub(super) fn could_be_http(bytes: &[u8]) -> bool {
    let start = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let seen = &bytes[start.min(4)..];
    let length = seen.len().min(5);
    seen[..length].eq_ignore_ascii_case(&b"HTTP/"[..length])
}

/// Bytes before what a frame of HTTP/2 holds (RFC 9113 §4.1).
const FRAME_HEAD: usize = 9;

/// Returns whether these bytes begin HTTP/2. A server begins with a frame SETTINGS (RFC 9113 §3.4), or ends with
/// GOAWAY, both on stream 0; neither is longer than 255 bytes.
pub fn is_http2(bytes: &[u8]) -> bool {
    bytes.len() >= FRAME_HEAD && could_be_http2(bytes)
}

/// Returns whether they could, with further bytes.
pub(super) fn could_be_http2(bytes: &[u8]) -> bool {
    let is = |at: usize, fits: fn(u8) -> bool| bytes.get(at).is_none_or(|byte| fits(*byte));
    // Settings of six bytes each, and that they are acknowledged.
    let settings = is(2, |length| length % 6 == 0) && is(3, |kind| kind == 4) && is(4, |flags| flags <= 1);
    // A stream and a reason, and words.
    let goaway = is(2, |length| length >= 8) && is(3, |kind| kind == 7) && is(4, |flags| flags == 0);
    [0, 1, 5, 6, 7, 8].into_iter().all(|at| is(at, |byte| byte == 0)) && (settings || goaway)
}

impl Head {
    /// Reads a head, with or without its empty line.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self> {
        let mut oddities = BTreeSet::new();
        let start = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let mut lines = Vec::new();
        for line in bytes[start..].split(|byte| *byte == b'\n') {
            lines.push(match line.strip_suffix(b"\r") {
                Some(line) => line,
                None if line.is_empty() => line,
                None => {
                    oddities.insert("bare_lf");
                    line
                }
            });
        }
        let mut lines = lines.into_iter();
        let (version, status, reason) = parse_status(lines.next().unwrap_or_default(), &mut oddities)?;
        let mut headers: Vec<(Untrusted, Untrusted)> = Vec::new();
        let mut folds = 0;
        for line in lines.filter(|line| !line.is_empty()) {
            if line.starts_with(b" ") || line.starts_with(b"\t") {
                oddities.insert("obs_fold");
                folds += 1;
                if folds > HEADERS_MAX {
                    return Err(NetError::TooLarge("headers"));
                }
                if let Some((_, value)) = headers.last_mut() {
                    *value = Untrusted::new(format!("{} {}", value.raw(), String::from_utf8_lossy(line.trim_ascii())));
                    continue;
                }
            }
            if headers.len() == HEADERS_MAX {
                return Err(NetError::TooLarge("headers"));
            }
            headers.push(parse_header(line, &mut oddities));
        }
        Ok(Self { version, status, reason, headers, oddities })
    }

    /// The values of a header, in order.
    pub(super) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers
            .iter()
            .filter(move |(known, _)| known.raw().eq_ignore_ascii_case(name))
            .map(|(_, value)| value.raw())
    }

    /// Returns how the body's length is determined; contradictions are noted.
    pub(super) fn framing(&mut self, method: &str) -> Framing {
        if method.eq_ignore_ascii_case("HEAD") || matches!(self.status, 100..=199 | 204 | 304) {
            return Framing::None;
        }
        let codings: Vec<String> = self.list("transfer-encoding");
        let lengths: BTreeSet<String> = self.list("content-length").into_iter().collect();
        let chunked = codings.iter().any(|coding| coding == "chunked");
        let mut odd = Vec::new();
        if chunked && !lengths.is_empty() {
            odd.push("length_and_chunked");
        }
        if lengths.len() > 1 {
            odd.push("lengths_differ");
        }
        if codings.iter().any(|coding| coding != "chunked" && coding != "identity") {
            odd.push("unknown_transfer_coding");
        }
        let first = self.list("content-length").first().map(|text| text.parse::<u64>());
        if matches!(first, Some(Err(_))) {
            odd.push("bad_length");
        }
        self.oddities.extend(odd);
        match first {
            _ if chunked => Framing::Chunked,
            Some(Ok(length)) => Framing::Length(length),
            _ => Framing::UntilClose,
        }
    }

    /// Returns whether another response may certainly follow on the connection: HTTP/1.1, nothing unusual, one plain
    /// length or one plain chunked coding, and no header about the connection but that it stays open.
    pub(super) fn leaves_open(&self, framing: Framing) -> bool {
        let (lengths, codings): (Vec<&str>, Vec<&str>) =
            (self.values("content-length").collect(), self.values("transfer-encoding").collect());
        let framed = match (framing, lengths.as_slice(), codings.as_slice()) {
            (Framing::Length(_), [length], []) => length.bytes().all(|byte| byte.is_ascii_digit()),
            (Framing::Chunked, [], [coding]) => coding.eq_ignore_ascii_case("chunked"),
            _ => false,
        };
        let stays = self.list("connection").iter().all(|word| word == "keep-alive");
        framed
            && stays
            && self.version.raw() == "HTTP/1.1"
            && self.oddities.is_empty()
            && self.values("upgrade").next().is_none()
    }

    /// The content codings in the order in which they were applied.
    pub(super) fn encodings(&self) -> Vec<String> {
        self.list("content-encoding").into_iter().filter(|coding| coding != "identity").collect()
    }

    /// A header's comma-separated members over all of its lines, in lower case.
    fn list(&self, name: &str) -> Vec<String> {
        self.values(name)
            .flat_map(|value| value.split(','))
            .map(|word| word.trim().to_ascii_lowercase())
            .filter(|word| !word.is_empty())
            .collect()
    }
}

fn parse_status(line: &[u8], oddities: &mut BTreeSet<&'static str>) -> Result<(Untrusted, u16, Untrusted)> {
    let text = String::from_utf8_lossy(line);
    let broken =
        || NetError::Protocol(format!("not an HTTP status line: {}", escape(&text[..text.floor_char_boundary(100)])));
    let (version, rest) = text.split_once(' ').ok_or_else(broken)?;
    let rest = rest.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if !could_be_http(version.as_bytes()) || version.len() < 5 || digits == 0 {
        return Err(broken());
    }
    let status = rest[..digits].parse::<u16>().map_err(|_| broken())?;
    let reason = rest[digits..].strip_prefix(' ').unwrap_or(&rest[digits..]);
    if reason.is_empty() {
        oddities.insert("no_reason");
    }
    if !(100..=599).contains(&status) {
        oddities.insert("odd_status");
    }
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        oddities.insert("odd_version");
    }
    Ok((Untrusted::new(version), status, Untrusted::new(reason)))
}

fn parse_header(line: &[u8], oddities: &mut BTreeSet<&'static str>) -> (Untrusted, Untrusted) {
    if std::str::from_utf8(line).is_err() {
        oddities.insert("not_utf8");
    }
    if line.contains(&0) {
        oddities.insert("nul");
    }
    let text = |bytes: &[u8]| Untrusted::from_bytes(bytes.trim_ascii());
    match line.iter().position(|byte| *byte == b':') {
        Some(colon) => {
            if line[..colon].trim_ascii().len() != colon {
                oddities.insert("space_before_colon");
            }
            (text(&line[..colon]), text(&line[colon + 1..]))
        }
        None => {
            oddities.insert("no_colon");
            (text(line), Untrusted::default())
        }
    }
}
