//! One state of a world at one epoch, built: hosts with their ports, virtual hosts with their certificates. Never
//! changes while it serves.

mod web;

use crate::draft::{CertChoice, Datagram, Draft, Limit, OrgRole, Plain, Service, Site, Store, UnknownHost, Unlisted};
use crate::pki::{Authorities, Certificate, derive};
use crate::plan;
use crate::shown::Weighed;
use ambit_model::entity::host_of;
use ambit_model::moment::DAY_MS;
use ambit_model::workflow::{CLOUD_ACCOUNTS, Workflow};
use ambit_model::{Kind, Timestamp};
use ipnet::IpNet;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
pub(crate) use web::Web;

/// Days after which a provider of data renews its certificate: 80 before it would expire.
const RENEWED_DAYS: i64 = 240;
/// Latencies that the file does not state, in milliseconds: 4 and up to so many more.
const LATENCY_SPREAD_MS: u64 = 28;

pub(crate) struct Internet {
    pub world: String,
    /// What is looked for: what must be found and may be contacted depends on it.
    pub workflow: Workflow,
    /// What discovery starts from: what can be known from outside depends on it.
    pub seeds: Vec<String>,
    /// Seeds, and domains that nobody named and that evidence shows to be their owner's.
    pub homes: Vec<String>,
    pub epoch: Timestamp,
    pub state: i64,
    pub draft: Draft,
    pub hosts: BTreeMap<IpAddr, Host>,
    pub authorities: Authorities,
    /// Every certificate that is served or stated, once each.
    pub certificates: Vec<Arc<Certificate>>,
    /// How well addresses are shown to be ours.
    pub weighed: Weighed,
}

/// One address.
pub(crate) struct Host {
    pub standing: OrgRole,
    pub latency: Duration,
    pub unlisted: Unlisted,
    pub unknown: UnknownHost,
    pub limits: Vec<Limit>,
    pub hidden: bool,
    /// A name server or resolver.
    pub dns: bool,
    pub ports: BTreeMap<u16, Port>,
    /// Services over UDP other than DNS.
    pub datagrams: BTreeMap<u16, Datagram>,
}

/// What listens on a port.
pub(crate) enum Port {
    Service(Service, Option<Arc<Certificate>>),
    Web(Web),
    Dns,
    /// A data provider of every world, and its certificate where it speaks TLS.
    Source(Source, Option<Arc<Certificate>>),
}

/// One site on one port.
pub(crate) struct Virtual {
    pub key: String,
    pub site: Site,
    pub certificate: Option<Arc<Certificate>>,
    /// Only redirects to the https site.
    pub to_https: bool,
    /// The other machines behind its balancer.
    pub machines: Vec<Arc<Virtual>>,
}

/// The data providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    CertificateLog,
    RdapOrg,
    RdapBootstrap,
    RdapRegistry,
    WhoisRoot,
    WhoisRegistry,
    Routes,
    Storage,
    /// A source of names, by its place in the list of them.
    Names(usize),
    /// Interfaces of cloud providers.
    Interfaces,
    /// Servers of git.
    Repositories,
    /// The services that report the apps of sites.
    AppLinks,
    /// Stores of apps.
    AppStores,
}

/// Addresses and names of the providers in `built_in.world`: last byte, provider, name for its certificate.
const SOURCES: &[(u8, Source, &str)] = &[
    (10, Source::CertificateLog, "crt.sh"),
    (11, Source::RdapOrg, "rdap.org"),
    (12, Source::RdapBootstrap, "data.iana.org"),
    (13, Source::WhoisRoot, ""),
    (14, Source::RdapRegistry, "rdap-registry.example rdap.apnic.net rdap.arin.net rdap.db.ripe.net"),
    (15, Source::WhoisRegistry, ""),
    (16, Source::Routes, "stat.ripe.net"),
    (S3, Source::Storage, "*.s3.amazonaws.com s3.amazonaws.com"),
    (21, Source::Storage, "*.storage.googleapis.com storage.googleapis.com"),
    (22, Source::Storage, "*.blob.core.windows.net"),
    (
        27,
        Source::Storage,
        "*.firebaseio.com *.europe-west1.firebasedatabase.app firestore.googleapis.com firebasestorage.googleapis.com",
    ),
];
/// The last byte of the address of storage of Amazon, whose regions the file states.
const S3: u8 = 20;
/// The last bytes of the addresses of interfaces of clouds and of servers of git, whose names the file states, of who
/// tells what sites say of apps, and of stores of apps.
const INTERFACES: u8 = 23;
const REPOSITORIES: u8 = 24;
const APP_LINKS: u8 = 25;
const APP_STORES: u8 = 26;

