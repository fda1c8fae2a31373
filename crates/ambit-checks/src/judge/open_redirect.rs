//! A page that leads visitors to whatever host a parameter names: seen in a link of the application, or tried.

use super::{Judge, Rule};
use crate::{application, look};
use ambit_model::entity::uri::{DEFECTS, LED_AWAY, LedAway, OPEN_REDIRECT};
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_LOW, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: OPEN_REDIRECT,
        pretty_name: "Parameter redirects visitors to other hosts",
        severity: SEVERITY_LOW,
        confidence: Confidence::Potential,
        category: "application",
        added: "2026-11-26",
        description: "A page leads to the host that a parameter of its address names, so that a link to this site \
                      leads to whoever wrote the link. It is confirmed where a run of the level intensive named a \
                      host that cannot exist and was led there, and potential where a link of the application itself \
                      names a host of others.",
        remediation: "Take an identifier of the target instead of its URL, or compare the host with a list.",
        references: &[("https://cwe.mitre.org/data/definitions/601.html", "description")],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::Crawl, TaskName::RedirectProbe],
    judge: Rule::Own(judge),
};

/// Redirects that were tried take precedence over those that the crawl saw: every page that the crawl saw redirect is
/// also tried.
fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    let seen = look::after(facts, TaskName::Crawl, |facts| {
        let seen = DEFECTS.items(&facts.details).filter(|defect| defect.what == OPEN_REDIRECT);
        seen.map(|defect| application::proof(facts, &defect)).collect()
    });
    let tried = look::after(facts, TaskName::RedirectProbe, |facts| {
        let mut led: Vec<LedAway> = LED_AWAY.items(&facts.details).collect();
        led.dedup_by(|later, first| later.path == first.path);
        led.iter().map(|led| proof(facts, led)).collect()
    });
    match (tried, seen) {
        (Verdict::Proven(proofs), _) => Verdict::Proven(proofs),
        (Verdict::Unknown, seen) => seen,
        (Verdict::Clear, Verdict::Unknown) => Verdict::Unknown,
        (Verdict::Clear, Verdict::Proven(_) | Verdict::Clear) => Verdict::Clear,
    }
}

fn proof(facts: &Facts, led: &LedAway) -> Proof {
    let (path, parameter) = (look::shown(&led.path), look::shown(&led.parameter));
    let description =
        format!("{path} of {} leads to any host that its parameter {parameter} names: one was tried.", facts.name);
    let details = json!({"uri": facts.name, "path": led.path, "parameter": led.parameter});
    Proof { confidence: Some(Confidence::Confirmed), ..look::proof_of(&led.path, description, details) }
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let site = || facts(Kind::Uri, "https://app.acme.test");
    let seen = |what: &str| {
        let defect = json!({"hidden_defects": [{"what": what, "path": "/go", "proof": "a line"}]});
        site().found(TaskName::Crawl).with(defect)
    };
    let led = || json!({"hidden_led_away": [{"path": "/to", "parameter": "to"}, {"path": "/to", "parameter": "url"}]});
    Samples::new()
        .reports_each(seen(OPEN_REDIRECT), &["/go"])
        .reports_each(site().found(TaskName::Crawl).found(TaskName::RedirectProbe).with(led()), &["/to"])
        .reports_each(seen(OPEN_REDIRECT).failed(TaskName::RedirectProbe), &["/go"])
        .near_miss(seen("mixed_content"))
        .near_miss(seen(OPEN_REDIRECT).absent(TaskName::RedirectProbe))
        .unknown(site())
        .unknown(seen(OPEN_REDIRECT).failed(TaskName::Crawl))
        .unknown(site().absent(TaskName::RedirectProbe))
}
