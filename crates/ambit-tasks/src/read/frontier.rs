//! What a crawl visits next: pages of one application, the nearest first, few of each shape, and none of what traps
//! crawlers or does something. Pure.

use super::doing::does_something;
use super::page::Page;
use ambit_net::http::Url;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::LazyLock;

/// Steps from where it begins.
const DEPTH_MAX: usize = 6;
/// Pages of one shape: a catalogue has thousands that are alike.
const SAME_SHAPE_MAX: usize = 3;
/// Characters of a path with its query; longer ones are made by traps.
const PATH_CHARS_MAX: usize = 400;
/// Times that one segment may stand in a path: links that are relative by mistake repeat theirs for ever.
const SAME_SEGMENT_MAX: usize = 2;
/// Pages that wait.
const OPEN_MAX: usize = 2_000;

/// Endings of files that hold no page and name none.
const FILES: &[&str] = &[
    "avi", "bmp", "css", "doc", "docx", "eot", "exe", "gif", "gz", "ico", "iso", "jpeg", "jpg", "js", "map", "mp3",
    "mp4", "pdf", "png", "ppt", "pptx", "svg", "tar", "tgz", "tif", "ttf", "wav", "webm", "webp", "woff", "woff2",
    "xls", "xlsx", "zip",
];

static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d+").expect("constant"));
static IDENTIFIER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^(?:[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{12,64})$").expect("constant"));

/// Why pages were left out, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    pub(crate) robots: usize,
    pub(crate) traps: usize,
    pub(crate) doing: usize,
}

/// The pages that were met, and those that are still to be visited.
pub(crate) struct Frontier {
    site: Url,
    /// The path that all pages begin with.
    below: String,
    forbidden: Vec<String>,
    depth_max: usize,
    open: VecDeque<(Url, usize)>,
    seen: BTreeSet<String>,
    shapes: BTreeMap<String, usize>,
    pub(crate) left_out: LeftOut,
}

impl Frontier {
    /// Begins at a page. What lies above its folder is another application; `forbidden` are paths that robots shall not
    /// visit.
    pub(crate) fn new(start: &Url, forbidden: Vec<String>) -> Self {
        let path = start.path_only();
        let below = path.rsplit_once('/').map_or("/", |(folder, _)| folder);
        let mut frontier = Self {
            site: start.clone(),
            below: format!("{below}/"),
            forbidden: forbidden.iter().map(|pattern| spelled(pattern)).collect(),
            depth_max: DEPTH_MAX,
            open: VecDeque::new(),
            seen: BTreeSet::from([start.path.clone()]),
            shapes: BTreeMap::new(),
            left_out: LeftOut::default(),
        };
        frontier.open.push_back((start.clone(), 0));
        frontier
    }

    /// The same, with pages at most so many steps from where it begins.
    pub(crate) fn at_most(self, depth: usize) -> Self {
        Self { depth_max: depth, ..self }
    }

    /// Leaves out a page that was visited without it.
    pub(crate) fn pass(&mut self, url: &Url) {
        self.seen.insert(url.path.clone());
    }

    /// The pages that wait, the next one first.
    pub(crate) fn waiting(&self) -> impl ExactSizeIterator<Item = &Url> {
        self.open.iter().map(|(url, _)| url)
    }

    /// The next page, and how far it is from the start.
    pub(crate) fn next(&mut self) -> Option<(Url, usize)> {
        self.open.pop_front()
    }

    /// Takes up a page that another one, so far from the start, links to.
    pub(crate) fn add(&mut self, url: &Url, depth: usize) {
        let here = (url.https, &url.host, url.port) == (self.site.https, &self.site.host, self.site.port);
        if !here || !url.path_only().starts_with(&self.below) || !self.seen.insert(url.path.clone()) {
            return;
        }
        let ending = url.path_only().rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        if ending.is_some_and(|ending| FILES.contains(&ending.as_str())) {
            return;
        }
        let path = spelled(&url.path).replace('*', "%2A").replace('$', "%24");
        if self.forbidden.iter().any(|forbidden| closes(forbidden, &path)) {
            self.left_out.robots += 1;
        } else if does_something(url) {
            self.left_out.doing += 1;
        } else if depth >= self.depth_max || self.is_trap(url) || self.open.len() >= OPEN_MAX {
            self.left_out.traps += 1;
        } else {
            self.open.push_back((url.clone(), depth + 1));
        }
    }

