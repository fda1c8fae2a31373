//! A framework in debug mode, which shows anybody how it is built.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM};

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_debug_page",
        pretty_name: "Framework runs in debug mode",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The site answers errors with pages for its developers, or has an open debugger. They show paths, \
                      settings, code and sometimes secrets; an open console runs commands.",
        remediation: "Switch the debug mode off in production and log errors on the server instead.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/489.html", "description"),
            ("https://cwe.mitre.org/data/definitions/209.html", "description"),
            ("https://owasp.org/Top10/A05_2021-Security_Misconfiguration/", "remediation"),
        ],
    },
    sentence: "shows a page for developers at",
    group: each_path,
    probes: &[
        Probe {
            what: "debug",
            place: Place::Paths(&["/debug/pprof/", "/_debugbar/open", "/console"]),
            proof: debug,
            matches: &[Response::html("<title>/debug/pprof/</title>Types of profiles available:")],
            twins: &[Response::html("<title>/debug/pprof/</title>Not here")],
        },
        Probe {
            what: "debug_page",
            place: Place::MissingPage,
            proof: debug_page,
            matches: &[Response::html(
                "You're seeing this error because you have <code>DEBUG = True</code> in your Django settings file.",
            )],
            twins: &[
                Response::html("<h1>Page not found</h1>"),
                Response::html("<p>Never set <code>DEBUG = True</code> in production.</p>"),
            ],
        },
    ],
};

fn debug(response: &Response<'_>) -> Option<String> {
    let text = response.text();
    let marks = [("/debug/pprof/", "Types of profiles available:"), ("Werkzeug Debugger", "Interactive Console")];
    marks.iter().find(|(one, other)| text.contains(one) && text.contains(other)).map(|(one, _)| (*one).to_owned())
}

/// A page on which a framework tells the developer what went wrong, and everybody else how it is built.
fn debug_page(response: &Response<'_>) -> Option<String> {
    const MARKS: &[(&str, &str, &str)] = &[
        ("Django", "<code>DEBUG = True</code>", "settings file"),
        ("Flask", "Werkzeug Debugger", "Traceback"),
        ("Laravel", "Illuminate\\", "Stack trace"),
        ("Rails", "Rails.root:", "Application Trace"),
        ("Symfony", "Symfony Exception", "Stack Trace"),
        ("ASP.NET", "Server Error in '", "Stack Trace:"),
        ("Express", "NotFoundError:", "node_modules/"),
    ];
    let text = response.text();
    let found = MARKS.iter().find(|(_, one, other)| text.contains(one) && text.contains(other))?;
    response.is_html.then(|| format!("{} in debug mode", found.0))
}
