//! A database that answers without authentication.

use super::{Judge, Rule};
use crate::look;
use crate::service;
use ambit_model::entity::network;
use ambit_model::entity::network_service::{self, Service};
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_CRITICAL};
use ambit_model::{Facts, Kind, TaskName};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "open_database_service",
        pretty_name: "Database is open to anyone",
        severity: SEVERITY_CRITICAL,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A database on the internet answers without asking who is there. Anybody can read what it holds, \
                      and usually change or delete it; such databases are found and emptied by automated programs.",
        remediation: "Take the service off the internet now, then turn authentication on. Treat what it held as read \
                      by strangers.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/306.html", "description"),
            ("https://cheatsheetseries.owasp.org/cheatsheets/Database_Security_Cheat_Sheet.html", "remediation"),
        ],
    },
    applies_to: &[Kind::NetworkService],
    reads: &[TaskName::ServiceIdentify],
    judge: Rule::Proofs(prove),
};

/// Protocols of databases that can be open. Redis has an issue of its own.
const DATABASES: &[Service] = &[Service::Mongodb, Service::Memcached];
/// Databases that speak HTTP and give their description only to whom they let in. CouchDB welcomes everybody.
const WEB_DATABASES: &[&str] = &["Elasticsearch"];

fn prove(facts: &Facts) -> Vec<Proof> {
    let open = network_service::NO_AUTHENTICATION.is_true(&facts.details);
    let Some(database) = database(facts).filter(|_| open) else {
        return Vec::new();
    };
    let sentence = format!("A database ({}) answers at {} without authentication.", look::shown(&database), facts.name);
    vec![service::exposed(facts, &database, sentence)]
}

/// Which database it is, by its protocol or, over HTTP, by its fingerprint.
fn database(facts: &Facts) -> Option<String> {
    let service = network_service::SERVICE.of(&facts.details)?;
    if DATABASES.contains(&service) {
        return Some(service.as_str().to_owned());
    }
    let mut products = network::FINGERPRINT.items(&facts.details).map(|item| item.product);
    products.find(|product| service == Service::Http && WEB_DATABASES.contains(&product.as_str()))
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::Told;
    use serde_json::json;
    use service::sample::{service, unidentified};
    let open = |open: bool| json!({"hidden_no_authentication": open});
    let web = |product: &str| json!({"hidden_no_authentication": true, "fingerprint": [{"product": product}]});
    crate::samples::Samples::new()
        .reports(service(27017, Service::Mongodb).with(open(true)))
        .reports(service(11211, Service::Memcached).with(open(true)))
        .reports(service(9200, Service::Http).with(web("Elasticsearch")))
        .near_miss(service(5984, Service::Http).with(web("CouchDB")))
        .near_miss(service(9200, Service::Http).with(json!({"fingerprint": [{"product": "Elasticsearch"}]})))
        .near_miss(service(1883, Service::Mqtt).with(open(true)))
        .near_miss(service(27017, Service::Mongodb).with(open(false)))
        .near_miss(service(3306, Service::Mysql))
        .unknown(unidentified(27017))
        .unknown(service(27017, Service::Mongodb).with(open(true)).failed(TaskName::ServiceIdentify))
}
