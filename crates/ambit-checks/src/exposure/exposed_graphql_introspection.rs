//! A GraphQL interface that describes itself to anyone.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW};

/// Asks at the usual addresses the smallest question about a schema.
pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_graphql_introspection",
        pretty_name: "GraphQL introspection is enabled",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The GraphQL endpoint answers introspection queries from anyone, and so lists every type, query \
                      and change that the application knows, also those that no page uses.",
        remediation: "Switch introspection off in production unless the API is meant for the public, and make sure \
                      that every field checks who asks.",
        references: &[
            ("https://cheatsheetseries.owasp.org/cheatsheets/GraphQL_Cheat_Sheet.html", "remediation"),
            ("https://graphql.org/learn/introspection/", "description"),
        ],
    },
    sentence: "answers introspection at",
    group: each_path,
    probes: &[Probe {
        what: "graphql",
        place: Place::Interface(&[
            "/graphql?query=%7B__typename%20__schema%7BqueryType%7Bname%7D%20types%7Bname%20kind%7D%7D%7D",
            "/api/graphql?query=%7B__typename%20__schema%7BqueryType%7Bname%7D%20types%7Bname%20kind%7D%7D%7D",
        ]),
        proof: graphql,
        matches: &[Response::of_json("{\"data\":{\"__schema\":{\"types\":[]}}}")],
        twins: &[Response::of_json("{\"errors\":[{\"message\":\"introspection is not allowed\"}]}")],
    }],
};

fn graphql(response: &Response<'_>) -> Option<String> {
    let document = response.json()?;
    let types = document.pointer("/data/__schema/types")?.as_array()?;
    Some(format!("__schema with {} types", types.len()))
}
