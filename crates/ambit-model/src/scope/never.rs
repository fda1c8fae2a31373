//! Exclusions: what must never be touched, as names, `*.name` patterns, addresses, blocks and sites. The same code
//! parses those of the installation, of a collection and of the deny list.

use super::Node;
use super::pages::{Pages, host_in_exclusions, lower};
use crate::Kind;
use crate::entity::{InvalidName, host_of, unmapped};
use crate::reserved::carried;
use ipnet::IpNet;
use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};

/// The exclusions, parsed once because every entity and every contact is checked against them.
#[derive(Clone, Debug, Default)]
pub struct Exclusions {
    /// Names as a whole, in lower case.
    exact: HashSet<String>,
    /// Parents whose names below are covered, in lower case.
    below: HashSet<String>,
    addresses: HashSet<IpAddr>,
    blocks: Vec<IpNet>,
    /// Sites, and pages of sites with what lies below them.
    pages: Vec<Pages>,
    /// Hosts and ports of the sites without a path, and of services.
    places: HashSet<(String, u16)>,
}

impl Exclusions {
    /// Reads patterns as people type them.
    pub fn new(patterns: &[String]) -> Self {
        let mut read = Self::default();
        for pattern in patterns {
            read.add(pattern);
        }
        read
    }

    /// What the deny list closes: each denied entity with all that is on it or, for a registrable domain, below it. One
    /// that the allow list holds as well is not denied.
    pub fn of_denied<'a>(nodes: impl Iterator<Item = &'a Node>) -> Self {
        let mut read = Self::default();
        for node in nodes.filter(|node| node.deny && !node.allow) {
            match node.kind {
                Kind::Domain => {
                    read.add(&node.name);
                    read.below.insert(node.name.clone());
                }
                Kind::DnsRecord
                | Kind::Nameserver
                | Kind::Mailserver
                | Kind::IpAddress
                | Kind::NetBlock
                | Kind::Uri => read.add(&node.name),
                Kind::NetworkService => {
                    read.exact.insert(node.name.to_ascii_lowercase());
                    let socket = node.name.rsplit_once('/').and_then(|(socket, _)| socket.parse::<SocketAddr>().ok());
                    read.places.extend(socket.map(|socket| (socket.ip().to_string(), socket.port())));
                }
                // One of many on a provider's host, unless it has a host of its own.
                Kind::CloudStorageBucket if !node.name.trim_start_matches("https://").contains('/') => {
                    read.exact.insert(host_in_exclusions(host_of(&node.name)).into_owned());
                }
                _ => {}
            }
        }
        read
    }

    fn add(&mut self, pattern: &str) {
        // People type patterns; entities' names are canonical.
        if let Ok(url) = Kind::Uri.canonical(pattern) {
            let pages = Pages::of(before_star(&url));
            self.places.extend(pages.as_ref().and_then(Pages::whole));
            self.pages.extend(pages);
            return;
        }
        let pattern = pattern.trim().trim_end_matches('.').to_lowercase();
        let pattern = idna::domain_to_ascii(&pattern).unwrap_or(pattern);
        if let Some(parent) = pattern.strip_prefix("*.") {
            self.below.insert(parent.to_owned());
        } else if let Ok(address) = pattern.parse::<IpAddr>() {
            self.addresses.insert(unmapped(address));
        } else if let Some(block) = Kind::NetBlock.canonical(&pattern).ok().and_then(|block| block.parse().ok()) {
            self.blocks.push(block);
        } else if !pattern.is_empty() {
            self.exact.insert(host_in_exclusions(&pattern).into_owned());
        }
    }

    /// True where a pattern covers the name: equal, below `*.`, the host of a URL or service, an address in a block, a
    /// block within one, or a page of a site.
    pub fn cover(&self, name: &str) -> bool {
        if name.contains('/')
            && let Ok(named) = name.parse::<IpNet>()
        {
            // A block is stopped only as a whole: what else is in it may be looked at.
            return self.blocks.iter().any(|block| block.contains(&named));
        }
        if !self.pages.is_empty() && Pages::of(name).is_some_and(|page| self.hold(&page)) {
            return true;
        }
        let host = host_of(name);
        if let Ok(address) = host.parse::<IpAddr>() {
            return self.cover_address(address) || self.exact.contains(name);
        }
        // Some names keep capitals (`AS64500`, a path); an exclusion rather covers too much.
        self.cover_host(&lower(host)) || (host != name && self.exact.contains(&*lower(name)))
    }

    /// True where a pattern covers an address, itself or as the IPv4 address that it carries.
    pub fn cover_address(&self, address: IpAddr) -> bool {
        let covers = |address: IpAddr| {
            self.addresses.contains(&address) || self.blocks.iter().any(|block| block.contains(&address))
        };
        covers(unmapped(address)) || carried(address).any(|four| covers(IpAddr::V4(four)))
    }

    /// True where a contact there, under this name or none, is one with a covered site or service.
    pub fn cover_place(&self, name: Option<&str>, socket: SocketAddr) -> bool {
        let covers = |host: String| self.places.contains(&(host, socket.port()));
        !self.places.is_empty()
            && (covers(unmapped(socket.ip()).to_string())
                || name.is_some_and(|name| covers(host_in_exclusions(name).into_owned())))
    }

    /// True where a pattern covers a page: of a host, at a port, by its path with the query.
    pub fn cover_page(&self, host: &str, port: u16, path: &str) -> bool {
        !self.pages.is_empty() && self.hold(&Pages::at(host, port, path))
    }

    /// True where patterns cover some pages of a host and port, and not all: whoever asks there must show each page.
    pub fn cover_some_pages(&self, host: &str, port: u16) -> bool {
        self.pages.iter().any(|pages| pages.are_some_of(host, port))
    }

    /// Hosts of which patterns cover some pages, and not all.
    pub fn hosts_of_pages(&self) -> impl Iterator<Item = &str> {
        self.pages.iter().filter_map(Pages::host_of_some)
    }

    fn hold(&self, page: &Pages) -> bool {
        self.pages.iter().any(|pages| pages.hold(page))
    }

    fn cover_host(&self, host: &str) -> bool {
        let called = host_in_exclusions(host);
        self.exact.contains(&*called) || self.cover_below(host) || (*called != *host && self.cover_below(&called))
    }

    fn cover_below(&self, host: &str) -> bool {
        let mut rest = host;
        while let Some((_, parent)) = rest.split_once('.').filter(|_| !self.below.is_empty()) {
            if self.below.contains(parent) {
                return true;
            }
            rest = parent;
        }
        false
    }
}

