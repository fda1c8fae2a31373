//! A set-up wizard that waits for whoever comes first.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_installer",
        pretty_name: "Installer is exposed",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The set-up of an application was not finished or not removed: whoever opens it first may choose \
                      the administrator and take the application over, often the server with it.",
        remediation: "Finish the installation and remove its pages, or let only the administrators reach them until \
                      then.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/1188.html", "description"),
            ("https://owasp.org/Top10/A05_2021-Security_Misconfiguration/", "remediation"),
        ],
    },
    sentence: "offers its installation to everybody at",
    group: each_path,
    probes: &[Probe {
        what: "installer",
        place: Place::Paths(&["/install.php", "/wp-admin/install.php", "/setup.php", "/install/"]),
        proof: installer,
        matches: &[Response::html("<title>Setup wizard</title>Step 1: choose the administrator password")],
        twins: &[
            Response::html("<title>Setup wizard</title>Already installed. Remove this file. administrator password"),
            Response::html("<title>Our installation service</title>We install kitchens"),
        ],
    }],
};

/// A wizard that asks for its first choices; one that says that it is done gives nothing away.
fn installer(response: &Response<'_>) -> Option<String> {
    static TITLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)<(?:title|h1)[^>]*>[^<]{0,60}?((?:setup|install(?:ation|er)?)(?: wizard)?|install(?:ation|er))[^<]{0,60}</")
            .expect("constant")
    });
    let text = response.text();
    let lower = text.to_ascii_lowercase();
    let done = lower.contains("already installed")
        || lower.contains("already been installed")
        || lower.contains("already set up");
    let asks = lower.contains("administrator password")
        || lower.contains("admin_password")
        || lower.contains("database host")
        || lower.contains("name=\"dbhost\"");
    TITLE.captures(&text).filter(|_| response.is_html && asks && !done).map(|found| found[1].to_owned())
}
