//! An SPF record that lets everybody send.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH, SEVERITY_MEDIUM};
use ambit_model::mail_policy::{SpfGap, spf_gap};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "spf_permissive",
        pretty_name: "SPF record permits any sender",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The SPF record does not reject senders that it does not list: it ends in +all or ?all, has no \
                      ending at all, includes most addresses there are, or hands on to a domain that anybody may \
                      register; or there are several records, so that none counts. Mail that \
                      strangers send in the name of the domain passes, or is treated as if there were no record.",
        remediation: "Keep one record. List the servers that send for the domain and end the record in -all (or ~all \
                      while you watch the reports).",
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
    let tree = domain::SPF_TREE.of(&facts.details).unwrap_or_default();
    let Some(record) = domain::SPF_RECORD.text(&facts.details) else {
        return Vec::new();
    };
    let description = match spf_gap(record, &tree) {
        Some(SpfGap::Unregistered(free)) => {
            let (shown, free) = (look::shown(record), look::shown(&free));
            let description = format!("The SPF record {shown} hands on to {free}, whose domain nobody has registered.");
            let details = json!({"domain": facts.name, "record": record, "unregistered": tree.unregistered});
            return vec![Proof { severity: Some(SEVERITY_HIGH), ..look::proof(description, details) }];
        }
        Some(SpfGap::Several(records)) => {
            format!("{} has {records} SPF records, so that none of them counts.", facts.name)
        }
        Some(SpfGap::Open) => format!("The SPF record {} lets every address pass.", look::shown(record)),
        Some(SpfGap::PassesAll | SpfGap::Neutral) => {
            format!("The SPF record {} rejects nobody.", look::shown(record))
        }
        None => return Vec::new(),
    };
    vec![look::proof(description, json!({"domain": facts.name, "record": record}))]
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    use ambit_model::task::SPF;
    let domain = |record: &str| {
        facts(Kind::Domain, "acme.test").found_at(SPF.task, SPF.argument).with(json!({"spf_record": record}))
    };
    Samples::new()
        .reports(domain("v=spf1 mx +all"))
        .reports(domain("v=spf1 all"))
        .reports(domain("V=SPF1 include:mail.example ?ALL"))
        .reports(domain("v=spf1 mx"))
        .reports(domain("v=spf1 include:a.example +all").found_in_part_at(SPF.task, SPF.argument))
        .near_miss(domain("v=spf1 mx -all"))
        .near_miss(domain("v=spf1 mx ~all"))
        .reports(domain("v=spf1 redirect=_spf.acme.test").with(json!({"hidden_spf": {"all": "?"}})))
        .near_miss(domain("v=spf1 redirect=_spf.acme.test").with(json!({"hidden_spf": {"complete": true, "all": "-"}})))
        .near_miss(domain("v=spf1 redirect=_spf.acme.test"))
        .near_miss(domain("v=spf1 include:all.example -all"))
        .reports(domain("v=spf1 include:all.example -all").with(json!({"hidden_spf": {"records": 1, "open": true}})))
        .reports(domain("v=spf1 -all").with(json!({"hidden_spf": {"records": 2}})))
        .near_miss(domain("v=spf1 inlcude:x.test -all").with(json!({"hidden_spf": {
            "complete": true, "errors": ["acme.test: unknown"]}})))
        .reports(domain("v=spf1 include:spf.free.example -all").with(json!({"hidden_spf": {
            "records": 1, "errors": ["spf.free.example: has no SPF record"], "unregistered": ["spf.free.example"]}})))
        .near_miss(domain("v=spf1 -all").with(json!({"hidden_spf": {"complete": true, "records": 1}})))
        // A record that could not be read may let everybody pass.
        .unknown(domain("v=spf1 include:a.example -all").with(json!({"hidden_spf": {"complete": false, "records": 1}})))
        .unknown(
            domain("v=spf1 include:a.example -all")
                .with(json!({"hidden_spf": {"complete": false, "records": 1}}))
                .found_in_part_at(SPF.task, SPF.argument),
        )
        .near_miss(facts(Kind::Domain, "acme.test").absent_at(SPF.task, SPF.argument))
        .unknown(facts(Kind::Domain, "acme.test"))
        .unknown(domain("v=spf1 +all").failed_at(SPF.task, SPF.argument))
}
