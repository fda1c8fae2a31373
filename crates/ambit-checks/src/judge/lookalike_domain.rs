//! A foreign domain whose name resembles a seed.

use super::Judge;
use crate::look;
use ambit_model::entity::domain;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM, Verdict};
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
                      phishing, \
                      forged invoices and stray mail; many are also parked or belong to an honest namesake, so look at \
                      it before you \
                      act.",
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
    judge,
};

/// Letters that pass for one another at a glance, as they are written in host names.
const ALIKE: &[(&str, &str)] =
    &[("0", "o"), ("1", "l"), ("i", "l"), ("3", "e"), ("5", "s"), ("rn", "m"), ("vv", "w"), ("cl", "d")];

/// Shorter labels are one edit away from too many honest ones.
const LABEL_CHARS_MIN: usize = 4;

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    if !facts.seed {
        return Verdict::Clear;
    }
    look::after(facts, TaskName::Lookalikes, |facts| {
        let is_ours = |name: &str| facts.seeds.iter().any(|(_, seed)| seed == name);
        let names: BTreeSet<&str> = domain::LOOKALIKES
            .texts(&facts.details)
            .filter(|name| !is_ours(name) && resembles(name, &facts.name))
            .collect();
        names
            .into_iter()
            .map(|name| {
                let description = format!("{} is registered and resembles {}.", look::shown(name), facts.name);
                look::proof_of(name, description, json!({"domain": facts.name, "lookalike": name}))
            })
            .collect()
    })
}

/// True where the first label is the same under another suffix, looks the same, or is one edit or one swap away.
fn resembles(name: &str, seed: &str) -> bool {
    let (Some((label, suffix)), Some((seed_label, seed_suffix))) = (name.split_once('.'), seed.split_once('.')) else {
        return false;
    };
    if label == seed_label {
        return suffix != seed_suffix;
    }
    if seed_label.chars().count() < LABEL_CHARS_MIN {
        return false;
    }
    let plain = |label: &str| ALIKE.iter().fold(label.replace('-', ""), |text, (from, to)| text.replace(from, to));
    plain(label) == plain(seed_label) || is_one_edit(label.as_bytes(), seed_label.as_bytes())
}

/// One insertion, deletion, replacement, or swap of neighbours. Labels are ASCII.
fn is_one_edit(a: &[u8], b: &[u8]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let start = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    let (short, long) = (&short[start..], &long[start..]);
    match long.len() - short.len() {
        1 => short == &long[1..],
        0 if short.is_empty() => false,
        0 => {
            let replaced = short[1..] == long[1..];
            let swapped = short.len() >= 2 && short[0] == long[1] && short[1] == long[0] && short[2..] == long[2..];
            replaced || swapped
        }
        _ => false,
    }
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
