//! A session cookie that scripts may read.

use super::{Judge, Rule};
use crate::look;
use crate::site;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "insecure_cookie_httponly_attribute",
        pretty_name: "Session cookie lacks the HttpOnly attribute",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A cookie that seems to hold a session is set without the HttpOnly attribute. A script that an \
                      attacker manages to place in a page of the site can read it and take the session over.",
        remediation: "Add the HttpOnly attribute to all cookies that scripts of the site need not read, sessions \
                      first.",
        references: &[
            ("https://owasp.org/www-community/HttpOnly", "description"),
            ("https://cwe.mitre.org/data/definitions/1004.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Session_Management_Cheat_Sheet.html", "remediation"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::HttpEnrich],
    judge: Rule::Own(judge),
};

/// Parts of names that sessions and credentials usually have.
const SESSION: &[&str] = &["sess", "sid", "auth", "token", "jwt", "login"];
/// Parts of names that are meant to be read by scripts.
const READABLE: &[&str] = &["csrf", "xsrf"];

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    if site::host_name(facts).is_none() {
        return Verdict::Clear;
    }
    look::after(facts, TaskName::HttpEnrich, |facts| {
        let cookies = site::cookies(facts).filter(|cookie| !cookie.http_only && is_session(&cookie.name));
        let names = site::sorted(cookies.map(|cookie| cookie.name));
        let Some(first) = names.first() else {
            return Vec::new();
        };
        let description = format!("{} sets the cookie {} without HttpOnly.", facts.name, look::shown(first));
        vec![look::proof(description, json!({"uri": facts.name, "cookies": names}))]
    })
}

fn is_session(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    has(SESSION) && !has(READABLE)
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let site = |name: &str, cookie: &str, http_only: bool| {
        let cookie = json!({"name": cookie, "secure": true, "http_only": http_only});
        facts(Kind::Uri, name).found(TaskName::HttpEnrich).with(json!({"hidden_cookies": [cookie]}))
    };
    Samples::new()
        .reports(site("https://www.acme.test", "PHPSESSID", false))
        .reports(site("http://www.acme.test", "connect.sid", false))
        .near_miss(site("https://www.acme.test", "PHPSESSID", true))
        .near_miss(site("https://www.acme.test", "lang", false))
        .near_miss(site("https://www.acme.test", "csrf_token", false))
        .near_miss(site("https://192.0.2.1", "PHPSESSID", false))
        .unknown(facts(Kind::Uri, "https://www.acme.test"))
        .unknown(site("https://www.acme.test", "PHPSESSID", false).failed(TaskName::HttpEnrich))
}
