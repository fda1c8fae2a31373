//! A file of settings and secrets that anyone can fetch.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_CRITICAL};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_environment_file",
        pretty_name: "Environment file is exposed",
        severity: SEVERITY_CRITICAL,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "The web server hands out the environment file of an application. Such files hold passwords of \
                      databases and mail servers, keys of cloud accounts and the secret that signs sessions.",
        remediation: "Remove the file from the folder that is served, and refuse names that begin with a dot. Then \
                      change every secret that it holds: it must be taken as read.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/538.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Secrets_Management_Cheat_Sheet.html", "remediation"),
        ],
    },
    sentence: "serves the environment file",
    group: each_path,
    probes: &[Probe {
        what: "env_file",
        place: Place::Paths(&["/.env", "/.env.local", "/.env.production", "/.env.backup"]),
        is_interface: false,
        proof: env_file,
        matches: &[
            Response::plain("APP_ENV=production\nDB_PASSWORD=x\n"),
            Response::html("APP_ENV=production\nDB_PASSWORD=x\n"),
        ],
        twins: &[Response::html("<p>DB_HOST=x\nAPP_ENV=y</p>"), Response::plain("We set A=1 once.\nNothing more.\n")],
    }],
};

/// At least two assignments, or one of a secret: names only, values never leave.
fn env_file(response: &Response<'_>) -> Option<String> {
    static LINE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^(?:export )?([A-Z][A-Z0-9_]{2,60})=").expect("constant"));
    let text = response.text();
    if response.has_tags() {
        return None;
    }
    let names: Vec<&str> =
        LINE.captures_iter(&text).filter_map(|found| found.get(1)).map(|name| name.as_str()).take(8).collect();
    let foreign =
        text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#') && !line.contains('=')).count();
    (names.len() >= 2 && foreign <= names.len()).then(|| names.join(", "))
}
