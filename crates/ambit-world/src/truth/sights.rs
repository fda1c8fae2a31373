//! Services, sites and certificates as somebody sees them who looks at our addresses and names.

use super::{Derivation, Sight, certificate_key};
use crate::draft::{Alpn, Beyond, Datagram, OrgRole, Service, Site, TlsVersions, UnknownHost, Unlisted};
use crate::evidence;
use crate::internet::{Host, Port, Web};
use crate::pki::Certificate;
use crate::plan;
use ambit_model::Kind;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// Port of DNS.
const DNS_PORT: u16 = 53;
/// A client may have given up on a server that takes so long.
const PATIENCE: Duration = Duration::from_secs(3);

impl<'a> Derivation<'a> {
    pub(super) fn services(&mut self, addresses: &BTreeSet<IpAddr>) {
        for address in addresses {
            let host = &self.internet.hosts[address];
            if host.latency > PATIENCE {
                self.allow_address(*address, &address.to_string());
                continue;
            }
            for (port, plan) in &host.ports {
                let name = format!("{}/tcp", std::net::SocketAddr::new(*address, *port));
                if let Port::Service(Service::Hostile(_), _) = plan {
                    self.allow_hostile(*address, *port);
                }
                match plan {
                    Port::Service(Service::Closed | Service::Filtered, _) => {}
                    // On a host where everything accepts, silence confirms nothing.
                    Port::Service(Service::Silent | Service::Tarpit | Service::Hostile(_), _)
                        if host.unlisted == Unlisted::Open =>
                    {
                        self.truth.allow(Kind::NetworkService, &name);
                    }
                    Port::Service(service, certificate) => {
                        self.truth.plant(Kind::NetworkService, &name);
                        self.service_issues(service, &name);
                        if let (Service::Tls { .. }, Some(certificate)) = (service, certificate) {
                            self.certificate(certificate);
                        } else if let Some(certificate) = certificate {
                            // Behind STARTTLS: may be found.
                            self.truth.maybe_entities.extend(certificate_key(Kind::SslCertificate, certificate));
                            self.certificate_issues(certificate);
                        }
                    }
                    // Nor does the silence of one that turns away whoever names none of its sites.
                    Port::Web(_) if host.unlisted == Unlisted::Open && host.unknown == UnknownHost::Close => {
                        self.truth.allow(Kind::NetworkService, &name);
                    }
                    Port::Web(web) => {
                        self.truth.plant(Kind::NetworkService, &name);
                        match if web.tls { web.versions() } else { TlsVersions::Modern } {
                            TlsVersions::AlsoOld if !self.speaks_to_us(host, web, *address) => {
                                self.truth.allow_issue("deprecated_tls_version", Kind::NetworkService, &name);
                            }
                            TlsVersions::AlsoOld => {
                                self.truth.plant_issue("deprecated_tls_version", Kind::NetworkService, &name)
                            }
                            TlsVersions::OnlyOld => {
                                self.truth.allow_issue("deprecated_tls_version", Kind::NetworkService, &name)
                            }
                            TlsVersions::Modern | TlsVersions::Twelve => {}
                        }
                    }
                    Port::Dns | Port::Source(..) => self.truth.plant(Kind::NetworkService, &name),
                }
            }
            self.datagrams(*address, host);
        }
    }

    /// What speaks over UDP: DNS, and what the file states.
    fn datagrams(&mut self, address: IpAddr, host: &Host) {
        let name = |port: u16| format!("{}/udp", std::net::SocketAddr::new(address, port));
        if host.dns && !host.datagrams.contains_key(&DNS_PORT) {
            self.truth.plant(Kind::NetworkService, &name(DNS_PORT));
        }
        for (port, service) in host.datagrams.iter().filter(|(_, service)| **service != Datagram::Silent) {
            self.truth.plant(Kind::NetworkService, &name(*port));
            self.datagram_issues(service, &name(*port));
        }
    }

    /// True where the TLS of a port opens to everybody, or to a planted name that leads there.
    fn speaks_to_us(&self, host: &Host, web: &Web, address: IpAddr) -> bool {
        let opens_to = |name: Option<&str>| web.certificate(name, &host.unknown, 0).is_some();
        let mut names = self.planted(Kind::Domain).into_iter().chain(self.planted(Kind::DnsRecord));
        opens_to(None)
            || names.any(|name| opens_to(Some(&name)) && plan::addresses(self.draft, &name).contains(&address))
    }

