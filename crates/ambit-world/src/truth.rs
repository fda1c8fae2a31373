//! The ground truth, derived from the same statements that are served: what must be found, what may be, and what must
//! not be reported.

mod buckets;
mod estate;
mod expected;
mod issues;
mod mentions;
mod posture;
mod servers;
mod sights;

use crate::draft::{Answers, Data, Datagram, Draft, Name, OrgRole, Service, Unlisted, Zone};
use crate::evidence;
use crate::internet::{Host, Internet, Port, Virtual};
use crate::pki::Certificate;
use crate::plan;
use crate::shown::Shown;
use ambit_model::Kind;
use ambit_model::entity::host_of;
use ambit_model::workflow::EXTERNAL_DISCOVERY;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;

/// What a found thing is by the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It must be found.
    Planted,
    /// Neither missed nor unexpected: the file does not decide it.
    NotScored,
    /// It must not be reported.
    Unexpected,
}

/// The truth about one state at one epoch.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// Must be present at the end, by kind and canonical name. All are scoped as well, but for what a mention makes
    /// known.
    pub entities: BTreeSet<(Kind, String)>,
    /// Must be open: issue name, kind and canonical name of its entity.
    pub issues: BTreeSet<(String, Kind, String)>,
    maybe_entities: BTreeSet<(Kind, String)>,
    maybe_issues: BTreeSet<(String, Kind, String)>,
    /// Addresses on which every port accepts: only what is stated there counts.
    catch_all: BTreeSet<IpAddr>,
    /// Addresses that are not shown to be ours, or are not, and the names that lead there: what is there is neither
    /// missed nor unexpected.
    unclear: BTreeSet<String>,
    /// Zones of ours whose servers fail, so that the names below them are unknown.
    broken_zones: BTreeSet<String>,
}

/// Kinds that are not scored, whatever their name: they follow from sources rather than from what is exposed.
const NOT_SCORED: &[Kind] = &[
    Kind::ApiEndpoint,
    Kind::AutonomousSystem,
    // Accounts are named by integrations, which are made for the run.
    Kind::AwsCredential,
    Kind::AzureCredential,
    Kind::CloudCredential,
    Kind::GcpCredential,
    Kind::EmailAddress,
    Kind::NetBlock,
    Kind::Organization,
    Kind::UniqueToken,
];

impl Truth {
    /// How many entities of each kind must be found, for people.
    pub fn counts(&self) -> BTreeMap<Kind, usize> {
        let mut counts = BTreeMap::new();
        for (kind, _) in &self.entities {
            *counts.entry(*kind).or_default() += 1;
        }
        counts
    }

    /// The verdict on an entity that a run calls scoped.
    pub fn entity(&self, kind: Kind, name: &str) -> Verdict {
        let key = (kind, name.to_owned());
        if self.entities.contains(&key) {
            return Verdict::Planted;
        }
        if NOT_SCORED.contains(&kind) || self.maybe_entities.contains(&key) {
            return Verdict::NotScored;
        }
        let known = match kind {
            // A page below a site that is planted.
            Kind::Uri => {
                self.unclear.contains(host_of(name))
                    || root(name)
                        .is_some_and(|root| root != name && self.entity(Kind::Uri, root) != Verdict::Unexpected)
            }
            Kind::IpAddress => self.unclear.contains(name),
            Kind::NetworkService => self.unclear.contains(host_of(name)),
            Kind::DnsRecord => plan::ancestors(name).any(|parent| self.broken_zones.contains(parent)),
            _ => false,
        };
        if known { Verdict::NotScored } else { Verdict::Unexpected }
    }

    /// The verdict on an issue.
    pub fn issue(&self, issue: &str, kind: Kind, entity: &str) -> Verdict {
        let key = |entity: &str| (issue.to_owned(), kind, entity.to_owned());
        if self.issues.contains(&key(entity)) {
            Verdict::Planted
        } else if self.maybe_issues.contains(&key(entity)) {
            Verdict::NotScored
        } else if kind == Kind::Uri
            && root(entity).is_some_and(|root| root != entity && self.issues.contains(&key(root)))
        {
            // The same thing, seen on a page of the site.
            Verdict::NotScored
        } else if self.entity(kind, entity) == Verdict::NotScored
            || (kind == Kind::Domain && self.broken_zones.contains(entity))
        {
            // What was known of a domain stands while nobody answers for it.
            Verdict::NotScored
        } else {
            Verdict::Unexpected
        }
    }

