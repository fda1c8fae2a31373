//! A certificate's facts, parsed from DER of any quality.

use crate::limits::{CERTIFICATE_BYTES_MAX, NAMES_MAX};
use crate::untrusted::Untrusted;
use ambit_model::Timestamp;
use std::net::IpAddr;
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::{GeneralName, ParsedExtension};
use x509_parser::prelude::FromDer;
use x509_parser::public_key::PublicKey;
use x509_parser::x509::{SubjectPublicKeyInfo, X509Name};

/// What a certificate says. Text of the peer is kept as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// SHA-256 of the DER, hex.
    pub sha256: String,
    /// SHA-1 of the DER, hex (how others index certificates; not for trust).
    pub sha1: String,
    /// Whole subject, as `CN=…, O=…`, in the certificate's order.
    pub subject: Untrusted,
    /// Whole issuer.
    pub issuer: Untrusted,
    /// The subject's common name.
    pub subject_cn: Option<Untrusted>,
    /// The subject's organisation.
    pub subject_organization: Option<Untrusted>,
    /// The issuer's common name.
    pub issuer_cn: Option<Untrusted>,
    /// Serial number, hex, without leading zeros.
    pub serial: String,
    /// Start of validity.
    pub not_before: Timestamp,
    /// End of validity.
    pub not_after: Timestamp,
    /// DNS names of the alternative names that could be names (ASCII, wildcards included), lower case, in order, at
    /// most `NAMES_MAX`.
    pub dns_names: Vec<String>,
    /// DNS names that no name server could hold, as they came.
    pub odd_names: Vec<Untrusted>,
    /// Addresses of the alternative names.
    pub ip_addresses: Vec<IpAddr>,
    /// Mail addresses of the alternative names.
    pub emails: Vec<Untrusted>,
    /// URIs of the alternative names.
    pub uris: Vec<Untrusted>,
    /// Names were left out because of the limit.
    pub names_cut: bool,
    /// Kind of the public key.
    pub key_type: KeyType,
    /// Bits of the public key (RSA modulus, curve size); 0 where unknown.
    pub key_bits: u32,
    /// Signature algorithm by name (`sha256WithRSAEncryption`), or its OID.
    pub signature_algorithm: String,
    /// It may sign others.
    pub is_ca: bool,
    /// Subject and issuer are equal.
    pub is_self_issued: bool,
    /// Version: 1 or 3.
    pub version: u32,
    /// URLs of the OCSP responders and issuers named in it.
    pub authority_urls: Vec<Untrusted>,
}

/// Kinds of public keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyType {
    /// RSA.
    Rsa,
    /// An elliptic curve, by name.
    Ec(String),
    /// Ed25519.
    Ed25519,
    /// DSA.
    Dsa,
    /// Another algorithm's OID.
    Other(String),
}

/// Object identifiers that have a well-known name.
const ALGORITHMS: &[(&str, &str)] = &[
    ("1.2.840.113549.1.1.2", "md2WithRSAEncryption"),
    ("1.2.840.113549.1.1.4", "md5WithRSAEncryption"),
    ("1.2.840.113549.1.1.5", "sha1WithRSAEncryption"),
    ("1.2.840.113549.1.1.10", "rsassaPss"),
    ("1.2.840.113549.1.1.11", "sha256WithRSAEncryption"),
    ("1.2.840.113549.1.1.12", "sha384WithRSAEncryption"),
    ("1.2.840.113549.1.1.13", "sha512WithRSAEncryption"),
    ("1.2.840.113549.1.1.14", "sha224WithRSAEncryption"),
    ("1.2.840.10040.4.3", "dsaWithSHA1"),
    ("2.16.840.1.101.3.4.3.2", "dsaWithSHA256"),
    ("1.2.840.10045.4.1", "ecdsa-with-SHA1"),
    ("1.2.840.10045.4.3.1", "ecdsa-with-SHA224"),
    ("1.2.840.10045.4.3.2", "ecdsa-with-SHA256"),
    ("1.2.840.10045.4.3.3", "ecdsa-with-SHA384"),
    ("1.2.840.10045.4.3.4", "ecdsa-with-SHA512"),
    ("1.3.101.112", "Ed25519"),
    ("1.3.101.113", "Ed448"),
];

