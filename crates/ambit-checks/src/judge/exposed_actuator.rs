//! Management calls of an application that anyone can make.

use super::Judge;
use crate::exposure;
use crate::look::shown;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "exposed_actuator",
        pretty_name: "Application management endpoint is exposed",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "The management endpoints of a Spring Boot application answer without authentication. They show settings and \
                      memory, sometimes with passwords, and some change the running application.",
        remediation: "Expose only the health endpoint to the public, and put the others on an internal port or behind \
                      authentication.",
        references: &[
            ("https://docs.spring.io/spring-boot/reference/actuator/endpoints.html", "remediation"),
            ("https://cwe.mitre.org/data/definitions/306.html", "description"),
        ],
    },
    applies_to: &[Kind::Uri],
    reads: &[TaskName::ContentFocus],
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    exposure::judge(facts, &["actuator"], |path| {
        format!("{} answers management calls at {}.", facts.name, shown(path))
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    exposure::sample::samples("actuator", "/actuator/env", "metrics")
}
