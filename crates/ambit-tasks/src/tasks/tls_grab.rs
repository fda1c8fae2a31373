//! Collects the certificates that a service presents, without SNI and for each name bound to it, and the TLS versions
//! that it accepts.

use crate::ask::bindings::{self, server_name};
use crate::ask::default_certificate;
use crate::task::OF_SITES;
use crate::{Answer, Context, Plan, Result, Task, TaskError};
use ambit_model::entity::certificate::{ChainError, Key, KeyAlgorithm, TlsLook};
use ambit_model::entity::network_service::Service;
use ambit_model::entity::{certificate, network_service, registrable};
use ambit_model::observation::CERTIFICATE;
use ambit_model::{Clearance, Details, EdgeKind, Facts, Kind, TaskName, Timestamp};
use ambit_net::http::Url;
use ambit_net::tcp::StartTls;
use ambit_net::tls::{
    Certificate, HelloAnswer, KeyType, Problem, Standing, TlsFacts, TlsOptions, TlsVersion, Verification,
};
use ambit_net::{NetError, Untrusted};
use base64::Engine;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::SocketAddr;

pub(crate) const TASK: Task = Task {
    name: TaskName::TlsGrab,
    pretty_name: "TLS certificates",
    description: "Makes TLS handshakes with a service or an address, without a name and with each name that leads to \
                  it, and reads certificates and versions.",
    workflows: OF_SITES,
    watches: &[Kind::DnsRecord, Kind::Domain, Kind::IpAddress, Kind::NetworkService],
    produces: &[Kind::NetworkService, Kind::SslCertificate],
    cost: 5,
    gain: 40,
    plan: |facts, settings| match facts.kind {
        Kind::NetworkService => Plan::bound_if(service_may_speak_tls(facts)),
        Kind::IpAddress => default_certificate::plan(facts, settings),
        _ => {
            let ports: BTreeSet<u16> = https(facts).map(|socket| socket.port()).collect();
            let of_name = bindings::of_name(facts, &[443], |port| TLS_PORTS.contains(&port) || ports.contains(&port));
            bindings::plan(facts, of_name.into_iter().chain(https(facts).map(|socket| socket.to_string())))
        }
    },
    left_out: bindings::left_out,
    run: |cx| Box::pin(run(cx)),
    ..Task::VISITS
};

/// Ports where TLS is the custom.
pub(crate) const TLS_PORTS: &[u16] = &[
    443, 444, 465, 636, 853, 989, 990, 992, 993, 995, 2083, 2087, 2096, 2376, 3269, 4443, 5061, 5671, 5986, 6443, 6697,
    7443, 8333, 8443, 8444, 8883, 9043, 9443, 10250, 10443,
];

/// Where the name has a site that speaks TLS.
fn https(facts: &Facts) -> impl Iterator<Item = SocketAddr> + '_ {
    let sites = facts.to(EdgeKind::Site).filter(|site| Url::parse(&site.name).is_ok_and(|url| url.https));
    sites.filter_map(|site| site.argument.parse().ok())
}

/// Versions that a browser no longer speaks; asking for them is a probe.
const OLD_VERSIONS: &[TlsVersion] = &[TlsVersion::Ssl3, TlsVersion::Tls10, TlsVersion::Tls11];
/// A certificate with more foreign domains is a provider's for its customers (docs/architecture.md §4).
const FOREIGN_DOMAINS_MAX: usize = 10;

fn service_may_speak_tls(facts: &Facts) -> bool {
    let port = bindings::socket(facts.kind, &facts.name, "").map(|socket| socket.port());
    let said = network_service::SSL.is_true(&facts.details) || network_service::STARTTLS.is_true(&facts.details);
    said || port.is_some_and(|port| TLS_PORTS.contains(&port))
}

/// How a service that begins in plain text is led to TLS.
fn start_tls(facts: &Facts) -> Option<StartTls> {
    if !network_service::STARTTLS.is_true(&facts.details) {
        return None;
    }
    match network_service::SERVICE.of(&facts.details)? {
        Service::Smtp => Some(StartTls::Smtp),
        Service::Imap => Some(StartTls::Imap),
        Service::Pop3 => Some(StartTls::Pop3),
        Service::Ftp => Some(StartTls::Ftp),
        Service::Postgresql => Some(StartTls::Postgres),
        _ => None,
    }
}

