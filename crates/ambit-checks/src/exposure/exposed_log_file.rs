//! A log of an application or a web server that anyone can fetch.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_log_file",
        pretty_name: "Log file is exposed",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-22",
        description: "The web server hands out a log. Logs hold paths and statements of the application, addresses and \
                      requests of its \
                      visitors, and often session identifiers, mail addresses and passwords that somebody mistyped.",
        remediation: "Write logs outside the folders that are served, remove the file, and treat secrets that it holds \
                      as read.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/532.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Logging_Cheat_Sheet.html", "remediation"),
        ],
    },
    sentence: "serves a log at",
    group: each_path,
    probes: &[Probe {
        what: "log_file",
        place: Place::Paths(&[
            "/wp-content/debug.log",
            "/storage/logs/laravel.log",
            "/error_log",
            "/error.log",
            "/access.log",
        ]),
        proof: log_file,
        matches: &[
            Response::plain(
                "[22-Nov-2026 10:00:00 UTC] PHP Warning:  Undefined variable in /var/www/x.php on line 3\n",
            ),
            Response::plain("[2026-11-22 10:00:00] production.ERROR: SQLSTATE[42S02]\n#0 /var/www/vendor/x.php\n"),
            Response::plain(
                "[Sun Nov 22 10:00:00.123456 2026] [php:error] [pid 7] [client 192.0.2.7:5] File does not exist\n",
            ),
            Response::html("192.0.2.7 - - [22/Nov/2026:10:00:00 +0000] \"GET /login HTTP/1.1\" 200 512 \"-\" \"x\"\n"),
        ],
        twins: &[
            Response::plain("2026-11-22: version 3, with a new log\n"),
            Response::html("<pre>[22-Nov-2026 10:00:00 UTC] PHP Warning:  how to read it</pre>"),
            Response::of_json("{\"log\":[\"production.ERROR\"]}"),
        ],
    }],
};

/// A line as PHP, Laravel, Apache or an access log writes it. Its text never leaves.
fn log_file(response: &Response<'_>) -> Option<String> {
    static LINES: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
        [
            ("PHP log", r"(?m)^\[\d{2}-[A-Z][a-z]{2}-\d{4} [\d:]{8}[^\]\n]{0,40}\] PHP [A-Z][a-z]+"),
            ("Laravel log", r"(?m)^\[\d{4}-\d{2}-\d{2}[ T][\d:]{8}[^\]\n]{0,20}\] [A-Za-z]{1,20}\.[A-Z]{4,9}: "),
            (
                "Apache error log",
                r"(?m)^\[[A-Z][a-z]{2} [A-Z][a-z]{2} \d{2} [\d:.]{8,15} \d{4}\] \[[a-z_0-9]*:?[a-z]+\] ",
            ),
            (
                "access log",
                r#"(?m)^[0-9a-fA-F.:]{3,45} \S+ \S+ \[\d{2}/[A-Z][a-z]{2}/\d{4}:[\d:]{8} [+-]\d{4}\] "[A-Z]{3,8} "#,
            ),
        ]
        .map(|(what, line)| (what, Regex::new(line).expect("constant")))
        .into()
    });
    let text = response.text();
    let begins_with_tag = text.trim_start().starts_with('<');
    let found = LINES.iter().find(|(_, line)| !begins_with_tag && line.is_match(&text))?;
    Some(found.0.to_owned())
}