    /// What answers with harm may be taken for a site, or not.
    fn allow_hostile(&mut self, address: IpAddr, port: u16) {
        let names = self.planted(Kind::Domain).into_iter().chain(self.planted(Kind::DnsRecord));
        let leading: Vec<String> = names.filter(|name| plan::addresses(self.draft, name).contains(&address)).collect();
        let by_address = std::net::SocketAddr::new(address, port).to_string();
        for host in leading.into_iter().map(|name| format!("{name}:{port}")).chain([by_address]) {
            self.truth.allow(Kind::Uri, &format!("http://{host}"));
            self.truth.allow(Kind::Uri, &format!("https://{host}"));
        }
    }

    /// Every site by every planted name that leads to it, and by its address.
    pub(super) fn sites(&mut self, addresses: &BTreeSet<IpAddr>) {
        let names = self.planted(Kind::Domain).into_iter().chain(self.planted(Kind::DnsRecord));
        let names: Vec<String> = names.filter(|name| self.resolves(name)).collect();
        for name in &names {
            let has_foreign_alias = evidence::has_foreign_alias(self.internet, name);
            for address in plan::addresses(self.draft, name) {
                let shown = self.is_shown(address);
                if let Some(host) = self.internet.hosts.get(&address).filter(|_| shown || !has_foreign_alias) {
                    self.sites_of(host, shown, Some(name), name);
                }
            }
        }
        for address in addresses {
            let shown = match address {
                IpAddr::V4(address) => address.to_string(),
                IpAddr::V6(address) => format!("[{address}]"),
            };
            self.sites_of(&self.internet.hosts[address], true, None, &shown);
        }
    }