/// Hosts at which code forges list what accounts own and what a word matches.
const FORGES: [&str; 3] = ["api.github.com", "codeberg.org", "gitlab.com"];
/// Hosts that report which apps a site declares as its own.
const SAID_OF_APPS: [&str; 2] = ["app-site-association.cdn-apple.com", "digitalassetlinks.googleapis.com"];

/// The addresses of servers that the file names without saying where they are, by name.
pub(crate) fn stated_servers(draft: &Draft) -> BTreeMap<String, IpAddr> {
    let interfaces = draft.accounts.values().flat_map(|account| &account.answers);
    let interfaces = interfaces.map(|interface| (interface.host.clone(), INTERFACES));
    let is_code = !draft.repositories.is_empty() || !draft.forges.is_empty();
    let forges = FORGES.iter().filter(|_| is_code).map(|host| (*host).to_owned());
    let others = draft.forges.iter().filter(|(_, forge)| forge.kind == Kind::CodeAccount);
    let others = others.map(|(account, _)| match host_of(account) {
        "bitbucket.org" => "api.bitbucket.org".to_owned(),
        host => host.to_owned(),
    });
    let hosts = draft.repositories.values().map(|repository| repository.host.clone());
    let repositories = hosts.chain(forges).chain(others).map(|host| (host, REPOSITORIES));
    let said_of_apps = SAID_OF_APPS.iter().map(|host| ((*host).to_owned(), APP_LINKS));
    // A file may have a store of its own, as bad as it likes.
    let is_stated = |host: &str| {
        let addresses = plan::addresses(draft, host);
        !addresses.is_empty() && addresses != [IpAddr::from([198, 19, 0, APP_STORES])]
    };
    let stores = Store::ALL.iter().map(|store| store.host()).filter(|host| !is_stated(host));
    let stores = stores.map(|host| (host.to_owned(), APP_STORES));
    // An account may state itself what is told of apps.
    said_of_apps
        .chain(stores)
        .chain(interfaces)
        .chain(repositories)
        .map(|(host, last)| (host, IpAddr::from([198, 19, 0, last])))
        .collect()
}

/// The names of storage of Amazon in a region.
fn s3_names(region: &str) -> [String; 2] {
    ["*.", ""].map(|bucket| format!("{bucket}s3.{region}.amazonaws.com"))
}

/// Adds the names of storage of Amazon in the regions that the file states. An account may state one itself.
pub(crate) fn add_regions(draft: &mut Draft) {
    let regions: Vec<String> = draft.s3_regions().into_iter().map(str::to_owned).collect();
    for name in regions.iter().flat_map(|region| s3_names(region)) {
        let (reading, _) = crate::parse::understand(&format!("name {name} A 198.19.0.{S3}"));
        for (name, said) in reading.states.into_iter().flat_map(|state| state.names) {
            draft.names.entry(name).or_insert(said);
        }
    }
}

