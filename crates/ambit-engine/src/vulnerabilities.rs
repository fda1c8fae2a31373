//! What is known against the products of an entity: from its facts to the list that its record shows.

use ambit_model::Facts;
use ambit_model::entity::{network_service, repository, uri};
use ambit_model::vulnerability::Affected;
use ambit_store::engine::Vulns;
use ambit_vulns::Knowledge;
use serde_json::Value;

/// Puts what is known of the products that an entity shows into its facts. Where the packs cannot be read, which the
/// log explains, nobody knows what is known against them.
pub(crate) fn look_up(knowledge: &Knowledge, facts: &mut Facts) {
    let packages: Vec<Value>;
    let fingerprint = match facts.details.get("fingerprint") {
        Some(Value::Array(fingerprint)) => fingerprint,
        _ => {
            let named = repository::PACKAGES.items(&facts.details);
            packages = named.map(|one| ambit_vulns::package(&one.ecosystem, &one.name, &one.version)).collect();
            &packages
        }
    };
    if fingerprint.is_empty() {
        (facts.vulnerabilities, facts.maintained) = (Some(Vec::new()), Vec::new());
        return;
    }
    let headers = uri::HEADERS.of(&facts.details).unwrap_or_default();
    let banner = network_service::BANNER.of(&facts.details);
    let beside: Vec<&str> = headers.iter().chain(&banner).map(String::as_str).collect();
    let found = knowledge.affected(fingerprint, &beside);
    let found = found.inspect_err(|error| tracing::error!(%error, "the packs of vulnerabilities cannot be read"));
    (facts.vulnerabilities, facts.maintained) = (found.ok(), knowledge.maintained(fingerprint, &beside));
}

/// The ids by the CPE of the product that they concern.
pub(crate) fn by_product(affected: &[Affected]) -> Vulns {
    let mut vulns = Vulns::new();
    for one in affected {
        vulns.entry(one.cpe.clone()).or_default().push(one.cve.clone());
    }
    vulns
}