/// The beginning of a URL up to the segment of its path that has a `*`: what lies below is excluded in any case.
fn before_star(url: &str) -> &str {
    let path = url.find("://").map_or(0, |at| at + 3);
    let path = url[path..].find('/').map_or(url.len(), |at| path + at);
    let end = url[path..].find(['?', '#']).map_or(url.len(), |at| path + at);
    match url[path..end].find('*') {
        Some(star) => &url[..url[..path + star].rfind('/').map_or(path, |slash| slash.max(path))],
        None => url,
    }
}

/// The canonical form of an exclusion that a person typed: a name, `*.name`, an address, a block or a URL, whose path
/// may end with `/*`. Fails if the text names nothing that could be excluded, and where a `*` stands elsewhere in a
/// path, since more would be excluded than it says. An AS number or an organization fails too, since an exclusion holds
/// at each contact, and what belongs to those is not known there.
pub fn exclusion(text: &str) -> Result<String, InvalidName> {
    let text = text.trim();
    let (below, name) = text.strip_prefix("*.").map_or((false, text), |name| (true, name));
    // A public suffix is no target, and may well be excluded.
    let suffix = || Kind::of_host(name).ok().filter(|(kind, _)| *kind == Kind::DnsRecord);
    let (kind, canonical) = Kind::of_target(name).or_else(|error| suffix().ok_or(error))?;
    let refused = |why| Err(InvalidName { kind: "exclusion", text: name.to_owned(), why });
    match kind {
        Kind::AutonomousSystem => {
            return refused("exclude the blocks of the network, since its number excludes no address");
        }
        Kind::Organization => {
            return refused("exclude its names and blocks, since an organization's own name excludes none of them");
        }
        _ => {}
    }
    if kind == Kind::Uri {
        let front = before_star(&canonical);
        if !["", "/*", "/**"].contains(&&canonical[front.len()..]) {
            let why = "a `*` stands only at the end of a path, as in /private/*: everything below a path is excluded";
            return refused(why);
        }
        return Kind::Uri.canonical(front);
    }
    Ok(if below { format!("*.{canonical}") } else { canonical })
}

/// True where a pattern covers the name, see [`Exclusions::cover`].
pub(crate) fn is_never(name: &str, never: &[String]) -> bool {
    !never.is_empty() && Exclusions::new(never).cover(name)
}
