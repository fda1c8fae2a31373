//! Certificates of the inventory as objects: those that were served on a name or an address, and those that name it.

use super::linked::linked;
use crate::call::Call;
use ambit_api::inventory_objects::{
    CertificateAttributes, CertificateExtensions, CertificateSignature, EcKey, PublicKey, RsaKey, Validity,
};
use ambit_api::objects::Object;
use ambit_api::{Maybe, Result};
use ambit_model::entity::Member;
use ambit_model::entity::certificate::{self, KeyAlgorithm};
use ambit_model::object::ObjectType;
use ambit_model::{Details, EdgeKind};
use ambit_store::{Edges, KnownObject};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha1::{Digest, Sha1};
use std::collections::{BTreeMap, BTreeSet};

/// The type of the objects.
const TYPE: &str = "ssl_cert";
/// How a name, an address or a service leads to a certificate that it served.
const SERVED: &[EdgeKind] = &[EdgeKind::Certificate, EdgeKind::UnrelatedCertificate, EdgeKind::DefaultCertificate];
/// The edges from an address to its services.
const SERVICES: &[EdgeKind] = &[EdgeKind::Service];
/// The edges from a domain to certificates in a log.
const LOGGED: &[EdgeKind] = &[EdgeKind::LoggedCertificate];
/// How a certificate leads to the names in it.
const NAMING: &[EdgeKind] = &[EdgeKind::CertificateName, EdgeKind::ForeignCertificateName];
/// The end of an address with the port of https.
const HTTPS: &str = ":443";

/// Certificates that a name or address has or once had, the newest sight first.
pub(crate) async fn of(call: &Call, found: &[KnownObject]) -> Result<Vec<Object>> {
    let certificates = of_object(call, found).await?;
    Ok(certificates.iter().map(|one| Object::unaddressed(TYPE, &id_of(one), &attributes(one, true))).collect())
}

/// The certificate that is served now, of several that of port 443: one that only names the thing, or that a log
/// showed, was not served there.
pub(crate) async fn last_served(call: &Call, found: &[KnownObject]) -> Result<Option<KnownObject>> {
    let mut served = linked(call, found, Edges::away(SERVED)).await?;
    let looks = found.iter().flat_map(|one| certificate::TLS.items(&one.record.details));
    let mut of_https: BTreeSet<String> =
        looks.filter(|look| look.address.ends_with(HTTPS)).filter_map(|look| look.certificate).collect();
    let services = linked(call, found, Edges::away(SERVICES)).await?;
    let is_https = |service: &KnownObject| service.record.name.trim_end_matches("/tcp").ends_with(HTTPS);
    let services: Vec<KnownObject> = services.into_iter().filter(is_https).collect();
    let on_services = linked(call, &services, Edges::away(SERVED)).await?;
    of_https.extend(on_services.iter().map(|one| one.record.name.clone()));
    served.extend(on_services);
    Ok(served.into_iter().max_by_key(|one| (of_https.contains(&one.record.name), one.last_seen)))
}

async fn of_object(call: &Call, found: &[KnownObject]) -> Result<Vec<KnownObject>> {
    let services = linked(call, found, Edges::away(SERVICES).ever()).await?;
    let mut all = linked(call, found, Edges::away(&[SERVED, LOGGED].concat()).ever()).await?;
    all.extend(linked(call, &services, Edges::away(SERVED).ever()).await?);
    // Edges of the past have no index by their ends.
    all.extend(linked(call, found, Edges::towards(NAMING)).await?);
    let mut certificates: BTreeMap<String, KnownObject> = BTreeMap::new();
    for object in all {
        if ObjectType::node_type(object.record.kind) != TYPE {
            continue;
        }
        let known = certificates.entry(id_of(&object)).or_insert_with(|| object.clone());
        if object.last_seen > known.last_seen {
            *known = object;
        }
    }
    let mut certificates = without_logged_twins(certificates.into_values().collect());
    certificates.sort_by(|a, b| b.last_seen.cmp(&a.last_seen).then_with(|| a.record.name.cmp(&b.record.name)));
    Ok(certificates)
}

/// Leaves out what a log showed of a certificate that is there itself: the same serial number and end.
fn without_logged_twins(certificates: Vec<KnownObject>) -> Vec<KnownObject> {
    let known = |one: &KnownObject| text(&one.record.details, certificate::FINGERPRINT_SHA256).is_some();
    let number = |one: &KnownObject| {
        let details = &one.record.details;
        text(details, certificate::SERIAL).zip(text(details, certificate::NOT_AFTER))
    };
    let there: BTreeSet<_> = certificates.iter().filter(|one| known(one)).filter_map(number).collect();
    let is_twin = |one: &KnownObject| !known(one) && number(one).is_some_and(|number| there.contains(&number));
    certificates.into_iter().filter(|one| !is_twin(one)).collect()
}

