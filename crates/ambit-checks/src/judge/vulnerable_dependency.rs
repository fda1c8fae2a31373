//! A package in a version against which a vulnerability is known, named by a lock file of a repository.

use super::{Judge, vulnerable_software};
use crate::{look, repository};
use ambit_model::entity::repository::{PACKAGES, Package};
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH, Verdict};
use ambit_model::vulnerability::Affected;
use ambit_model::{Facts, Kind, Timestamp};
use serde_json::json;
use std::collections::BTreeMap;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "vulnerable_dependency",
        pretty_name: "Package with a known vulnerability",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Potential,
        category: "vulnerability",
        added: "2026-11-25",
        description: "A lock file of the repository names a package in a version in which a vulnerability is known. \
                      What is built from it may have it too; whether it can be used depends on how the package is \
                      used.",
        remediation: "Raise the package to a version in which the vulnerability is fixed, build anew, and put what was \
                      built in the place of what runs.",
        references: &[("https://osv.dev/", "threat_intel")],
    },
    applies_to: Kind::REPOSITORIES,
    reads: repository::LOOKS,
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    let Some(vulnerabilities) = &facts.vulnerabilities else { return Verdict::Unknown };
    repository::after(facts, |facts| {
        // One issue for each CVE of a package, though several files name it.
        let mut each: BTreeMap<(&str, &str), &Affected> = BTreeMap::new();
        for affected in vulnerabilities.iter().filter(|affected| affected.is_issue()) {
            each.entry((&affected.cve, &affected.product)).or_insert(affected);
        }
        let packages: Vec<Package> = PACKAGES.items(&facts.details).collect();
        each.into_values().map(|affected| proof(facts, &packages, affected)).collect()
    })
}

fn proof(facts: &Facts, packages: &[Package], affected: &Affected) -> Proof {
    let of_it = |package: &&Package| package.name == affected.product && package.version == affected.version;
    let mut paths: Vec<&str> = packages.iter().filter(of_it).map(|package| package.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    let place = paths.first().map_or_else(String::new, |path| format!(" in {}", look::shown(path)));
    let description = format!(
        "{} names the package {} {}{place}, and {} concerns {}.",
        facts.name, affected.product, affected.version, affected.cve, affected.range
    );
    let mut proof = vulnerable_software::proof(facts, affected);
    proof.discriminator = format!("{} {}", affected.cve, affected.product);
    proof.description = description;
    proof.details["paths"] = json!(paths);
    proof
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    use ambit_model::TaskName;
    use ambit_model::vulnerability::Threshold;
    let known = |score: f64| Affected {
        cve: "CVE-2021-23337".to_owned(),
        vendor: "npm".to_owned(),
        product: "lodash".to_owned(),
        version: "4.17.20".to_owned(),
        cpe: "cpe:2.3:a:osv_npm:lodash:4.17.20:*:*:*:*:*:*:*".to_owned(),
        title: "Command injection".to_owned(),
        description: "Templates run commands.".to_owned(),
        criterion: "cpe:2.3:a:osv_npm:lodash:*:*:*:*:*:*:*:*".to_owned(),
        range: "before 4.17.21".to_owned(),
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
    let repository = || facts(Kind::GitRepository, "https://code.acme.test:443/app.git").found(TaskName::Repository);
    let with = |mut facts: Facts, known: Option<Vec<Affected>>| {
        facts.vulnerabilities = known;
        let package = json!({"ecosystem": "npm", "name": "lodash", "version": "4.17.20", "path": "package-lock.json"});
        facts.with(json!({ "hidden_packages": [package] }))
    };
    Samples::new()
        .reports_each(with(repository(), Some(vec![known(7.2)])), &["CVE-2021-23337 lodash"])
        .near_miss(with(repository(), Some(Vec::new())))
        .near_miss(with(repository(), Some(vec![known(5.0)])))
        .unknown(with(repository(), None))
        .unknown(with(facts(Kind::GitRepository, "https://code.acme.test:443/app.git"), Some(vec![known(7.2)])))
}