async fn run(cx: &Context<'_>) -> Result<Answer> {
    let socket = match cx.facts.kind {
        Kind::IpAddress => {
            cx.facts.name.parse().ok().map(|address| SocketAddr::new(address, default_certificate::PORT))
        }
        kind => bindings::socket(kind, &cx.facts.name, cx.argument),
    };
    let socket = socket.ok_or_else(|| TaskError::Failed(format!("not a binding: {:?}", cx.argument)))?;
    let service = cx.facts.kind == Kind::NetworkService;
    let sni = if is_named(cx.facts) { server_name(&cx.facts.name) } else { None };
    let upgrade = start_tls(cx.facts).filter(|_| service);
    let facts = match shake(cx, socket, sni, upgrade).await {
        Ok(facts) => facts,
        Err(error) if bindings::is_closed(&error) => return Ok(Answer::Absent),
        Err(NetError::Tls(_) | NetError::Protocol(_)) => return Ok(Answer::Absent),
        Err(error) => return Err(error.into()),
    };
    let mut versions = BTreeSet::from([facts.version]);
    let is_probed = cx.facts.kind != Kind::IpAddress && cx.facts.decision.clearance >= Clearance::L3;
    if upgrade.is_none() && is_probed {
        versions.extend(old_versions(cx, socket, sni, &known_versions(cx.facts, socket)).await?);
    }
    observe(cx, socket, sni, &facts, &versions);
    Ok(Answer::Found)
}

async fn shake(
    cx: &Context<'_>,
    socket: SocketAddr,
    sni: Option<&str>,
    upgrade: Option<StartTls>,
) -> Result<TlsFacts, NetError> {
    let session = match upgrade {
        Some(protocol) => {
            let connection = cx.net.connect(socket, sni).await?;
            let (connection, _) = cx.net.start_tls(connection, protocol, "ambit.invalid").await?;
            cx.net.tls_over(connection, sni, &TlsOptions::plain()).await?
        }
        None => match cx.net.tls(socket, sni, &TlsOptions::browser()).await {
            // It speaks neither version of HTTP, and may not mind where nothing is named.
            Err(NetError::NoHttp) => cx.net.tls(socket, sni, &TlsOptions::plain()).await?,
            session => session?,
        },
    };
    Ok(session.facts)
}

/// Which withdrawn versions the service speaks. Where a hello stayed without an answer, as some walls in front of
/// servers leave it, an earlier answer holds: that the certificate was just seen is true all the same.
async fn old_versions(
    cx: &Context<'_>,
    socket: SocketAddr,
    sni: Option<&str>,
    known: &BTreeSet<TlsVersion>,
) -> Result<Vec<TlsVersion>> {
    let mut spoken = Vec::new();
    // A hello of SSL 3 has no SNI, and without it an address that is shared with third parties may not be contacted.
    let asked = OLD_VERSIONS.iter().filter(|version| sni.is_none() || **version != TlsVersion::Ssl3);
    for version in asked {
        match cx.net.tls_hello(socket, sni, *version).await {
            Ok(HelloAnswer::Accepted { version, .. }) => spoken.push(version),
            // A server that closes or resets on an old hello does not support that version.
            Ok(HelloAnswer::Refused(_))
            | Err(NetError::Closed(_) | NetError::Reset(_) | NetError::Tls(_) | NetError::Protocol(_)) => {}
            Err(error @ NetError::Budget(_)) => return Err(error.into()),
            Err(_) => spoken.extend(known.get(version)),
        }
    }
    Ok(spoken)
}

/// Versions that the service was last heard to speak.
fn known_versions(facts: &Facts, socket: SocketAddr) -> BTreeSet<TlsVersion> {
    let probes = certificate::TLS.items(&facts.details);
    let here = probes.filter(|look| look.address == socket.to_string());
    let names: BTreeSet<String> = here.flat_map(|look| look.versions).collect();
    OLD_VERSIONS.iter().copied().filter(|version| names.contains(version.name())).collect()
}

