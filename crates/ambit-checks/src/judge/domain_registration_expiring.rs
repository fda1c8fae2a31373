//! A domain whose registration ends soon, or has ended.

use super::{Judge, Rule};
use crate::look;
use ambit_model::entity::domain;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_MEDIUM, Verdict};
use ambit_model::moment::DAY_MS;
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "domain_registration_expiring",
        pretty_name: "Registration of the domain is about to expire",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-22",
        description: "The registry says that the registration of the domain ends within the next 30 days, or that it \
                      has ended. If nobody renews it, its sites and its mail stop, and whoever registers the name \
                      next receives the mail and can obtain certificates for it.",
        remediation: "Renew the registration, turn on automatic renewal, and check that the registrar has a valid \
                      means of payment and an address that somebody reads. A domain that is no longer needed is best \
                      kept for some years after its last use.",
        references: &[
            ("https://www.icann.org/resources/pages/domain-name-renewal-expiration-faqs-2018-12-07-en", "description"),
            ("https://www.rfc-editor.org/rfc/rfc9083", "description"),
        ],
    },
    applies_to: &[Kind::Domain],
    reads: &[TaskName::Registration],
    judge: Rule::Own(judge),
};

/// Days before the end from which a registration is reported: registrars that renew by themselves do so earlier.
const LEAD_DAYS: i64 = 30;

fn judge(facts: &Facts, date: Timestamp) -> Verdict {
    let expires = domain::REGISTRATION.of(&facts.details).and_then(|registration| registration.expires);
    // Registries of some countries do not say when, or write dates in a way of their own.
    let Some(end) = expires.as_deref().and_then(Timestamp::parse) else { return Verdict::Unknown };
    look::after(facts, TaskName::Registration, |facts| {
        if end >= date.plus_ms(LEAD_DAYS * DAY_MS) {
            return Vec::new();
        }
        vec![look::proof(
            format!("The registration of {} ends on {}.", facts.name, end.date()),
            json!({"domain": facts.name, "expires": end.date()}),
        )]
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    let domain = |expires: Option<&str>| {
        facts(Kind::Domain, "acme.test")
            .found(TaskName::Registration)
            .with(json!({"hidden_registration": {"registrar": "Example Registrar", "expires": expires}}))
    };
    Samples::new()
        .reports(domain(Some("2026-06-30T23:00:00Z")))
        .reports(domain(Some("2026-05-01T00:00:00Z")))
        .near_miss(domain(Some("2026-07-01T12:00:00Z")))
        .unknown(facts(Kind::Domain, "acme.test"))
        .unknown(domain(None))
        .unknown(domain(Some("30-Jun-2026")))
        .unknown(domain(Some("2026-06-10T00:00:00Z")).failed(TaskName::Registration))
}
