//! Questions that a draft answers without building anything: which zone holds a name, who owns an address, where a name
//! leads.

use crate::draft::{Data, Draft, Name, Org, OrgRole, Repository, Site};
use ambit_model::Kind;
use ambit_model::entity::code_account::has;
use ambit_model::entity::unmapped;
use ambit_model::workflow::{self, Workflow};
use ambit_net::dns::RecordType;
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};

/// Addresses of the resolvers of every world.
pub(crate) const RESOLVERS: [IpAddr; 2] =
    [IpAddr::V4(Ipv4Addr::new(198, 19, 0, 1)), IpAddr::V4(Ipv4Addr::new(198, 19, 0, 2))];

/// How many addresses a rotating name gives at once.
pub(crate) const ROTATION_SHOWN: usize = 2;

/// Longest chain of aliases that anyone follows.
pub(crate) const CHAIN_MAX: usize = 16;

/// The name and its parents, longest first, without the root.
pub(crate) fn ancestors(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| name.split_once('.').map(|(_, parent)| parent))
        .filter(|name| !name.is_empty())
}

/// The deepest zone of the file that holds a name.
pub(crate) fn zone_of<'a>(draft: &'a Draft, name: &'a str) -> Option<&'a str> {
    ancestors(name).find(|parent| draft.zones.contains_key(*parent))
}

/// The organisation that owns an address: by its host, else by the narrowest block.
pub(crate) fn org_of(draft: &Draft, address: IpAddr) -> Option<&str> {
    let stated = draft.hosts.get(&address).map(|host| host.org.as_str()).filter(|org| !org.is_empty());
    stated.or_else(|| block_of(draft, address).map(|(_, block)| block.org.as_str()))
}

/// The narrowest block that covers an address.
pub(crate) fn block_of(draft: &Draft, address: IpAddr) -> Option<(&ipnet::IpNet, &crate::draft::Block)> {
    let covering = draft.blocks.iter().filter(|(net, _)| net.contains(&address));
    covering.max_by_key(|(net, _)| net.prefix_len())
}

/// Vendors' addresses that names have as theirs, all of which are ours; hosts that state their owner are that owner's.
pub(crate) fn dedicated(draft: &Draft) -> BTreeSet<IpAddr> {
    let mut by_address: BTreeMap<IpAddr, bool> = BTreeMap::new();
    for (name, entry) in &draft.names {
        let ours = org_of_name(draft, name).is_some_and(|org| standing(draft, org) == OrgRole::Ours);
        for address in entry.records.iter().filter_map(address_of) {
            *by_address.entry(address).or_insert(true) &= ours;
        }
    }
    let vendors = |address: &IpAddr| {
        let stated = draft.hosts.get(address).is_some_and(|host| !host.org.is_empty());
        !stated && org_of(draft, *address).is_some_and(|org| standing(draft, org) == OrgRole::Vendor)
    };
    let only_ours = by_address.into_iter().filter_map(|(address, ours)| ours.then_some(address));
    only_ours.filter(vendors).collect()
}

/// The address to which a record leads: an IPv4 address that stands in IPv6 is that address.
pub(crate) fn address_of(data: &Data) -> Option<IpAddr> {
    match data {
        Data::A(address) => Some(IpAddr::V4(*address)),
        Data::Aaaa(address) => Some(unmapped(IpAddr::V6(*address))),
        _ => None,
    }
}

/// The standing of an organisation; an unknown one counts as a third party.
pub(crate) fn standing(draft: &Draft, org: &str) -> OrgRole {
    draft.orgs.get(org).map_or(OrgRole::Stranger, |org: &Org| org.standing)
}

/// The organisation that owns a name: as stated, else its zone's.
pub(crate) fn org_of_name<'a>(draft: &'a Draft, name: &'a str) -> Option<&'a str> {
    let stated = entry(draft, name).and_then(|entry| entry.org.as_deref());
    stated.or_else(|| zone_of(draft, name).map(|zone| draft.zones[zone].org.as_str()))
}