    /// The sites of a host that is shown to be ours or not, by a name or by its address.
    fn sites_of(&mut self, host: &'a Host, is_shown: bool, name: Option<&str>, shown: &str) {
        for (port, plan) in &host.ports {
            let browsed = matches!(*port, 80 | 443);
            let visible = match host.standing {
                OrgRole::Ours if is_shown => true,
                OrgRole::Ours | OrgRole::Vendor | OrgRole::Related | OrgRole::Source => browsed,
                OrgRole::Stranger => false,
            };
            match plan {
                Port::Web(web) if visible => {
                    self.web(host, web, *port, (name, shown), is_shown && host.standing == OrgRole::Ours)
                }
                Port::Source(_, certificate) if visible && name.is_some() => {
                    let scheme = if certificate.is_some() { "https" } else { "http" };
                    let uri = format!("{scheme}://{shown}:{port}");
                    self.truth.plant(Kind::Uri, &uri);
                    if let Some(certificate) = certificate {
                        // A provider's certificate is the provider's, whatever name it was shown for.
                        if name.is_some_and(|name| evidence::is_certificate_ours(self.internet, certificate, name)) {
                            self.certificate(certificate);
                        }
                        if name.is_some_and(|name| !certificate.covers(name)) {
                            self.truth.plant_issue("invalid_certificate_name", Kind::Uri, &uri);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn web(&mut self, host: &'a Host, web: &'a Web, port: u16, (name, shown): (Option<&str>, &str), probed: bool) {
        let scheme = if web.tls { "https" } else { "http" };
        let uri = format!("{scheme}://{shown}:{port}");
        // A request by address names the address.
        let site = web.choose(Some(name.unwrap_or(shown.trim_start_matches('[').trim_end_matches(']'))));
        let certificate = web.certificate(name, &host.unknown, 0);
        let refuses = (site.is_none() && host.unknown == UnknownHost::Close) || (web.tls && certificate.is_none());
        if refuses {
            return;
        }
        let doubtful = web.versions() == TlsVersions::OnlyOld
            || host.latency > PATIENCE
            || site.is_some_and(|site| site.site.hostile.is_some() || site.site.hidden);
        if web.tls && web.alpn() == Alpn::Two && !doubtful {
            // It is there and shows its certificate, and nobody sees its pages who does not speak HTTP/2.
            self.truth.allow(Kind::Uri, &uri);
            if let Some(certificate) = certificate.filter(|certificate| probed || self.names_ours(certificate, name)) {
                self.certificate(certificate);
            }
            return;
        }
        if doubtful {
            self.truth.allow(Kind::Uri, &uri);
            if let Some(certificate) = certificate.filter(|certificate| probed || self.names_ours(certificate, name)) {
                self.truth.maybe_entities.extend(certificate_key(Kind::SslCertificate, certificate));
            }
            return;
        }
        self.truth.plant(Kind::Uri, &uri);
        let unknown = match (&host.unknown, site) {
            (UnknownHost::Page(status, text), None) => Some((*status, text.as_str())),
            _ => None,
        };
        let status = unknown.map(|(status, _)| status).or(site.and_then(|site| front_status(&site.site)));
        let plain_page = name.filter(|_| web.tls).and_then(|name| plain_page(host, name));
        let has_page = plain_page.and_then(front_status).is_some_and(|status| (200..300).contains(&status));
        let is_hostile = plain_page.is_some_and(|site| site.hostile.is_some());
        let turned_away = status.filter(|status| *status >= 400 && has_page);
        // To a name that none of them has, a site shows its certificates all the same.
        let machines = site.into_iter().chain(web.sites.values().filter(|_| site.is_none()));
        let machines = machines.map(|site| site.all().count()).max().unwrap_or(1);
        let sights = (0..machines).map(|turn| Sight {
            name,
            turned_away,
            may_have_page: is_hostile,
            tls: web.tls,
            site: site.map(|site| site.machine(turn)),
            certificate: web.certificate(name, &host.unknown, turn),
            unknown,
            uri: uri.clone(),
            probed: probed && !site.is_some_and(|site| leads_to_its_twin(host, &site.site)),
        });
        let sights: Vec<Sight<'_>> = sights.collect();
        let shown = sights.iter().filter_map(|sight| sight.certificate);
        let certificates: Vec<&Arc<Certificate>> =
            shown.filter(|certificate| probed || self.names_ours(certificate, name)).collect();
        match certificates.first() {
            Some(first) if certificates.iter().all(|other| Arc::ptr_eq(first, other)) => self.certificate(first),
            _ => self.certificates_in_turn(&certificates),
        }
        // Who comes too often sees less than there is.
        if host.limits.iter().any(|limit| matches!(limit.beyond, Beyond::Status(..))) {
            let demanded = std::mem::take(&mut self.truth.issues);
            self.in_turn(&sights, Self::site_issues);
            let seen = std::mem::replace(&mut self.truth.issues, demanded);
            self.truth.maybe_issues.extend(seen);
        } else {
            self.in_turn(&sights, Self::site_issues);
        }
    }

    /// Which of them somebody sees depends on the turn.
    fn certificates_in_turn(&mut self, certificates: &[&Arc<Certificate>]) {
        let demanded = self.truth.entities.clone();
        self.in_turn(certificates, |derivation, certificate| derivation.certificate(certificate));
        let entities = std::mem::replace(&mut self.truth.entities, demanded);
        self.truth.maybe_entities.extend(entities);
    }

    /// A certificate that a third party's machine presents for a name of ours counts if it names us.
    fn names_ours(&self, certificate: &Certificate, name: Option<&str>) -> bool {
        name.is_some_and(|name| evidence::is_certificate_ours(self.internet, certificate, name))
    }

    /// A certificate that somebody sees who looks at something planted.
    fn certificate(&mut self, certificate: &Certificate) {
        self.truth.entities.extend(certificate_key(Kind::SslCertificate, certificate));
        self.certificate_issues(certificate);
    }
}

/// True where a site without TLS sends everything on to itself inside TLS, at a port of the host that is there or may
/// be: that is looked through instead.
fn leads_to_its_twin(host: &Host, site: &Site) -> bool {
    let target = site.redirect.as_ref().filter(|_| !site.https).and_then(|(_, url)| url.strip_prefix("https://"));
    let Some(authority) = target.and_then(|rest| rest.split(['/', '?', '#']).next()) else { return false };
    let (name, port) = authority.rsplit_once(':').unwrap_or((authority, "443"));
    let twin = port.parse().ok().and_then(|port: u16| host.ports.get(&port));
    let may_be = match twin {
        Some(Port::Web(web)) => web.tls,
        Some(_) => false,
        // Nobody knows what is at a port that gives no answer.
        None => host.unlisted != Unlisted::Closed,
    };
    name == site.host && may_be
}

/// The site with which the host answers to the name at the port that browsers ask without TLS.
fn plain_page<'a>(host: &'a Host, name: &str) -> Option<&'a Site> {
    let Some(Port::Web(web)) = host.ports.get(&80) else { return None };
    web.choose(Some(name)).filter(|site| !web.tls && !site.to_https).map(|site| &site.site)
}

/// The status of a site's front page; `None` where it leads elsewhere.
fn front_status(site: &Site) -> Option<u16> {
    let front = site.pages.iter().find(|page| page.path == "/");
    if site.basic.is_some() {
        return Some(401);
    }
    match front {
        Some(page) => Some(page.status),
        None if site.redirect.is_some() => None,
        None => Some(site.status),
    }
}

/// Every certificate that a port may show.
pub(super) fn certificates(port: &Port) -> Vec<Arc<Certificate>> {
    match port {
        Port::Service(_, certificate) | Port::Source(_, certificate) => certificate.iter().cloned().collect(),
        Port::Web(web) => {
            let sites = web.sites.values().chain(&web.default).flat_map(|site| site.all());
            sites.filter_map(|site| site.certificate.clone()).collect()
        }
        Port::Dns => Vec::new(),
    }
}
