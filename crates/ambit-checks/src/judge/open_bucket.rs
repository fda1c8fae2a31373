//! A storage bucket whose files anyone can list.

use super::Judge;
use crate::look;
use ambit_model::edge::EdgeKind;
use ambit_model::entity::bucket;
use ambit_model::issue::{Confidence, IssueKind, Proof, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::json;
use std::collections::BTreeSet;

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
    judge,
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    if facts.kind == Kind::CloudStorageBucket {
        return look::after(facts, TaskName::BucketProbe, |facts| {
            let listable = bucket::LISTABLE.is_true(&facts.details);
            listable.then(|| proof("", &facts.name, None)).into_iter().collect()
        });
    }
    judge_user(facts)
}

/// A bucket is seldom owned by the edge that leads to it, so the issue sits on what uses it; a bucket in scope has its
/// own.
fn judge_user(facts: &Facts) -> Verdict {
    let (mut open, mut unprobed) = (BTreeSet::new(), false);
    for used in facts.to(EdgeKind::Bucket).filter(|bucket| !bucket.scoped) {
        match bucket::LISTABLE.of(&used.details) {
            Some(true) => {
                open.insert(used.name.as_str());
            }
            Some(false) => {}
            None => unprobed = true,
        }
    }
    match (open.is_empty(), unprobed) {
        (false, _) => {
            Verdict::Proven(open.into_iter().map(|bucket| proof(bucket, bucket, Some(&facts.name))).collect())
        }
        (true, true) => Verdict::Unknown,
        (true, false) => Verdict::Clear,
    }
}

fn proof(discriminator: &str, bucket: &str, user: Option<&str>) -> Proof {
    let description = match user {
        Some(user) => format!("{user} uses the bucket {bucket}, which lists its files to anyone."),
        None => format!("The bucket {bucket} lists its files to anyone."),
    };
    look::proof_of(discriminator, description, json!({"bucket": bucket}))
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
        .unknown(facts(Kind::CloudStorageBucket, NAME))
        .unknown(bucket(true).failed(TaskName::BucketProbe))
        .unknown(site(false, json!({})))
}
