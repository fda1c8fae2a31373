//! A database administration that anyone can open.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM};

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_admin_panel",
        pretty_name: "Administration panel is exposed",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The sign-in page of a tool that administers databases is public. Its password can be guessed \
                      from anywhere, and its own flaws can be used by everybody.",
        remediation: "Let only the administrators reach the tool, through a private network or a gateway that asks who \
                      is there, or remove it.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/419.html", "description"),
            ("https://owasp.org/Top10/A05_2021-Security_Misconfiguration/", "remediation"),
        ],
    },
    sentence: "lets everybody open its administration at",
    group: each_path,
    probes: &[Probe {
        what: "admin_panel",
        place: Place::Paths(&["/phpmyadmin/", "/pma/", "/adminer.php"]),
        proof: admin_panel,
        matches: &[
            Response::html("<h1>Welcome to phpMyAdmin 5.2.1</h1><input name=\"pma_username\">"),
            Response::html("<title>Login - Adminer</title><select name=\"auth[driver]\">"),
        ],
        twins: &[Response::html("<h1>How to hide phpMyAdmin and Adminer</h1>")],
    }],
};

fn admin_panel(response: &Response<'_>) -> Option<String> {
    let text = response.text();
    let phpmyadmin = text.contains("pma_username") || text.contains("Welcome to phpMyAdmin");
    let adminer = text.contains("name=\"auth[driver]\"") || text.contains("name='auth[driver]'");
    (phpmyadmin && response.media.contains("html"))
        .then(|| "phpMyAdmin".to_owned())
        .or_else(|| adminer.then(|| "Adminer".to_owned()))
}
