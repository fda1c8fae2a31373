//! A cookie of an encrypted site that may travel unencrypted.

use super::{Judge, Rule};
use crate::look;
use crate::site;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "insecure_cookie_secure_attribute",
        pretty_name: "Cookie lacks the Secure attribute",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A site that uses HTTPS sets a cookie without the Secure attribute. The browser also sends it \
                      over plain HTTP, for example when somebody types the address without https or follows an old \
                      link, and anyone on the way can read it.",
        remediation: "Add the Secure attribute to every cookie of the site, or give the cookie a name with the \
                      __Secure- or __Host- prefix, which browsers enforce.",
        references: &[
            ("https://owasp.org/www-community/controls/SecureCookieAttribute", "description"),
            ("https://cwe.mitre.org/data/definitions/614.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Session_Management_Cheat_Sheet.html", "remediation"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::HttpEnrich],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    // A plain site cannot set Secure cookies; that it is plain is another matter.
    if site::host_name(facts).is_none() || !site::is_encrypted(facts) {
        return Verdict::Clear;
    }
    look::after(facts, TaskName::HttpEnrich, |facts| {
        let names = site::sorted(site::cookies(facts).filter(|cookie| !cookie.secure).map(|cookie| cookie.name));
        let Some(first) = names.first() else {
            return Vec::new();
        };
        let description = format!("{} sets the cookie {} without Secure.", facts.name, look::shown(first));
        vec![look::proof(description, json!({"uri": facts.name, "cookies": names}))]
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let site = |name: &str, secure: bool| {
        let cookie = json!({"name": "lang", "secure": secure, "http_only": false});
        facts(Kind::Uri, name).found(TaskName::HttpEnrich).with(json!({"hidden_cookies": [cookie]}))
    };
    Samples::new()
        .reports(site("https://www.acme.test", false))
        .near_miss(site("https://www.acme.test", true))
        .near_miss(site("http://www.acme.test", false))
        .near_miss(site("https://192.0.2.1", false))
        .near_miss(facts(Kind::Uri, "https://www.acme.test").found(TaskName::HttpEnrich))
        .unknown(facts(Kind::Uri, "https://www.acme.test"))
        .unknown(site("https://www.acme.test", false).failed(TaskName::HttpEnrich))
}
