//! Hard stops: what a person said is never to be touched, as names, `*.name` patterns, addresses and blocks.

use crate::Kind;
use crate::entity::{InvalidName, unmapped};
use ipnet::IpNet;
use std::net::IpAddr;

/// The `never` patterns of a collection, read once.
pub(super) struct Patterns {
    exact: Vec<String>,
    /// With the leading dot.
    below: Vec<String>,
    blocks: Vec<IpNet>,
}

impl Patterns {
    pub(super) fn new(patterns: &[String]) -> Self {
        let mut read = Self {
            exact: Vec::new(),
            below: Vec::new(),
            blocks: Vec::new(),
        };
        for pattern in patterns {
            // People type patterns; entities' names are canonical.
            if let Ok(uri) = Kind::Uri.canonical(pattern) {
                read.exact.push(uri);
                continue;
            }
            let pattern = pattern.trim().trim_end_matches('.').to_lowercase();
            let pattern = idna::domain_to_ascii(&pattern).unwrap_or(pattern);
            if let Some(parent) = pattern.strip_prefix("*.") {
                read.below.push(format!(".{parent}"));
            } else if let Some(block) = block(&pattern) {
                read.blocks.push(block);
            } else if !pattern.is_empty() {
                read.exact.push(pattern);
            }
        }
        read
    }

    /// True where a pattern covers the name.
    pub(super) fn cover(&self, name: &str) -> bool {
        if name.contains('/')
            && let Ok(named) = name.parse::<IpNet>()
        {
            // A block is stopped only as a whole: what else is in it may be looked at.
            return self.blocks.iter().any(|block| block.contains(&named));
        }
        let host = host_of(name);
        if let Ok(address) = host.parse::<IpAddr>() {
            return self.blocks.iter().any(|block| block.contains(&address)) || self.exact.iter().any(|exact| exact == name);
        }
        let is_below = |parent: &String| host.len() > parent.len() && host.ends_with(parent.as_str());
        // Some names keep capitals (`AS64500`, a path); a hard stop rather covers too much.
        let is_exact = |exact: &String| exact.eq_ignore_ascii_case(host) || exact.eq_ignore_ascii_case(name);
        self.exact.iter().any(is_exact) || self.below.iter().any(is_below)
    }
}

/// The canonical form of an exclusion that a person typed: a name, `*.name`, an address, a block or a URL.
///
/// # Errors
/// The text names nothing that could be excluded.
pub fn exclusion(text: &str) -> Result<String, InvalidName> {
    let text = text.trim();
    let (below, name) = text.strip_prefix("*.").map_or((false, text), |name| (true, name));
    // A public suffix is no target, and may well be excluded.
    let suffix = || Kind::of_host(name).ok().filter(|(kind, _)| *kind == Kind::DnsRecord);
    let (_, canonical) = Kind::of_target(name).or_else(|error| suffix().ok_or(error))?;
    Ok(if below { format!("*.{canonical}") } else { canonical })
}

/// A block, or an address as the block of one.
fn block(pattern: &str) -> Option<IpNet> {
    let address = pattern.parse::<IpAddr>().ok().map(|address| IpNet::from(unmapped(address)));
    address.or_else(|| pattern.parse::<IpNet>().ok().map(|block| block.trunc()))
}

/// True where a `never` pattern covers the name: equal, below `*.`, the host of a URL or service, an address in a block, or a block within one.
pub fn is_never(name: &str, never: &[String]) -> bool {
    !never.is_empty() && Patterns::new(never).cover(name)
}

/// The host name or address in an entity's name: of a URL, of `address:port/tcp`, of an e-mail address, or the name itself.
pub fn host_of(name: &str) -> &str {
    let rest = name.split_once("://").map_or(name, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    match rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((address, _)) => address,
        None if rest.matches(':').count() == 1 => rest.split(':').next().unwrap_or(rest),
        None => rest,
    }
}
