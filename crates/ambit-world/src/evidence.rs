//! What anybody could find out from outside that shows whose an address or a name is: registrations, reverse names,
//! certificates shown to everybody, delegations and aliases. Reasoned from the file's statements alone; the standings
//! say what is true, this says what can be known.

use crate::draft::{Data, Draft, Issuer, Name, OrgRole, TlsVersions};
use crate::internet::{Internet, Port};
use crate::pki::Certificate;
use crate::plan;
use crate::serve::{Knock, knock};
use crate::shown::Shown;
use ambit_model::entity::{host_of, registrable};
use ambit_model::platforms::{self, Sharing};
use ambit_model::{Kind, scope};
use ipnet::IpNet;
use std::collections::BTreeSet;
use std::net::IpAddr;

/// How well the address is shown to be ours.
pub(crate) fn of_address(internet: &Internet, address: IpAddr) -> Shown {
    internet.weighed.of(address, || weigh(internet, address))
}

fn weigh(internet: &Internet, address: IpAddr) -> Shown {
    let draft = &internet.draft;
    let is_platforms = is_platforms(draft, address);
    if is_within_seed(internet, address) {
        return if is_platforms && !is_meant(internet, address) { Shown::Doubtful } else { Shown::Plainly };
    }
    if is_registered_to_us(internet, address) {
        return if is_platforms || is_crowded(internet, address) { Shown::Doubtful } else { Shown::Plainly };
    }
    if !speaks_for_us(internet, address) {
        return Shown::Nothing;
    }
    let strange = draft.names.iter().any(|(name, entry)| {
        let leads = direct(entry).any(|other| other == address) && !scope::spells(name, &address.to_string());
        leads && !is_ours(internet, name)
    });
    if strange || is_platforms { Shown::Doubtful } else { Shown::Plainly }
}

/// The registered name of its block, its reverse name or a name that leads there is that of a platform which serves
/// many customers at one address.
fn is_platforms(draft: &Draft, address: IpAddr) -> bool {
    let serves_many = |platform: &platforms::Platform| platform.sharing == Sharing::Shared;
    let network = plan::block_of(draft, address).and_then(|(_, block)| platforms::of_network(&block.name));
    let pointer = draft.hosts.get(&address).and_then(|host| host.pointer.as_deref());
    let leading = draft.names.iter().filter(|(_, entry)| direct(entry).any(|other| other == address));
    let hosts = leading.map(|(name, _)| name.as_str()).chain(pointer);
    network.is_some_and(serves_many) || hosts.filter_map(platforms::of_host).any(serves_many)
}

/// Addresses of a block of which a person who names it means each one.
const MEANT_BITS_MAX: u8 = 8;

/// Somebody named the address, or a block of so few that each of them is meant.
fn is_meant(internet: &Internet, address: IpAddr) -> bool {
    let named = internet
        .seeds
        .iter()
        .filter_map(|seed| seed.parse().ok().or_else(|| Some(seed.parse::<IpAddr>().ok()?.into())));
    named
        .into_iter()
        .any(|net: IpNet| net.contains(&address) && net.max_prefix_len() - net.prefix_len() <= MEANT_BITS_MAX)
}

/// Domains that nobody named with names at an address from which it may be a host that serves them, whoever registered
/// its block.
const CROWD_DOMAINS: usize = 5;

/// What is handed away is in a domain of ours all the same, an account names what it holds, and what evidence alone
/// makes ours may be a customer's.
fn is_crowded(internet: &Internet, address: IpAddr) -> bool {
    let is_named = |seed: &&String| {
        let kind = Kind::of_target(seed).map(|(kind, _)| kind);
        matches!(kind, Ok(Kind::Domain | Kind::DnsRecord | Kind::Uri | Kind::EmailAddress))
    };
    let is_sister = |home: &&String| internet.draft.zones.get(*home).is_some_and(|zone| zone.sister);
    let held = internet.homes.iter().filter(|home| !is_sister(home));
    let seeds = internet.seeds.iter().chain(held).filter(is_named);
    let named: BTreeSet<&str> = seeds.filter_map(|seed| registrable(host_of(seed))).collect();
    let leading = internet.draft.names.iter().filter(|(_, entry)| direct(entry).any(|other| other == address));
    let domains: BTreeSet<&str> = leading.filter_map(|(name, _)| registrable(name)).collect();
    domains.difference(&named).count() >= CROWD_DOMAINS
}

/// Returns true for an address that a name of ours has, where nothing that is ours, and no pointer, tells that others
/// have it too.
pub(crate) fn looks_dedicated(internet: &Internet, address: IpAddr) -> bool {
    let draft = &internet.draft;
    if draft.dedicated.contains(&address) {
        return true;
    }
    let holders = draft.names.iter().filter(|(_, entry)| direct(entry).any(|other| other == address));
    let (ours, others): (Vec<_>, Vec<_>) = holders.map(|(name, _)| name).partition(|name| is_ours(internet, name));
    let pointer = draft.hosts.get(&address).and_then(|host| host.pointer.as_deref());
    let told = |name: &String| pointer == Some(name.as_str()) || is_told_by_us(internet, name);
    !ours.is_empty() && !others.into_iter().any(told)
}

