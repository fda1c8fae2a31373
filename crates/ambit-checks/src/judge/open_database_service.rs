//! A database that answers without authentication.

use super::Judge;
use crate::look;
use crate::service;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_CRITICAL, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "open_database_service",
        pretty_name: "Database is open to anyone",
        severity: SEVERITY_CRITICAL,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A database on the internet answers without asking who is there. Anybody can read what it holds, and usually \
                      change or delete it; such databases are found and emptied by automated programs.",
        remediation: "Take the service off the internet now, then turn authentication on. Treat what it held as read by strangers.",
        references: &[
            ("https://cwe.mitre.org/data/definitions/306.html", "description"),
            (
                "https://cheatsheetseries.owasp.org/cheatsheets/Database_Security_Cheat_Sheet.html",
                "remediation",
            ),
        ],
    },
    applies_to: &[Kind::NetworkService],
    reads: &[TaskName::ServiceIdentify],
    judge,
};

/// Protocols of databases that can be open. Redis has an issue of its own.
const DATABASES: &[&str] = &["MONGODB", "MEMCACHED", "CASSANDRA", "ELASTICSEARCH"];
/// Databases that speak HTTP and give their description only to whom they let in. CouchDB welcomes everybody.
const WEB_DATABASES: &[&str] = &["Elasticsearch"];

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    look::after(facts, TaskName::ServiceIdentify, |facts| {
        let open = look::flag(facts, "hidden_no_authentication") == Some(true);
        let Some(database) = database(facts).filter(|_| open) else {
            return Vec::new();
        };
        let sentence = format!("A database ({}) answers at {} without authentication.", look::shown(database), facts.name);
        vec![service::exposed(facts, database, sentence)]
    })
}

/// Which database it is, by its protocol or, over HTTP, by its fingerprint.
fn database(facts: &Facts) -> Option<&str> {
    let service = facts.text("service")?;
    if DATABASES.contains(&service) {
        return Some(service);
    }
    let products = look::items(facts, "fingerprint").filter_map(|item| look::member(item, "product"));
    products.filter(|_| service == "HTTP").find(|product| WEB_DATABASES.contains(product))
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::Told;
    use serde_json::json;
    use service::sample::{service, unidentified};
    let open = |open: bool| json!({"hidden_no_authentication": open});
    let web = |product: &str| json!({"hidden_no_authentication": true, "fingerprint": [{"product": product}]});
    crate::samples::Samples::new()
        .reports(service(27017, "MONGODB").with(open(true)))
        .reports(service(11211, "MEMCACHED").with(open(true)))
        .reports(service(9200, "HTTP").with(web("Elasticsearch")))
        .near_miss(service(5984, "HTTP").with(web("CouchDB")))
        .near_miss(service(9200, "HTTP").with(json!({"fingerprint": [{"product": "Elasticsearch"}]})))
        .near_miss(service(1883, "MQTT").with(open(true)))
        .near_miss(service(27017, "MONGODB").with(open(false)))
        .near_miss(service(3306, "MYSQL"))
        .unknown(unidentified(27017))
        .unknown(service(27017, "MONGODB").with(open(true)).failed(TaskName::ServiceIdentify))
}