/// The statement that answers for a name: its own, or the wildcard that covers it.
pub(crate) fn entry<'a>(draft: &'a Draft, name: &str) -> Option<&'a Name> {
    if let Some(name) = draft.names.get(name) {
        return Some(name);
    }
    // Nor does a wildcard cover the top of a zone of its own, or a name that only stands above others (RFC 4592 §2.2.1,
    // §3.3.1).
    if exists(draft, name) {
        return None;
    }
    let zone = zone_of(draft, name)?;
    for parent in ancestors(name).skip(1) {
        if let Some(wildcard) = draft.names.get(&format!("*.{parent}")) {
            return Some(wildcard);
        }
        // A name that exists stops the search upwards (RFC 4592 §3.3.1).
        if parent == zone || exists(draft, parent) {
            return None;
        }
    }
    None
}

/// Whether a name is there: it has records, is the top of a zone, or something stands below it.
pub(crate) fn exists(draft: &Draft, name: &str) -> bool {
    draft.existing.contains(name)
}

/// Longest name, in characters.
const NAME_MAX: usize = 253;

/// What a DNAME record above a name in its zone makes of it.
pub(crate) struct Renamed<'a> {
    /// Where the record stands.
    pub owner: &'a str,
    pub entry: &'a Name,
    /// What all below the owner are called instead.
    pub target: &'a str,
    /// The new name; `None` where it is too long for one.
    pub name: Option<String>,
}

/// Returns the new name of one that stands below a DNAME record (RFC 6672 §2.2).
pub(crate) fn renamed<'a>(draft: &'a Draft, name: &str) -> Option<Renamed<'a>> {
    let zone = zone_of(draft, name)?;
    let above = ancestors(name).skip(1).take_while(|above| above.len() >= zone.len());
    let stated = |above: &str| {
        let (owner, entry) = draft.names.get_key_value(above)?;
        Some((owner, entry, entry.renaming()?))
    };
    let (owner, entry, target) = above.into_iter().find_map(stated)?;
    let new = format!("{}{target}", name.strip_suffix(owner.as_str())?);
    Some(Renamed { owner, entry, target, name: (new.len() <= NAME_MAX).then_some(new) })
}

/// The targets of a name's aliases, in their order.
pub(crate) fn chain(draft: &Draft, name: &str) -> Vec<String> {
    let mut targets: Vec<String> = Vec::new();
    for _ in 0..CHAIN_MAX {
        let from = targets.last().map_or(name, String::as_str);
        let stated = || {
            entry(draft, from)?.records.iter().find_map(|data| match data {
                Data::Cname(target) => Some(target.clone()),
                _ => None,
            })
        };
        match renamed(draft, from).and_then(|renamed| renamed.name).or_else(stated) {
            Some(target) => targets.push(target),
            None => break,
        }
    }
    targets
}

/// The name at the end of a chain of aliases.
pub(crate) fn end_of_chain(draft: &Draft, name: &str) -> String {
    chain(draft, name).pop().unwrap_or_else(|| name.to_owned())
}

/// The addresses that a name leads to, through its aliases.
pub(crate) fn addresses(draft: &Draft, name: &str) -> Vec<IpAddr> {
    let Some(entry) = entry(draft, &end_of_chain(draft, name)) else {
        return Vec::new();
    };
    let told = |data: &&Data| !matches!(data, Data::Aaaa(_)) || !entry.fails.contains(&RecordType::AAAA);
    entry.records.iter().filter(told).filter_map(address_of).collect()
}

/// Whether not all of a name's addresses are given at a time.
pub(crate) fn rotates(draft: &Draft, name: &str) -> bool {
    let pool = entry(draft, &end_of_chain(draft, name)).is_some_and(|entry| entry.rotate);
    pool && addresses(draft, name).len() > ROTATION_SHOWN
}

