//! A service that still speaks an old TLS.

use super::Judge;
use crate::look;
use crate::site::sorted;
use crate::tasks::TLS_GRAB;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW, Verdict};
use ambit_model::{Facts, Kind, Timestamp};
use serde_json::{Value, json};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "deprecated_tls_version",
        pretty_name: "Service accepts a deprecated TLS version",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The service accepts SSL 3.0, TLS 1.0 or TLS 1.1. These versions rest on broken building blocks and have been \
                      withdrawn; an attacker in between can try to push a connection down to them.",
        remediation: "Offer TLS 1.2 and 1.3 only. Find out from the logs whether old clients remain before you switch the old \
                      versions off.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc8996", "description"),
            ("https://www.rfc-editor.org/rfc/rfc7568", "description"),
            ("https://wiki.mozilla.org/Security/Server_Side_TLS", "remediation"),
        ],
    },
    applies_to: &[Kind::NetworkService],
    reads: &[TLS_GRAB],
    judge,
};

/// Versions that RFC 7568 and RFC 8996 withdrew.
const DEPRECATED: &[&str] = &["SSLv2", "SSLv3", "TLSv1.0", "TLSv1.1"];

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    look::after(facts, TLS_GRAB, |facts| {
        let versions = look::items(facts, "hidden_tls")
            .filter_map(|item| item.get("versions")?.as_array())
            .flatten()
            .filter_map(Value::as_str)
            .filter(|version| DEPRECATED.contains(version));
        let versions = sorted(versions);
        if versions.is_empty() {
            return Vec::new();
        }
        let description = format!("{} accepts {}.", facts.name, versions.join(", "));
        vec![look::proof(description, json!({"at": facts.name, "versions": versions}))]
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::Told;
    let tls = |versions: &[&str]| {
        crate::service::sample::unidentified(443)
            .found(TLS_GRAB)
            .with(json!({"hidden_tls": [{"address": "192.0.2.1:443", "versions": versions}]}))
    };
    crate::samples::Samples::new()
        .reports(tls(&["TLSv1.0", "TLSv1.2"]))
        .reports(tls(&["SSLv3"]))
        .near_miss(tls(&["TLSv1.2", "TLSv1.3"]))
        .near_miss(crate::service::sample::unidentified(443).absent(TLS_GRAB))
        .unknown(crate::service::sample::unidentified(443))
        .unknown(tls(&["TLSv1.0"]).failed(TLS_GRAB))
}
