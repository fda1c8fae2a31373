//! A database, open to the internet.

use super::{Judge, Rule};
use crate::look;
use crate::service;
use ambit_model::entity::network_service::{self, Service};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};
#[cfg(test)]
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_database_service",
        pretty_name: "Database is exposed",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A database answers on the internet. Even with passwords set it is open to guessing and to flaws \
                      of the server itself, and what lies behind it is usually what matters most.",
        remediation: "Let only the machines that need the database reach it: bind it to an internal address, filter \
                      the port, and use a VPN or a tunnel for administration.",
        references: &[
            ("https://cheatsheetseries.owasp.org/cheatsheets/Database_Security_Cheat_Sheet.html", "remediation"),
            ("https://cwe.mitre.org/data/definitions/668.html", "description"),
            ("https://attack.mitre.org/techniques/T1133/", "threat_intel"),
        ],
    },
    applies_to: &[Kind::NetworkService],
    reads: &[TaskName::ServiceIdentify],
    judge: Rule::Own(judge),
};

/// Protocols of databases. Redis is not among them: it is reported where it answers without a password.
const DATABASES: &[Service] =
    &[Service::Mysql, Service::Postgresql, Service::Mssql, Service::Mongodb, Service::Memcached];

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    if network_service::NO_AUTHENTICATION.is_true(&facts.details) && facts.looked(TaskName::ServiceIdentify) {
        // The graver issue says it all.
        return Verdict::Clear;
    }
    service::speaks(facts, DATABASES, |facts, protocol| {
        format!("A database ({}) answers at {}.", look::shown(protocol.as_str()), facts.name)
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::Told;
    use service::sample::{service, unidentified};
    crate::samples::Samples::new()
        .reports(service(3306, Service::Mysql))
        .reports(service(15432, Service::Postgresql))
        .reports(service(27017, Service::Mongodb).with(json!({"hidden_no_authentication": false})))
        .near_miss(service(3306, Service::Ssh))
        .near_miss(service(6379, Service::Redis))
        .near_miss(service(27017, Service::Mongodb).with(json!({"hidden_no_authentication": true})))
        .near_miss(unidentified(3306).absent(TaskName::ServiceIdentify))
        .unknown(unidentified(3306))
        .unknown(service(3306, Service::Mysql).failed(TaskName::ServiceIdentify))
}
