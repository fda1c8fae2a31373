//! What the judges of services share: the protocol that a service was heard to speak, never the one its port suggests.

use crate::look;
use ambit_model::entity::network_service::{self, Service};
use ambit_model::issue::{Proof, Verdict};
use ambit_model::{Facts, TaskName};
use serde_json::json;

/// Judges a service that speaks one of some protocols.
pub(crate) fn speaks(
    facts: &Facts,
    protocols: &[Service],
    sentence: impl FnOnce(&Facts, Service) -> String,
) -> Verdict {
    look::after(facts, TaskName::ServiceIdentify, |facts| {
        network_service::SERVICE
            .of(&facts.details)
            .filter(|service| protocols.contains(service))
            .map(|service| exposed(facts, service.as_str(), sentence(facts, service)))
            .into_iter()
            .collect()
    })
}

/// The proof: which service, and where.
pub(crate) fn exposed(facts: &Facts, service: &str, sentence: String) -> Proof {
    look::proof(sentence, json!({"service": service, "at": facts.name}))
}

/// Facts for the judges' samples.
#[cfg(test)]
pub(crate) mod sample {
    use crate::samples::{Told, facts};
    use ambit_model::entity::network_service::Service;
    use ambit_model::{Facts, Kind, TaskName};
    use serde_json::json;

    /// A port behind which this protocol was heard.
    pub(crate) fn service(port: u16, service: Service) -> Facts {
        unidentified(port).found(TaskName::ServiceIdentify).with(json!({"service": service}))
    }

    /// A UDP port behind which this protocol was heard.
    pub(crate) fn datagram_service(port: u16, service: Service) -> Facts {
        let facts = facts(Kind::NetworkService, &format!("192.0.2.1:{port}/udp"));
        facts.found(TaskName::ServiceIdentify).with(json!({"service": service}))
    }

    /// A port that nobody has listened to yet.
    pub(crate) fn unidentified(port: u16) -> Facts {
        facts(Kind::NetworkService, &format!("192.0.2.1:{port}/tcp"))
    }
}
