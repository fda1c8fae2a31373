//! Judges of what the pages of an application say without being attacked: rows of a table. What a page must say to be
//! reported stands where pages are read, with its twins; a row says what that means.

use crate::judge::Judge;
use crate::look;
use ambit_model::entity::uri::{DEFECTS, Defect};
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_INFO, SEVERITY_LOW, SEVERITY_MEDIUM, Verdict};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

macro_rules! defects {
    ($($name:ident {
        pretty_name: $pretty:literal,
        severity: $severity:ident,
        added: $added:literal,
        description: $description:literal,
        remediation: $remediation:literal,
        reference: $reference:literal,
    })*) => {
        /// The judges of the table.
        pub(crate) const JUDGES: &[Judge] = &[$(Judge {
            issue: IssueKind {
                name: stringify!($name),
                pretty_name: $pretty,
                severity: $severity,
                confidence: Confidence::Confirmed,
                category: "application",
                added: $added,
                description: $description,
                remediation: $remediation,
                references: &[($reference, "description")],
            },
            applies_to: &[Kind::Uri],
            reads: &[TaskName::Crawl],
            judge: |facts, _| weigh(facts, stringify!($name)),
        }),*];
    };
}

defects! {
    cacheable_private_answer {
        pretty_name: "Caches may keep an answer that is one visitor's",
        severity: SEVERITY_MEDIUM,
        added: "2026-11-25",
        description: "The answer sets a cookie and allows shared caches to keep it. Whoever asks a cache on the way \
                      next may get the cookie, and with it the session, of somebody else.",
        remediation: "Send Cache-Control: private, no-store with every answer that sets a cookie or depends on one.",
        reference: "https://cwe.mitre.org/data/definitions/525.html",
    }
    mixed_content {
        pretty_name: "Encrypted page loads parts without encryption",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        description: "The page is encrypted, and loads scripts, styles or frames that are not. Whoever is on the way \
                      can change them, and so the page; browsers that refuse them show a broken page.",
        remediation: "Load every part over HTTPS, and send the policy upgrade-insecure-requests until all are found.",
        reference: "https://www.w3.org/TR/mixed-content/",
    }
    verbose_error_page {
        pretty_name: "Error page shows the inside of the application",
        severity: SEVERITY_LOW,
        added: "2026-11-25",
        description: "An error is answered with a stack trace or a message of the database. It names files, products, \
                      versions and queries, and so shows where to look for the next weakness.",
        remediation: "Turn off the debugging mode, log errors on the server, and answer with a page that names none.",
        reference: "https://cwe.mitre.org/data/definitions/209.html",
    }
    weak_content_policy {
        pretty_name: "Content policy allows what it should stop",
        severity: SEVERITY_INFO,
        added: "2026-11-25",
        description: "The content policy of the page lets scripts from anywhere, or any script that stands in the \
                      page, run. It then stops none of the attacks that it is made for.",
        remediation: "Allow scripts by nonces or hashes, leave out 'unsafe-inline' and wildcards, and set object-src \
                      and base-uri to 'none'.",
        reference: "https://www.w3.org/TR/CSP3/",
    }
    exposed_source_map {
        pretty_name: "Sources of scripts are published",
        severity: SEVERITY_INFO,
        added: "2026-11-25",
        description: "A source map beside a script holds the sources that it was made from, with their names and \
                      comments, for everybody to read.",
        remediation: "Leave source maps out of what is published, or serve them to your own people alone.",
        reference: "https://cwe.mitre.org/data/definitions/540.html",
    }
}

/// Judges what a crawl saw, by the name of the defect: one issue for each page that shows it.
fn weigh(facts: &Facts, what: &str) -> Verdict {
    look::after(facts, TaskName::Crawl, |facts| {
        let seen = DEFECTS.items(&facts.details).filter(|defect| defect.what == what);
        seen.map(|defect| proof(facts, &defect)).collect()
    })
}

fn proof(facts: &Facts, defect: &Defect) -> Proof {
    let description = format!("{} of {} shows {}.", look::shown(&defect.path), facts.name, look::shown(&defect.proof));
    let details = json!({"uri": facts.name, "path": defect.path, "proof": defect.proof});
    look::proof_of(&defect.path, description, details)
}

/// Every judge of the table with its samples.
#[cfg(test)]
pub(crate) fn samples() -> impl Iterator<Item = (&'static Judge, crate::samples::Samples)> {
    use crate::samples::{Samples, Told, facts};
    JUDGES.iter().map(|judge| {
        let site = || facts(Kind::Uri, "https://app.acme.test").found(TaskName::Crawl);
        let other =
            JUDGES.iter().find(|other| other.issue.name != judge.issue.name).map_or("", |other| other.issue.name);
        let shows = |what: &str| json!({"hidden_defects": [{"what": what, "path": "/orders", "proof": "a line"}]});
        let samples = Samples::new()
            .reports_each(site().with(shows(judge.issue.name)), &["/orders"])
            .near_miss(site().with(shows(other)))
            .near_miss(site())
            .unknown(facts(Kind::Uri, "https://app.acme.test"))
            .unknown(site().with(shows(judge.issue.name)).failed(TaskName::Crawl));
        (judge, samples)
    })
}
