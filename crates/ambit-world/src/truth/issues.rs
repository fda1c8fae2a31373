//! Issues of services, certificates and sites, by the properties that were planted.

use super::{Derivation, Sight, certificate_key};
use crate::draft::{Datagram, Issuer, KeyChoice, Service};
use crate::pki::Certificate;
use ambit_model::Kind;
use ambit_model::moment::DAY_MS;

/// A certificate is about to expire within so many days.
const ALMOST_DAYS: i64 = 30;
/// Parts of the names of cookies that hold a session.
const SESSION_WORDS: &[&str] = &["sess", "sid", "auth", "token", "jwt", "login"];
/// What a page should say about itself; the first over https only.
const SECURITY_HEADERS: &[&str] =
    &["strict-transport-security", "content-security-policy", "x-content-type-options", "x-frame-options"];

/// Headers in which software names itself.
const NAMING_HEADERS: &[&str] = &["server", "x-powered-by", "x-aspnet-version", "x-generator", "x-jenkins"];

/// Whether software is named with its version: two numbers with a dot in between.
fn names_version(text: &str) -> bool {
    let bytes = text.as_bytes();
    let begins = |at: usize| {
        let before = (0..at).rev().find(|at| !bytes[*at].is_ascii_digit()).map(|at| bytes[at]);
        before.is_none_or(|byte| !byte.is_ascii_alphabetic() || byte == b'v')
    };
    (1..bytes.len().saturating_sub(1))
        .any(|at| bytes[at] == b'.' && bytes[at - 1].is_ascii_digit() && bytes[at + 1].is_ascii_digit() && begins(at))
}