impl Internet {
    /// Builds a state. `draft` holds the statements of every world already.
    pub(crate) fn build(
        (world, workflow): (&str, Workflow),
        seeds: &[String],
        draft: Draft,
        epoch: Timestamp,
        state: i64,
    ) -> Self {
        let sisters = draft.zones.iter().filter(|(_, zone)| zone.sister).map(|(name, _)| name.clone());
        // Entities that an account lists are theirs in the workflow that reads accounts.
        let accounts = draft.accounts.values().filter(|_| workflow == CLOUD_ACCOUNTS);
        let held = accounts.flat_map(|account| &account.holds).filter(|(kind, _)| *kind == Kind::Domain);
        let held = held.map(|(_, domain)| domain.clone()).filter(|domain| draft.zones.contains_key(domain));
        let homes = seeds.iter().cloned().chain(sisters).chain(held).collect();
        let mut internet = Self {
            world: world.to_owned(),
            workflow,
            seeds: seeds.to_vec(),
            homes,
            epoch,
            state,
            hosts: BTreeMap::new(),
            authorities: Authorities::new(world, epoch),
            certificates: Vec::new(),
            weighed: Weighed::default(),
            draft,
        };
        let mut issued = Issued::default();
        internet.add_hosts(&mut issued);
        internet.add_name_servers();
        internet.add_sites(&mut issued);
        internet.add_sources(&mut issued);
        for (name, stated) in &internet.draft.certs {
            issued.named(&internet.authorities, name, stated);
        }
        internet.certificates = issued.all;
        internet
    }

    /// The blocks that seeds name: as such, as one address, or as a network, of which those that its holder registered
    /// count.
    pub(crate) fn seed_blocks(&self) -> Vec<IpNet> {
        let mut blocks = Vec::new();
        for seed in &self.seeds {
            blocks.extend(seed.parse().ok().or_else(|| seed.parse::<IpAddr>().ok().map(IpNet::from)));
            let number = seed.strip_prefix("AS").and_then(|number| number.parse::<u32>().ok());
            let announced: Vec<(&IpNet, &crate::draft::Block)> =
                self.draft.blocks.iter().filter(|(_, block)| number.is_some() && block.asn == number).collect();
            let holder = announced.first().map(|(_, block)| block.org.clone());
            let own = announced.into_iter().filter(|(_, block)| Some(&block.org) == holder.as_ref());
            blocks.extend(own.map(|(net, _)| *net));
        }
        blocks
    }

    /// The date at wire time zero of this state.
    pub(crate) fn start(&self) -> Timestamp {
        self.epoch.plus_ms(self.draft.begins_ms)
    }

    fn host(&mut self, address: IpAddr) -> &mut Host {
        let org = plan::org_of(&self.draft, address).unwrap_or_default().to_owned();
        let standing = plan::standing(&self.draft, &org);
        let spread = derive(&self.world, "latency", &address.to_string())[0];
        let stated = self.draft.hosts.get(&address);
        self.hosts.entry(address).or_insert_with(|| Host {
            standing,
            latency: stated
                .and_then(|host| host.latency)
                .unwrap_or(Duration::from_millis(4 + u64::from(spread) % LATENCY_SPREAD_MS)),
            unlisted: stated.map(|host| host.unlisted).unwrap_or_default(),
            unknown: stated
                .map_or_else(|| UnknownHost::Page(404, "<h1>Not Found</h1>".to_owned()), |host| host.unknown.clone()),
            limits: stated.map(|host| host.limits.clone()).unwrap_or_default(),
            hidden: stated.is_some_and(|host| host.hidden),
            dns: false,
            ports: BTreeMap::new(),
            datagrams: stated.map(|host| host.datagrams.clone()).unwrap_or_default(),
        })
    }