fn observe(cx: &Context<'_>, socket: SocketAddr, sni: Option<&str>, facts: &TlsFacts, versions: &BTreeSet<TlsVersion>) {
    let leaf = facts.certificate().and_then(Result::ok);
    let name = leaf.as_ref().map(name_of);
    let tls = TlsLook {
        address: socket.to_string(),
        name: sni.map(str::to_owned),
        certificate: name,
        versions: versions.iter().map(|version| version.name().to_owned()).collect(),
        alpn: facts.alpn.clone(),
        name_matches: leaf.as_ref().zip(sni).map(|(leaf, sni)| covers(&leaf.dns_names, sni)),
        foreign_domains: leaf.as_ref().map_or(0, |leaf| foreign_domains(cx.facts, leaf)),
    };
    cx.observe(certificate::TLS, vec![tls]);
    // A service may refuse handshakes that send no name it knows. The handshake with this name is then the only one
    // that shows its versions.
    if is_named(cx.facts) && versions.iter().any(|version| OLD_VERSIONS.contains(version)) {
        cx.found(Kind::NetworkService, &format!("{socket}/tcp"), EdgeKind::Binding);
    }
    let (Some(leaf), Some(der)) = (leaf, facts.chain.first()) else {
        return;
    };
    if cx.facts.kind == Kind::NetworkService {
        cx.observe(network_service::CERT, short(&leaf));
        cx.observe(network_service::ALT_NAMES, names(&leaf).into_iter().collect::<Vec<_>>());
    }
    cx.evidence(CERTIFICATE, der);
    if let Some(edge) = edge_to(cx.facts, facts, &leaf) {
        cx.found_with(Kind::SslCertificate, &name_of(&leaf), edge, members(&leaf, der, facts, cx.net.date()));
    }
}

/// Who asks by a name asks as a browser does.
fn is_named(facts: &Facts) -> bool {
    !matches!(facts.kind, Kind::IpAddress | Kind::NetworkService)
}

/// How the entity leads to a certificate that it showed. What a machine of theirs shows is theirs; what was shown for a
/// name is where it names that domain or a seed's, and is no provider's for many; what an address shows to everybody
/// counts only where it speaks for the address.
fn edge_to(of: &Facts, shown: &TlsFacts, leaf: &Certificate) -> Option<EdgeKind> {
    match of.kind {
        Kind::NetworkService => Some(EdgeKind::Certificate),
        Kind::IpAddress => default_certificate::speaks_for_it(of, shown, leaf).then_some(EdgeKind::DefaultCertificate),
        _ if names_theirs(of, leaf) => Some(EdgeKind::Certificate),
        _ => Some(EdgeKind::UnrelatedCertificate),
    }
}

/// True where a certificate names something of the name's own domain or of a seed's: a star below a public suffix is
/// every customer's of a platform.
fn names_theirs(facts: &Facts, leaf: &Certificate) -> bool {
    let common = leaf.subject_cn.as_ref().map(Untrusted::stored).filter(|_| leaf.dns_names.is_empty());
    let names = leaf.dns_names.iter().cloned().chain(common).map(|name| name.to_ascii_lowercase());
    let mut domains = names.filter_map(|name| registrable(name.strip_prefix("*.").unwrap_or(&name)).map(str::to_owned));
    domains.any(|domain| is_own(facts, &domain)) && foreign_domains(facts, leaf) <= FOREIGN_DOMAINS_MAX
}

/// `CN (serial)`; without a common name the first alternative one.
pub(crate) fn name_of(certificate: &Certificate) -> String {
    let common = certificate.subject_cn.as_ref().map(Untrusted::stored).filter(|name| !name.trim().is_empty());
    let name = common.or_else(|| certificate.dns_names.first().cloned());
    let name = name.or_else(|| certificate.ip_addresses.first().map(ToString::to_string));
    format!("{} ({})", name.as_deref().unwrap_or("unnamed"), certificate.serial)
}

/// Names in a certificate, sorted.
pub(crate) fn names(certificate: &Certificate) -> BTreeSet<String> {
    let addresses = certificate.ip_addresses.iter().map(ToString::to_string);
    certificate.dns_names.iter().cloned().chain(addresses).collect()
}

/// True where a name of the list covers the host: equal, or a star for exactly one label. The common name does not
/// count (RFC 9525).
pub(crate) fn covers(names: &[String], host: &str) -> bool {
    names.iter().any(|name| match name.strip_prefix("*.") {
        Some(parent) => host.split_once('.').is_some_and(|(_, above)| above.eq_ignore_ascii_case(parent)),
        None => name.eq_ignore_ascii_case(host),
    })
}

/// True for the registrable domain of the entity or of a seed.
fn is_own(facts: &Facts, domain: &str) -> bool {
    let own = || server_name(&facts.name).and_then(registrable);
    facts.seeds.domains().contains(domain) || own() == Some(domain)
}

/// Registrable domains in the certificate that are neither the entity's nor a seed's.
fn foreign_domains(facts: &Facts, certificate: &Certificate) -> usize {
    let bare = certificate.dns_names.iter().map(|name| name.strip_prefix("*.").unwrap_or(name));
    let domains: BTreeSet<&str> = bare.filter_map(registrable).filter(|domain| !is_own(facts, domain)).collect();
    domains.len()
}