/// Whether only a zone's own servers know of a name.
pub(crate) fn is_only_inside(draft: &Draft, name: &str) -> bool {
    let is_inside = |entry: &Name| entry.records.is_empty() && !entry.inside.is_empty();
    let below = format!(".{name}");
    draft.names.get(name).is_some_and(is_inside)
        && !draft.names.keys().chain(draft.zones.keys()).any(|other| other.ends_with(&below))
}

/// Whether anybody reaches a server of a zone.
pub(crate) fn is_reachable(draft: &Draft, zone: &str) -> bool {
    is_reachable_past(draft, zone, &mut Vec::new())
}

/// The same, with the zones whose servers are being looked for: who is sent back to one of them finds nobody.
fn is_reachable_past<'a>(draft: &'a Draft, zone: &'a str, sought: &mut Vec<&'a str>) -> bool {
    let Some(stated) = draft.zones.get(zone).filter(|_| !sought.contains(&zone)) else { return false };
    sought.push(zone);
    let found = stated.servers.iter().any(|(server, given)| {
        !given.is_empty() || (!addresses(draft, server).is_empty() && leads_out(draft, zone, server, sought))
    });
    sought.pop();
    found
}

/// Whether the address of a zone's server can be asked for: the zone above gives those within the zone.
fn leads_out<'a>(draft: &'a Draft, zone: &str, server: &'a str, sought: &mut Vec<&'a str>) -> bool {
    let is_within = ancestors(server).any(|level| level == zone);
    is_within || zone_of(draft, server).is_some_and(|holder| is_reachable_past(draft, holder, sought))
}

/// The addresses of a zone's server: those that its line gives, or those to which its name leads.
pub(crate) fn server_addresses(draft: &Draft, zone: &str, (server, given): (&str, &[IpAddr])) -> Vec<IpAddr> {
    if !given.is_empty() {
        return given.to_vec();
    }
    let told = addresses(draft, server);
    if leads_out(draft, zone, server, &mut vec![zone]) { told } else { Vec::new() }
}

/// Addresses that answer questions of DNS: the servers of all zones, and the resolvers.
pub(crate) fn name_servers(draft: &Draft) -> BTreeSet<IpAddr> {
    let servers = draft.zones.values().flat_map(|zone| &zone.servers);
    let at =
        |(name, given): &(String, Vec<IpAddr>)| if given.is_empty() { addresses(draft, name) } else { given.clone() };
    servers.flat_map(at).chain(RESOLVERS).collect()
}

/// Where a site is served.
pub(crate) fn site_addresses(draft: &Draft, site: &Site) -> Vec<IpAddr> {
    if !site.at.is_empty() {
        return site.at.clone();
    }
    match site.host.parse() {
        Ok(address) => vec![address],
        Err(_) => addresses(draft, &site.host),
    }
}

/// What a run of a workflow begins with, sorted.
pub(crate) fn targets(workflow: Workflow, seeds: &[String], draft: &Draft) -> Vec<(Kind, String)> {
    let mut targets: Vec<(Kind, String)> = match workflow {
        workflow::CODE_REPOSITORIES if !draft.repositories.is_empty() || !draft.forges.is_empty() => {
            let words = seeds.iter().filter_map(|seed| workflow.target(seed).ok());
            let words = words.filter(|(kind, _)| *kind == Kind::UniqueKeyword);
            let accounts = draft.forges.iter().map(|(account, forge)| (forge.kind, account.clone()));
            // Repositories of an account are found through it, and those of third parties through a word.
            let is_named = |(url, repository): &(&String, &Repository)| {
                standing(draft, &repository.org) == OrgRole::Ours
                    && !draft.forges.keys().any(|account| has(account, url))
            };
            let named = draft.repositories.iter().filter(is_named);
            words.chain(accounts).chain(named.filter_map(|(url, _)| Kind::of_repository(url))).collect()
        }
        workflow::MOBILE_APPS => draft.apps.values().map(|app| (app.kind(), app.id.clone())).collect(),
        _ => seeds.iter().filter_map(|seed| workflow.target(seed).ok()).collect(),
    };
    targets.sort();
    targets.dedup();
    targets
}