    fn add_hosts(&mut self, issued: &mut Issued) {
        let stated: Vec<(IpAddr, BTreeMap<u16, Service>)> =
            self.draft.hosts.iter().map(|(address, host)| (*address, host.ports.clone())).collect();
        for (address, ports) in stated {
            self.host(address);
            for (port, service) in ports {
                let plan = match &service {
                    Service::Http => Port::Web(Web::default()),
                    Service::Https => Port::Web(Web { tls: true, ..Web::default() }),
                    Service::Smtp { name, cert: Some(choice) } => {
                        let host_name = name.split(' ').next().unwrap_or_default().to_owned();
                        let certificate = issued.choice(&self.authorities, &self.draft, choice, &[host_name]);
                        Port::Service(service, Some(certificate))
                    }
                    Service::Tls { cert, .. } => {
                        let certificate = issued.choice(&self.authorities, &self.draft, cert, &[]);
                        Port::Service(service, Some(certificate))
                    }
                    _ => Port::Service(service, None),
                };
                self.host(address).ports.insert(port, plan);
            }
        }
    }

    fn add_name_servers(&mut self) {
        for address in plan::name_servers(&self.draft) {
            let host = self.host(address);
            host.dns = true;
            host.ports.entry(53).or_insert(Port::Dns);
        }
    }

    fn add_sites(&mut self, issued: &mut Issued) {
        let sites: Vec<(String, Site)> =
            self.draft.sites.iter().map(|(key, site)| (key.clone(), site.clone())).collect();
        for (key, site) in sites {
            let mut issue = |site: &Site| {
                let usual = CertChoice::Inline(Box::new(crate::parse::usual_certificate()));
                let choice = site.cert.as_ref().unwrap_or(&usual);
                let names = std::slice::from_ref(&site.host);
                site.https.then(|| issued.choice(&self.authorities, &self.draft, choice, names))
            };
            let certificates: Vec<_> = std::iter::once(&site).chain(&site.machines).map(&mut issue).collect();
            let bare = vec![None; certificates.len()];
            for address in plan::site_addresses(&self.draft, &site) {
                let over_tls = Virtual::new(&key, &site, &certificates, false);
                self.add_virtual(address, site.port, site.https, over_tls);
                if site.https && site.plain != Plain::None {
                    let plain = Virtual::new(&key, &site, &bare, site.plain == Plain::Redirect);
                    self.add_virtual(address, 80, false, plain);
                }
            }
        }
        for host in self.hosts.values_mut() {
            let unknown = host.unknown.clone();
            for web in host.ports.values_mut() {
                if let (Port::Web(web), UnknownHost::Site(key)) = (web, &unknown) {
                    web.default = web.sites.values().find(|site| site.key == *key).cloned().or(web.default.take());
                }
            }
        }
    }

    fn add_virtual(&mut self, address: IpAddr, port: u16, tls: bool, virtual_host: Virtual) {
        let host = self.host(address);
        let plan = host.ports.entry(port).or_insert_with(|| Port::Web(Web { tls, ..Web::default() }));
        // A file may state another service there: that one wins, and the site is not served.
        let Port::Web(web) = plan else { return };
        let virtual_host = Arc::new(virtual_host);
        if virtual_host.site.default {
            web.default = Some(virtual_host.clone());
        }
        // A stated site is never hidden by the redirect of another.
        if !virtual_host.to_https || !web.sites.contains_key(&virtual_host.site.host) {
            web.sites.insert(virtual_host.site.host.clone(), virtual_host);
        }
    }

