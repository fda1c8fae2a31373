//! What the judges of resolutions share: the addresses that a name was seen to have.

use ambit_model::Facts;
use ambit_model::entity::{domain, unmapped};
use std::net::IpAddr;

/// The addresses among a name's resolutions. Those that the guard refuses to contact are kept apart by the task and
/// count as well.
pub(crate) fn of(facts: &Facts) -> impl Iterator<Item = IpAddr> {
    let resolved = domain::RESOLUTIONS.items(&facts.details).map(|resolution| resolution.response_data);
    let private = domain::PRIVATE_ADDRESSES.items(&facts.details);
    resolved.chain(private).filter_map(|text| text.parse().ok()).map(unmapped)
}

/// Facts for the judges' samples.
#[cfg(test)]
pub(crate) mod sample {
    use crate::samples::{Told, facts};
    use ambit_model::{Facts, Kind, TaskName};
    use serde_json::json;

    /// A name that resolves to these addresses.
    pub(crate) fn resolved(addresses: &[&str]) -> Facts {
        let items: Vec<_> = addresses
            .iter()
            .map(|address| {
                json!({"response_data": address,
            "response_type": if address.contains(':') { "AAAA" } else { "A" }})
            })
            .collect();
        facts(Kind::DnsRecord, "www.acme.test").found(TaskName::Resolve).with(json!({"resolutions": items}))
    }
}