/// Whether what is ours names it: a record, a certificate, a page.
fn is_told_by_us(internet: &Internet, name: &str) -> bool {
    let draft = &internet.draft;
    let mut certificates = internet.certificates.iter().map(|certificate| &certificate.names);
    let certified = certificates
        .any(|names| names.iter().any(|known| known == name) && names.iter().any(|known| is_ours(internet, known)));
    let mut pages = draft.sites.values().filter(|site| is_ours(internet, &site.host)).flat_map(|site| {
        let redirect = site.redirect.as_ref().map(|(_, url)| url);
        site.links.iter().chain(&site.loads).chain(redirect)
    });
    let own = draft.names.iter().filter(|(own, _)| is_ours(internet, own));
    let mut records = own.flat_map(|(_, entry)| &entry.records);
    certified
        || pages.any(|url| ambit_model::entity::host_of(url) == name)
        || records.any(|data| match data {
            Data::Cname(to) | Data::Dname(to) | Data::Ns(to) | Data::Mx(_, to) | Data::Srv(_, _, _, to) => to == name,
            Data::Binding(_, binding) => binding.target == name,
            _ => false,
        })
}

/// At or below a seed, in a zone of ours that was not handed away.
pub(crate) fn is_ours(internet: &Internet, name: &str) -> bool {
    let draft = &internet.draft;
    let org = plan::org_of_name(draft, name).unwrap_or_default();
    is_below_seed(internet, name) && plan::standing(draft, org) == OrgRole::Ours && !is_handed_away(internet, name)
}

fn is_at_or_below(name: &str, parent: &str) -> bool {
    name.strip_suffix(parent).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// At or below a seed, or a domain that evidence shows to be theirs.
pub(crate) fn is_below_seed(internet: &Internet, name: &str) -> bool {
    internet.homes.iter().any(|seed| is_at_or_below(name, seed))
}

/// The block that the registry names for an address is registered to the registrant of a seed, or by a mailbox in a
/// seed's domain.
fn is_registered_to_us(internet: &Internet, address: IpAddr) -> bool {
    let draft = &internet.draft;
    let block = plan::block_of(draft, address).map(|(_, block)| block);
    let told = block.filter(|block| has_registry(internet, &block.registry));
    let Some(holder) = told.and_then(|block| draft.orgs.get(&block.org)) else {
        return false;
    };
    let domains = || internet.seeds.iter().filter(|seed| matches!(Kind::of_target(seed), Ok((Kind::Domain, _))));
    // Who serves a zone for others may have registered it in their own name.
    let own_server =
        |server: &str| platforms::is_name_server(server) || domains().any(|seed| is_at_or_below(server, seed));
    let zones = domains().filter_map(|seed| draft.zones.get(seed));
    let zones = zones.filter(|zone| !zone.redacted && has_registry(internet, &zone.registry));
    let zones = zones.filter(|zone| zone.servers.iter().all(|(server, _)| own_server(server)));
    let mut registrants = zones.filter_map(|zone| draft.orgs.get(&zone.org)).map(|org| org.name.to_lowercase());
    let mailbox = holder.email.rsplit_once('@').map(|(_, host)| host);
    registrants.any(|name| name == holder.name.to_lowercase())
        || mailbox.is_some_and(|host| domains().any(|seed| is_at_or_below(host, seed)))
}

/// Whether anybody answers for a registry to which a file sends: its site over https, or WHOIS. The internet's own
/// does. No registry is asked in clear, where anybody on the way could answer in its place.
pub(crate) fn has_registry(internet: &Internet, url: &str) -> bool {
    let authority = url.split('/').nth(2).unwrap_or_default();
    let is_usual = url.starts_with("https:") && authority.rsplit_once(':').is_none_or(|(_, port)| port == "443");
    url.is_empty()
        || plan::addresses(&internet.draft, host_of(url)).iter().any(|address| {
            let host = internet.hosts.get(address);
            let open = |port: u16| host.is_some_and(|host| knock(host, port) == Knock::Open);
            (is_usual && open(443)) || open(43)
        })
}

/// In a seed, unless a narrower block within it is registered to somebody other than the whole.
fn is_within_seed(internet: &Internet, address: IpAddr) -> bool {
    let draft = &internet.draft;
    let holder =
        |(_, block): (&IpNet, &crate::draft::Block)| draft.orgs.get(&block.org).map(|org| org.name.to_lowercase());
    let around: Vec<IpNet> = internet.seed_blocks().into_iter().filter(|net| net.contains(&address)).collect();
    let Some(seed) = around.iter().max_by_key(|net| net.prefix_len()) else {
        return false;
    };
    let narrowest = plan::block_of(draft, address);
    let whole = draft.blocks.iter().filter(|(net, _)| net.contains(seed)).max_by_key(|(net, _)| net.prefix_len());
    let is_part = narrowest.is_some_and(|(net, _)| seed.contains(net) && net.prefix_len() > seed.prefix_len());
    !is_part || whole.is_none() || narrowest.and_then(holder) == whole.and_then(holder)
}

/// The machine's reverse name is ours and leads back to it, or it shows a certificate of ours to everybody.
fn speaks_for_us(internet: &Internet, address: IpAddr) -> bool {
    let draft = &internet.draft;
    let leads = |name: &str| {
        let entry = draft.names.get(name);
        is_ours(internet, name) && entry.is_some_and(|entry| direct(entry).any(|other| other == address))
    };
    let pointer = draft.hosts.get(&address).and_then(|host| host.pointer.as_ref());
    let named = pointer.is_some_and(|name| leads(name) && !scope::spells(name, &address.to_string()));
    let named_at_all = || draft.names.keys().any(|name| leads(name));
    named || (shows_ours_to_everybody(internet, address) && named_at_all())
}

fn shows_ours_to_everybody(internet: &Internet, address: IpAddr) -> bool {
    let Some(host) = internet.hosts.get(&address) else { return false };
    let Some(Port::Web(web)) = host.port(443) else { return false };
    let certificate =
        web.certificate(None, &host.unknown, 0).filter(|_| web.tls && web.versions() != TlsVersions::OnlyOld);
    certificate.is_some_and(|certificate| {
        is_sound(internet, certificate) && names(certificate).all(|name| is_ours(internet, name))
    })
}

fn is_sound(internet: &Internet, certificate: &Certificate) -> bool {
    let now = internet.start();
    let stated = &certificate.stated;
    let in_time = certificate.not_before <= now && certificate.not_after >= now;
    stated.issuer == Issuer::Trusted && !stated.chain_missing && !stated.sha1 && in_time
}

/// Host names in a certificate, a wildcard as the name below its star.
fn names(certificate: &Certificate) -> impl Iterator<Item = &str> {
    certificate.names.iter().map(|name| name.strip_prefix("*.").unwrap_or(name))
}

/// Foreign domains in a certificate from which it is a provider's for its customers.
const PROVIDERS_DOMAINS: usize = 11;

/// A certificate that is shown for one of our names is ours where it names that domain or a seed's, and not many others
/// besides.
pub(crate) fn is_certificate_ours(internet: &Internet, certificate: &Certificate, name: &str) -> bool {
    let own: BTreeSet<&str> = internet.homes.iter().map(String::as_str).chain([name]).filter_map(registrable).collect();
    let domains: BTreeSet<&str> = names(certificate).filter_map(registrable).collect();
    domains.intersection(&own).next().is_some() && domains.difference(&own).count() < PROVIDERS_DOMAINS
}

/// Addresses that a name has by itself.
fn direct(entry: &Name) -> impl Iterator<Item = IpAddr> + '_ {
    entry.records.iter().filter_map(plan::address_of)
}