    fn plant(&mut self, kind: Kind, name: &str) {
        if let Ok(name) = kind.canonical(name) {
            self.entities.insert((kind, name));
        }
    }

    fn allow(&mut self, kind: Kind, name: &str) {
        if let Ok(name) = kind.canonical(name) {
            self.maybe_entities.insert((kind, name));
        }
    }

    fn plant_issue(&mut self, issue: &str, kind: Kind, entity: &str) {
        if let Ok(entity) = kind.canonical(entity) {
            self.issues.insert((issue.to_owned(), kind, entity));
        }
    }

    fn allow_issue(&mut self, issue: &str, kind: Kind, entity: &str) {
        if let Ok(entity) = kind.canonical(entity) {
            self.maybe_issues.insert((issue.to_owned(), kind, entity));
        }
    }
}

/// `https://host:port` of a URL.
fn root(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?']).next()?;
    url.get(..scheme.len() + 3 + authority.len())
}

/// A site as somebody sees it who asks one address and port for one name, or for the address itself.
struct Sight<'a> {
    name: Option<&'a str>,
    tls: bool,
    /// `None`: the server's answer to names that it does not know.
    site: Option<&'a Arc<Virtual>>,
    certificate: Option<&'a Arc<Certificate>>,
    /// A provider's page for unknown names: status and text.
    unknown: Option<(u16, &'a str)>,
    uri: String,
    /// The status with which the server turns away whoever asks for the name over TLS, where it has a page for it over
    /// plain HTTP.
    turned_away: Option<u16>,
    /// Whether it has that page cannot be said: what answers there is hostile.
    may_have_page: bool,
    /// On an address of ours, where more than a browser's visit is allowed.
    probed: bool,
}

/// The issues of certificates of which an authority said that it revoked them.
pub(crate) fn revoked(internet: &Internet) -> Vec<(String, Kind, String)> {
    let revoked = internet.certificates.iter().filter(|certificate| certificate.ocsp.is_some());
    let names = revoked.filter_map(|certificate| certificate_key(Kind::SslCertificate, certificate));
    names.map(|(kind, name)| ("invalid_certificate_revoked".to_owned(), kind, name)).collect()
}

/// Derives the truth. What was said of revocations in earlier states nobody takes back.
pub(crate) fn derive(internet: &Internet, revoked_before: impl IntoIterator<Item = (String, Kind, String)>) -> Truth {
    let mut derivation =
        Derivation { internet, draft: &internet.draft, seeds: &internet.seeds, truth: Truth::default() };
    derivation.names();
    derivation.renamed();
    derivation.servers();
    let addresses = derivation.addresses();
    derivation.services(&addresses);
    derivation.sites(&addresses);
    derivation.unclear();
    derivation.logged();
    derivation.buckets();
    derivation.posture();
    if internet.workflow != EXTERNAL_DISCOVERY {
        derivation.loosen();
    }
    derivation.accounts();
    derivation.code();
    derivation.apps();
    derivation.threats();
    derivation.truth.maybe_issues.extend(revoked_before);
    derivation.expectations();
    derivation.truth
}

struct Derivation<'a> {
    internet: &'a Internet,
    draft: &'a Draft,
    seeds: &'a [String],
    truth: Truth,
}

impl<'a> Derivation<'a> {
    /// A name of ours at or below a seed that was not handed away: what a run can call scoped.
    fn in_scope(&self, name: &str) -> bool {
        evidence::is_ours(self.internet, name)
    }

    /// Returns whether a name of ours looks like one that was delegated to a third party.
    fn looks_handed_away(&self, name: &str) -> bool {
        let org = plan::org_of_name(self.draft, name).unwrap_or_default();
        let ours = plan::standing(self.draft, org) == OrgRole::Ours && evidence::is_below_seed(self.internet, name);
        ours && evidence::is_handed_away(self.internet, name)
    }

