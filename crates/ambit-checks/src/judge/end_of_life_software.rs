//! Software in a version for which its maker no longer cares: what is found in it from now on stays. What a
//! distribution keeps alive by itself is left out before.

use super::{Judge, Rule};
use crate::look;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_MEDIUM, Verdict};
use ambit_model::vulnerability::Maintained;
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::json;
use std::collections::BTreeMap;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "end_of_life_software",
        pretty_name: "Software has reached its end of life",
        severity: SEVERITY_MEDIUM,
        confidence: Confidence::Potential,
        category: "vulnerability",
        added: "2026-11-23",
        description: "The vendor no longer supports the version that the software shows: vulnerabilities that are \
                      found in it are not fixed. Extended support or your own patches may protect you.",
        remediation: "Update the software to a version that its vendor supports, and plan ahead for the end of that \
                      version.",
        references: &[
            ("https://endoflife.date/", "description"),
            ("https://cwe.mitre.org/data/definitions/1104.html", "description"),
        ],
    },
    applies_to: &[Kind::NetworkService, Kind::Uri],
    reads: &[TaskName::HttpEnrich, TaskName::ServiceIdentify],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, date: Timestamp) -> Verdict {
    let task = if facts.kind == Kind::Uri { TaskName::HttpEnrich } else { TaskName::ServiceIdentify };
    look::after(facts, task, |facts| {
        // One issue for each product, though several signs may show it.
        let mut ended: BTreeMap<String, &Maintained> = BTreeMap::new();
        for one in facts.maintained.iter().filter(|one| is_over(one, date)) {
            ended.entry(format!("{} {}", one.product, one.versions)).or_insert(one);
        }
        ended.iter().map(|(discriminator, one)| proof(facts, discriminator, one)).collect()
    })
}

/// The last day counts whole.
fn is_over(one: &Maintained, date: Timestamp) -> bool {
    Timestamp::parse_end(&one.until).is_some_and(|end| end < date)
}

fn proof(facts: &Facts, discriminator: &str, one: &Maintained) -> Proof {
    let Maintained { product, version, versions, until, newest, .. } = one;
    let description =
        format!("{} shows {product} {version}; the maker's care for {versions} ended on {until}.", facts.name);
    let details = json!({
        "product": format!("{product} {version}"), "cpe": one.cpe, "versions": versions, "ended": until,
        "newest": Some(newest).filter(|newest| !newest.is_empty()),
    });
    look::proof_of(discriminator, description, details)
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{DATE, Samples, Told, facts};
    let shows = |kind: Kind, name: &str, until: &str| {
        let mut facts = facts(kind, name);
        facts.maintained.push(Maintained {
            product: "HTTP Server".to_owned(),
            version: "2.2.31".to_owned(),
            cpe: "cpe:2.3:a:apache:http_server:2.2.31:*:*:*:*:*:*:*".to_owned(),
            versions: "2.2".to_owned(),
            until: until.to_owned(),
            newest: String::new(),
        });
        facts
    };
    let site = |until: &str| shows(Kind::Uri, "https://www.acme.test/", until);
    let service = |until: &str| shows(Kind::NetworkService, "192.0.2.1:80/tcp", until);
    let mut twice = site("2017-07-11");
    twice.maintained.extend(twice.maintained.clone());
    Samples::new()
        .reports_each(twice.found(TaskName::HttpEnrich), &["HTTP Server 2.2"])
        .reports_each(service("2017-07-11").found(TaskName::ServiceIdentify), &["HTTP Server 2.2"])
        .near_miss(site(&DATE[..10]).found(TaskName::HttpEnrich))
        .near_miss(facts(Kind::Uri, "https://www.acme.test/").found(TaskName::HttpEnrich))
        .unknown(site("2017-07-11").failed(TaskName::HttpEnrich))
        .unknown(service("2017-07-11"))
}