/// Returns whether an alias leads through a name that is neither ours nor a known platform's: its holder decides where
/// ours leads.
pub(crate) fn has_foreign_alias(internet: &Internet, name: &str) -> bool {
    let targets = plan::chain(&internet.draft, name);
    targets.iter().any(|target| !is_ours(internet, target) && platforms::of_host(target).is_none())
}

/// A zone at or above the name, below its registered domain, has servers that are not those of the zone above and not
/// named in our domain above the cut.
pub(crate) fn is_handed_away(internet: &Internet, name: &str) -> bool {
    let draft = &internet.draft;
    let Some(domain) = registrable(name) else { return false };
    let given = |level: &&str| !internet.seeds.iter().any(|seed| seed == level);
    let cuts = plan::ancestors(name)
        .take_while(given)
        .filter(|level| level.len() > domain.len() && draft.zones.contains_key(*level));
    cuts.into_iter().any(|cut| !is_kept(draft, cut, domain))
}

fn is_kept(draft: &Draft, cut: &str, domain: &str) -> bool {
    let above = plan::ancestors(cut).skip(1).find_map(|level| draft.zones.get(level));
    let above_servers = || above.iter().flat_map(|zone| &zone.servers);
    let machines = |(server, given): &(String, Vec<IpAddr>)| {
        if given.is_empty() { plan::addresses(draft, server) } else { given.clone() }
    };
    let machines_above: BTreeSet<IpAddr> = above_servers().flat_map(machines).collect();
    draft.zones[cut].servers.iter().all(|server| {
        if is_at_or_below(&server.0, cut) {
            let own = machines(server);
            return !own.is_empty() && own.iter().all(|address| machines_above.contains(address));
        }
        let same = above_servers().any(|(other, _)| *other == server.0) && !platforms::serves_every_customer(&server.0);
        is_at_or_below(&server.0, domain) || same
    })
}
