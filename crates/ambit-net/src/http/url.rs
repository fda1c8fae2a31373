//! HTTP URLs as browsers read them: the host in one canonical spelling, numbers for IPv4 addresses in every base,
//! references resolved.

use crate::error::{NetError, Result};
use crate::limits::URL_BYTES_MAX;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An `http` or `https` URL without user and fragment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Url {
    /// TLS or not.
    pub https: bool,
    /// The host: a name in lower case (ASCII form, without the dot at the end), or an address without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Path and query, beginning with `/`.
    pub path: String,
}

impl Url {
    /// Reads an absolute URL. Fails with `Invalid` for other schemes than http and https, for one without a host, and
    /// for one of more than 8 KiB.
    pub fn parse(text: &str) -> Result<Self> {
        let text = clean(text);
        let lower = text.get(..8).unwrap_or(&text).to_ascii_lowercase();
        let (https, rest) = if lower.starts_with("https:") {
            (true, &text[6..])
        } else if lower.starts_with("http:") {
            (false, &text[5..])
        } else {
            return Err(NetError::invalid("http or https URL", &text));
        };
        if text.len() > URL_BYTES_MAX {
            return Err(NetError::invalid("URL of at most 8 KiB", &text[..text.floor_char_boundary(64)]));
        }
        let rest = rest.trim_start_matches(['/', '\\']);
        Self::after_slashes(https, rest).ok_or_else(|| NetError::invalid("URL", &text))
    }

    /// The URL of a scheme, host and port, path `/`. Fails with `Invalid` where `host` is neither a name nor an
    /// address.
    pub fn site(https: bool, host: &str, port: u16) -> Result<Self> {
        let host = parse_host(host).ok_or_else(|| NetError::invalid("host", host))?;
        Ok(Self { https, host, port, path: "/".into() })
    }

    /// The same site with another path (and query).
    pub fn with_path(&self, path: &str) -> Self {
        let slash = if path.starts_with('/') { "" } else { "/" };
        Self { path: encode_path(&format!("{slash}{path}")), ..self.clone() }
    }

    /// Resolves a reference, as of a `Location` header or a link. Fails with `Invalid` where it leads to another scheme
    /// than http and https.
    pub fn join(&self, reference: &str) -> Result<Self> {
        let reference = clean(reference);
        let invalid = || NetError::invalid("URL", &reference[..reference.floor_char_boundary(256)]);
        if reference.len() > URL_BYTES_MAX {
            return Err(invalid());
        }
        if let Some((scheme, _)) = scheme_of(&reference) {
            return if matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") {
                Self::parse(&reference)
            } else {
                Err(invalid())
            };
        }
        let slashes: String =
            reference.chars().take(2).map(|character| if character == '\\' { '/' } else { character }).collect();
        if slashes == "//" {
            return Self::after_slashes(self.https, reference[2..].trim_start_matches(['/', '\\'])).ok_or_else(invalid);
        }
        let reference = reference.split('#').next().unwrap_or_default();
        let (own_path, _) = self.path.split_once('?').unwrap_or((&self.path, ""));
        let path = if reference.is_empty() {
            self.path.clone()
        } else if slashes.starts_with('/') {
            normalise(reference)
        } else if reference.starts_with('?') {
            format!("{own_path}{reference}")
        } else {
            let folder = &own_path[..=own_path.rfind('/').unwrap_or(0)];
            normalise(&format!("{folder}{reference}"))
        };
        Ok(Self { path: encode_path(&path), ..self.clone() })
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &'static str {
        if self.https { "https" } else { "http" }
    }

    /// The host as an address, where it is one.
    pub fn ip(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }

    /// Host, and the port where it is not the scheme's own, as in a `Host` header.
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == default_port(self.https) { host } else { format!("{host}:{}", self.port) }
    }

    /// The path without the query.
    pub fn path_only(&self) -> &str {
        self.path.split('?').next().unwrap_or("/")
    }

    fn after_slashes(https: bool, rest: &str) -> Option<Self> {
        let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        // What stands before the last @ is a user: never a host, never sent.
        let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let (host, port) = split_port(authority)?;
        let port = match port {
            None | Some("") => default_port(https),
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok()?,
            Some(_) => return None,
        };
        let path = path.split('#').next().unwrap_or_default();
        let path = if path.starts_with(['/', '\\']) { normalise(path) } else { format!("/{path}") };
        Some(Self { https, host: parse_host(host)?, port, path: encode_path(&path) })
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme(), self.authority(), self.path)
    }
}

fn default_port(https: bool) -> u16 {
    if https { 443 } else { 80 }
}

/// Without control characters and spaces around it, as the URL standard strips them.
fn clean(text: &str) -> String {
    text.trim_matches(|character: char| character <= ' ')
        .chars()
        .filter(|character| !matches!(character, '\t' | '\n' | '\r'))
        .collect()
}

fn scheme_of(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let mut letters = scheme.chars();
    let plausible = letters.next()?.is_ascii_alphabetic()
        && letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.'));
    plausible.then_some((scheme, rest))
}

fn split_port(authority: &str) -> Option<(&str, Option<&str>)> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (host, after) = rest.split_once(']')?;
        return match after.strip_prefix(':') {
            Some(port) => Some((&authority[..host.len() + 2], Some(port))),
            None if after.is_empty() => Some((authority, None)),
            None => None,
        };
    }
    Some(match authority.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    })
}

