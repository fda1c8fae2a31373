//! A foreign domain whose name resembles a seed.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM, Verdict};
use ambit_model::lookalike::Lookalikes;
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::json;
use std::collections::BTreeSet;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "lookalike_domain",
        pretty_name: "Look-alike domain is registered",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Potential,
        category: "threat",
        added: "2026-11-21",
        description: "Somebody has registered a domain that can be mistaken for yours at a glance. Such domains serve \
                      phishing, forged invoices and stray mail; many are also parked or belong to an honest namesake, \
                      so look at it before you act.",
        remediation: "Find out who holds the domain. If it is yours, add it as a seed; if it is used against you, ask \
                      its registrar \
                      or hoster to act or open a dispute. Consider registering the nearest variants yourself.",
        references: &[
            ("https://www.unicode.org/reports/tr39/", "description"),
            ("https://attack.mitre.org/techniques/T1583/001/", "threat_intel"),
            ("https://www.icann.org/resources/pages/help/dndr/udrp-en", "remediation"),
        ],
    },
    applies_to: &[Kind::Domain],
    reads: &[TaskName::Lookalikes],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    if !facts.seed {
        return Verdict::Clear;
    }
    look::after(facts, TaskName::Lookalikes, |facts| {
        let near = Lookalikes::of(&facts.name);
        let names: BTreeSet<&str> =
            domain::LOOKALIKES.texts(&facts.details).filter(|name| !facts.seeds.contain(name)).collect();
        let told = names.into_iter().filter_map(|name| Some((name, near.resemblance(name)?)));
        told.map(|(name, by)| {
            let description =
                format!("{} is registered and resembles {}: {}.", look::shown(name), facts.name, by.words());
            look::proof_of(name, description, json!({"domain": facts.name, "lookalike": name}))
        })
        .collect()
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let seed = |names: &[&str]| {
        facts(Kind::Domain, "acme.test").seed().found(TaskName::Lookalikes).with(json!({"hidden_lookalikes": names}))
    };
    Samples::new()
        .reports_each(
            seed(&["acrne.test", "acm3.test", "amce.test", "acme.example", "acmes.test", "ac-me.test"]),
            &["ac-me.test", "acm3.test", "acme.example", "acmes.test", "acrne.test", "amce.test"],
        )
        .near_miss(seed(&["acme-partners.test", "apex.test", "acme.test"]))
        .near_miss(seed(&[]))
        .near_miss(facts(Kind::Domain, "acme.test").seed().absent(TaskName::Lookalikes))
        .near_miss(facts(Kind::Domain, "acme-shop.test"))
        .unknown(facts(Kind::Domain, "acme.test").seed())
        .unknown(seed(&["acrne.test"]).failed(TaskName::Lookalikes))
}
