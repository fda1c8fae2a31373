//! The state of an infrastructure tool that anyone can fetch.

use super::{Exposure, each_path};
use ambit_model::exposure::{Place, Probe, Response};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_CRITICAL};

pub(super) const EXPOSURE: Exposure = Exposure {
    issue: IssueKind {
        name: "exposed_infrastructure_state",
        pretty_name: "Terraform state is exposed",
        severity: SEVERITY_CRITICAL,
        confidence: Confidence::Confirmed,
        category: "leak",
        added: "2026-11-22",
        description: "The web server hands out a state file of Terraform or OpenTofu. It lists every machine, network \
                      and account that the tool made, and holds passwords and keys of theirs in plain text.",
        remediation: "Remove the file and keep the state in a backend with access control and encryption. Then change \
                      every secret that it holds: it must be taken as read.",
        references: &[
            ("https://developer.hashicorp.com/terraform/language/state/sensitive-data", "remediation"),
            ("https://cwe.mitre.org/data/definitions/538.html", "description"),
        ],
    },
    sentence: "serves the state of its infrastructure at",
    group: each_path,
    probes: &[Probe {
        what: "terraform_state",
        place: Place::Paths(&["/terraform.tfstate", "/terraform.tfstate.backup", "/.terraform/terraform.tfstate"]),
        proof: terraform_state,
        matches: &[
            Response::of_json(
                "{\"version\":4,\"terraform_version\":\"1.9.5\",\"serial\":7,\"lineage\":\"x\",\"resources\":[{},{}]}",
            ),
            Response::of_json("{\"version\":3,\"serial\":1,\"lineage\":\"x\",\"backend\":{\"type\":\"s3\"}}"),
        ],
        twins: &[
            Response::of_json("{\"version\":4,\"resources\":[]}"),
            Response::html("<h1>What stands in terraform.tfstate</h1><pre>{\"version\": 4, \"lineage\": \"x\"}</pre>"),
        ],
    }],
};

/// A document with the two numbers and the lineage that every state has. Of its contents only their count leaves.
fn terraform_state(response: &Response<'_>) -> Option<String> {
    let document = response.json()?;
    let version = document.get("version")?.as_u64()?;
    document.get("serial")?.as_u64()?;
    document.get("lineage")?.as_str()?;
    let resources = document.get("resources").and_then(|resources| resources.as_array()).map_or(0, Vec::len);
    Some(format!("Terraform state of version {version}, {resources} resources"))
}