    /// True for an address of ours or one that a vendor rents us, of which anybody can find out that it is ours.
    fn is_shown(&self, address: IpAddr) -> bool {
        evidence::of_address(self.internet, address) == Shown::Plainly
    }

    /// Whether a look at the name can succeed: its zone and it itself answer, and its aliases lead in no circle, where
    /// each is known through another alone.
    fn answers(&self, name: &str, entry: &Name) -> bool {
        let zone = plan::zone_of(self.draft, name).and_then(|zone| self.draft.zones.get_key_value(zone));
        let reachable = zone.is_some_and(|(name, zone)| self.zone_answers(name, zone));
        let targets = plan::chain(self.draft, name);
        let distinct: BTreeSet<&str> = targets.iter().map(String::as_str).chain([name]).collect();
        reachable && sound(entry.answers) && distinct.len() > targets.len()
    }

    /// Whether a name can be found and leads somewhere. Below labels such as `_dmarc` stands what a protocol asks for,
    /// and no host.
    fn leads(&self, name: &str, entry: &Name) -> bool {
        let is_host = !name.split('.').any(|label| label.starts_with('_'));
        let leads = entry.records.iter().any(|data| matches!(data, Data::A(_) | Data::Aaaa(_) | Data::Cname(_)));
        let is_served = !self.draft.zones.get(name).is_some_and(|zone| zone.servers.is_empty());
        is_host && leads && is_served && !entry.hidden && self.answers(name, entry)
    }

    /// Whether somebody can learn the addresses of a name: all that its aliases lead through answers.
    fn resolves(&self, name: &str) -> bool {
        let answers = |step: &str| plan::entry(self.draft, step).is_none_or(|entry| self.answers(step, entry));
        answers(name) && plan::chain(self.draft, name).iter().all(|target| answers(target))
    }

    fn zone_answers(&self, name: &str, zone: &Zone) -> bool {
        sound(zone.answers) && plan::is_reachable(self.draft, name)
    }

    /// Domains and names. Those of ours that nothing demands are at least not unexpected.
    fn names(&mut self) {
        for home in &self.internet.homes {
            if let Ok((kind, name)) = Kind::of_target(home) {
                self.truth.plant(kind, &name);
                if kind == Kind::Uri {
                    self.allow_host(host_of(&name));
                }
            }
        }
        for (name, entry) in &self.draft.names {
            if self.looks_handed_away(name) {
                self.allow_name(name.strip_prefix("*.").unwrap_or(name));
            }
            if name.starts_with("*.") || !self.in_scope(name) {
                continue;
            }
            if self.leads(name, entry) {
                self.plant_name(name);
            }
        }
        let broken =
            self.draft.zones.iter().filter(|(name, zone)| self.in_scope(name) && !self.zone_answers(name, zone));
        self.truth.broken_zones = broken.map(|(name, _)| name.clone()).collect();
        let doubtful = |name: &&String| self.in_scope(name) && !self.is_planted(name);
        let existing: Vec<String> = self.draft.existing.iter().filter(doubtful).cloned().collect();
        for name in existing {
            self.allow_name(&name);
        }
        for name in self.told() {
            let plain = name.strip_prefix("*.").unwrap_or(&name).to_owned();
            let has_answer = plan::entry(self.draft, &plain).is_some() || plan::renamed(self.draft, &plain).is_some();
            if self.in_scope(&plain) && !self.is_planted(&plain) && has_answer {
                self.allow_name(&plain);
            }
        }
    }

    fn is_planted(&self, name: &str) -> bool {
        Kind::of_host(name).is_ok_and(|key| self.truth.entities.contains(&key))
    }

    fn plant_name(&mut self, name: &str) {
        if let Ok((kind, name)) = Kind::of_host(name)
            && (kind == Kind::DnsRecord || self.internet.homes.contains(&name))
        {
            self.truth.plant(kind, &name);
        }
    }

    /// The host of a site that is a seed, and its sites on the ports that a browser tries.
    fn allow_host(&mut self, host: &str) {
        if let Ok((kind, name)) = Kind::of_host(host) {
            self.truth.allow(kind, &name);
        }
        self.truth.allow(Kind::Uri, &format!("http://{host}:80"));
        self.truth.allow(Kind::Uri, &format!("https://{host}:443"));
    }