fn text<T>(details: &Details, member: Member<T>) -> Option<String> {
    member.raw(details)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The SHA-256 of a certificate; of one that only a log showed, what it is called here.
fn id_of(certificate: &KnownObject) -> String {
    text(&certificate.record.details, certificate::FINGERPRINT_SHA256)
        .unwrap_or_else(|| certificate.record.name.clone())
}

/// The attributes of a certificate, with its first sight or without.
pub(crate) fn attributes(certificate: &KnownObject, dated: bool) -> CertificateAttributes {
    let details = &certificate.record.details;
    let named = |member| distinguished(&text(details, member).unwrap_or_default());
    let moment = |member| Maybe(text(details, member).filter(|text| text.len() >= 19).map(|text| spaced(&text)));
    CertificateAttributes {
        first_seen_date: Maybe(dated.then(|| certificate.first_seen.into())),
        serial_number: Maybe(text(details, certificate::SERIAL)),
        thumbprint: Maybe(text(details, certificate::TEXT).and_then(|pem| thumbprint(&pem))),
        thumbprint_sha256: Maybe(text(details, certificate::FINGERPRINT_SHA256)),
        subject: named(certificate::SUBJECT),
        issuer: named(certificate::ISSUER),
        validity: Validity { not_before: moment(certificate::NOT_BEFORE), not_after: moment(certificate::NOT_AFTER) },
        public_key: Maybe(certificate::KEY.of(details).map(public_key)),
        cert_signature: Maybe(
            text(details, certificate::ALGORITHM)
                .map(|signature_algorithm| CertificateSignature { signature_algorithm }),
        ),
        extensions: CertificateExtensions {
            subject_alternative_name: certificate::NAMES.texts(details).map(str::to_owned).collect(),
        },
    }
}

fn public_key(key: certificate::Key) -> PublicKey {
    let is_rsa = key.algorithm == KeyAlgorithm::Rsa;
    PublicKey {
        algorithm: key.algorithm.as_str().to_uppercase(),
        rsa: Maybe(key.bits.filter(|_| is_rsa).map(|key_size| RsaKey { key_size })),
        ec: Maybe(key.curve.map(|oid| EcKey { oid })),
    }
}

/// A moment of RFC 3339 as certificates are shown: `YYYY-MM-DD HH:MM:SS`.
fn spaced(text: &str) -> String {
    text.chars().take(19).map(|letter| if letter == 'T' { ' ' } else { letter }).collect()
}

/// SHA-1 of a certificate in the form of RFC 7468.
fn thumbprint(pem: &str) -> Option<String> {
    let body: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
    let der = BASE64_STANDARD.decode(body.trim()).ok().filter(|der| !der.is_empty())?;
    Some(hex::encode(Sha1::digest(der)))
}

/// The parts of a distinguished name such as `C=NL, O=Acme, Ltd., CN=acme.test`. A comma may stand in a value; what is
/// there twice is joined.
fn distinguished(text: &str) -> BTreeMap<String, String> {
    let mut parts: Vec<(String, String)> = Vec::new();
    for piece in text.split(", ") {
        let named = piece.split_once('=').filter(|(name, _)| {
            !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '.')
        });
        match (named, parts.last_mut()) {
            (Some((name, value)), _) => parts.push((name.to_owned(), value.to_owned())),
            (None, Some((_, value))) => *value = format!("{value}, {piece}"),
            (None, None) => {}
        }
    }
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in parts {
        let known = found.entry(name).or_default();
        *known = if known.is_empty() { value } else { format!("{known}, {value}") };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distinguished_name_has_parts() {
        let found = distinguished("C=NL, O=Acme, Ltd., OU=a, OU=b, CN=acme.test");
        let shown: Vec<(&str, &str)> = found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(shown, [("C", "NL"), ("CN", "acme.test"), ("O", "Acme, Ltd."), ("OU", "a, b")]);
        assert_eq!(distinguished("nonsense").len() + distinguished("").len(), 0);
    }

    #[test]
    fn a_thumbprint_is_that_of_the_certificates_bytes() {
        let pem = "-----BEGIN CERTIFICATE-----\nYWJj\n-----END CERTIFICATE-----\n";
        assert_eq!(thumbprint(pem).as_deref(), Some("a9993e364706816aba3e25717850c26c9cd0d89d"));
        assert_eq!(thumbprint("-----BEGIN CERTIFICATE-----"), None);
        assert_eq!(spaced("2026-10-14T00:00:00.000Z"), "2026-10-14 00:00:00");
    }
}
