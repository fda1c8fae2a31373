//! Runs that look at one issue alone: who may ask, what they are handed, and what they leave as it is.

use crate::lab::{Lab, both, found};
use ambit_model::issue::{Confidence, IssueKind, Proof};
use ambit_model::run::{RetestVerdict, Run, RunState};
use ambit_model::{EdgeKind, Kind, Uid};
use ambit_store::engine::{IssueWrite, Reconciliation};
use ambit_store::{Started, StoreError};
use serde_json::json;

static OPEN_DOOR: IssueKind = IssueKind {
    name: "open_door",
    pretty_name: "Open door",
    severity: 2,
    confidence: Confidence::Confirmed,
    category: "misconfiguration",
    added: "2026-11-25",
    description: "the door is open",
    remediation: "close it",
    references: &[],
};

/// A finished run over a domain with a name, which has an issue; answers with the issue's uid.
pub(crate) async fn with_issue(lab: &Lab) -> (Uid, Uid) {
    let run = lab.run().await;
    let (domain, name) = (lab.uid(Kind::Domain, "acme.test"), lab.uid(Kind::DnsRecord, "www.acme.test"));
    let leads = [(EdgeKind::Subdomain, Kind::DnsRecord, "www.acme.test")];
    lab.probe(&run, "zone", domain, 0, found(json!({}), &leads)).await;
    lab.decide(&run, domain, 1000, true).await;
    lab.decide(&run, name, 1000, true).await;
    prove(lab, &run, name).await;
    lab.finish(&run).await;
    (Uid::of_issue(lab.collection, "open_door", "judge", "", name), name)
}

/// Proves the issue of an entity.
pub(crate) async fn prove(lab: &Lab, run: &Run, name: Uid) {
    let proof = Proof {
        discriminator: String::new(),
        description: "it was pushed, and it opened".to_owned(),
        details: json!({}),
        severity: None,
        confidence: None,
        identifiers: Vec::new(),
        words: None,
        exploitation: None,
    };
    let proven =
        IssueWrite::Prove { entity: name, kind: &OPEN_DOOR, upstream: "judge".to_owned(), proof: Box::new(proof) };
    let reconciliation = lab.reconciliation(run.id);
    lab.engine.reconcile(Reconciliation { issues: vec![proven], ..reconciliation }).await.unwrap();
}

async fn ask(lab: &Lab, issue: Uid) -> Result<Run, StoreError> {
    let started = lab.store.start_retest(&lab.caller(), &issue.to_string(), None).await?;
    Ok(started.run().clone())
}

#[tokio::test]
async fn a_look_at_one_issue_is_handed_its_entity_alone_and_moves_no_refresh() {
    both(async |lab| {
        let (issue, name) = with_issue(&lab).await;
        let before = lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection;
        let run = ask(&lab, issue).await.unwrap();
        assert_eq!((run.retests, run.verdict, run.by_person), (Some(issue), None, true));
        assert_eq!(ask(&lab, issue).await.unwrap().id, run.id, "asking twice is harmless");
        let run = lab.engine.claim(run.id, lab.now()).await.unwrap().unwrap();
        let marked: Vec<Uid> = lab.engine.dirty(run.id, 10).await.unwrap().iter().map(|dirty| dirty.uid).collect();
        assert_eq!(marked, [name], "neither the seed nor anything else");
        assert_eq!(lab.engine.issue(issue).await.unwrap().map(|record| record.entity_uid), Some(name));
        lab.engine.note_verdict(run.id, RetestVerdict::Closed).await.unwrap();
        lab.finish(&run).await;

        let after = lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection;
        assert_eq!(after.last_refresh, before.last_refresh);
        assert_eq!(after.new_entity_count, before.new_entity_count, "what is new is so since the last refresh");
        let newest = lab.store.list_newest_runs(&lab.me, lab.project).await.unwrap();
        assert_eq!(newest.iter().map(|report| report.run.number).collect::<Vec<_>>(), [1]);
        let asked = lab.store.last_retest(&lab.me, &issue.to_string(), None).await.unwrap().unwrap();
        assert_eq!((asked.run.number, asked.run.verdict), (2, Some(RetestVerdict::Closed)));
        assert!(lab.run().await.number > asked.run.number, "the next run follows it");
    })
    .await;
}

#[tokio::test]
async fn beside_an_open_run_nothing_else_is_looked_at_and_the_refusal_names_it() {
    both(async |lab| {
        let (issue, _) = with_issue(&lab).await;
        assert!(lab.store.last_retest(&lab.me, &issue.to_string(), None).await.unwrap().is_none());
        let run = lab.run().await;
        let refused = ask(&lab, issue).await.unwrap_err().to_string();
        assert!(refused.contains(&format!("run {}", run.id)), "{refused}");
        lab.engine.finish(run.id, RunState::Finished, &[], lab.now()).await.unwrap();
        let looked = ask(&lab, issue).await.unwrap();
        let started = lab.store.start_run(&lab.caller(), lab.collection, false).await.unwrap();
        assert!(matches!(started, Started::Open(run) if run.id == looked.id), "a run waits for it");
        let nobody = Uid::from_bytes([9; 32]);
        assert!(matches!(ask(&lab, nobody).await, Err(StoreError::NotFound)));
    })
    .await;
}