/// Curves: identifier, name, bits.
const CURVES: &[(&str, &str, u32)] = &[
    ("1.2.840.10045.3.1.1", "P-192", 192),
    ("1.3.132.0.33", "P-224", 224),
    ("1.2.840.10045.3.1.7", "P-256", 256),
    ("1.3.132.0.10", "secp256k1", 256),
    ("1.3.132.0.34", "P-384", 384),
    ("1.3.132.0.35", "P-521", 521),
];

/// Attributes of names: identifier and abbreviation (RFC 4514 §3, and the usual ones beside it).
const ATTRIBUTES: &[(&str, &str)] = &[
    ("2.5.4.3", "CN"),
    ("2.5.4.5", "serialNumber"),
    ("2.5.4.6", "C"),
    ("2.5.4.7", "L"),
    ("2.5.4.8", "ST"),
    ("2.5.4.9", "street"),
    ("2.5.4.10", "O"),
    ("2.5.4.11", "OU"),
    ("2.5.4.15", "businessCategory"),
    ("2.5.4.17", "postalCode"),
    ("0.9.2342.19200300.100.1.1", "UID"),
    ("0.9.2342.19200300.100.1.25", "DC"),
    ("1.2.840.113549.1.9.1", "emailAddress"),
];

impl Certificate {
    /// Parses DER. `Err` says why it is no certificate; bytes behind it are ignored.
    pub fn parse(der: &[u8]) -> Result<Self, String> {
        if der.len() > CERTIFICATE_BYTES_MAX {
            return Err(format!("more than {CERTIFICATE_BYTES_MAX} bytes"));
        }
        let (_, parsed) = X509Certificate::from_der(der).map_err(|error| format!("not a certificate: {error}"))?;
        let (key_type, key_bits) = read_key(parsed.public_key());
        let serial = hex::encode(parsed.raw_serial());
        let mut certificate = Self {
            sha256: hex::encode(ring::digest::digest(&ring::digest::SHA256, der)),
            sha1: hex::encode(ring::digest::digest(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, der)),
            subject: write_name(parsed.subject()),
            issuer: write_name(parsed.issuer()),
            subject_cn: attribute(parsed.subject(), "2.5.4.3"),
            subject_organization: attribute(parsed.subject(), "2.5.4.10"),
            issuer_cn: attribute(parsed.issuer(), "2.5.4.3"),
            serial: Some(serial.trim_start_matches('0')).filter(|rest| !rest.is_empty()).unwrap_or("0").to_owned(),
            not_before: Timestamp(parsed.validity().not_before.timestamp().saturating_mul(1_000)),
            not_after: Timestamp(parsed.validity().not_after.timestamp().saturating_mul(1_000)),
            dns_names: Vec::new(),
            odd_names: Vec::new(),
            ip_addresses: Vec::new(),
            emails: Vec::new(),
            uris: Vec::new(),
            names_cut: false,
            key_type,
            key_bits,
            signature_algorithm: algorithm_name(&parsed.signature_algorithm.algorithm.to_id_string()),
            is_ca: parsed.is_ca(),
            is_self_issued: parsed.subject().as_raw() == parsed.issuer().as_raw(),
            version: parsed.version().0.saturating_add(1),
            authority_urls: Vec::new(),
        };
        certificate.read_extensions(&parsed);
        Ok(certificate)
    }

