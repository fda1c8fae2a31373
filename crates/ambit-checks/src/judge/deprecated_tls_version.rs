//! A service that still speaks an old TLS.

use super::{Judge, Rule};
use crate::look;
use crate::site::sorted;
use ambit_model::entity::certificate;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_LOW, Verdict};
use ambit_model::{Details, EdgeKind, Facts, Kind, TaskName, Timestamp};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "deprecated_tls_version",
        pretty_name: "Service accepts a deprecated TLS version",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The service accepts SSL 3.0, TLS 1.0 or TLS 1.1. These versions rest on broken building blocks \
                      and have been withdrawn; an attacker in between can try to push a connection down to them.",
        remediation: "Offer TLS 1.2 and 1.3 only. Find out from the logs whether old clients remain before you switch \
                      the old versions off.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc8996", "description"),
            ("https://www.rfc-editor.org/rfc/rfc7568", "description"),
            ("https://wiki.mozilla.org/Security/Server_Side_TLS", "remediation"),
        ],
    },
    applies_to: &[Kind::NetworkService],
    reads: &[TaskName::TlsGrab],
    judge: Rule::Own(judge),
};

/// Versions that RFC 7568 and RFC 8996 withdrew.
const DEPRECATED: &[&str] = &["SSLv2", "SSLv3", "TLSv1.0", "TLSv1.1"];

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    let own = || deprecated(&facts.name, &facts.details);
    // A version that the service accepts with a name counts, whatever it does without one: it may refuse handshakes
    // that send no name it knows.
    let told = sorted(facts.from(EdgeKind::Binding).flat_map(|name| deprecated(&facts.name, &name.details)));
    if !told.is_empty() {
        return Verdict::Proven(vec![proof(facts, &sorted(told.into_iter().chain(own())))]);
    }
    look::after(facts, TaskName::TlsGrab, |facts| {
        let versions = sorted(own());
        if versions.is_empty() { Vec::new() } else { vec![proof(facts, &versions)] }
    })
}

/// Withdrawn versions that looks at a service were answered in: of the service itself, or of a name bound to it.
fn deprecated(service: &str, details: &Details) -> impl Iterator<Item = String> {
    let probes = certificate::TLS.items(details);
    let here = probes.filter(move |look| service.strip_prefix(&look.address) == Some("/tcp"));
    here.flat_map(|look| look.versions).filter(|version| DEPRECATED.contains(&version.as_str()))
}

fn proof(facts: &Facts, versions: &[String]) -> Proof {
    let description = format!("{} accepts {}.", facts.name, versions.join(", "));
    look::proof(description, json!({"at": facts.name, "versions": versions}))
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Told, neighbour};
    let look = |address: &str, versions: &[&str]| json!({"hidden_tls": [{"address": address, "versions": versions}]});
    let tls = |versions: &[&str]| {
        crate::service::sample::unidentified(443).found(TaskName::TlsGrab).with(look("192.0.2.1:443", versions))
    };
    let told = |address: &str| {
        neighbour(EdgeKind::Binding, Kind::DnsRecord, "www.acme.test", true, look(address, &["TLSv1.0", "TLSv1.2"]))
    };
    let refused = || crate::service::sample::unidentified(443).absent(TaskName::TlsGrab);
    crate::samples::Samples::new()
        .reports(tls(&["TLSv1.0", "TLSv1.2"]))
        .reports(tls(&["SSLv3"]))
        .near_miss(tls(&["TLSv1.2", "TLSv1.3"]))
        .near_miss(refused())
        .reports(refused().led_from(told("192.0.2.1:443")))
        .reports(tls(&["TLSv1.3"]).led_from(told("192.0.2.1:443")))
        .near_miss(refused().led_from(told("192.0.2.1:4433")))
        .near_miss(refused().led_from(told("192.0.2.2:443")))
        .unknown(crate::service::sample::unidentified(443))
        .unknown(tls(&["TLSv1.0"]).failed(TaskName::TlsGrab))
}
