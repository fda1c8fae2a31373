//! A certificate whose key is too short.

use super::{Judge, Rule};
use crate::certificate::{self, Defect};
use crate::look::shown;
use ambit_model::entity::certificate::{self as members, KeyAlgorithm};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "invalid_certificate_key",
        pretty_name: "Certificate has a weak key",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The key of the certificate is shorter than what is held to be safe: RSA below 2,048 bits, \
                      elliptic curves below 224 bits, or DSA. With enough effort the private key can be computed, and \
                      whoever has it can pose as the service.",
        remediation: "Issue a new certificate with a new key: ECDSA on P-256, Ed25519, or RSA with at least 2,048 \
                      bits. Do not reuse the old key.",
        references: &[
            ("https://csrc.nist.gov/pubs/sp/800/57/pt1/r5/final", "description"),
            ("https://cwe.mitre.org/data/definitions/326.html", "description"),
            ("https://csrc.nist.gov/pubs/sp/800/52/r2/final", "remediation"),
        ],
    },
    applies_to: &[Kind::SslCertificate],
    reads: &[TaskName::TlsGrab],
    judge: Rule::Own(|facts, _| certificate::judge(facts, defect)),
};

/// Shortest keys in bits that NIST SP 800-57 holds to be safe (112 bits of strength).
const RSA_BITS_MIN: i64 = 2_048;
const EC_BITS_MIN: i64 = 224;

fn defect(facts: &Facts) -> Option<Result<(), Defect>> {
    let key = members::KEY.of(&facts.details)?;
    let (algorithm, bits) = (key.algorithm.as_str(), key.bits?);
    let weak = match key.algorithm {
        KeyAlgorithm::Rsa => bits < RSA_BITS_MIN,
        KeyAlgorithm::Ec => bits < EC_BITS_MIN,
        KeyAlgorithm::Dsa => true,
        KeyAlgorithm::Ed25519 | KeyAlgorithm::Other => false,
    };
    Some(if weak {
        Err(Defect {
            description: format!("The certificate's key is {} with {bits} bits.", shown(&algorithm.to_uppercase())),
            details: json!({"type": algorithm, "bits": bits}),
        })
    } else {
        Ok(())
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use certificate::sample::{logged, served};
    let key = |algorithm: &str, bits: i64| json!({"hidden_key": {"type": algorithm, "bits": bits}});
    crate::samples::Samples::new()
        .reports(served(key("rsa", 1024)))
        .reports(served(key("dsa", 3072)))
        .reports(served(key("ec", 192)))
        .near_miss(served(key("rsa", 2048)))
        .near_miss(served(key("ec", 256)))
        .near_miss(served(key("ed25519", 256)))
        .near_miss(logged(key("rsa", 1024)))
        .unknown(served(json!({})))
        .unknown(served(json!({"hidden_key": {"type": "rsa"}})))
}
