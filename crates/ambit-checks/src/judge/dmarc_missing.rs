//! A domain without a DMARC policy.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW, Verdict};
use ambit_model::task::DMARC;
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "dmarc_missing",
        pretty_name: "Domain has no DMARC policy",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The domain publishes no DMARC record. Receivers then decide for themselves what to do with mail \
                      that fails SPF and DKIM, and nobody reports to you that the domain is being forged.",
        remediation: "Publish a TXT record at _dmarc below the domain. Begin with p=none and a rua address for \
                      reports, and move to p=quarantine or p=reject once the reports show that your own mail passes.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc7489", "description"),
            ("https://csrc.nist.gov/pubs/sp/800/177/r1/final", "remediation"),
        ],
    },
    applies_to: &[Kind::Domain],
    reads: &[TaskName::MailPolicy, TaskName::ZoneProfile],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    look::missing_at(facts, DMARC, domain::DMARC, || {
        let description = format!("_dmarc.{} has no TXT record that begins with v=DMARC1.", facts.name);
        look::proof(description, json!({"domain": facts.name}))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let domain = || facts(Kind::Domain, "acme.test");
    Samples::new()
        .reports(domain().absent_at(DMARC.task, DMARC.argument))
        .reports(domain().found_at(DMARC.task, DMARC.argument).with(json!({"spf_record": "v=spf1 -all"})))
        .near_miss(domain().found_at(DMARC.task, DMARC.argument).with(json!({"dmarc": "v=DMARC1; p=quarantine"})))
        .near_miss(
            facts(Kind::Domain, "acme.github.io").absent_at(DMARC.task, DMARC.argument).absent(TaskName::ZoneProfile),
        )
        .unknown(domain())
        .unknown(domain().failed_at(DMARC.task, DMARC.argument))
}