    /// Takes up the pages that a page, so far from the start, links to. What its links send is no page.
    pub(crate) fn follow(&mut self, page: &Page, depth: usize) {
        for link in page.links.iter().chain(&page.refresh).filter(|link| !page.sent.contains(*link)) {
            if let Ok(url) = Url::parse(link) {
                self.add(&url, depth);
            }
        }
    }

    /// True for a path as traps make them, and for one of a shape of which enough were met.
    fn is_trap(&mut self, url: &Url) -> bool {
        if url.path.chars().count() > PATH_CHARS_MAX {
            return true;
        }
        let mut segments: BTreeMap<&str, usize> = BTreeMap::new();
        for segment in url.path_only().split('/').filter(|segment| !segment.is_empty()) {
            *segments.entry(segment).or_default() += 1;
        }
        let known = self.shapes.entry(shape(url)).or_default();
        *known += 1;
        *known > SAME_SHAPE_MAX || segments.values().any(|times| *times > SAME_SEGMENT_MAX)
    }
}

/// A path in the one spelling in which paths are compared (RFC 9309 §2.2.2): letters, digits and `-._~` as they are,
/// what stands encoded and is none of these encoded in capitals, and so is what no path may hold as it is.
fn spelled(path: &str) -> String {
    let bytes = path.as_bytes();
    let hex = |at: usize| bytes.get(at).and_then(|digit| char::from(*digit).to_digit(16));
    let mut spelled = String::with_capacity(path.len());
    let mut at = 0;
    while at < bytes.len() {
        let encoded = hex(at + 1).zip(hex(at + 2)).filter(|_| bytes[at] == b'%');
        let value = encoded.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        let byte = value.unwrap_or(bytes[at]);
        let is_free = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let stands = byte.is_ascii_graphic() && !b"\"<>".contains(&byte);
        if is_free || (value.is_none() && stands) {
            spelled.push(char::from(byte));
        } else {
            spelled.push_str(&format!("%{byte:02X}"));
        }
        at += if value.is_some() { 3 } else { 1 };
    }
    spelled
}

/// Whether a path that robots shall not visit, as a file for robots writes it, takes in a path: `*` stands for
/// anything, `$` for the end (RFC 9309 §2.2.3).
fn closes(pattern: &str, path: &str) -> bool {
    let (pattern, to_end) = pattern.strip_suffix('$').map_or((pattern, false), |pattern| (pattern, true));
    let mut parts = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    for (number, part) in parts.iter().enumerate() {
        let is_last = number + 1 == parts.len();
        let found = if is_last && to_end {
            rest.len().checked_sub(part.len()).filter(|_| rest.ends_with(part))
        } else {
            rest.find(part)
        };
        let Some(at) = found else { return false };
        rest = &rest[at + part.len()..];
    }
    !to_end || rest.is_empty()
}

/// Returns whether a text is a generated identifier, such as a UUID or a hash.
pub(crate) fn is_identifier(text: &str) -> bool {
    IDENTIFIER.is_match(text)
}

/// The path with numbers and identifiers taken out, and the names of the parameters.
pub(crate) fn shape(url: &Url) -> String {
    let segments = url.path_only().split('/');
    let segments = segments.map(|segment| {
        if is_identifier(segment) { "{id}".to_owned() } else { NUMBER.replace_all(segment, "{n}").into_owned() }
    });
    let path: Vec<String> = segments.collect();
    let names: Vec<String> = parameters(url).into_iter().collect();
    if names.is_empty() { path.join("/") } else { format!("{}?{}", path.join("/"), names.join("&")) }
}

