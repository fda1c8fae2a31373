//! An SPF record that no receiver can evaluate.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_LOW};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "spf_invalid",
        pretty_name: "SPF record cannot be evaluated",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-28",
        description: "The SPF record, or one that it includes, has a mistake: a term that does not exist, or a domain \
                      that has no SPF record. Receivers stop there with a permanent error. Some then refuse mail \
                      that is genuine, and many treat the domain as if it had no record.",
        remediation: "Correct the term, and remove includes of services that no longer send for the domain. Check the \
                      record with a validator after each change.",
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
    let errors = domain::SPF_TREE.of(&facts.details).map(|tree| tree.errors).unwrap_or_default();
    let Some(first) = errors.first() else { return Vec::new() };
    let description = format!("The SPF record of {} cannot be evaluated: {}.", facts.name, look::shown(first));
    vec![look::proof(
        description,
        json!({"domain": facts.name, "record": domain::SPF_RECORD.text(&facts.details), "errors": errors}),
    )]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    use ambit_model::task::SPF;
    let domain = |errors: &[&str]| {
        facts(Kind::Domain, "acme.test").found_at(SPF.task, SPF.argument).with(
            json!({"spf_record": "v=spf1 inlcude:a.example -all", "hidden_spf": {"complete": true, "errors": errors}}),
        )
    };
    Samples::new()
        .reports(domain(&["acme.test: unknown mechanism \"inlcude\""]))
        .reports(domain(&["acme.test: unknown mechanism \"inlcude\""]).found_in_part_at(SPF.task, SPF.argument))
        .near_miss(domain(&[]))
        // A record that could not be read may hold it.
        .unknown(domain(&[]).with(json!({"hidden_spf": {"lookups": 3, "complete": false, "errors": []}})))
        .unknown(
            domain(&[])
                .with(json!({"hidden_spf": {"complete": false, "errors": []}}))
                .found_in_part_at(SPF.task, SPF.argument),
        )
        .near_miss(facts(Kind::Domain, "acme.test").absent_at(SPF.task, SPF.argument))
        .unknown(facts(Kind::Domain, "acme.test"))
        .unknown(domain(&["acme.test: unknown"]).failed_at(SPF.task, SPF.argument))
}
