//! A storage bucket whose files anyone can list.

use super::{Judge, Rule};
use crate::look;
use ambit_model::edge::EdgeKind;
use ambit_model::entity::bucket::{self, Firebase};
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "open_bucket",
        pretty_name: "Storage bucket can be listed by anyone",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-21",
        description: "A cloud storage bucket lists its contents to anyone who asks. What lies in it is easy to find \
                      and usually easy to fetch: uploads, backups, exports, logs.",
        remediation: "Switch public access off for the bucket and its account. Share single files by signed addresses, \
                      or through a site that serves only what is meant for the public.",
        references: &[
            (
                "https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html",
                "remediation",
            ),
            ("https://cwe.mitre.org/data/definitions/732.html", "description"),
        ],
    },
    applies_to: &[Kind::CloudStorageBucket, Kind::DnsRecord, Kind::Domain, Kind::Uri],
    reads: &[TaskName::BucketProbe],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    judge_stores(facts, |name| {
        Firebase::of(name).is_none().then(|| Open {
            called: format!("bucket {name}"),
            does: "lists its files to anyone",
            details: json!({"bucket": name}),
        })
    })
}

/// What is said of a store at a provider where it is open.
pub(super) struct Open {
    pub(super) called: String,
    pub(super) does: &'static str,
    pub(super) details: Value,
}

/// Judges the stores of a sort, by what is said of those of one name; `None` for those of another sort.
pub(super) fn judge_stores(facts: &Facts, told: impl Fn(&str) -> Option<Open>) -> Verdict {
    if facts.kind != Kind::CloudStorageBucket {
        return judge_user(facts, told);
    }
    let Some(Open { called, does, details }) = told(&facts.name) else { return Verdict::Clear };
    look::after(facts, TaskName::BucketProbe, |facts| {
        let listable = bucket::LISTABLE.is_true(&facts.details);
        listable.then(|| look::proof_of("", format!("The {called} {does}."), details)).into_iter().collect()
    })
}

/// A bucket is seldom owned by the edge that leads to it, so the issue sits on what uses it; a bucket in scope has its
/// own.
fn judge_user(facts: &Facts, told: impl Fn(&str) -> Option<Open>) -> Verdict {
    let (mut open, mut unprobed) = (BTreeMap::new(), false);
    for used in facts.to(EdgeKind::Bucket).filter(|bucket| !bucket.scoped) {
        let Some(told) = told(&used.name) else { continue };
        match bucket::LISTABLE.of(&used.details) {
            Some(true) => {
                open.insert(used.name.as_str(), told);
            }
            Some(false) => {}
            None => unprobed = true,
        }
    }
    let proof = |(name, Open { called, does, details })| {
        look::proof_of(name, format!("{} uses the {called}, which {does}.", facts.name), details)
    };
    match (open.is_empty(), unprobed) {
        (false, _) => Verdict::Proven(open.into_iter().map(proof).collect()),
        (true, true) => Verdict::Unknown,
        (true, false) => Verdict::Clear,
    }
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts, neighbour};
    const NAME: &str = "https://acme-files.s3.amazonaws.com";
    let bucket = |listable: bool| {
        facts(Kind::CloudStorageBucket, NAME).found(TaskName::BucketProbe).with(json!({"hidden_listable": listable}))
    };
    let site = |scoped: bool, details: serde_json::Value| {
        facts(Kind::Uri, "https://www.acme.test").leads_to(neighbour(
            EdgeKind::Bucket,
            Kind::CloudStorageBucket,
            NAME,
            scoped,
            details,
        ))
    };
    Samples::new()
        .reports(bucket(true))
        .reports_each(site(false, json!({"hidden_listable": true})), &[NAME])
        .near_miss(bucket(false))
        .near_miss(site(false, json!({"hidden_listable": false})))
        .near_miss(site(true, json!({"hidden_listable": true})))
        .near_miss(facts(Kind::Uri, "https://www.acme.test"))
        .near_miss(
            facts(Kind::CloudStorageBucket, "https://acme-default-rtdb.firebaseio.com")
                .found(TaskName::BucketProbe)
                .with(json!({"hidden_listable": true})),
        )
        .unknown(facts(Kind::CloudStorageBucket, NAME))
        .unknown(bucket(true).failed(TaskName::BucketProbe))
        .unknown(site(false, json!({})))
}
