//! A console that runs scripts on the server for whoever asks.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_CRITICAL};

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_script_console",
        pretty_name: "Script console is exposed",
        severity: SEVERITY_CRITICAL,
        confidence: Confidence::Confirmed,
        category: "vulnerability",
        added: "2026-11-21",
        description: "The script console of a build server is open to strangers. It runs any code on the server, with \
                      all that the server may reach: sources, credentials, the machines that it deploys to.",
        remediation: "Switch authentication on, let nobody but administrators use the console, and keep the server \
                      within the own network. Treat its credentials as known to strangers.",
        references: &[
            ("https://www.jenkins.io/doc/book/managing/script-console/", "description"),
            ("https://www.jenkins.io/doc/book/security/", "remediation"),
        ],
    },
    sentence: "runs scripts for everybody at",
    group: each_path,
    probes: &[Probe {
        what: "script_console",
        place: Place::Paths(&["/script", "/jenkins/script"]),
        proof: script_console,
        matches: &[Response::html("<title>Script Console [Jenkins]</title><textarea name=script></textarea>")],
        twins: &[Response::html("<title>Sign in [Jenkins]</title><form>")],
    }],
};

fn script_console(response: &Response<'_>) -> Option<String> {
    let text = response.text();
    let found = response.is_html
        && text.contains("Script Console")
        && text.contains("Jenkins")
        && (text.contains("name=script") || text.contains("name=\"script\""));
    found.then(|| "Script Console [Jenkins]".to_owned())
}
