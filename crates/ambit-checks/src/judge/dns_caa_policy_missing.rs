//! A domain that lets any authority issue certificates.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain;
use ambit_model::facts::ProbeOutcome;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_INFO, Verdict};
use ambit_model::task::CAA;
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::{Value, json};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "dns_caa_policy_missing",
        pretty_name: "Domain has no CAA record",
        severity: SEVERITY_INFO,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The domain does not say which certificate authorities may issue for it, so every one of them \
                      may. A mistake at \
                      any authority, or a trick played on one, is then enough for a valid certificate in your name.",
        remediation: "Publish CAA records that name the authorities you use, with an iodef address for their reports. \
                      A domain without certificates can forbid all of them.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc8659", "description"),
            ("https://www.rfc-editor.org/rfc/rfc8657", "remediation"),
        ],
    },
    applies_to: &[Kind::Domain],
    reads: &[TaskName::ZoneProfile],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    // A name without a zone of its own has no place for the record.
    if look::has_no_zone(facts) {
        return Verdict::Clear;
    }
    let proof = |description: String| look::proof(description, json!({"domain": facts.name}));
    let entries = || domain::CAA.raw(&facts.details).and_then(Value::as_array).into_iter().flatten();
    let restricts = |entry: &Value| entry["tag"].as_str().is_some_and(|tag| RESTRICTING.contains(&tag));
    let is_open = entries().next().is_some() && !entries().any(restricts);
    if is_open && facts.outcome_at(CAA.task, CAA.argument) == Some(ProbeOutcome::Found) {
        let description = format!("The CAA records of {} name no authority, so that any may issue.", facts.name);
        return Verdict::Proven(vec![proof(description)]);
    }
    look::missing_at(facts, CAA, domain::CAA, || proof(format!("{} has no CAA record.", facts.name)))
}

/// Tags that say who may issue (RFC 8659 §4.2 and §4.3); the others restrict nobody.
const RESTRICTING: &[&str] = &["issue", "issuewild"];

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let domain = |caa: serde_json::Value| {
        facts(Kind::Domain, "acme.test")
            .found(TaskName::ZoneProfile)
            .with(json!({"nameservers": ["ns1.acme.test"], "hidden_caa": caa}))
    };
    Samples::new()
        .reports(domain(json!([])).absent_at(CAA.task, CAA.argument))
        .reports(domain(json!([])).absent_at(CAA.task, CAA.argument).failed_at(CAA.task, "SRV"))
        .near_miss(domain(json!([{"flags": 0, "tag": "issue", "value": ";"}])).found_at(CAA.task, CAA.argument))
        .reports(
            domain(json!([{"flags": 0, "tag": "iodef", "value": "mailto:a@acme.test"}]))
                .found_at(CAA.task, CAA.argument),
        )
        .near_miss(facts(Kind::Domain, "acme.test").absent(CAA.task).absent_at(CAA.task, CAA.argument))
        .unknown(facts(Kind::Domain, "acme.test"))
        .unknown(domain(json!([])))
        .unknown(domain(json!([])).failed_at(CAA.task, CAA.argument))
}
