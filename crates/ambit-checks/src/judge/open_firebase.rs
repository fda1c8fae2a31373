//! A database or bucket of a project of Firebase whose rules let anyone read it.

use super::open_bucket::{Open, judge_stores};
use super::{Judge, Rule};
use ambit_model::entity::bucket::Firebase;
use ambit_model::issue::{Confidence, IssueKind, SEVERITY_HIGH, Verdict};
use ambit_model::{Facts, Kind, TaskName, Timestamp};
use serde_json::json;

pub(super) const JUDGE: Judge = Judge {
    issue: IssueKind {
        name: "open_firebase",
        pretty_name: "Data of a Firebase project can be read by anyone",
        severity: SEVERITY_HIGH,
        confidence: Confidence::Confirmed,
        category: "misconfiguration",
        added: "2026-11-27",
        description: "The security rules of a project of Firebase let anyone read its Realtime Database, its documents \
                      in Firestore or its files, without signing in. What users of the site or app keep there is often \
                      personal, and fetched by a single request. It was only asked whether reading is allowed.",
        remediation: "Write rules that let whoever signed in read what is theirs, and nobody else. Rules of the test \
                      mode are for no project that holds data.",
        references: &[
            ("https://firebase.google.com/docs/rules/insecure-rules", "remediation"),
            ("https://cwe.mitre.org/data/definitions/732.html", "description"),
        ],
    },
    applies_to: &[Kind::CloudStorageBucket, Kind::DnsRecord, Kind::Domain, Kind::Uri],
    reads: &[TaskName::BucketProbe],
    judge: Rule::Own(judge),
};

fn judge(facts: &Facts, _date: Timestamp) -> Verdict {
    judge_stores(facts, |name| {
        let service = Firebase::of(name)?;
        Some(Open {
            called: format!("{} {name}", service.title()),
            does: "lets anyone read it by its rules",
            details: json!({"service": service.title(), "store": name, "asked": service.question(name)}),
        })
    })
}

#[cfg(test)]
pub(super) fn samples() -> crate::samples::Samples {
    use crate::samples::{Samples, Told, facts, neighbour};
    use ambit_model::edge::EdgeKind;
    const DATABASE: &str = "https://acme-default-rtdb.firebaseio.com";
    const DOCUMENTS: &str = "https://firestore.googleapis.com/v1/projects/acme";
    const BUCKET: &str = "https://acme-files.s3.amazonaws.com";
    let store = |name: &str, open: bool| {
        facts(Kind::CloudStorageBucket, name).found(TaskName::BucketProbe).with(json!({"hidden_listable": open}))
    };
    let site = |name: &str, scoped: bool, details: serde_json::Value| {
        let store = neighbour(EdgeKind::Bucket, Kind::CloudStorageBucket, name, scoped, details);
        facts(Kind::Uri, "https://www.acme.test").leads_to(store)
    };
    let open = || json!({"hidden_listable": true});
    Samples::new()
        .reports(store(DATABASE, true))
        .reports(store(DOCUMENTS, true))
        .reports_each(site(DATABASE, false, open()), &[DATABASE])
        .near_miss(store(DATABASE, false))
        .near_miss(store(BUCKET, true))
        .near_miss(site(DOCUMENTS, false, json!({"hidden_listable": false})))
        .near_miss(site(DOCUMENTS, true, open()))
        .near_miss(site(BUCKET, false, open()))
        .unknown(facts(Kind::CloudStorageBucket, DATABASE))
        .unknown(store(DATABASE, true).failed(TaskName::BucketProbe))
        .unknown(site(DATABASE, false, json!({})))
}
