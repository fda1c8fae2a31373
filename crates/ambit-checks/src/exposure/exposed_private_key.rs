//! A private key that anyone can fetch.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_CRITICAL};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_private_key",
        pretty_name: "Private key is exposed",
        severity: SEVERITY_CRITICAL,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "The web server hands out a file with a private key. Whoever has it can pose as the service or \
                      the person that it belongs to, and read traffic that relied on it.",
        remediation: "Remove the file, revoke the certificates and remove the authorised keys that belong to it, and \
                      replace the key everywhere. Find out how it came there.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/321.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Key_Management_Cheat_Sheet.html", "remediation"),
        ],
    },
    sentence: "serves a private key at",
    group: each_path,
    probes: &[Probe {
        what: "private_key",
        place: Place::Paths(&["/id_rsa", "/.ssh/id_rsa", "/server.key", "/private.key", "/privkey.pem"]),
        proof: private_key,
        matches: &[Response::plain(concat!("-----BEGIN ", "PRIVATE KEY-----\nMIIE\n"))],
        twins: &[Response::plain("-----BEGIN CERTIFICATE-----\n")],
    }],
};

fn private_key(response: &Response<'_>) -> Option<String> {
    static BEGIN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"-----BEGIN ((?:[A-Z]+ )?PRIVATE KEY)-----\s").expect("constant"));
    let text = response.text();
    BEGIN.captures(&text).filter(|_| !response.is_html).map(|found| format!("-----BEGIN {}-----", &found[1]))
}
