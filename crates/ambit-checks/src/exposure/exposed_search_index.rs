//! A search engine that shows its data to everybody.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_search_index",
        pretty_name: "Search engine is open to everybody",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "A search engine answers requests of strangers and names its indices. Whoever finds it can read \
                      the documents in them, and often change or delete them.",
        remediation: "Bind the service to internal addresses and switch its authentication on. Assume that the data \
                      was read.",
        references: &[
            (
                "https://www.elastic.co/guide/en/elasticsearch/reference/current/security-minimal-setup.html",
                "remediation",
            ),
            ("https://cwe.mitre.org/data/definitions/306.html", "description"),
        ],
    },
    sentence: "names its indices at",
    group: each_path,
    probes: &[Probe {
        what: "search_index",
        place: Place::Paths(&["/_cat/indices"]),
        proof: search_index,
        matches: &[Response::plain("green open customers 1 1 5000\n")],
        twins: &[Response::html("green open spaces for everyone\n"), Response::of_json("{\"status\":401}")],
    }],
};

/// Lines of Elasticsearch's and OpenSearch's table of indices: health, status, name.
fn search_index(response: &Response<'_>) -> Option<String> {
    static LINE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^(?:green|yellow|red) +(?:open|close) +([A-Za-z0-9_.@+-]{1,200}) ").expect("constant")
    });
    let text = response.text();
    let count = LINE.find_iter(&text).count();
    LINE.captures(&text).filter(|_| !response.is_html).map(|found| format!("{count} indices, such as {}", &found[1]))
}