    fn allow_name(&mut self, name: &str) {
        if let Ok((kind, name)) = Kind::of_host(name) {
            self.truth.allow(kind, &name);
        }
        self.truth.allow(Kind::Nameserver, name);
        self.truth.allow(Kind::Mailserver, name);
        // What a hidden or doubtful name leads to is as doubtful.
        for address in plan::addresses(self.draft, name) {
            self.allow_address(address, name);
        }
    }

    fn allow_address(&mut self, address: IpAddr, name: &str) {
        if self.owner(address) == OrgRole::Ours {
            self.truth.allow(Kind::IpAddress, &address.to_string());
        }
        let Some(host) = self.internet.hosts.get(&address) else { return };
        let datagrams = host.datagrams.keys().copied().chain(host.dns.then_some(53));
        for port in datagrams.filter(|_| host.standing == OrgRole::Ours) {
            self.truth.allow(Kind::NetworkService, &format!("{}/udp", std::net::SocketAddr::new(address, port)));
        }
        for (port, plan) in &host.ports {
            if host.standing == OrgRole::Ours {
                self.truth.allow(Kind::NetworkService, &format!("{}/tcp", std::net::SocketAddr::new(address, *port)));
            }
            let Port::Web(web) = plan else { continue };
            let scheme = if web.tls { "https" } else { "http" };
            self.truth.allow(Kind::Uri, &format!("{scheme}://{name}:{port}"));
            if host.standing == OrgRole::Ours {
                let socket = std::net::SocketAddr::new(address, *port);
                self.truth.allow(Kind::Uri, &format!("{scheme}://{socket}"));
            }
            let certificates = web.sites.values().filter_map(|site| site.certificate.as_ref());
            for certificate in certificates {
                self.truth.maybe_entities.extend(certificate_key(Kind::SslCertificate, certificate));
            }
        }
    }

    fn planted(&self, wanted: Kind) -> Vec<String> {
        let entities = self.truth.entities.iter();
        entities.filter(|(kind, _)| *kind == wanted).map(|(_, name)| name.clone()).collect()
    }

    /// Our addresses that a planted name leads to, or that a seed covers, where something shows that they are ours.
    fn addresses(&mut self) -> BTreeSet<IpAddr> {
        let names = self.planted(Kind::Domain).into_iter().chain(self.planted(Kind::DnsRecord));
        let (names, silent): (Vec<String>, Vec<String>) = names.partition(|name| self.resolves(name));
        for name in silent {
            self.allow_name(&name);
        }
        let (rotating, steady): (Vec<String>, Vec<String>) =
            names.into_iter().partition(|name| plan::rotates(self.draft, name));
        let mut addresses: BTreeSet<IpAddr> =
            steady.iter().flat_map(|name| plan::addresses(self.draft, name)).collect();
        // Of a pool that is shown in turns, a short run sees a part.
        for name in rotating {
            self.allow_name(&name);
        }
        let blocks = self.internet.seed_blocks();
        let covered = self.internet.hosts.iter().filter(|(address, _)| blocks.iter().any(|net| net.contains(*address)));
        let (heard, mute): (Vec<_>, Vec<_>) = covered.partition(|(address, host)| self.is_heard_of(**address, host));
        addresses.extend(heard.into_iter().map(|(address, _)| *address));
        self.truth.unclear.extend(mute.into_iter().map(|(address, _)| address.to_string()));
        self.truth.unclear.extend(self.alternating());
        // An address of ours where nothing answers is an address of ours.
        addresses.retain(|address| self.owner(*address) == OrgRole::Ours);
        let is_hidden = |address: &IpAddr| self.internet.hosts.get(address).is_some_and(|host| host.hidden);
        let doubtful = addresses.iter().copied().filter(|address| is_hidden(address) || !self.is_shown(*address));
        for address in doubtful.collect::<Vec<_>>() {
            addresses.remove(&address);
            self.truth.unclear.insert(address.to_string());
        }
        for address in &addresses {
            self.truth.plant(Kind::IpAddress, &address.to_string());
            if self.internet.hosts.get(address).is_some_and(|host| host.unlisted == Unlisted::Open) {
                self.truth.catch_all.insert(*address);
            }
        }
        addresses.retain(|address| self.internet.hosts.contains_key(address));
        addresses
    }