    fn add_sources(&mut self, issued: &mut Issued) {
        let at = |last: u8| IpAddr::from([198, 19, 0, last]);
        let stated = stated_servers(&self.draft);
        let names_of = |last: u8| {
            stated.iter().filter(|(_, known)| **known == at(last)).map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        let fixed = SOURCES.iter().map(|(last, source, names)| {
            (at(*last), *source, names.split_whitespace().map(str::to_owned).collect::<Vec<String>>())
        });
        let in_regions: Vec<String> = self.draft.s3_regions().into_iter().flat_map(s3_names).collect();
        let fixed = fixed.map(|(address, source, mut names)| {
            names.extend(in_regions.iter().filter(|_| address == at(S3)).cloned());
            (address, source, names)
        });
        let told = crate::name_sources::hosts().enumerate();
        let told = told.map(|(place, (address, host))| (address, Source::Names(place), vec![host.to_owned()]));
        let stated = [
            (INTERFACES, Source::Interfaces),
            (REPOSITORIES, Source::Repositories),
            (APP_LINKS, Source::AppLinks),
            (APP_STORES, Source::AppStores),
        ]
        .map(|(last, source)| (at(last), source, names_of(last)));
        let stated = stated.into_iter().filter(|(_, _, names)| !names.is_empty());
        for (address, source, names) in fixed.chain(told).chain(stated) {
            let mut stated = crate::parse::usual_certificate();
            stated.logged = false;
            // Providers renew what they serve when it is due, however late the state.
            let age_days = self.draft.begins_ms / DAY_MS;
            let age_ms = (age_days - age_days % RENEWED_DAYS) * DAY_MS;
            (stated.starts, stated.ends) = (stated.starts.later(age_ms), stated.ends.later(age_ms));
            let certificate = (!names.is_empty()).then(|| issued.issue(&self.authorities, &stated, &names));
            let host = self.host(address);
            match certificate {
                Some(certificate) => {
                    host.ports.insert(80, Port::Source(source, None));
                    host.ports.insert(443, Port::Source(source, Some(certificate)));
                }
                None => {
                    host.ports.insert(43, Port::Source(source, None));
                }
            }
        }
    }
}

/// Certificates issued so far: the same words for the same name are one certificate.
#[derive(Default)]
struct Issued {
    all: Vec<Arc<Certificate>>,
    by_serial: BTreeMap<String, Arc<Certificate>>,
    by_name: BTreeMap<String, Arc<Certificate>>,
}

impl Issued {
    fn choice(
        &mut self,
        authorities: &Authorities,
        draft: &Draft,
        choice: &CertChoice,
        names: &[String],
    ) -> Arc<Certificate> {
        match choice {
            CertChoice::Inline(stated) => self.issue(authorities, stated, names),
            CertChoice::Named(name) => self.named(authorities, name, &draft.certs[name]),
        }
    }

    fn named(&mut self, authorities: &Authorities, name: &str, stated: &crate::draft::Cert) -> Arc<Certificate> {
        if let Some(known) = self.by_name.get(name) {
            return known.clone();
        }
        let certificate = self.issue(authorities, stated, &[]);
        self.by_name.insert(name.to_owned(), certificate.clone());
        certificate
    }

    fn issue(&mut self, authorities: &Authorities, stated: &crate::draft::Cert, names: &[String]) -> Arc<Certificate> {
        let certificate = Arc::new(authorities.issue(stated, names));
        let known = self.by_serial.entry(certificate.serial.clone());
        let all = &mut self.all;
        known
            .or_insert_with(|| {
                all.push(certificate.clone());
                certificate
            })
            .clone()
    }
}

impl Host {
    /// What answers on a port; `None` where nothing is stated.
    pub(crate) fn port(&self, port: u16) -> Option<&Port> {
        self.ports.get(&port)
    }
}

impl Virtual {
    /// A site on one port, with the certificate of each machine behind its balancer.
    fn new(key: &str, site: &Site, certificates: &[Option<Arc<Certificate>>], to_https: bool) -> Self {
        let mut all = std::iter::once(site).chain(&site.machines).zip(certificates).map(|(site, certificate)| Self {
            key: key.to_owned(),
            site: site.clone(),
            certificate: certificate.clone(),
            to_https,
            machines: Vec::new(),
        });
        let first = all.next().expect("a site is its first machine");
        let machines = all.map(Arc::new).collect();
        Self { machines, ..first }
    }

    /// The machine that serves a connection, by how many came before it.
    pub(crate) fn machine(self: &Arc<Self>, turn: usize) -> &Arc<Self> {
        match turn % (self.machines.len() + 1) {
            0 => self,
            place => &self.machines[place - 1],
        }
    }

    /// Every machine, the first first.
    pub(crate) fn all(self: &Arc<Self>) -> impl Iterator<Item = &Arc<Self>> {
        std::iter::once(self).chain(&self.machines)
    }
}
