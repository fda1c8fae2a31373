//! Software in a version against which a vulnerability is known. Inferred from what the software says of itself: nobody
//! tried the vulnerability, and what a distribution patched without raising the version is left out before.

use super::{Judge, Rule};
use crate::look;
use ambit_model::issue::{
    Confidence, Exploitation, Identifier, IssueKind, Proof, SEVERITY_CRITICAL, SEVERITY_HIGH, SEVERITY_LOW,
    SEVERITY_MEDIUM, Verdict, Words,
};
use ambit_model::vulnerability::Affected;
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Scores of CVSS from which a severity counts, as its standard grades them.
const CRITICAL_FROM: f64 = 9.0;
const HIGH_FROM: f64 = 7.0;
const MEDIUM_FROM: f64 = 4.0;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "vulnerable_software",
        pretty_name: "Software has a known vulnerability",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Potential,
        category: "vulnerability",
        added: "2026-11-23",
        description: "The version that the software shows is one in which a vulnerability is known. Whether it can be \
                      used here depends on how the software is configured and on what its vendor has patched.",
        remediation: "Update the software to a version in which the vulnerability is fixed. Where that is not possible \
                      at once, follow what its vendor advises, and take the service from the internet.",
        references: &[("https://www.cisa.gov/known-exploited-vulnerabilities-catalog", "threat_intel")],
    },
    applies_to: &[Kind::NetworkService, Kind::Uri],
    reads: &[TaskName::HttpEnrich, TaskName::ServiceIdentify],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    let task = if facts.kind == Kind::Uri { TaskName::HttpEnrich } else { TaskName::ServiceIdentify };
    let Some(vulnerabilities) = &facts.vulnerabilities else { return Verdict::Unknown };
    look::after(facts, task, |facts| {
        // One issue for each CVE, though several products may have it.
        let mut by_cve: BTreeMap<&str, &Affected> = BTreeMap::new();
        for affected in vulnerabilities.iter().filter(|affected| affected.is_issue()) {
            by_cve.entry(&affected.cve).or_insert(affected);
        }
        by_cve.into_values().map(|affected| proof(facts, affected)).collect()
    })
}

pub(super) fn proof(facts: &Facts, affected: &Affected) -> Proof {
    let product = format!("{} {}", affected.product, affected.version);
    let exploited = affected.exploited.as_ref();
    let known = if exploited.is_some() { " It is known to be exploited." } else { "" };
    let description =
        format!("{} shows {product}, and {} concerns {}.{known}", facts.name, affected.cve, affected.range);
    let title = if affected.title.is_empty() { "known vulnerability" } else { &affected.title };
    // What has no CVE id is known by that of another database: GHSA-jfh8-c2jp-5v3q, MAL-2025-1234.
    let database = affected.cve.split('-').next().unwrap_or_default();
    let id = if database == "CVE" { "cve" } else { "advisory" };
    let details = json!({
        "product": product,
        "cpe": affected.cpe,
        id: affected.cve,
        "criterion": affected.criterion,
        "range": affected.range,
        "surroundings_known": affected.is_whole,
        "cvss": affected.cvss,
        "cwes": affected.cwes,
        "cisa_known_exploited": affected.exploited,
        "epss": affected.epss.map(|(score, percentile)| json!({"score": score, "percentile": percentile})),
        "ssvc": affected.ssvc.as_ref().map(ssvc),
    });
    Proof {
        severity: Some(severity(affected)),
        confidence: None,
        identifiers: vec![Identifier { kind: database.to_owned(), name: affected.cve.clone() }],
        words: Some(Box::new(Words {
            pretty_name: format!("{} in {product}: {title}", affected.cve),
            description: affected.description.clone(),
            references: affected.references.clone(),
        })),
        exploitation: Some(Box::new(Exploitation {
            known: exploited.is_some(),
            epss_score: affected.epss.map(|(score, _)| score),
            epss_percentile: affected.epss.map(|(_, percentile)| percentile),
        })),
        ..look::proof_of(&affected.cve, description, details)
    }
}

fn ssvc([exploitation, automatable, impact]: &[String; 3]) -> Value {
    json!({"exploitation": exploitation, "automatable": automatable, "technical_impact": impact})
}

/// By the score; what is known to be exploited is at least of high severity.
fn severity(affected: &Affected) -> i64 {
    let by_score = match affected.score {
        Some(score) if score >= CRITICAL_FROM => SEVERITY_CRITICAL,
        Some(score) if score >= HIGH_FROM => SEVERITY_HIGH,
        Some(score) if score >= MEDIUM_FROM => SEVERITY_MEDIUM,
        Some(_) => SEVERITY_LOW,
        None => SEVERITY_MEDIUM,
    };
    if affected.exploited.is_some() { by_score.min(SEVERITY_HIGH) } else { by_score }
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    use ambit_model::vulnerability::Threshold;
    let known = |cve: &str, product: &str, score: f64| Affected {
        cve: cve.to_owned(),
        vendor: "Apache".to_owned(),
        product: product.to_owned(),
        version: "2.4.49".to_owned(),
        cpe: format!("cpe:2.3:a:apache:{product}:2.4.49:*:*:*:*:*:*:*"),
        title: "Path traversal".to_owned(),
        description: "Files outside are served.".to_owned(),
        criterion: format!("cpe:2.3:a:apache:{product}:*:*:*:*:*:*:*:*"),
        range: "before 2.4.50".to_owned(),
        is_whole: true,
        cvss: Vec::new(),
        score: Some(score),
        cwes: Vec::new(),
        references: Vec::new(),
        exploited: None,
        epss: None,
        ssvc: None,
        threshold: Threshold::Weighty,
    };
    let site = || facts(Kind::Uri, "https://www.acme.test/");
    let service = || facts(Kind::NetworkService, "192.0.2.1:22/tcp");
    let with = |mut facts: Facts, known: &[Affected]| {
        facts.vulnerabilities = Some(known.to_vec());
        facts
    };
    let (grave, slight) = (known("CVE-2021-41773", "http_server", 7.5), known("CVE-2020-1234", "http_server", 5.0));
    let twice = known("CVE-2021-41773", "httpd", 7.5);
    Samples::new()
        .reports_each(
            with(site(), &[grave.clone(), twice, slight.clone()]).found(TaskName::HttpEnrich),
            &["CVE-2021-41773"],
        )
        .reports_each(
            with(service(), std::slice::from_ref(&grave)).found(TaskName::ServiceIdentify),
            &["CVE-2021-41773"],
        )
        .reports_each(
            with(site(), &[Affected { threshold: Threshold::All, ..slight.clone() }]).found(TaskName::HttpEnrich),
            &["CVE-2020-1234"],
        )
        .near_miss(with(site(), &[slight]).found(TaskName::HttpEnrich))
        .near_miss(
            with(site(), &[Affected { threshold: Threshold::Exploited, ..grave.clone() }]).found(TaskName::HttpEnrich),
        )
        .near_miss(with(site(), &[]).found(TaskName::HttpEnrich))
        .unknown(with(site(), std::slice::from_ref(&grave)).failed(TaskName::HttpEnrich))
        .unknown(with(service(), &[grave]))
        .unknown(site().found(TaskName::HttpEnrich))
}
