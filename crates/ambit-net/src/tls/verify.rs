//! What a browser would say of a chain: every problem, not only the first.

use super::certificate::{Certificate, KeyType};
use super::{Problem, Verification};
use ambit_model::Timestamp;
use rustls::client::verify_server_cert_signed_by_trust_anchor;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, Error, RootCertStore};
use std::net::IpAddr;
use std::time::Duration;

/// RSA keys below this are refused (CA/Browser Forum, Baseline Requirements §6.1.5).
const RSA_BITS_MIN: u32 = 2_048;
/// Curves below this are refused.
const EC_BITS_MIN: u32 = 224;

/// Judges a chain for a name at a date. `name`: a host name or an address; `None`: any name will do.
pub(crate) fn verify(chain: &[Vec<u8>], name: Option<&str>, roots: &RootCertStore, date: Timestamp) -> Verification {
    let Some(first) = chain.first() else {
        return Verification { problems: vec![Problem::NoCertificate] };
    };
    let certificate = match Certificate::parse(first) {
        Ok(certificate) => certificate,
        Err(why) => {
            return Verification { problems: vec![Problem::Unparsable(why)] };
        }
    };
    let mut problems = Vec::new();
    if date > certificate.not_after {
        problems.push(Problem::Expired);
    }
    if date < certificate.not_before {
        problems.push(Problem::NotYetValid);
    }
    if name.is_some_and(|name| !is_for(&certificate, name)) {
        problems.push(Problem::WrongName);
    }
    if is_weak(&certificate) {
        problems.push(Problem::WeakSignature);
    }
    // The chain is judged at a date at which the certificate itself holds, so that an expired one still shows who
    // issued it.
    let at = if certificate.not_before <= certificate.not_after {
        date.clamp(certificate.not_before, certificate.not_after)
    } else {
        date
    };
    problems.extend(verify_chain(chain, &certificate, roots, at));
    problems.sort();
    problems.dedup();
    Verification { problems }
}

fn verify_chain(chain: &[Vec<u8>], certificate: &Certificate, roots: &RootCertStore, at: Timestamp) -> Option<Problem> {
    let chain: Vec<CertificateDer<'_>> = chain.iter().map(|der| CertificateDer::from(&der[..])).collect();
    let at = UnixTime::since_unix_epoch(Duration::from_millis(u64::try_from(at.0).unwrap_or(0)));
    let algorithms = default_provider().signature_verification_algorithms.all;
    let result = ParsedCertificate::try_from(&chain[0])
        .and_then(|parsed| verify_server_cert_signed_by_trust_anchor(&parsed, roots, &chain[1..], at, algorithms));
    match result {
        Ok(()) => None,
        Err(_) if certificate.is_self_issued => Some(Problem::SelfSigned),
        Err(Error::InvalidCertificate(error)) => Some(read_error(&error)),
        Err(error) => Some(Problem::Constraint(error.to_string())),
    }
}

fn read_error(error: &CertificateError) -> Problem {
    match error {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => Problem::UnknownIssuer,
        #[allow(deprecated, reason = "rustls still gives the older variant in places")]
        CertificateError::UnsupportedSignatureAlgorithm
        | CertificateError::UnsupportedSignatureAlgorithmContext { .. }
        | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => Problem::WeakSignature,
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            Problem::Constraint("a certificate of its chain has expired".into())
        }
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            Problem::Constraint("not for servers".into())
        }
        other => Problem::Constraint(other.to_string()),
    }
}

fn is_weak(certificate: &Certificate) -> bool {
    let weak_key = match &certificate.key_type {
        KeyType::Rsa => certificate.key_bits < RSA_BITS_MIN,
        KeyType::Ec(_) => certificate.key_bits < EC_BITS_MIN,
        KeyType::Dsa => true,
        KeyType::Ed25519 | KeyType::Other(_) => false,
    };
    let algorithm = certificate.signature_algorithm.to_ascii_lowercase();
    weak_key || ["md2", "md5", "sha1"].iter().any(|old| algorithm.contains(old))
}

/// Returns whether the certificate is for this name. Only alternative names count; a star stands for one whole leftmost
/// label (RFC 9525 §6.3).
pub(crate) fn is_for(certificate: &Certificate, name: &str) -> bool {
    if let Ok(address) = name.parse::<IpAddr>() {
        return certificate.ip_addresses.contains(&address);
    }
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    certificate.dns_names.iter().any(|pattern| match pattern.strip_prefix("*.") {
        Some(parent) => name
            .split_once('.')
            .is_some_and(|(label, rest)| !label.is_empty() && rest == parent && parent.contains('.')),
        None => *pattern == name,
    })
}
