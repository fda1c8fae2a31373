//! The names of accounts that anyone can read.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_LOW};
use serde_json::Value;

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_user_listing",
        pretty_name: "User accounts are listed",
        severity: SEVERITY_LOW,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-21",
        description: "An interface of the site lists its accounts with the names by which they sign in. That is half \
                      of what is needed to guess a password.",
        remediation: "Let the interface answer signed-in users only, or leave the sign-in names out.",
        references: &[
            ("https://developer.wordpress.org/rest-api/reference/users/", "description"),
            ("https://cwe.mitre.org/data/definitions/200.html", "description"),
        ],
    },
    sentence: "lists its accounts at",
    group: each_path,
    probes: &[Probe {
        what: "user_listing",
        place: Place::Paths(&["/wp-json/wp/v2/users"]),
        proof: user_listing,
        matches: &[Response::of_json("[{\"id\":1,\"name\":\"Admin\",\"slug\":\"admin\"}]")],
        twins: &[
            Response::of_json("{\"code\":\"rest_user_cannot_view\"}"),
            Response::of_json("[{\"id\":1,\"slug\":\"hello-all\"}]"),
        ],
    }],
};

/// Accounts with the names that they sign in by.
fn user_listing(response: &Response<'_>) -> Option<String> {
    let document = response.json()?;
    let users = document.as_array().filter(|users| !users.is_empty())?;
    let is_user = |user: &Value| {
        user.get("id").is_some_and(Value::is_u64)
            && user.get("slug").is_some_and(Value::is_string)
            && user.get("name").is_some()
    };
    users.iter().all(is_user).then(|| format!("{} accounts", users.len()))
}