    /// What stands on machines that a vendor rents us and that speak for us, and on ours that do not: known by its
    /// address, by the names that lead there, and the certificates that are seen.
    fn unclear(&mut self) {
        let rented = self
            .draft
            .dedicated
            .iter()
            .filter(|address| evidence::of_address(self.internet, **address) > Shown::Nothing);
        let doubtful = self
            .internet
            .hosts
            .keys()
            .filter(|address| self.owner(**address) == OrgRole::Ours && !self.is_shown(**address));
        let unclear: BTreeSet<IpAddr> = rented.chain(doubtful).copied().collect();
        let names = self.planted(Kind::Domain).into_iter().chain(self.planted(Kind::DnsRecord));
        for name in names {
            if plan::addresses(self.draft, &name).iter().any(|address| unclear.contains(address)) {
                self.truth.unclear.insert(name);
            }
        }
        for address in unclear {
            self.truth.unclear.insert(address.to_string());
            let ports = self.internet.hosts.get(&address).into_iter().flat_map(|host| host.ports.values());
            for certificate in ports.flat_map(sights::certificates) {
                self.truth.maybe_entities.extend(certificate_key(Kind::SslCertificate, &certificate));
            }
        }
    }

    /// Whether a sweep can learn that a machine is there: a pointer names it, or it answers something, be it that a
    /// port is closed.
    fn is_heard_of(&self, address: IpAddr, host: &Host) -> bool {
        let is_named = self.draft.hosts.get(&address).is_some_and(|host| host.pointer.is_some());
        let speaks = |port: &Port| !matches!(port, Port::Service(Service::Filtered, _));
        let answers = host.dns || host.unlisted != Unlisted::Filtered || host.ports.values().any(speaks);
        is_named || answers || host.datagrams.values().any(|service| *service != Datagram::Silent)
    }

    /// Addresses that names of ours have for half of the time.
    fn alternating(&self) -> Vec<String> {
        let names = self.draft.names.iter().filter(|(name, _)| self.in_scope(name));
        names
            .filter_map(|(_, entry)| match entry.answers {
                Answers::Rebind(address) => Some(address.to_string()),
                _ => None,
            })
            .collect()
    }

    fn owner(&self, address: IpAddr) -> OrgRole {
        plan::standing(self.draft, plan::org_of(self.draft, address).unwrap_or_default())
    }

    /// Certificates in the log that name something below a seed.
    fn logged(&mut self) {
        let domains = self.planted(Kind::Domain);
        let now = self.internet.start();
        for certificate in
            self.internet.certificates.iter().filter(|certificate| certificate.logged && certificate.not_before <= now)
        {
            let ours = |name: &String| {
                domains.iter().any(|domain| {
                    name == domain || name.strip_suffix(domain.as_str()).is_some_and(|rest| rest.ends_with('.'))
                })
            };
            if certificate.names.iter().any(ours) {
                self.truth.entities.extend(certificate_key(Kind::PreCertificate, certificate));
            }
        }
    }

    /// Of a workflow that looks at less, what the others would find is neither missed nor unexpected.
    fn loosen(&mut self) {
        let seeds: BTreeSet<(Kind, String)> =
            plan::targets(self.internet.workflow, self.seeds, self.draft).into_iter().collect();
        let (kept, others) = std::mem::take(&mut self.truth.entities).into_iter().partition(|key| seeds.contains(key));
        self.truth.entities = kept;
        self.truth.entities.extend(seeds);
        let others: BTreeSet<(Kind, String)> = others;
        self.truth.maybe_entities.extend(others);
        self.truth.maybe_issues.append(&mut self.truth.issues);
    }
}

/// Answers that every client takes.
fn sound(answers: Answers) -> bool {
    matches!(answers, Answers::Normal | Answers::Truncated)
}

/// `CN (serial)`.
fn certificate_key(kind: Kind, certificate: &Certificate) -> Option<(Kind, String)> {
    let name = kind.canonical(&format!("{} ({})", certificate.common_name, certificate.serial)).ok()?;
    Some((kind, name))
}
