//! A DMARC policy that asks for nothing.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_LOW};
use ambit_model::mail_policy::{DmarcGap, dmarc_gap};
use ambit_model::task::DMARC;
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "dmarc_permissive",
        pretty_name: "DMARC policy is not enforced",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The DMARC record asks receivers to let forged mail through (p=none, or no policy that they \
                      know), or to act on only a part of it (pct below 100); or there are several records, so that \
                      none counts. That is right while reports are gathered, and no protection if it stays.",
        remediation: "Read the reports, make sure that all your own senders pass SPF or DKIM in alignment with the \
                      domain, then set p=quarantine or p=reject without pct.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc7489", "description"),
            ("https://csrc.nist.gov/pubs/sp/800/177/r1/final", "remediation"),
        ],
    },
    applies_to: &[Kind::Domain],
    reads: &[TaskName::MailPolicy],
    judge: Rule::Own(|facts, _| look::after_at(facts, DMARC, prove)),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    let Some(record) = domain::DMARC.text(&facts.details) else {
        return Vec::new();
    };
    let records = domain::DMARC_POLICY.of(&facts.details).map_or(1, |policy| policy.records);
    let description = match dmarc_gap(record, records) {
        Some(DmarcGap::Several(records)) => {
            format!("{} has {records} DMARC records, so that none of them counts.", facts.name)
        }
        Some(DmarcGap::Monitors | DmarcGap::NoPolicy | DmarcGap::Partial) => {
            format!("The DMARC record {} does not make receivers reject forged mail.", look::shown(record))
        }
        None => return Vec::new(),
    };
    vec![look::proof(description, json!({"domain": facts.name, "record": record}))]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let domain = |record: &str| {
        facts(Kind::Domain, "acme.test").found_at(DMARC.task, DMARC.argument).with(json!({"dmarc": record}))
    };
    Samples::new()
        .reports(domain("v=DMARC1; p=none; rua=mailto:dmarc@acme.test"))
        .reports(domain("v=DMARC1;P=None"))
        .reports(domain("v=DMARC1; p=reject; pct=20"))
        .reports(domain("v=DMARC1; rua=mailto:dmarc@acme.test"))
        .reports(domain("v=DMARC1; p=refuse"))
        .reports(domain("v=DMARC1; p=reject").with(json!({"hidden_dmarc": {"records": 2}})))
        .reports(domain("v=DMARC1; p=quarantine; sp=none"))
        .near_miss(domain("v=DMARC1; p=reject; sp=quarantine"))
        .near_miss(domain("v=DMARC1; p=reject; pct=100"))
        .near_miss(facts(Kind::Domain, "acme.test").absent_at(DMARC.task, DMARC.argument))
        .unknown(facts(Kind::Domain, "acme.test"))
        .unknown(domain("v=DMARC1; p=none").failed_at(DMARC.task, DMARC.argument))
}