    fn read_extensions(&mut self, parsed: &X509Certificate<'_>) {
        for extension in parsed.extensions() {
            match extension.parsed_extension() {
                ParsedExtension::SubjectAlternativeName(names) => {
                    self.names_cut |= names.general_names.len() > NAMES_MAX;
                    names.general_names.iter().take(NAMES_MAX).for_each(|name| self.read_name(name));
                }
                ParsedExtension::AuthorityInfoAccess(access) => {
                    for description in access.accessdescs.iter().take(16) {
                        if let GeneralName::URI(uri) = description.access_location {
                            self.authority_urls.push(Untrusted::new(uri));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn read_name(&mut self, name: &GeneralName<'_>) {
        match name {
            GeneralName::DNSName(name) => match host_name(name) {
                Some(name) => self.dns_names.push(name),
                None => self.odd_names.push(Untrusted::new(*name)),
            },
            GeneralName::Invalid(_, bytes) => self.odd_names.push(Untrusted::from_bytes(bytes)),
            GeneralName::RFC822Name(mail) => self.emails.push(Untrusted::new(*mail)),
            GeneralName::URI(uri) => self.uris.push(Untrusted::new(*uri)),
            GeneralName::IPAddress(octets) => match (<[u8; 4]>::try_from(*octets), <[u8; 16]>::try_from(*octets)) {
                (Ok(four), _) => self.ip_addresses.push(IpAddr::from(four)),
                (_, Ok(six)) => self.ip_addresses.push(IpAddr::from(six)),
                _ => self.odd_names.push(Untrusted::new(format!("IP:{}", hex::encode(octets)))),
            },
            _ => {}
        }
    }
}

/// A name that a name server could hold, in lower case without the dot at the end.
fn host_name(name: &str) -> Option<String> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let good_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'*'))
    };
    (name.len() <= 253 && name.split('.').all(good_label)).then(|| name.to_ascii_lowercase())
}

fn write_name(name: &X509Name<'_>) -> Untrusted {
    let parts: Vec<String> = name
        .iter_attributes()
        .map(|attribute| {
            let identifier = attribute.attr_type().to_id_string();
            let label = ATTRIBUTES
                .iter()
                .find(|(known, _)| *known == identifier)
                .map_or(identifier.as_str(), |(_, label)| *label);
            format!("{label}={}", String::from_utf8_lossy(attribute.as_slice()))
        })
        .collect();
    Untrusted::new(parts.join(", "))
}

/// The last attribute of the kind: the most specific one, which is what browsers show.
fn attribute(name: &X509Name<'_>, identifier: &str) -> Option<Untrusted> {
    name.iter_attributes()
        .filter(|attribute| attribute.attr_type().to_id_string() == identifier)
        .last()
        .map(|attribute| Untrusted::from_bytes(attribute.as_slice()))
}

fn algorithm_name(identifier: &str) -> String {
    ALGORITHMS.iter().find(|(known, _)| *known == identifier).map_or(identifier, |(_, name)| *name).to_owned()
}

fn read_key(key: &SubjectPublicKeyInfo<'_>) -> (KeyType, u32) {
    let identifier = key.algorithm.algorithm.to_id_string();
    match identifier.as_str() {
        "1.2.840.10045.2.1" => {
            let curve = key
                .algorithm
                .parameters
                .as_ref()
                .and_then(|any| any.as_oid().ok())
                .map(|oid| oid.to_id_string())
                .unwrap_or_default();
            match CURVES.iter().find(|(known, ..)| *known == curve) {
                Some((_, name, bits)) => (KeyType::Ec((*name).to_owned()), *bits),
                None => (KeyType::Ec(curve), 0),
            }
        }
        "1.3.101.112" => (KeyType::Ed25519, 256),
        "1.2.840.10040.4.1" => (KeyType::Dsa, 0),
        _ => match key.parsed() {
            Ok(PublicKey::RSA(rsa)) => (KeyType::Rsa, bits_of(rsa.modulus)),
            _ => (KeyType::Other(identifier), 0),
        },
    }
}

/// Bits of a big-endian number.
fn bits_of(number: &[u8]) -> u32 {
    let digits = &number[number.iter().take_while(|byte| **byte == 0).count()..];
    digits
        .first()
        .map_or(0, |first| u32::try_from(digits.len()).unwrap_or(u32::MAX).saturating_mul(8) - first.leading_zeros())
}
