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
        proof: env_file,
        matches: &[
            Response::plain("APP_ENV=production\nDB_PASSWORD=x\n"),
            Response::html("APP_ENV=production\nDB_PASSWORD=x\n"),
            Response::plain("APP_KEY=x\nMAIL_FROM=\"Acme <noreply@acme.test>\"\nDB_PASSWORD=y\n"),
            Response::plain("APP_ENV=x\nAPP_PRIVATE_KEY=\"first\nsecond\nthird\nfourth\nlast\"\nDB_PASSWORD=y\n"),
        ],
        twins: &[
            Response::html("<p>DB_HOST=x\nAPP_ENV=y</p>"),
            Response::html("\n<!doctype html>\nDB_HOST=x\nAPP_ENV=y\n"),
            Response::plain("DB_HOST=x\nAPP_ENV=y\n<div>\n</div>\n"),
            Response::plain("We set A=1 once.\nNothing more.\n"),
        ],
    }],
};

/// At least two assignments, and little else: names only, values never leave. A value may hold a mailbox in angle
/// brackets, or go over several lines in quotes; a line that begins with a tag is of a page.
fn env_file(response: &Response<'_>) -> Option<String> {
    static LINE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^(?:export )?([A-Z][A-Z0-9_]{2,60})=").expect("constant"));
    let text = response.text();
    let (mut names, mut foreign, mut open): (Vec<String>, usize, Option<char>) = (Vec::new(), 0, None);
    for line in text.lines() {
        if let Some(quote) = open {
            open = open.filter(|_| !line.contains(quote));
            continue;
        }
        if begins_with_tag(line) {
            return None;
        }
        let name = LINE.captures(line).and_then(|found| found.get(1));
        let is_other = !line.trim().is_empty() && !line.starts_with('#') && !line.contains('=');
        foreign += usize::from(is_other);
        names.extend(name.map(|name| name.as_str().to_owned()));
        open = name.and_then(|_| opened(line));
    }
    let is_one = names.len() >= 2 && foreign <= names.len().min(NAMES_SHOWN);
    names.truncate(NAMES_SHOWN);
    is_one.then(|| names.join(", "))
}

/// Names of settings that a proof shows.
const NAMES_SHOWN: usize = 8;

fn begins_with_tag(line: &str) -> bool {
    let mut letters = line.trim_start_matches('\u{feff}').trim_start().chars();
    letters.next() == Some('<')
        && letters.next().is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '!' | '/' | '?'))
}

/// The quote in which a value begins that this line does not end.
fn opened(line: &str) -> Option<char> {
    let value = line.split_once('=')?.1;
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    (!value[1..].contains(quote)).then_some(quote)
}
