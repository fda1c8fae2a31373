//! A package in a version against which a vulnerability is known, named by a lock file of a repository.

use super::{Judge, Rule, vulnerable_software};
use crate::{look, repository};
use ambit_model::entity::repository::{PACKAGES, Package};
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH, Verdict};
use ambit_model::vulnerability::Affected;
use ambit_model::{Facts, Kind, Timestamp};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Files of one version that the sentence names; the details list all.
const FILES_TOLD: usize = 5;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "vulnerable_dependency",
        pretty_name: "Package has a known vulnerability",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Potential,
        category: "vulnerability",
        added: "2026-11-25",
        description: "A lock file of the repository names a package in a version in which a vulnerability is known. \
                      What is built from it may have it too; whether it can be used depends on how the package is \
                      used.",
        remediation: "Update the package to a version in which the vulnerability is fixed, rebuild, and deploy the \
                      result.",
        references: &[("https://osv.dev/", "threat_intel")],
    },
    applies_to: Kind::REPOSITORIES,
    reads: repository::LOOKS,
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    let Some(vulnerabilities) = &facts.vulnerabilities else { return Verdict::Unknown };
    repository::after(facts, |facts| {
        // One issue for each CVE of a package, though several files name it, and in several versions.
        let mut each: BTreeMap<(&str, &str), Vec<&Affected>> = BTreeMap::new();
        for affected in vulnerabilities.iter().filter(|affected| affected.is_issue()) {
            each.entry((&affected.cve, &affected.product)).or_default().push(affected);
        }
        let packages: Vec<Package> = PACKAGES.items(&facts.details).collect();
        each.into_values().filter_map(|versions| proof(facts, &packages, &versions)).collect()
    })
}

/// `versions`: what is known against each version of one package by one vulnerability.
fn proof(facts: &Facts, packages: &[Package], versions: &[&Affected]) -> Option<Proof> {
    let (first, others) = versions.split_first()?;
    let (mut told, mut named, mut paths) = (Vec::new(), Vec::new(), BTreeSet::new());
    for one in versions {
        let of_it = |package: &&Package| {
            package.ecosystem == one.vendor && package.name == one.product && package.version == one.version
        };
        let files: BTreeSet<&str> = packages.iter().filter(of_it).map(|package| package.path.as_str()).collect();
        told.push(format!("{}{}", one.version, places(&files)));
        named.push(json!({"version": one.version, "range": one.range, "paths": files}));
        paths.extend(files);
    }
    let ranges: BTreeSet<&str> = versions.iter().map(|one| one.range.as_str()).collect();
    let ranges = ranges.into_iter().collect::<Vec<_>>().join(" and ");
    let (product, cve) = (&first.product, &first.cve);
    let mut proof = vulnerable_software::proof(facts, first);
    proof.discriminator = format!("{cve} {product}");
    proof.description =
        format!("{} names the package {product} {}, and {cve} concerns {ranges}.", facts.name, told.join("; "));
    proof.details["paths"] = json!(paths);
    proof.details["versions"] = json!(named);
    if !others.is_empty()
        && let Some(words) = &mut proof.words
    {
        let shown = format!("{product} {}", first.version);
        let all = format!("{shown} and {} more", others.len());
        words.pretty_name = words.pretty_name.replacen(&shown, &all, 1);
    }
    Some(proof)
}

/// The files that name a version, in words.
fn places(files: &BTreeSet<&str>) -> String {
    let more = files.len().saturating_sub(FILES_TOLD);
    let mut shown: Vec<String> = files.iter().take(FILES_TOLD).map(|path| look::shown(path)).collect();
    shown.extend((more > 0).then(|| format!("{more} more")));
    if shown.is_empty() { String::new() } else { format!(" in {}", shown.join(", ")) }
}

#[cfg(test)]
fn known(version: &str, score: f64) -> Affected {
    Affected {
        cve: "CVE-2021-23337".to_owned(),
        vendor: "npm".to_owned(),
        product: "lodash".to_owned(),
        version: version.to_owned(),
        cpe: format!("cpe:2.3:a:osv_npm:lodash:{version}:*:*:*:*:*:*:*"),
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
        threshold: ambit_model::vulnerability::Threshold::Weighty,
    }
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts};
    use ambit_model::TaskName;
    let known = |score: f64| known("4.17.20", score);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{DATE, Told, facts};
    use ambit_model::TaskName;

    #[test]
    fn what_has_no_cve_id_is_named_by_the_id_of_its_database() {
        let harm = Affected { cve: "MAL-2025-1234".to_owned(), ..known("4.17.20", 10.0) };
        let mut facts = facts(Kind::GitRepository, "https://code.acme.test:443/app.git").found(TaskName::Repository);
        facts.vulnerabilities = Some(vec![harm]);
        let Verdict::Proven(proofs) = judge(&facts, Timestamp::parse(DATE).unwrap()) else { panic!("none") };
        let [proof] = proofs.as_slice() else { panic!("{proofs:?}") };
        assert_eq!(proof.severity, Some(ambit_model::issue::SEVERITY_CRITICAL));
        let named: Vec<(&str, &str)> =
            proof.identifiers.iter().map(|one| (one.kind.as_str(), one.name.as_str())).collect();
        assert_eq!(named, [("MAL", "MAL-2025-1234")]);
        assert_eq!((&proof.details["advisory"], &proof.details["cve"]), (&json!("MAL-2025-1234"), &json!(null)));
    }

    #[test]
    fn every_file_is_named_with_its_version_when_several_are_vulnerable() {
        let package = |registry: &str, version: &str, path: &str| {
            let name = "lodash";
            json!({"ecosystem": registry, "name": name, "version": version, "path": path})
        };
        let packages = [
            package("npm", "4.17.15", "a/package-lock.json"),
            package("npm", "4.17.20", "b/yarn.lock"),
            package("npm", "4.17.20", "c/yarn.lock"),
            package("PyPI", "4.17.20", "requirements.txt"),
        ];
        let mut facts = facts(Kind::GitRepository, "https://code.acme.test:443/app.git").found(TaskName::Repository);
        facts.vulnerabilities = Some(vec![known("4.17.15", 7.2), known("4.17.20", 7.2)]);
        let facts = facts.with(json!({"hidden_packages": packages}));
        let Verdict::Proven(proofs) = judge(&facts, Timestamp::parse(DATE).unwrap()) else {
            panic!("nothing is reported")
        };
        let [proof] = proofs.as_slice() else { panic!("{proofs:?}") };
        assert_eq!(
            proof.description,
            "https://code.acme.test:443/app.git names the package lodash 4.17.15 in \"a/package-lock.json\"; 4.17.20 \
             in \"b/yarn.lock\", \"c/yarn.lock\", and CVE-2021-23337 concerns before 4.17.21."
        );
        assert_eq!(proof.details["paths"], json!(["a/package-lock.json", "b/yarn.lock", "c/yarn.lock"]));
        assert_eq!(proof.details["versions"][1]["paths"], json!(["b/yarn.lock", "c/yarn.lock"]));
        let title = proof.words.as_ref().map(|words| words.pretty_name.as_str());
        assert_eq!(title, Some("CVE-2021-23337 in lodash 4.17.15 and 1 more: Command injection"));
    }
}