/// A host in canonical spelling; `None` if it is none. Numbers are addresses in every base and length that browsers
/// accept.
fn parse_host(host: &str) -> Option<String> {
    if let Some(six) = host.strip_prefix('[') {
        let address: Ipv6Addr = six.strip_suffix(']')?.parse().ok()?;
        return Some(address.to_string());
    }
    if let Ok(six) = host.parse::<Ipv6Addr>() {
        return Some(six.to_string());
    }
    let decoded = percent_decode(host)?;
    let ascii = if decoded.is_ascii() { decoded.to_ascii_lowercase() } else { idna::domain_to_ascii(&decoded).ok()? };
    let name = ascii.strip_suffix('.').unwrap_or(&ascii);
    if name.is_empty() || name.len() > 253 || name.split('.').any(|label| label.is_empty() || label.len() > 63) {
        return None;
    }
    let last = name.rsplit('.').next().unwrap_or_default();
    if last.bytes().all(|byte| byte.is_ascii_digit())
        || last.starts_with("0x") && last[2..].bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        return parse_four(name).map(|four| four.to_string());
    }
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    name.bytes().all(allowed).then(|| name.to_owned())
}

/// IPv4 in one to four parts, each decimal, octal or hexadecimal (the URL standard's IPv4 parser).
fn parse_four(name: &str) -> Option<Ipv4Addr> {
    let parts: Vec<&str> = name.split('.').collect();
    if parts.len() > 4 {
        return None;
    }
    let number = |part: &str| -> Option<u64> {
        match part.strip_prefix("0x") {
            Some("") => Some(0),
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None if part.len() > 1 && part.starts_with('0') => u64::from_str_radix(part, 8).ok(),
            None => part.parse().ok(),
        }
    };
    let (last, front) = parts.split_last()?;
    let mut value = number(last)?;
    if value >= 1 << (8 * (5 - parts.len())) {
        return None;
    }
    for (index, part) in front.iter().enumerate() {
        let octet = number(part)?;
        if octet > 255 {
            return None;
        }
        value += octet << (8 * (3 - index));
    }
    u32::try_from(value).ok().map(Ipv4Addr::from)
}

/// Returns a text with its `%XX` resolved; `None` where one is none, or where the result is not UTF-8.
pub fn percent_decode(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digit = |byte: Option<u8>| byte.and_then(|byte| (byte as char).to_digit(16));
                let value = digit(rest.next())? * 16 + digit(rest.next())?;
                bytes.push(u8::try_from(value).ok()?);
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8(bytes).ok()
}

/// Removes dot segments (RFC 3986 §5.2.4); backslashes in the path are slashes. The query is left alone.
fn normalise(path: &str) -> String {
    let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
    let path = path.replace('\\', "/");
    let mut kept: Vec<&str> = Vec::new();
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    for (index, segment) in segments.iter().enumerate() {
        let last = index + 1 == segments.len();
        match segment.to_ascii_lowercase().replace("%2e", ".").as_str() {
            "." if last => kept.push(""),
            "." => {}
            ".." => {
                kept.pop();
                if last {
                    kept.push("");
                }
            }
            _ => kept.push(segment),
        }
    }
    let path = format!("/{}", kept.join("/"));
    match query {
        Some(query) => format!("{path}?{query}"),
        None => path,
    }
}

/// Percent-encodes what may not stand in a request line: controls, spaces, non-ASCII bytes, quotes and angle brackets.
fn encode_path(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'!' | b'#'..=b';' | b'=' | b'?'..=b'~' => encoded.push(byte as char),
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read_as_browsers_read_them() {
        for (text, shown) in [
            ("http://Example.TEST", "http://example.test/"),
            ("https://example.test:443/a b?q=1#x", "https://example.test/a%20b?q=1"),
            ("HTTPS:\\\\example.test\\..\\x", "https://example.test/x"),
            ("http://user:pass@example.test:8080/", "http://example.test:8080/"),
            ("http://a@b@example.test/", "http://example.test/"),
            ("http://2130706433:9120/", "http://127.0.0.1:9120/"),
            ("http://0x7f.1/", "http://127.0.0.1/"),
            ("http://0177.0.0.01/", "http://127.0.0.1/"),
            ("http://[::ffff:127.0.0.1]:9120/", "http://[::ffff:127.0.0.1]:9120/"),
            ("http://bücher.test/ü", "http://xn--bcher-kva.test/%C3%BC"),
            ("http://example.test./", "http://example.test/"),
            ("http://ex%61mple.test/", "http://example.test/"),
            (" http://example.test/\n", "http://example.test/"),
            ("http://example.test?x", "http://example.test/?x"),
        ] {
            assert_eq!(Url::parse(text).map(|url| url.to_string()).as_deref(), Ok(shown), "{text}");
        }
        for text in [
            "",
            "ftp://x/",
            "file:///etc/passwd",
            "http://",
            "http://a b/",
            "http://x:99999/",
            "http://x:-1/",
            "http://256.1.1.1/",
            "http://a..b/",
            "//x/",
        ] {
            assert!(Url::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn references_are_resolved() {
        let base = Url::parse("https://example.test/a/b/c?q").unwrap();
        for (reference, shown) in [
            ("/x", "https://example.test/x"),
            ("d", "https://example.test/a/b/d"),
            ("../d?e", "https://example.test/a/d?e"),
            ("../../../../d", "https://example.test/d"),
            ("?z", "https://example.test/a/b/c?z"),
            ("", "https://example.test/a/b/c?q"),
            ("#f", "https://example.test/a/b/c?q"),
            ("//other.test/x", "https://other.test/x"),
            ("\\\\other.test\\x", "https://other.test/x"),
            ("http://other.test:81", "http://other.test:81/"),
            (".", "https://example.test/a/b/"),
            ("/a:b", "https://example.test/a:b"),
        ] {
            assert_eq!(base.join(reference).map(|url| url.to_string()).as_deref(), Ok(shown), "{reference}");
        }
        for reference in ["file:///etc/passwd", "javascript:alert(1)", "data:,x", "gopher://x/"] {
            assert!(base.join(reference).is_err(), "{reference}");
        }
    }
}
