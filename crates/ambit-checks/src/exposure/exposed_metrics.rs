//! Measurements of a service that anyone can read.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_metrics",
        pretty_name: "Metrics are exposed",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "The measurements of a service are public. They tell strangers about versions, load, internal \
                      names and how the service is built, and sometimes count its customers.",
        remediation: "Let only the monitoring system reach the endpoint, or ask for authentication.",
        references: &[
            ("https://prometheus.io/docs/operating/security/", "remediation"),
            ("https://cwe.mitre.org/data/definitions/497.html", "description"),
        ],
    },
    sentence: "shows its metrics at",
    group: each_path,
    probes: &[Probe {
        what: "metrics",
        place: Place::Paths(&["/metrics"]),
        proof: metrics,
        matches: &[
            Response::plain("# TYPE go_goroutines gauge\ngo_goroutines 40\n"),
            Response::plain("process_cpu_seconds_total 12.1\ngo_goroutines{a=\"b\"} 40\n"),
        ],
        twins: &[
            Response::html("# TYPE x gauge"),
            Response::plain("apples 12\npears 7\n"),
            Response::plain("process_cpu_seconds_total is a metric\ngo_goroutines 40\n"),
        ],
    }],
};

fn metrics(response: &Response<'_>) -> Option<String> {
    static TYPE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^# TYPE ([a-zA-Z_:][A-Za-z0-9_:]{0,100}) (counter|gauge|histogram|summary|untyped)$")
            .expect("constant")
    });
    let text = response.text();
    if response.is_html {
        return None;
    }
    if let Some(found) = TYPE.captures(&text) {
        return Some(format!("# TYPE {} {}", &found[1], &found[2]));
    }
    bare_metrics(&text)
}

/// Measurements without their descriptions: nothing but names with numbers, and of the names one that every exporter
/// uses.
fn bare_metrics(text: &str) -> Option<String> {
    static SAMPLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\A([a-zA-Z_:][A-Za-z0-9_:]{0,100})(\{[^}]*\})? [-+]?(?:[0-9][0-9.eE+-]*|NaN|Inf)( \d+)?\z")
            .expect("constant")
    });
    const CUSTOMARY: &[&str] =
        &["process_", "go_", "jvm_", "node_", "python_", "promhttp_", "http_requests_", "dotnet_", "nodejs_"];
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let names: Option<Vec<&str>> =
        lines.map(|line| SAMPLE.captures(line).and_then(|found| found.get(1)).map(|name| name.as_str())).collect();
    let names = names.filter(|names| names.len() >= 2)?;
    names.iter().find(|name| CUSTOMARY.iter().any(|start| name.starts_with(start))).map(|name| (*name).to_owned())
}
