//! A status page of the web server that anyone can read.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW};

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_server_status",
        pretty_name: "Server status page is exposed",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "The status page of the web server is public. It shows version, load, and the addresses that \
                      other visitors are asking for at this moment, sometimes with tokens in them.",
        remediation: "Let only the monitoring system and administrators reach the page, or switch the module off.",
        references: &[
            ("https://httpd.apache.org/docs/2.4/mod/mod_status.html", "remediation"),
            ("https://cwe.mitre.org/data/definitions/497.html", "description"),
        ],
    },
    sentence: "shows its server status at",
    group: each_path,
    probes: &[
        Probe {
            what: "server_status",
            place: Place::Paths(&["/server-status", "/nginx_status"]),
            proof: server_status,
            matches: &[
                Response::html("<h1>Apache Server Status for www</h1><dt>Server Version: Apache</dt>"),
                Response::plain("Active connections: 2\nserver accepts handled requests\n 5 5 9\n"),
            ],
            twins: &[Response::html("<h1>How to read the Apache server status</h1>")],
        },
        Probe {
            what: "server_info",
            place: Place::Paths(&["/server-info"]),
            proof: server_info,
            matches: &[Response::html("<h1>Apache Server Information</h1><h2>Server Settings</h2>")],
            twins: &[Response::html("<h1>Apache Server Information and where to find it</h1>")],
        },
    ],
};

fn server_status(response: &Response<'_>) -> Option<String> {
    let text = response.text();
    if text.contains("Apache Server Status for") && text.contains("Server Version:") {
        return Some("Apache Server Status".to_owned());
    }
    let nginx = text.starts_with("Active connections:") && text.contains("server accepts handled requests");
    nginx.then(|| "Active connections … server accepts handled requests".to_owned())
}

fn server_info(response: &Response<'_>) -> Option<String> {
    let text = response.text();
    let found = text.contains("Apache Server Information") && text.contains("Server Settings");
    found.then(|| "Apache Server Information".to_owned())
}
