//! An FTP server that lets anyone in.

use super::{Judge, Rule};
use crate::service;
use ambit_model::entity::network_service;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_MEDIUM};
use ambit_model::{Facts, Kind, TaskName};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "ftp_anonymous_login",
        pretty_name: "FTP allows anonymous login",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The FTP server accepts the user anonymous. Everybody can read the files that it shows, and on \
                      some servers leave files of their own; everything passes unencrypted.",
        remediation: "Switch anonymous login off. Where files are meant for the public, serve them over HTTPS; where \
                      they are not, use SFTP with accounts.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc1635", "description"),
            ("https://cwe.mitre.org/data/definitions/306.html", "description"),
            ("https://www.rfc-editor.org/rfc/rfc4217", "remediation"),
        ],
    },
    applies_to: &[Kind::NetworkService],
    reads: &[TaskName::ServiceIdentify],
    judge: Rule::Proofs(prove),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    if !network_service::ANONYMOUS_FTP.is_true(&facts.details) {
        return Vec::new();
    }
    vec![service::exposed(facts, "FTP", format!("FTP at {} lets the user anonymous in.", facts.name))]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::Told;
    use ambit_model::entity::network_service::Service;
    use serde_json::json;
    use service::sample::{service, unidentified};
    let open = |open: bool| service(21, Service::Ftp).with(json!({"hidden_anonymous_ftp": open}));
    crate::samples::Samples::new()
        .reports(open(true))
        .near_miss(open(false))
        .near_miss(service(21, Service::Ftp))
        .near_miss(service(21, Service::Ssh))
        .unknown(unidentified(21))
        .unknown(open(true).failed(TaskName::ServiceIdentify))
}
