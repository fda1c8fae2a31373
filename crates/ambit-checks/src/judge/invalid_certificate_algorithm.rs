//! A certificate that is signed over a broken hash.

use super::{Judge, Rule};
use crate::certificate::{self, Defect};
use crate::look::shown;
use ambit_model::entity::certificate as members;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "invalid_certificate_algorithm",
        pretty_name: "Certificate is signed with a weak algorithm",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The signature of the certificate uses a hash for which collisions can be made (MD2, MD4, MD5 or \
                      SHA-1). Two certificates can then share one signature, so the signature proves little; current \
                      clients refuse it.",
        remediation: "Issue the certificate again with a signature over SHA-256 or better, and check that the \
                      authority no longer offers the old algorithm.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc6194", "description"),
            ("https://cwe.mitre.org/data/definitions/328.html", "description"),
            ("https://csrc.nist.gov/pubs/sp/800/52/r2/final", "remediation"),
        ],
    },
    applies_to: &[Kind::SslCertificate],
    reads: &[TaskName::TlsGrab],
    judge: Rule::Own(|facts, _| certificate::judge(facts, defect)),
};

/// Hashes for which collisions are known, as they begin or end the names of signature algorithms.
const BROKEN: &[&str] = &["md2", "md4", "md5", "sha1"];

fn defect(facts: &Facts) -> Option<Result<(), Defect>> {
    let algorithm = members::ALGORITHM.text(&facts.details)?;
    let plain = algorithm.to_ascii_lowercase().replace('-', "");
    // "sha1WithRSAEncryption", "ecdsa-with-SHA1", "RSA-MD5"; but not "sha1" inside another word.
    let weak = BROKEN.iter().any(|hash| plain.starts_with(hash) || plain.ends_with(hash));
    Some(if weak {
        Err(Defect {
            description: format!("The certificate is signed with {}.", shown(algorithm)),
            details: json!({"algorithm": algorithm}),
        })
    } else {
        Ok(())
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use certificate::sample::{logged, served};
    let signed = |algorithm: &str| json!({"algorithm": algorithm});
    crate::samples::Samples::new()
        .reports(served(signed("sha1WithRSAEncryption")))
        .reports(served(signed("ecdsa-with-SHA1")))
        .reports(served(signed("md5WithRSAEncryption")))
        .near_miss(served(signed("sha256WithRSAEncryption")))
        .near_miss(served(signed("sha512WithRSAEncryption")))
        .near_miss(served(signed("Ed25519")))
        .near_miss(logged(signed("sha1WithRSAEncryption")))
        .unknown(served(json!({})))
}