fn short(certificate: &Certificate) -> Value {
    json!({
        "version": certificate.version, "serial": certificate.serial, "not_before": certificate.not_before.to_string(),
        "not_after": certificate.not_after.to_string(), "subject": certificate.subject.stored(),
        "issuer": certificate.issuer.stored(),
        "signature_algorithm": certificate.signature_algorithm,
    })
}

fn members(leaf: &Certificate, der: &[u8], shown: &TlsFacts, date: Timestamp) -> Details {
    let verification = &shown.verification;
    let (algorithm, curve) = match &leaf.key_type {
        KeyType::Rsa => (KeyAlgorithm::Rsa, None),
        KeyType::Ec(curve) => (KeyAlgorithm::Ec, Some(curve.clone())),
        KeyType::Ed25519 => (KeyAlgorithm::Ed25519, None),
        KeyType::Dsa => (KeyAlgorithm::Dsa, None),
        KeyType::Other(oid) => (KeyAlgorithm::Other, Some(oid.clone())),
    };
    let key = Key { algorithm, bits: Some(i64::from(leaf.key_bits)), curve };
    Details::from_iter([
        certificate::SERIAL.is(json!(leaf.serial)),
        certificate::NOT_BEFORE.is(leaf.not_before.to_string()),
        certificate::NOT_AFTER.is(leaf.not_after.to_string()),
        certificate::SUBJECT.is(leaf.subject.stored()),
        certificate::ISSUER.is(leaf.issuer.stored()),
        certificate::ALGORITHM.is(leaf.signature_algorithm.clone()),
        certificate::FINGERPRINT_SHA256.is(json!(leaf.sha256)),
        certificate::TEXT.is(json!(pem(der))),
        certificate::NAMES.is(names(leaf).into_iter().collect::<Vec<_>>()),
        certificate::KEY.is(key),
        certificate::SELF_SIGNED.is(is_self_signed(verification)),
        certificate::CA.is(json!(leaf.is_ca)),
        certificate::CHAIN_ERROR.is(chain_error(verification)),
        certificate::REVOCATION.is(shown.standing(date).map(standing)),
        certificate::ORGANIZATION.is(leaf.subject_organization.as_ref().map(|name| json!(name.stored()))),
    ])
}

fn standing(told: Standing) -> certificate::Standing {
    match told {
        Standing::Good { at } => certificate::Standing::Good { at: at.to_string() },
        Standing::Revoked { at, reason } => {
            certificate::Standing::Revoked { at: at.to_string(), reason: reason.map(str::to_owned) }
        }
    }
}

fn is_self_signed(verification: &Verification) -> bool {
    verification.problems.contains(&Problem::SelfSigned)
}

/// What is wrong with the chain, dates and names apart.
fn chain_error(verification: &Verification) -> Option<ChainError> {
    verification.problems.iter().find_map(|problem| match problem {
        Problem::SelfSigned => Some(ChainError::SelfSigned),
        Problem::UnknownIssuer => Some(ChainError::UnknownIssuer),
        Problem::Constraint(_) => Some(ChainError::Constraint),
        _ => None,
    })
}

fn pem(der: &[u8]) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    let lines: Vec<&str> = text.as_bytes().chunks(64).filter_map(|line| std::str::from_utf8(line).ok()).collect();
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_exactly_one_label() {
        let names = ["*.acme.test".to_owned(), "Acme.test".to_owned()];
        assert!(covers(&names, "www.acme.test"));
        assert!(covers(&names, "acme.test"));
        assert!(!covers(&names, "a.b.acme.test"));
        assert!(!covers(&names, "acme.test.evil.test"));
        assert!(!covers(&[], "acme.test"));
    }

    #[test]
    fn starttls_is_for_services_that_offered_it() {
        let service = |details: Value| crate::tests::facts(Kind::NetworkService, "203.0.113.25:25/tcp", details);
        assert!(!service_may_speak_tls(&service(json!({"service": "SMTP"}))));
        let offered = service(json!({"service": "SMTP", "hidden_starttls": true}));
        assert!(service_may_speak_tls(&offered));
        assert_eq!(start_tls(&offered), Some(StartTls::Smtp));
        assert_eq!(start_tls(&service(json!({"service": "SSH", "hidden_starttls": true}))), None);
    }

    #[test]
    fn tls_ports_ascend() {
        assert!(TLS_PORTS.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
