//! Judges of what the pages of an application show without being attacked: rows of a table. What proves a finding is
//! where pages are read, with its twins; a row says what it means.

use crate::judge::{Judge, named_findings};
use crate::look;
use ambit_model::entity::uri::{DEFECTS, Defect};
use ambit_model::issue::{Proof, SEVERITY_HIGH, SEVERITY_INFO, SEVERITY_LOW, SEVERITY_MEDIUM, Verdict};
use ambit_model::{Facts, Kind, TaskName};
use serde_json::json;

named_findings! {
    "application", &[Kind::Uri], &[TaskName::Crawl];
    cacheable_private_answer {
        pretty_name: "Caches may store a response meant for one visitor",
        severity: SEVERITY_MEDIUM,
        confidence: Confirmed,
        added: "2026-11-25",
        description: "The response sets a cookie and allows shared caches to store it. Whoever asks such a cache next \
                      may receive the cookie of another visitor, and with it the session.",
        remediation: "Send Cache-Control: private, no-store with every answer that sets a cookie or depends on one.",
        reference: "https://cwe.mitre.org/data/definitions/525.html",
    }
    mixed_content {
        pretty_name: "HTTPS page loads content over plain HTTP",
        severity: SEVERITY_LOW,
        confidence: Confirmed,
        added: "2026-11-25",
        description: "The page is served over HTTPS but loads scripts, styles or frames over plain HTTP. An attacker \
                      on the network can change them, and with them the page; browsers that block them show a broken \
                      page.",
        remediation: "Load all content over HTTPS, and send the policy upgrade-insecure-requests until every reference \
                      is corrected.",
        reference: "https://www.w3.org/TR/mixed-content/",
    }
    jwt_guessable_key {
        pretty_name: "Token is signed with a guessable secret",
        severity: SEVERITY_HIGH,
        confidence: Confirmed,
        added: "2026-11-26",
        description: "The application issues a JSON Web Token that is signed with a common secret, one that attackers \
                      try first. Whoever knows the secret can sign tokens in the name of any user.",
        remediation: "Sign with a random key of at least 32 bytes or with a key pair, and reject all tokens that the \
                      old key signed.",
        reference: "https://www.rfc-editor.org/rfc/rfc8725#section-3.5",
    }
    jwt_with_personal_data {
        pretty_name: "Token contains personal data",
        severity: SEVERITY_LOW,
        confidence: Confirmed,
        added: "2026-11-26",
        description: "A JSON Web Token has claims such as an e-mail address. Tokens are signed, not encrypted: every \
                      log, proxy and script that sees one can read them.",
        remediation: "Put an opaque identifier into the token, and look up everything else on the server.",
        reference: "https://www.rfc-editor.org/rfc/rfc7519#section-12",
    }
    jwt_without_end {
        pretty_name: "Token does not expire",
        severity: SEVERITY_LOW,
        confidence: Confirmed,
        added: "2026-11-26",
        description: "A JSON Web Token has no expiry date, or one that is more than a year away. Whoever obtains the \
                      token can use it for as long.",
        remediation: "Let tokens expire (exp) after minutes or hours, and renew them with a token that can be \
                      revoked.",
        reference: "https://cwe.mitre.org/data/definitions/613.html",
    }
    jwt_without_signature {
        pretty_name: "Token is not signed",
        severity: SEVERITY_HIGH,
        confidence: Confirmed,
        added: "2026-11-26",
        description: "The application issues a JSON Web Token with the algorithm none. If it also accepts such tokens, \
                      anybody can change one and sign in as any user.",
        remediation: "Sign every token, and let the server accept only the algorithm that it signs with.",
        reference: "https://www.rfc-editor.org/rfc/rfc8725#section-3.2",
    }
    reflected_input {
        pretty_name: "Page reflects a parameter without escaping it",
        severity: SEVERITY_MEDIUM,
        confidence: Potential,
        added: "2026-11-26",
        description: "A link of the application has a parameter with a character that is special in HTML, and the page \
                      repeats its value unescaped. A value that contains a script might run (cross-site scripting). \
                      This was not tried.",
        remediation: "Escape each value for the context in which it appears; prefer templates that do so by default.",
        reference: "https://cwe.mitre.org/data/definitions/79.html",
    }
    verbose_error_page {
        pretty_name: "Error page reveals internals of the application",
        severity: SEVERITY_LOW,
        confidence: Confirmed,
        added: "2026-11-25",
        description: "The application answers an error with a stack trace or a database message. It names files, \
                      products, versions and queries, which help an attacker to find the next weakness.",
        remediation: "Turn off debug mode, log errors on the server, and answer with an error page without details.",
        reference: "https://cwe.mitre.org/data/definitions/209.html",
    }
    weak_content_policy {
        pretty_name: "Content Security Policy allows unsafe scripts",
        severity: SEVERITY_INFO,
        confidence: Confirmed,
        added: "2026-11-25",
        description: "The Content Security Policy of the page allows scripts from any host, or any inline script. It \
                      then stops none of the attacks that it is meant to stop.",
        remediation: "Allow scripts by nonces or hashes, leave out 'unsafe-inline' and wildcards, and set object-src \
                      and base-uri to 'none'.",
        reference: "https://www.w3.org/TR/CSP3/",
    }
    exposed_source_map {
        pretty_name: "Source maps are published",
        severity: SEVERITY_INFO,
        confidence: Confirmed,
        added: "2026-11-25",
        description: "A source map beside a script contains its original sources, with names and comments, and anybody \
                      can read it.",
        remediation: "Do not publish source maps, or serve them only to people of your organisation.",
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
