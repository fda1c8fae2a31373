//! Pages of a site that are excluded: a site without a path stands for all of its pages, one with a path for what lies
//! at and below it.

use crate::entity::bucket;
use crate::ports::BROWSER;
use std::borrow::Cow;

/// A site with the beginning of its paths, in the spelling in which paths are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pages {
    host: String,
    port: u16,
    segments: Vec<String>,
    /// The beginning of the query, where the pattern has one.
    query: Option<String>,
}

impl Pages {
    /// Reads a URL; `None` for what is none.
    pub(super) fn of(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (host, port) = match authority.rsplit_once(':').filter(|(_, port)| !port.contains(']')) {
            Some((host, port)) => (host, port.parse().ok()?),
            None if scheme.eq_ignore_ascii_case("https") => (authority, 443),
            None => (authority, 80),
        };
        Some(Self::at(host, port, path))
    }

    /// A path, with its query, of a host and port.
    pub(super) fn at(host: &str, port: u16, path: &str) -> Self {
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        Self {
            host: host_in_exclusions(host.trim_start_matches('[').trim_end_matches(']')).into_owned(),
            port,
            segments: segments(path),
            query: query.map(str::to_ascii_lowercase),
        }
    }

    /// True where another page lies at these or below them.
    pub(super) fn hold(&self, page: &Self) -> bool {
        let query = |start: &String| page.query.as_ref().is_some_and(|query| query.starts_with(start));
        self.host == page.host
            && self.is_at(page.port)
            && page.segments.starts_with(&self.segments)
            && self.query.as_ref().is_none_or(|start| page.segments.len() == self.segments.len() && query(start))
    }

    /// True for a host and port of which these are some pages only.
    pub(super) fn are_some_of(&self, host: &str, port: u16) -> bool {
        !self.are_all() && self.is_at(port) && self.host == host_in_exclusions(host)
    }

    /// The host of which these are some pages only.
    pub(super) fn host_of_some(&self) -> Option<&str> {
        (!self.are_all()).then_some(&self.host)
    }

    fn are_all(&self) -> bool {
        self.segments.is_empty() && self.query.is_none()
    }

    /// Whether the port is theirs: a page has the same path on both ports of a browser, a whole site is one of two.
    fn is_at(&self, port: u16) -> bool {
        self.port == port || (!self.are_all() && BROWSER.contains(&self.port) && BROWSER.contains(&port))
    }

    /// Host and port, where these are all of its pages.
    pub(super) fn whole(&self) -> Option<(String, u16)> {
        self.are_all().then(|| (self.host.clone(), self.port))
    }
}

/// The segments of a path as a server may read it: percent-encodings decoded, `.`, `..` and empty segments folded,
/// parameters behind a semicolon left out, upper and lower case alike. An exclusion rather covers too much.
fn segments(path: &str) -> Vec<String> {
    let decoded = decoded(path.split('#').next().unwrap_or(path));
    let mut segments = Vec::new();
    for segment in decoded.split(['/', '\\']) {
        match segment.split(';').next().unwrap_or(segment) {
            "" | "." => {}
            ".." => drop(segments.pop()),
            plain => segments.push(plain.to_lowercase()),
        }
    }
    segments
}

/// What a host is called where it is compared with exclusions: in lower case, and a bucket's in no region, since it is
/// the same in all.
pub(super) fn host_in_exclusions(host: &str) -> Cow<'_, str> {
    match lower(host) {
        Cow::Borrowed(host) => bucket::in_no_region(host),
        Cow::Owned(host) => Cow::Owned(bucket::in_no_region(&host).into_owned()),
    }
}

pub(super) fn lower(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

fn decoded(path: &str) -> Cow<'_, str> {
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let bytes = path.as_bytes();
    let hex = |at: usize| bytes.get(at).and_then(|digit| char::from(*digit).to_digit(16));
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        match (bytes[at], hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                plain.push(u8::try_from(high * 16 + low).expect("two hexadecimal digits are a byte"));
                at += 3;
            }
            (byte, ..) => {
                plain.push(byte);
                at += 1;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&plain).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_lie_below_a_path_in_every_spelling() {
        let cases = [
            ("https://www.acme.test:443/private", "https://www.acme.test/private", true),
            ("https://www.acme.test/private/", "https://WWW.acme.test/Private/home?x=1", true),
            ("https://www.acme.test/private", "https://www.acme.test/a/../%70rivate//home", true),
            ("https://www.acme.test/private", "https://www.acme.test/.\\private;v=1\\home", true),
            ("https://www.acme.test/private", "https://www.acme.test/privateer", false),
            ("https://www.acme.test/private", "https://www.acme.test/private/../public", false),
            ("https://www.acme.test/private", "http://www.acme.test/private", true),
            ("https://www.acme.test/private", "http://www.acme.test:8080/private", false),
            ("https://www.acme.test", "http://www.acme.test/any", false),
            ("https://www.acme.test/private", "https://shop.acme.test/private", false),
            ("https://www.acme.test/a?id=7", "https://www.acme.test/a?id=77&b", true),
            ("https://www.acme.test/a?id=7", "https://www.acme.test/a?id=8", false),
            ("https://www.acme.test/a?id=7", "https://www.acme.test/a/b?id=7", false),
            ("https://www.acme.test", "https://www.acme.test/any/thing", true),
            ("http://[2001:db8::1]:8080/x", "http://[2001:db8::1]:8080/x/y", true),
            ("https://www.acme.test/%zz%4", "https://www.acme.test/%ZZ%4/a", true),
        ];
        for (pattern, page, held) in cases {
            let (pattern, page) = (Pages::of(pattern).unwrap(), Pages::of(page).unwrap());
            assert_eq!(pattern.hold(&page), held, "{pattern:?} {page:?}");
        }
        assert_eq!(Pages::of("www.acme.test/private"), None);
    }
}