impl Derivation<'_> {
    pub(super) fn service_issues(&mut self, service: &Service, name: &str) {
        let issue = match service {
            Service::Telnet(_) => "exposed_telnet_service",
            Service::Ftp { anonymous: true, .. } => "ftp_anonymous_login",
            Service::Redis { open: true } => "open_redis_service",
            Service::Mongodb { open: true, .. } => "open_database_service",
            Service::Mysql(_) | Service::Postgres | Service::Mongodb { .. } => "exposed_database_service",
            Service::Rdp => "exposed_rdp_service",
            Service::Smb => "exposed_smb_service",
            Service::Vnc(_) => "exposed_vnc_service",
            Service::Tls { service, .. } if matches!(**service, Service::Telnet(_)) => return,
            Service::Tls { service, .. } => return self.service_issues(service, name),
            Service::InTurn(services) => {
                return self.in_turn(services, |derivation, service| derivation.service_issues(service, name));
            }
            Service::Ssh(_)
            | Service::Ftp { .. }
            | Service::Smtp { .. }
            | Service::Imap(_)
            | Service::Pop3(_)
            | Service::Redis { .. }
            | Service::Http
            | Service::Https
            | Service::Banner(_)
            | Service::Silent
            | Service::Tarpit
            | Service::Filtered
            | Service::Closed
            | Service::Hostile(_) => return,
        };
        self.truth.plant_issue(issue, Kind::NetworkService, name);
    }

    /// Several services may answer in turn: what each of them implies is demanded, and what only some imply may be
    /// reported.
    pub(super) fn in_turn<T>(&mut self, all: &[T], mut derive: impl FnMut(&mut Self, &T)) {
        let before = std::mem::take(&mut self.truth.issues);
        let mut each = Vec::new();
        for one in all {
            derive(self, one);
            each.push(std::mem::take(&mut self.truth.issues));
        }
        let by_all = |issue: &(String, Kind, String)| each.iter().all(|issues| issues.contains(issue));
        let (demanded, others): (Vec<_>, Vec<_>) = each.iter().flatten().cloned().partition(by_all);
        self.truth.issues = before;
        self.truth.issues.extend(demanded);
        self.truth.maybe_issues.extend(others);
    }

    pub(super) fn datagram_issues(&mut self, service: &Datagram, name: &str) {
        let issues: &[&str] = match service {
            Datagram::Snmp { community, .. } if community == "public" => &["snmp_public_community"],
            Datagram::Memcached => &["exposed_udp_amplifier", "open_database_service"],
            Datagram::Mdns | Datagram::Netbios | Datagram::Ssdp | Datagram::Tftp => &["exposed_udp_amplifier"],
            _ => &[],
        };
        issues.iter().for_each(|issue| self.truth.plant_issue(issue, Kind::NetworkService, name));
    }

    pub(super) fn certificate_issues(&mut self, certificate: &Certificate) {
        let now = self.internet.start();
        let stated = &certificate.stated;
        let self_signed = stated.issuer == Issuer::Itself;
        let proven = [
            ("invalid_certificate_expired", certificate.not_after < now),
            (
                "invalid_certificate_almost_expired",
                certificate.not_after >= now && certificate.not_after < now.plus_ms(ALMOST_DAYS * DAY_MS),
            ),
            ("invalid_certificate_premature", certificate.not_before > now),
            ("self_signed_certificate", self_signed),
            ("invalid_certificate_chain", !self_signed && (stated.issuer == Issuer::Unknown || stated.chain_missing)),
            (
                "invalid_certificate_revoked",
                certificate.ocsp.is_some() && !stated.chain_missing && stated.key != KeyChoice::Weak,
            ),
            ("invalid_certificate_key", stated.key == KeyChoice::Weak),
            ("invalid_certificate_algorithm", stated.sha1),
            ("wildcard_certificate", certificate.names.iter().any(|name| name.starts_with("*."))),
        ];
        let Some((kind, name)) = certificate_key(Kind::SslCertificate, certificate) else {
            return;
        };
        let demanded = self.truth.entities.contains(&(kind, name.clone()));
        // It ends while a run goes on, which begins at the start of the day.
        if certificate.not_after >= now && certificate.not_after < now.plus_ms(DAY_MS) {
            for issue in ["invalid_certificate_expired", "invalid_certificate_almost_expired"] {
                self.truth.allow_issue(issue, kind, &name);
            }
        }
        let ends_now = |issue: &str| self.truth.maybe_issues.contains(&(issue.to_owned(), kind, name.clone()));
        let proven: Vec<&str> =
            proven.iter().filter(|(issue, proven)| *proven && !ends_now(issue)).map(|(issue, _)| *issue).collect();
        for issue in proven {
            if demanded {
                self.truth.plant_issue(issue, kind, &name);
            } else {
                self.truth.allow_issue(issue, kind, &name);
            }
        }
    }

    /// A certificate that does not name the name by which it was asked for.
    fn certificate_name(&mut self, sight: &Sight<'_>) {
        let (Some(name), Some(certificate)) = (sight.name, sight.certificate) else { return };
        if certificate.covers(name) {
            return;
        }
        match sight.turned_away {
            None => self.truth.plant_issue("invalid_certificate_name", Kind::Uri, &sight.uri),
            // A server that cannot answer now does not say whether it knows the name.
            Some(500..) => self.truth.allow_issue("invalid_certificate_name", Kind::Uri, &sight.uri),
            Some(_) if sight.may_have_page => {
                self.truth.allow_issue("invalid_certificate_name", Kind::Uri, &sight.uri);
            }
            Some(_) => {}
        }
    }

    pub(super) fn site_issues(&mut self, sight: &Sight<'_>) {
        let uri = sight.uri.as_str();
        self.certificate_name(sight);
        let Some(virtual_host) = sight.site else {
            let bare_page = sight.name.is_some() && sight.unknown.is_some_and(|(status, _)| status == 200);
            if bare_page {
                self.truth.plant_issue("missing_security_headers", Kind::Uri, uri);
            }
            return;
        };
        let site = &virtual_host.site;
        // What leads to the twin inside TLS says the server, and none of the site's own headers.
        let own_headers = site.headers.iter().filter(|_| !virtual_host.to_https);
        let software = own_headers.filter(|(name, _)| NAMING_HEADERS.contains(&name.to_ascii_lowercase().as_str()));
        if site.server.iter().chain(software.map(|(_, value)| value)).any(|text| names_version(text)) {
            self.truth.plant_issue("version_disclosure", Kind::Uri, uri);
        }
        for exposure in &site.exposes {
            let issue = exposure.issue.as_str();
            // An unknown path has another answer than that of the exposure.
            if exposure.shows_only_at_unknown_paths() && (site.redirect.is_some() || site.soft_404) {
                continue;
            }
            // A client that follows the redirect may see it here, too; on a shared address it may not be probed for.
            if virtual_host.to_https || site.basic.is_some() || !sight.probed {
                self.truth.allow_issue(issue, Kind::Uri, uri);
            } else {
                self.truth.plant_issue(issue, Kind::Uri, uri);
            }
        }
        if virtual_host.to_https {
            return;
        }
        self.checkout(sight, site);
        self.cookie_issues(sight, virtual_host);
        let front = site.pages.iter().find(|page| page.path == "/");
        // The page that demands a password names the generator as well.
        let says_generator = site.basic.is_some() || (front.is_none() && site.redirect.is_none());
        if says_generator && site.generator.as_deref().is_some_and(names_version) {
            self.truth.plant_issue("version_disclosure", Kind::Uri, uri);
        }
        if site.basic.is_some() {
            if !sight.tls {
                self.truth.plant_issue("basic_auth_over_plain_http", Kind::Uri, uri);
            }
            return;
        }
        if site.redirect.is_some() && front.is_none() {
            return;
        }
        if site.fresh {
            self.truth.plant_issue("default_installation", Kind::Uri, uri);
        }
        if site.login && !sight.tls && front.is_none() {
            self.truth.plant_issue("login_over_plain_http", Kind::Uri, uri);
        }
        let status = front.map_or(site.status, |page| page.status);
        let html = front.is_none_or(|page| page.media.starts_with("text/html"));
        let stated: Vec<String> = site.headers.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
        let wanted = SECURITY_HEADERS.iter().skip(usize::from(!sight.tls));
        let lacks = site.bare && wanted.clone().any(|header| !stated.iter().any(|name| name == header));
        if sight.name.is_some() && status == 200 && html && lacks {
            self.truth.plant_issue("missing_security_headers", Kind::Uri, uri);
        }
    }

    fn cookie_issues(&mut self, sight: &Sight<'_>, virtual_host: &crate::internet::Virtual) {
        if sight.name.is_none() {
            return;
        }
        for cookie in virtual_host.site.cookies.iter().filter(|cookie| !cookie.careful) {
            let name = cookie.name.to_ascii_lowercase();
            if sight.tls {
                self.truth.plant_issue("insecure_cookie_secure_attribute", Kind::Uri, &sight.uri);
            }
            let session = SESSION_WORDS.iter().any(|word| name.contains(word))
                && !name.contains("csrf")
                && !name.contains("xsrf");
            if session {
                self.truth.plant_issue("insecure_cookie_httponly_attribute", Kind::Uri, &sight.uri);
            }
        }
    }
}
