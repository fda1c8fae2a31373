//! A domain that does not say who may send mail in its name.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW, Verdict};
use ambit_model::task::SPF;
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "spf_missing",
        pretty_name: "Domain has no SPF record",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The domain publishes no SPF record, so receivers cannot tell which servers may send mail in its \
                      name. That \
                      holds for domains that never send mail as well: they are the ones that forgers like best.",
        remediation: "Publish one TXT record that begins with v=spf1, lists the servers that send for the domain and \
                      ends in -all. For a domain that sends no mail, v=spf1 -all is enough.",
        references: &[
            ("https://www.rfc-editor.org/rfc/rfc7208", "description"),
            ("https://csrc.nist.gov/pubs/sp/800/177/r1/final", "remediation"),
        ],
    },
    applies_to: &[Kind::Domain],
    reads: &[TaskName::MailPolicy, TaskName::ZoneProfile],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    look::missing_at(facts, SPF, domain::SPF_RECORD, || {
        let description = format!("{} has no TXT record that begins with v=spf1.", facts.name);
        look::proof(description, json!({"domain": facts.name}))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let domain = || facts(Kind::Domain, "acme.test");
    Samples::new()
        .reports(domain().absent_at(SPF.task, SPF.argument))
        .reports(domain().found_at(SPF.task, SPF.argument).with(json!({"dmarc": "v=DMARC1; p=reject"})))
        .near_miss(domain().found_at(SPF.task, SPF.argument).with(json!({"spf_record": "v=spf1 -all"})))
        .near_miss(domain().found_in_part_at(SPF.task, SPF.argument).with(json!({"spf_record": "v=spf1 -all"})))
        .near_miss(
            facts(Kind::Domain, "acme.github.io").absent_at(SPF.task, SPF.argument).absent(TaskName::ZoneProfile),
        )
        .unknown(domain())
        .unknown(domain().failed_at(SPF.task, SPF.argument))
}
