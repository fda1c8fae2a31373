//! Whether the statements of a state fit together: owners, zones, certificates and addresses that are named must be
//! there.

use crate::draft::{Beyond, Cert, CertChoice, Data, Draft, Host, Limit, Moment, Name, Service, UnknownHost};
use crate::plan::{ancestors, renamed, zone_of};
use crate::problem::Fault;
use std::net::IpAddr;

/// Names that the sources of every world use themselves.
const OWN_NAMES: &[&str] = &[
    "crt.sh",
    "rdap.org",
    "iana.org",
    "cymru.com",
    "ripe.net",
    "apnic.net",
    "arin.net",
    "arpa",
    "rdap-registry.example",
    "sources.example",
    "amazonaws.com",
    "storage.googleapis.com",
    "blob.core.windows.net",
    "firebaseio.com",
    "firebasedatabase.app",
    "firestore.googleapis.com",
    "firebasestorage.googleapis.com",
];

pub(super) fn check(draft: &Draft, faults: &mut Vec<Fault>) {
    let org = |line: usize, key: &str, faults: &mut Vec<Fault>| org_known(draft, key, line, faults);
    for block in draft.blocks.values() {
        org(block.line, &block.org, faults);
    }
    for (name, zone) in &draft.zones {
        org(zone.line, &zone.org, faults);
        let reserved = |own: &&str| name == *own || name.ends_with(&format!(".{own}"));
        if OWN_NAMES.iter().any(reserved) || crate::name_sources::zones().iter().any(reserved) {
            faults.push(Fault::new(zone.line, name, "every world has this zone already"));
        }
        if zone.servers.is_empty() {
            faults.push(Fault::new(zone.line, name, "the zone has no name server; add `ns NAME ADDRESS`"));
        }
        for address in zone.servers.iter().flat_map(|(_, addresses)| addresses) {
            owner_known(draft, *address, zone.line, faults);
        }
        if let Some(above) = ancestors(name).skip(1).find(|above| has_dname(draft, above)) {
            let message = format!("no zone stands below `{above}`, which has a DNAME; leave one of the two out");
            faults.push(Fault::new(zone.line, name, message));
        }
    }
    for bucket in draft.buckets.values() {
        org(bucket.line, &bucket.org, faults);
    }
    estate(draft, faults);
    names(draft, faults);
    for (name, stated) in &draft.certs {
        revocation(stated, name, faults);
    }
    for (address, host) in &draft.hosts {
        if crate::plan::RESOLVERS.contains(address) {
            resolver(address, host, faults);
        } else if host.org.is_empty() {
            owner_known(draft, *address, host.line, faults);
        } else {
            org(host.line, &host.org, faults);
        }
        if let UnknownHost::Site(key) = &host.unknown
            && !draft.sites.contains_key(key)
        {
            faults.push(Fault::new(host.line, key, "no such site"));
        }
        limits(draft, *address, host, faults);
        for service in host.ports.values() {
            if let Service::Smtp { cert: Some(choice), .. } | Service::Tls { cert: choice, .. } = service {
                cert(draft, choice, host.line, faults);
            }
        }
    }
    for (key, site) in &draft.sites {
        for choice in std::iter::once(site).chain(&site.machines).filter_map(|site| site.cert.as_ref()) {
            cert(draft, choice, site.line, faults);
        }
        if let Some(checkout) =
            site.checkout.as_ref().filter(|checkout| !draft.repositories.contains_key(&checkout.url))
        {
            faults.push(Fault::new(site.line, &checkout.url, "no repository has this URL; add a `repository` line"));
        }
        let addresses = crate::plan::site_addresses(draft, site);
        if addresses.is_empty() {
            faults.push(Fault::new(site.line, key, "its name leads to no address; add `name … A …` or `at ADDRESS`"));
        }
        for address in addresses {
            owner_known(draft, address, site.line, faults);
        }
    }
}

/// A limit counts what the address is asked: there must be something that can be.
fn limits(draft: &Draft, address: IpAddr, host: &Host, faults: &mut Vec<Fault>) {
    let (of_sites, of_names): (Vec<&Limit>, Vec<&Limit>) =
        host.limits.iter().partition(|limit| matches!(limit.beyond, Beyond::Status(..)));
    let mut refuse = |message: &str| faults.push(Fault::new(host.line, &address.to_string(), message));
    if !of_names.is_empty() && !crate::plan::name_servers(draft).contains(&address) {
        refuse("no name server is here, whose answers `limit` counts; make it the `ns` of a zone");
    }
    let is_web = |service: &Service| matches!(service, Service::Http | Service::Https);
    let serves = || draft.sites.values().any(|site| crate::plan::site_addresses(draft, site).contains(&address));
    if !of_sites.is_empty() && !host.ports.values().any(is_web) && !serves() {
        refuse("no web server is here, whose answers `limit` counts; add a `site`, or `port N http`");
    }
}

/// Resolvers are what they are in every world; a file says no more than how much they answer.
fn resolver(address: &IpAddr, host: &Host, faults: &mut Vec<Fault>) {
    let bare = Host { limits: Vec::new(), ..host.clone() };
    if bare != (Host { line: host.line, ..Host::default() }) {
        faults.push(Fault::new(host.line, &address.to_string(), "of a resolver a file says only its `limit`"));
    }
}

