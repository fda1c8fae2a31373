//! An SPF record that receivers give up on.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_LOW};
use ambit_model::mail_policy::SPF_LOOKUPS_MAX;
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "spf_too_many_lookups",
        pretty_name: "SPF record needs more than ten look-ups",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "Evaluating the SPF record takes more than ten DNS look-ups. Receivers must then stop with a \
                      permanent error, and many treat the domain as if it had no record; which of the listed senders \
                      still pass depends on their order.",
        remediation: "Remove includes of services that no longer send for the domain, replace a and mx by addresses, \
                      and give newsletters a subdomain with a record of its own.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc7208", "description"),
            ("https://csrc.nist.gov/pubs/sp/800/177/r1/final", "remediation"),
        ],
    },
    applies_to: &[Kind::Domain],
    reads: &[TaskName::MailPolicy],
    judge: Rule::Own(|facts, _| look::after_senders(facts, prove)),
};

fn prove(facts: &Facts) -> Vec<Proof> {
    let lookups = domain::SPF_TREE.of(&facts.details).map(|tree| tree.lookups);
    let Some(lookups) = lookups.filter(|lookups| *lookups > SPF_LOOKUPS_MAX) else {
        return Vec::new();
    };
    let description =
        format!("The SPF record of {} takes {lookups} DNS look-ups; {SPF_LOOKUPS_MAX} are allowed.", facts.name);
    vec![look::proof(
        description,
        json!({"domain": facts.name, "record": domain::SPF_RECORD.text(&facts.details), "lookups": lookups}),
    )]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    use ambit_model::task::SPF;
    let domain = |lookups: i64| {
        facts(Kind::Domain, "acme.test")
            .found_at(SPF.task, SPF.argument)
            .with(json!({"spf_record": "v=spf1 include:a.example -all",
                "hidden_spf": {"complete": true, "lookups": lookups}}))
    };
    Samples::new()
        .reports(domain(11))
        .reports(domain(11).found_in_part_at(SPF.task, SPF.argument))
        .near_miss(domain(10))
        // A record that could not be read may hold it.
        .unknown(domain(10).with(json!({"hidden_spf": {"lookups": 3, "complete": false, "errors": []}})))
        .near_miss(facts(Kind::Domain, "acme.test").absent_at(SPF.task, SPF.argument))
        .unknown(facts(Kind::Domain, "acme.test"))
        .unknown(domain(11).failed_at(SPF.task, SPF.argument))
}