/// Names of the parameters in a URL.
pub(crate) fn parameters(url: &Url) -> BTreeSet<String> {
    let query = url.path.split_once('?').map_or("", |(_, query)| query);
    let names = query.split('&').map(|pair| pair.split('=').next().unwrap_or(""));
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_closed_to_robots_by_patterns() {
        for (pattern, path, closed) in [
            ("/private/", "/private/a", true),
            ("/private/", "/public/", false),
            ("/*.bak$", "/a/b.bak", true),
            ("/*.bak$", "/a.bak.html", false),
            ("/*.bak", "/a.bak.html", true),
            ("/a*/b*c", "/a1/b2c3", true),
            ("/a*/b*c", "/a1/c2", false),
            ("/exact$", "/exact", true),
            ("/exact$", "/exactly", false),
            ("/*aa$", "/aa", true),
        ] {
            assert_eq!(closes(pattern, path), closed, "{pattern} {path}");
        }
    }

    fn url(path: &str) -> Url {
        Url::parse(&format!("https://app.acme.test{path}")).unwrap()
    }

    fn taken(start: &str, forbidden: &[&str], paths: &[&str]) -> (Vec<String>, LeftOut) {
        let mut frontier = Frontier::new(&url(start), forbidden.iter().map(|path| (*path).to_owned()).collect());
        for path in paths {
            frontier.add(&if path.contains("://") { Url::parse(path).unwrap() } else { url(path) }, 0);
        }
        let taken = std::iter::from_fn(|| frontier.next()).map(|(url, _)| url.path).collect();
        (taken, frontier.left_out)
    }

    #[test]
    fn what_is_closed_to_robots_is_closed_however_it_is_spelled() {
        for (closed, path, is_taken) in [
            ("/case%2dx/", "/case-x/z", false),
            ("/case-x/", "/case%2Dx/z", false),
            ("/enc/ä", "/enc/%C3%A4", false),
            ("/enc/%c3%a4", "/enc/ä", false),
            ("/enc/%C3%A4", "/enc/%c3%a4/b", false),
            ("/a b", "/a%20b", false),
            ("/x%2Fy", "/x/y", true),
            ("/x%2fy", "/x%2Fy", false),
            ("/file%2a", "/file*", false),
            ("/file%2a", "/file7", true),
            ("/%zz", "/%zz", false),
            ("/enc/a", "/enc/%C3%A4", true),
        ] {
            let (pages, left_out) = taken("/", &[closed], &[path]);
            assert_eq!((pages.len() == 2, left_out.robots == 0), (is_taken, is_taken), "{closed} {path}");
        }
    }

    #[test]
    fn pages_of_the_application_are_visited_once_and_others_are_not() {
        let (pages, left_out) = taken(
            "/shop/start",
            &["/shop/private"],
            &[
                "/shop/list",
                "/shop/list",
                "/other",
                "/shop/logo.png",
                "http://app.acme.test/shop/plain",
                "https://www.acme.test/shop/x",
                "/shop/private/x",
                "/shop/logout",
                "/shop/item?do=delete&id=7",
            ],
        );
        assert_eq!(pages, ["/shop/start", "/shop/list"]);
        assert_eq!(left_out, LeftOut { robots: 1, traps: 0, doing: 2 });
    }

    #[test]
    fn few_pages_of_a_shape_are_visited_and_traps_are_left() {
        let mut paths: Vec<String> = (1..=50).map(|number| format!("/item/{number}?page={number}")).collect();
        paths.extend((1..=50).map(|day| format!("/calendar/2026-01-{day}")));
        paths.push("/a/a/a/b".to_owned());
        paths.push(format!("/x?q={}", "y".repeat(500)));
        paths.push("/file/0123456789abcdef".to_owned());
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let (pages, left_out) = taken("/", &[], &paths);
        assert_eq!(pages.len(), 1 + 3 + 3 + 1, "{pages:?}");
        assert_eq!(left_out.traps, 47 + 47 + 2);
    }

    #[test]
    fn far_pages_are_left_out() {
        let mut frontier = Frontier::new(&url("/"), Vec::new());
        frontier.add(&url("/near"), DEPTH_MAX - 1);
        frontier.add(&url("/far"), DEPTH_MAX);
        assert_eq!((frontier.open.len(), frontier.left_out.traps), (2, 1));
    }

    #[test]
    fn a_shape_has_the_names_of_parameters_and_no_values() {
        assert_eq!(shape(&url("/a/17/x?b=2&a=1&b=3")), "/a/{n}/x?a&b");
        assert_eq!(shape(&url("/o/5f0c2f9e-7a41-4c52-9d0c-2f6f1c1f7a55")), "/o/{id}");
    }
}
