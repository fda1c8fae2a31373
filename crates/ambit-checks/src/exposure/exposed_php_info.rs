//! A page that prints the whole PHP configuration.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_php_info",
        pretty_name: "PHP configuration page is exposed",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "A page prints the output of phpinfo(): versions, paths, modules and all environment variables, \
                      which often include passwords.",
        remediation: "Delete the page. Change secrets that appear among the environment variables.",
        references: &[
            ("https://www.php.net/manual/en/function.phpinfo.php", "description"),
            ("https://cwe.mitre.org/data/definitions/497.html", "description"),
        ],
    },
    sentence: "prints its PHP configuration at",
    group: each_path,
    probes: &[Probe {
        what: "phpinfo",
        place: Place::Paths(&["/phpinfo.php", "/info.php", "/test.php"]),
        proof: phpinfo,
        matches: &[
            Response::html("<h1 class=\"p\">PHP Version 7.4.33</h1> Configuration File (php.ini) Path"),
            Response::html("<h1>PHP Version 8.2.1</h1><tr><td class=\"e\">System </td>"),
        ],
        twins: &[
            Response::html("<title>phpinfo() explained</title>"),
            Response::html("<h1>PHP Version 8.2 is out</h1><p>System"),
        ],
    }],
};

fn phpinfo(response: &Response<'_>) -> Option<String> {
    static VERSION: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"(?i)<h1[^>]*>PHP Version ([A-Za-z0-9_.+~-]{1,40})"#).expect("constant"));
    static SYSTEM: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)<td[^>]*>\s*System\s*</td>").expect("constant"));
    let text = response.text();
    let found = VERSION
        .captures(&text)
        .filter(|_| text.contains("php.ini") || text.contains("Configuration File") || SYSTEM.is_match(&text))?;
    Some(format!("PHP Version {}", &found[1]))
}
