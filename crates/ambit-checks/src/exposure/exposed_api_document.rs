//! A description of an interface that anyone can read.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_INFO};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_api_document",
        pretty_name: "API document is exposed",
        severity: SEVERITY_INFO,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "A machine-readable description of an API (OpenAPI or Swagger) is public. For a public API that \
                      is as it should \
                      be; for an internal one it hands strangers a map of every call and its parameters.",
        remediation: "Decide whether the API is meant for the public. If not, put the document and the API behind \
                      authentication.",
        references: &[
            ("https://spec.openapis.org/oas/latest.html", "description"),
            ("https://owasp.org/API-Security/editions/2023/en/0xa9-improper-inventory-management/", "remediation"),
        ],
    },
    sentence: "serves an API document at",
    group: each_path,
    probes: &[Probe {
        what: "api_document",
        place: Place::Interface(&[
            "/openapi.json",
            "/swagger.json",
            "/api/openapi.json",
            "/swagger/v1/swagger.json",
            "/v2/api-docs",
            "/v3/api-docs",
            "/api-docs",
            "/openapi.yaml",
        ]),
        proof: api_document,
        matches: &[
            Response::of_json("{\"openapi\":\"3.0.1\",\"paths\":{}}"),
            Response::plain("openapi: 3.0.0\ninfo: x\npaths:\n  /a:\n"),
        ],
        twins: &[Response::of_json("{\"detail\":\"Not authenticated\"}")],
    }],
};

fn api_document(response: &Response<'_>) -> Option<String> {
    static YAML: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"(?m)^(openapi|swagger): ["']?(\d[\d.]*)"#).expect("constant"));
    if let Some(document) = response.json() {
        let version = document.get("openapi").or_else(|| document.get("swagger"))?.as_str()?;
        let paths = document.get("paths")?.as_object()?;
        return Some(format!("openapi {version}, {} paths", paths.len()));
    }
    let text = response.text();
    let found = YAML.captures(&text).filter(|_| !response.is_html && text.contains("\npaths:"))?;
    Some(format!("openapi {}", &found[2]))
}
