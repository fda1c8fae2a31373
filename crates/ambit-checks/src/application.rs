//! Judges of what the pages of an application say without being attacked: rows of a table. What a page must say to be
//! reported stands where pages are read, with its twins; a row says what that means.

use crate::judge::{Judge, named_findings};
use crate::look;
use ambit_model::entity::uri::{DEFECTS, Defect};
use ambit_model::issue::{Proof, SEVERITY_HIGH, SEVERITY_INFO, SEVERITY_LOW, SEVERITY_MEDIUM, Verdict};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

named_findings! {
    "application", &[Kind::Uri], &[TaskName::Crawl];
    cacheable_private_answer {
        pretty_name: "Caches may keep an answer that is one visitor's",
        severity: SEVERITY_MEDIUM,
        confidence: Confirmed,
        added: "2026-11-25",
        description: "The answer sets a cookie and allows shared caches to keep it. Whoever asks a cache on the way \
                      next may get the cookie, and with it the session, of somebody else.",
        remediation: "Send Cache-Control: private, no-store with every answer that sets a cookie or depends on one.",
        reference: "https://cwe.mitre.org/data/definitions/525.html",
    }
    mixed_content {
        pretty_name: "Encrypted page loads parts without encryption",
        severity: SEVERITY_LOW,
        confidence: Confirmed,
        added: "2026-11-25",
        description: "The page is encrypted, and loads scripts, styles or frames that are not. Whoever is on the way \
                      can change them, and so the page; browsers that refuse them show a broken page.",
        remediation: "Load every part over HTTPS, and send the policy upgrade-insecure-requests until all are found.",
        reference: "https://www.w3.org/TR/mixed-content/",
    }
    jwt_guessable_key {
        pretty_name: "Token is signed with a common word",
        severity: SEVERITY_HIGH,
        confidence: Confirmed,
        added: "2026-11-26",
        description: "The application gives out a JSON Web Token whose signature was made with a word that everybody \
                      tries first. Whoever knows it signs tokens of their own, in the name of anybody.",
        remediation: "Sign with a random key of at least 32 bytes or with a key pair, and refuse all tokens that the \
                      old key signed.",
        reference: "https://www.rfc-editor.org/rfc/rfc8725#section-3.5",
    }
    jwt_with_personal_data {
        pretty_name: "Token tells who somebody is",
        severity: SEVERITY_LOW,
        confidence: Confirmed,
        added: "2026-11-26",
        description: "A JSON Web Token has claims such as an e-mail address. Tokens are signed and not encrypted: each \
                      log, proxy and script on the way reads them.",
        remediation: "Put an identifier without meaning into the token, and look up the rest on the server.",
        reference: "https://www.rfc-editor.org/rfc/rfc7519#section-12",
    }
    jwt_without_end {
        pretty_name: "Token holds for ever",
        severity: SEVERITY_LOW,
        confidence: Confirmed,
        added: "2026-11-26",
        description: "A JSON Web Token has no date on which it ends, or one that is more than a year away. Whoever \
                      gets hold of it keeps its rights for as long.",
        remediation: "Give tokens an exp of minutes or hours, and renew them by a token that can be revoked.",
        reference: "https://cwe.mitre.org/data/definitions/613.html",
    }
    jwt_without_signature {
        pretty_name: "Token is not signed",
        severity: SEVERITY_HIGH,
        confidence: Confirmed,
        added: "2026-11-26",
        description: "The application gives out a JSON Web Token with the algorithm none. If it accepts what it gives \
                      out, whoever changes the token is whom it then says.",
        remediation: "Sign every token, and let the server accept the one algorithm that it signs with.",
        reference: "https://www.rfc-editor.org/rfc/rfc8725#section-3.2",
    }
    reflected_input {
        pretty_name: "Page repeats a parameter unescaped",
        severity: SEVERITY_MEDIUM,
        confidence: Potential,
        added: "2026-11-26",
        description: "A link of the application has a parameter with a character that has a meaning in HTML, and the \
                      page repeats its value as it is. A value with a script in it might run. None was tried.",
        remediation: "Escape each value for the place at which it stands; templates that do so by default are best.",
        reference: "https://cwe.mitre.org/data/definitions/79.html",
    }
    verbose_error_page {
        pretty_name: "Error page shows the inside of the application",
        severity: SEVERITY_LOW,
        confidence: Confirmed,
        added: "2026-11-25",
        description: "An error is answered with a stack trace or a message of the database. It names files, products, \
                      versions and queries, and so shows where to look for the next weakness.",
        remediation: "Turn off the debugging mode, log errors on the server, and answer with a page that names none.",
        reference: "https://cwe.mitre.org/data/definitions/209.html",
    }
    weak_content_policy {
        pretty_name: "Content policy allows what it should stop",
        severity: SEVERITY_INFO,
        confidence: Confirmed,
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
        confidence: Confirmed,
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

pub(crate) fn proof(facts: &Facts, defect: &Defect) -> Proof {
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
