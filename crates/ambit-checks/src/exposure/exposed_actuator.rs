//! Management calls of an application that anyone can make.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH};
use serde_json::Value;

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_actuator",
        pretty_name: "Application management endpoint is exposed",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The management endpoints of a Spring Boot application answer without authentication. They show \
                      settings and memory, sometimes with passwords, and some change the running application.",
        remediation: "Expose only the health endpoint to the public, and put the others on an internal port or behind \
                      authentication.",
        references: &[
            ("https://docs.spring.io/spring-boot/reference/actuator/endpoints.html", "remediation"),
            ("https://cwe.mitre.org/data/definitions/306.html", "description"),
        ],
    },
    sentence: "answers management calls at",
    group: each_path,
    probes: &[Probe {
        what: "actuator",
        place: Place::Paths(&["/actuator", "/actuator/env", "/env"]),
        proof: actuator,
        matches: &[
            Response::of_json("{\"_links\":{\"env\":{}}}"),
            Response::of_json("{\"activeProfiles\":[\"prod\"],\"propertySources\":[]}"),
        ],
        twins: &[Response::of_json("{\"_links\":{\"self\":{},\"health\":{}}}")],
    }],
};

/// Links beyond health and info, or an environment itself.
fn actuator(response: &Response<'_>) -> Option<String> {
    let document = response.json()?;
    if let Some(links) = document.get("_links").and_then(Value::as_object) {
        let telling =
            ["env", "heapdump", "beans", "configprops", "threaddump", "mappings", "loggers", "httptrace", "shutdown"];
        let found: Vec<&str> = telling.into_iter().filter(|name| links.contains_key(*name)).collect();
        return (!found.is_empty()).then(|| found.join(", "));
    }
    let sources = document.get("propertySources").and_then(Value::as_array)?;
    document.get("activeProfiles").map(|_| format!("{} property sources", sources.len()))
}
