//! A key of a service in what a site sends to everybody.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::{mentioned, uri};
use ambit_model::facts::{Neighbour, ProbeOutcome};
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH, Verdict};
use ambit_model::{EdgeKind, Facts, Kind, TaskName, Timestamp};
use serde_json::json;
use std::collections::BTreeMap;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_secret_in_page",
        pretty_name: "Page contains a secret key",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "A page or script of the site, or a source of its scripts that is published, holds a key with \
                      which programs sign in to a service. Every visitor can read it and use the service in the name \
                      of the organisation.",
        remediation: "Revoke the key at its provider, and let the server talk to the service instead of the page.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/798.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Secrets_Management_Cheat_Sheet.html", "remediation"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: READS,
    judge: Rule::Own(judge),
};

/// The front page and its scripts, pages behind it, and a whole application where it was walked through.
const READS: &[TaskName] = &[TaskName::Crawl, TaskName::LinkedHosts, TaskName::SitePages];

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    let seen = READS.iter().map(|task| look::after(facts, *task, |facts| proofs(facts, |found_by| found_by == *task)));
    let verdicts: Vec<Verdict> = seen.collect();
    let is_proven = verdicts.iter().any(|verdict| matches!(verdict, Verdict::Proven(_)));
    let is_unsure = |task: &TaskName| facts.outcome(*task).is_some() && !facts.looked(*task);
    if is_proven {
        // What another task saw before it failed is not gone.
        let is_absent = |task: TaskName| facts.outcome(task) == Some(ProbeOutcome::Absent);
        Verdict::Proven(proofs(facts, |found_by| READS.contains(&found_by) && !is_absent(found_by)))
    } else if READS.iter().any(is_unsure) || READS.iter().all(|task| facts.outcome(*task).is_none()) {
        Verdict::Unknown
    } else {
        Verdict::Clear
    }
}

/// A proof of each key that the tasks saw.
fn proofs(facts: &Facts, by: impl Fn(TaskName) -> bool) -> Vec<Proof> {
    let places: BTreeMap<String, String> =
        uri::TOKENS.items(&facts.details).map(|token: uri::HandedToken| (token.token, token.path)).collect();
    let is_by = |token: &&Neighbour| TaskName::from_name(&token.task).is_some_and(&by);
    let is_key = |token: &&Neighbour| mentioned::SENSITIVE.is_true(&token.details);
    // Several may have seen the same key.
    let keys: BTreeMap<&str, &Neighbour> =
        facts.to(EdgeKind::Token).filter(is_by).filter(is_key).map(|token| (token.name.as_str(), token)).collect();
    keys.into_values().map(|token| proof(facts, token, places.get(&token.name).map(String::as_str))).collect()
}

fn proof(facts: &Facts, token: &Neighbour, path: Option<&str>) -> Proof {
    let provider = mentioned::TOKEN_PROVIDER.text(&token.details).unwrap_or("a service");
    let place = path.map(|path| format!("{} of ", look::shown(path))).unwrap_or_default();
    let description = format!("{place}{} holds a key of {provider}.", facts.name);
    let mut details = json!({"uri": facts.name, "key": token.name, "provider": provider});
    if let Some(path) = path {
        details["path"] = json!(path);
    }
    look::proof_of(&token.name, description, details)
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts, neighbour};
    use TaskName::{Crawl, LinkedHosts, SitePages};
    let site = || facts(Kind::Uri, "https://shop.acme.test");
    let token = |task: TaskName, name: &str, sensitive: bool| Neighbour {
        task: task.to_string(),
        ..neighbour(
            EdgeKind::Token,
            Kind::UniqueToken,
            name,
            true,
            json!({"sensitive": sensitive, "provider": "Amazon Web Services"}),
        )
    };
    let key = |task| token(task, "AKIA0000#1f", true);
    let other = |task| token(task, "AKIA1111#2e", true);
    let shown = |task| site().found(task).leads_to(key(task));
    let placed = json!({"hidden_tokens": [
        {"token": "AKIA0000#1f", "provider": "Amazon Web Services", "sensitive": true, "path": "/static/app.js"},
    ]});
    Samples::new()
        .reports_each(shown(LinkedHosts), &["AKIA0000#1f"])
        .reports_each(shown(Crawl).with(placed), &["AKIA0000#1f"])
        .reports_each(shown(Crawl).found(LinkedHosts).leads_to(key(LinkedHosts)), &["AKIA0000#1f"])
        .reports_each(shown(Crawl).failed(LinkedHosts).leads_to(other(LinkedHosts)), &["AKIA0000#1f", "AKIA1111#2e"])
        .reports_each(shown(Crawl).absent(LinkedHosts).leads_to(other(LinkedHosts)), &["AKIA0000#1f"])
        .reports_each(shown(SitePages).absent(LinkedHosts), &["AKIA0000#1f"])
        .near_miss(site().found(SitePages).found(LinkedHosts).leads_to(token(SitePages, "UA-12345-1", false)))
        .near_miss(site().found(LinkedHosts).leads_to(token(LinkedHosts, "UA-12345-1", false)))
        .near_miss(site().found(Crawl).leads_to(token(Crawl, "UA-12345-1", false)).absent(LinkedHosts))
        .near_miss(site().absent(LinkedHosts))
        .near_miss(site().found(Crawl))
        .unknown(site())
        .unknown(shown(LinkedHosts).failed(LinkedHosts))
        .unknown(shown(Crawl).failed(Crawl).found(LinkedHosts))
        .unknown(site().found(Crawl).failed(LinkedHosts))
        .unknown(site().found(LinkedHosts).failed(SitePages))
}