fn estate(draft: &Draft, faults: &mut Vec<Fault>) {
    for account in draft.accounts.values() {
        org_known(draft, &account.org, account.line, faults);
        if account.shown.is_empty() {
            let message = "what shows who asks is missing; add `shown TEXT`";
            faults.push(Fault::new(account.line, "", message));
        }
        for host in account.answers.iter().map(|interface| &interface.host) {
            free(draft, host, account.line, faults);
        }
    }
    for repository in draft.repositories.values() {
        org_known(draft, &repository.org, repository.line, faults);
        free(draft, &repository.host, repository.line, faults);
    }
    for forge in draft.forges.values() {
        org_known(draft, &forge.org, forge.line, faults);
    }
    for app in draft.apps.values() {
        org_known(draft, &app.org, app.line, faults);
    }
}

fn org_known(draft: &Draft, key: &str, line: usize, faults: &mut Vec<Fault>) {
    if key.is_empty() {
        faults.push(Fault::new(line, "", "the owner is missing; add `of ORG`"));
    } else if !draft.orgs.contains_key(key) {
        faults.push(Fault::new(line, key, "no organisation has this key; add an `org` line"));
    }
}

fn names(draft: &Draft, faults: &mut Vec<Fault>) {
    for (key, name) in &draft.names {
        let plain = key.strip_prefix("*.").unwrap_or(key);
        if zone_of(draft, plain).is_none() {
            faults.push(Fault::new(name.line, key, "no zone holds this name; add a `zone` line"));
        }
        if let Some(org) = name.org.as_ref().filter(|org| !draft.orgs.contains_key(*org)) {
            faults.push(Fault::new(name.line, org, "no organisation has this key; add an `org` line"));
        }
        records(draft, key, name, faults);
        if let Some(renamed) = renamed(draft, plain).or_else(|| renamed(draft, key)) {
            faults.push(Fault::new(
                name.line,
                key,
                format!("nothing stands below `{}`, which has a DNAME", renamed.owner),
            ));
        }
    }
}

/// Which records of a name exclude each other.
fn records(draft: &Draft, key: &str, name: &Name, faults: &mut Vec<Fault>) {
    let count = |wanted: fn(&Data) -> bool| name.records.iter().filter(|data| wanted(data)).count();
    let (aliases, renamings) =
        (count(|data| matches!(data, Data::Cname(_))), count(|data| matches!(data, Data::Dname(_))));
    let is_top = draft.zones.contains_key(key);
    if aliases > 1 || (aliases == 1 && name.records.len() > 1) {
        faults.push(Fault::new(name.line, key, "a name with a CNAME has no other record"));
    } else if aliases == 1 && is_top {
        let message = "a zone's top has its SOA and NS, so no CNAME; give it addresses (`A …`)";
        faults.push(Fault::new(name.line, key, message));
    }
    if renamings > 1 || (renamings == 1 && key.starts_with("*.")) {
        faults.push(Fault::new(name.line, key, "a name has one DNAME, and a wildcard none"));
    }
    if renamings > 0 && !is_top && count(|data| matches!(data, Data::Ns(_))) > 0 {
        let message = "only a zone's top has a DNAME beside NS; leave one of the two out";
        faults.push(Fault::new(name.line, key, message));
    }
}

fn has_dname(draft: &Draft, name: &str) -> bool {
    draft.names.get(name).is_some_and(|name| name.renaming().is_some())
}

/// No authority revokes what it did not issue yet. Of one that begins on a date only the run's epoch decides.
fn revocation(cert: &Cert, name: &str, faults: &mut Vec<Fault>) {
    if let (Some(ago_ms), Moment::FromEpoch(starts)) = (cert.revoked, cert.starts)
        && -ago_ms < starts
    {
        let message = "the certificate is revoked before it begins; shorten `revoked`, or give an earlier `starts`";
        faults.push(Fault::new(cert.line, name, message));
    }
}

fn cert(draft: &Draft, choice: &CertChoice, line: usize, faults: &mut Vec<Fault>) {
    match choice {
        CertChoice::Named(name) if !draft.certs.contains_key(name) => {
            faults.push(Fault::new(line, name, "no certificate has this name; add a `cert` statement"));
        }
        CertChoice::Named(_) => {}
        CertChoice::Inline(stated) => revocation(stated, "revoked", faults),
    }
}

/// A server that stands nowhere in the file is one of the sources that every world has.
fn free(draft: &Draft, host: &str, line: usize, faults: &mut Vec<Fault>) {
    if zone_of(draft, host).is_some() {
        faults.push(Fault::new(line, host, "a zone of the file holds this name; give one that none holds"));
    }
}

fn owner_known(draft: &Draft, address: IpAddr, line: usize, faults: &mut Vec<Fault>) {
    if crate::plan::org_of(draft, address).is_none() {
        let message = "nobody owns this address; add a `block` that covers it, or `host … of ORG`";
        faults.push(Fault::new(line, &address.to_string(), message));
    }
}
