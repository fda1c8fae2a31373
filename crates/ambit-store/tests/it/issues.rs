//! The life of issues: opened and refreshed by proof, resolved by absence, closed and reopened by people and looks.

use crate::lab::{Lab, both, found};
use ambit_model::feed::Noun;
use ambit_model::id::RunId;
use ambit_model::issue::{Confidence, Decision, Identifier, IssueKind, IssueRecord, Proof, Status, Until};
use ambit_model::run::Run;
use ambit_model::{Item, Kind, Timestamp, Uid};
use ambit_store::engine::{IssueWrite, Reconciliation};
use ambit_store::{BulkChange, IssueView, StoreError};
use serde_json::json;
use std::sync::Arc;

static SPF: IssueKind = IssueKind {
    name: "missing_spf",
    pretty_name: "Missing SPF",
    severity: 3,
    confidence: Confidence::Confirmed,
    category: "misconfiguration",
    added: "2026-11-21",
    description: "the domain has no SPF record",
    remediation: "publish one",
    references: &[("https://www.rfc-editor.org/rfc/rfc7208", "description")],
};

fn proof(cve: bool) -> Proof {
    let identifier = Identifier { kind: "CVE".to_owned(), name: "CVE-2026-0001".to_owned() };
    Proof {
        discriminator: String::new(),
        description: "no TXT record begins with v=spf1".to_owned(),
        details: json!({"records": []}),
        severity: None,
        confidence: None,
        identifiers: if cve { vec![identifier] } else { Vec::new() },
        words: None,
        exploitation: None,
    }
}

fn prove(entity: Uid) -> IssueWrite {
    IssueWrite::Prove { entity, kind: &SPF, upstream: "judge".to_owned(), proof: Box::new(proof(false)) }
}

/// Reconciles issues; its wire date is the wall time.
async fn reconcile(lab: &Lab, run: RunId, issues: Vec<IssueWrite>) {
    let reconciliation = lab.reconciliation(run);
    lab.engine.reconcile(Reconciliation { issues, ..reconciliation }).await.unwrap();
}

fn uid_of(lab: &Lab, entity: Uid) -> Uid {
    Uid::of_issue(lab.collection, "missing_spf", "judge", "", entity)
}

async fn issue(lab: &Lab, entity: Uid) -> IssueView {
    lab.store.find_record(&lab.me, &uid_of(lab, entity).to_string(), None).await.unwrap()
}

async fn set(lab: &Lab, entity: Uid, status: Status) {
    lab.set_status(uid_of(lab, entity), status).await;
}

async fn look(lab: &Lab, run: &Run, entity: Uid, number: i64) {
    lab.probe(run, "zone", entity, number, found(json!({}), &[])).await;
}

#[tokio::test]
async fn proof_opens_an_issue_and_counts_it() {
    both(async |lab| {
        let run = lab.run().await;
        let entity = lab.uid(Kind::Domain, "acme.test");
        look(&lab, &run, entity, 0).await;
        lab.decide(&run, entity, 1000, true).await;
        let revision = lab.store.last_revision().await.unwrap();
        reconcile(&lab, run.id, vec![prove(entity)]).await;
        assert_eq!(lab.feed_after(revision).await, ["entity changed acme.test", "issue appeared missing_spf"]);
        let view = issue(&lab, entity).await;
        assert_eq!(view.record.status, Status::OpenNew);
        assert!(view.record.scoped);
        assert_eq!(view.entity_id, lab.entity(entity).await.id);
        assert_eq!(
            view.record.details,
            json!({"name": "missing_spf", "added": "2026-11-21",
                "proof": {"details": {"records": []}, "description": "no TXT record begins with v=spf1"},
                "source": "judge", "category": "misconfiguration", "severity": "3",
                "references": [{"uri": "https://www.rfc-editor.org/rfc/rfc7208", "type": "description"}],
                "description": "the domain has no SPF record", "pretty_name": "Missing SPF",
                "remediation": "publish one"})
        );
        let counts = lab.entity(entity).await.record.summary.issues;
        assert_eq!((counts.current_count, counts.all_time_count, counts.critical_or_high), (1, 1, false));
        let collection = lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection;
        assert_eq!(collection.issues_by_severity.get("3"), Some(&1));
        let known = lab.engine.known(run.id, &Arc::default(), &[entity], |_| None).await.unwrap().remove(0);
        assert_eq!((known.issues.len(), known.issues[0].status, known.issues[0].absent_at), (1, Status::OpenNew, None));
    })
    .await;
}

#[tokio::test]
async fn a_refresh_of_the_same_proof_only_sees_it_again() {
    both(async |lab| {
        let run = lab.run().await;
        let entity = lab.uid(Kind::Domain, "acme.test");
        reconcile(&lab, run.id, vec![prove(entity)]).await;
        let before = issue(&lab, entity).await;
        reconcile(&lab, run.id, vec![IssueWrite::AbsentOnce { issue: uid_of(&lab, entity), at: Timestamp(7) }]).await;
        let known = lab.engine.known(run.id, &Arc::default(), &[entity], |_| None).await.unwrap().remove(0);
        assert_eq!(known.issues[0].absent_at, Some(Timestamp(7)));
        let revision = lab.store.last_revision().await.unwrap();
        reconcile(&lab, run.id, vec![prove(entity)]).await;
        assert_eq!(lab.feed_after(revision).await, ["issue seen missing_spf"]);
        let known = lab.engine.known(run.id, &Arc::default(), &[entity], |_| None).await.unwrap().remove(0);
        assert_eq!(known.issues[0].absent_at, None);
        let after = issue(&lab, entity).await;
        assert_eq!((&before.record, before.updated_at), (&after.record, after.updated_at));
        assert!(after.last_seen > before.last_seen);
    })
    .await;
}

/// Connectors read one page of issues a poll and go on at the last hit's `last_seen`: whatever shares that stamp and
/// did not fit in the page would never be read (docs/contract/asm.md §7.5).
#[tokio::test]
async fn a_poller_that_reads_one_page_a_poll_comes_past_every_issue() {
    both(async |lab| {
        let run = lab.run().await;
        let entity = lab.uid(Kind::Domain, "acme.test");
        let all = || -> Vec<IssueWrite> {
            let proof = |number: i32| Proof { discriminator: number.to_string(), ..proof(false) };
            let prove = |number| IssueWrite::Prove {
                entity,
                kind: &SPF,
                upstream: "judge".to_owned(),
                proof: Box::new(proof(number)),
            };
            (0..40).map(prove).collect()
        };
        for _ in ["opened", "seen again"] {
            reconcile(&lab, run.id, all()).await;
            let uids = lab.store.all_uids(Noun::Issue, None, 1_000).await.unwrap();
            let mut stamps: Vec<Timestamp> =
                lab.store.index_rows(Noun::Issue, &uids).await.unwrap().iter().map(|row| row.last_seen).collect();
            stamps.sort();
            stamps.dedup();
            assert_eq!((uids.len(), stamps.len()), (40, 40), "each has a stamp of its own");
        }
    })
    .await;
}

#[tokio::test]
async fn another_proof_changes_the_issue_and_its_counts() {
    both(async |lab| {
        let run = lab.run().await;
        let entity = lab.uid(Kind::Domain, "acme.test");
        reconcile(&lab, run.id, vec![prove(entity)]).await;
        let worse = IssueWrite::Prove {
            entity,
            kind: &SPF,
            upstream: "judge".to_owned(),
            proof: Box::new(Proof { severity: Some(1), ..proof(true) }),
        };
        reconcile(&lab, run.id, vec![worse]).await;
        let counts = lab.entity(entity).await.record.summary.issues;
        assert_eq!((counts.current_count, counts.current_with_cve, counts.critical_or_high), (1, 1, true));
        let collection = lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection;
        let by_severity: Vec<(String, i64)> = collection.issues_by_severity.into_iter().collect();
        assert_eq!(by_severity, [("1".to_owned(), 1)]);
    })
    .await;
}

#[tokio::test]
async fn absence_resolves_open_ones_and_a_later_look_reopens_them() {
    both(async |lab| {
        let run = lab.run().await;
        let entity = lab.uid(Kind::Domain, "acme.test");
        look(&lab, &run, entity, 0).await;
        reconcile(&lab, run.id, vec![prove(entity)]).await;
        let revision = lab.store.last_revision().await.unwrap();
        reconcile(&lab, run.id, vec![IssueWrite::Resolve { issue: uid_of(&lab, entity) }]).await;
        assert_eq!(lab.feed_after(revision).await, ["entity changed acme.test", "issue disappeared missing_spf"]);
        assert_eq!(issue(&lab, entity).await.record.status, Status::ClosedResolved);
        assert_eq!(lab.entity(entity).await.record.summary.issues.current_count, 0);
        reconcile(&lab, run.id, vec![prove(entity)]).await;
        assert_eq!(issue(&lab, entity).await.record.status, Status::ClosedResolved, "old facts prove nothing new");
        look(&lab, &run, entity, 2).await;
        reconcile(&lab, run.id, vec![prove(entity)]).await;
        assert_eq!(issue(&lab, entity).await.record.status, Status::OpenNew);
        assert_eq!(lab.entity(entity).await.record.summary.issues.current_count, 1);
    })
    .await;
}

#[tokio::test]
async fn a_persons_word_stays_unless_it_is_one_that_looks_may_move() {
    both(async |lab| {
        let entity = lab.uid(Kind::Domain, "acme.test");
        let run = lab.run().await;
        look(&lab, &run, entity, 0).await;
        reconcile(&lab, run.id, vec![prove(entity)]).await;
        for (number, status) in Status::ALL.iter().copied().enumerate() {
            set(&lab, entity, status).await;
            assert_eq!(issue(&lab, entity).await.record.status, status);
            look(&lab, &run, entity, 2 * (i64::try_from(number).unwrap() + 1)).await;
            reconcile(&lab, run.id, vec![prove(entity)]).await;
            assert_eq!(issue(&lab, entity).await.record.status, status.after_proof(), "{status:?}");
            reconcile(&lab, run.id, vec![IssueWrite::Resolve { issue: uid_of(&lab, entity) }]).await;
            assert_eq!(issue(&lab, entity).await.record.status, status.after_proof().after_absence(), "{status:?}");
        }
        let collection = lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection;
        assert!(collection.issues_by_severity.is_empty());
    })
    .await;
}

#[tokio::test]
async fn issues_follow_the_scope_of_their_entity() {
    both(async |lab| {
        let run = lab.run().await;
        let entity = lab.uid(Kind::Domain, "acme.test");
        lab.decide(&run, entity, 1000, true).await;
        reconcile(&lab, run.id, vec![prove(entity)]).await;
        let revision = lab.store.last_revision().await.unwrap();
        lab.decide(&run, entity, 100, true).await;
        assert_eq!(lab.feed_after(revision).await, ["entity changed acme.test", "issue changed missing_spf"]);
        assert!(!issue(&lab, entity).await.record.scoped);
    })
    .await;
}

#[tokio::test]
async fn an_issue_is_read_as_it_was() {
    both(async |lab| {
        let run = lab.run().await;
        let entity = lab.uid(Kind::Domain, "acme.test");
        reconcile(&lab, run.id, vec![prove(entity)]).await;
        let opened = issue(&lab, entity).await.updated_at;
        set(&lab, entity, Status::OpenTriaged).await;
        let id = uid_of(&lab, entity).to_string();
        let now = lab.now();
        let then = lab.store.record_at::<IssueRecord>(&lab.me.at(now), &id, None, opened).await.unwrap();
        let ambit_store::At::Then(then) = then else { panic!("{then:?}") };
        assert_eq!(then.record.status, Status::OpenNew);
        let points = lab.store.points_in_time(&lab.me, (Item::Issue, &id), None, None).await.unwrap();
        assert_eq!(points, [opened, issue(&lab, entity).await.updated_at]);
    })
    .await;
}

#[tokio::test]
async fn the_open_issues_of_entities_are_listed_as_they_were() {
    both(async |lab| {
        let run = lab.run().await;
        let domain = lab.uid(Kind::Domain, "acme.test");
        let before = lab.now();
        reconcile(&lab, run.id, vec![prove(domain)]).await;
        let open = lab.now();
        lab.set_status(uid_of(&lab, domain), Status::ClosedBenign).await;
        for (at, count) in [(Some(before), 0), (Some(open), 1), (Some(lab.now()), 0), (None, 0)] {
            let found = lab.store.open_issues_of(&lab.me, lab.project, &[domain], at).await.unwrap();
            assert_eq!(found.get(&domain).map_or(0, Vec::len), count, "{at:?}");
        }
        let issue = uid_of(&lab, domain);
        for (at, status) in
            [(Some(before), None), (Some(open), Some(Status::OpenNew)), (None, Some(Status::ClosedBenign))]
        {
            let found = lab.store.issue_records(&lab.me, lab.project, &[issue], at).await.unwrap();
            assert_eq!(found.get(&issue).map(|record| record.status), status, "{at:?}");
        }
        assert!(lab.store.issue_records(&lab.me, lab.project + 1, &[issue], None).await.unwrap().is_empty());
        let elsewhere = lab.store.open_issues_of(&lab.me, lab.project + 1, &[domain], Some(open)).await.unwrap();
        assert!(elsewhere.is_empty());
    })
    .await;
}

/// Closes an issue as accepted, until something.
async fn accept(lab: &Lab, entity: Uid, until: Option<Until>) -> Result<usize, StoreError> {
    let change = BulkChange {
        status: Some(Status::ClosedRiskAccepted),
        reason: Some("behind the gateway".to_owned()),
        until,
        ..BulkChange::default()
    };
    let ids = [uid_of(lab, entity).to_string()];
    lab.store.change_items(&lab.caller(), (Item::Issue, &ids), None, &change).await
}

#[tokio::test]
async fn what_was_accepted_opens_again_when_the_fact_went_and_came_back() {
    both(async |lab| {
        let run = lab.run().await;
        let entity = lab.uid(Kind::Domain, "acme.test");
        look(&lab, &run, entity, 0).await;
        reconcile(&lab, run.id, vec![prove(entity)]).await;
        accept(&lab, entity, None).await.unwrap();
        look(&lab, &run, entity, 2).await;
        reconcile(&lab, run.id, vec![prove(entity)]).await;
        assert_eq!(issue(&lab, entity).await.record.status, Status::ClosedRiskAccepted, "the fact stays");
        reconcile(&lab, run.id, vec![IssueWrite::Resolve { issue: uid_of(&lab, entity) }]).await;
        lab.finish(&run).await;
        let run = lab.run().await;
        look(&lab, &run, entity, 0).await;
        reconcile(&lab, run.id, vec![prove(entity)]).await;

        let id = uid_of(&lab, entity).to_string();
        let history = lab.store.issue_history(&lab.me, &id, None, None).await.unwrap();
        let by = lab.me.username().to_owned();
        let decision = Decision { by, reason: Some("behind the gateway".to_owned()), until: None };
        let shown: Vec<_> =
            history.iter().map(|version| (version.record.status, version.record.decision.clone())).collect();
        assert_eq!(
            shown,
            [
                (Status::OpenNew, None),
                (Status::ClosedRiskAccepted, Some(decision)),
                (Status::ClosedResolved, None),
                (Status::OpenNew, None),
            ]
        );
        let later = lab.store.issue_history(&lab.me, &id, None, Some(history[2].at)).await.unwrap();
        assert_eq!(later, history[2..]);
    })
    .await;
}

#[tokio::test]
async fn a_decision_ends_at_its_date_without_any_run() {
    both(async |lab| {
        let run = lab.run().await;
        let entity = lab.uid(Kind::Domain, "acme.test");
        reconcile(&lab, run.id, vec![prove(entity)]).await;
        let until = lab.now().plus_ms(60_000);
        accept(&lab, entity, Some(Until::Moment(until))).await.unwrap();
        assert_eq!(lab.store.end_decisions(until.plus_ms(-1)).await.unwrap(), 0);
        assert_eq!(issue(&lab, entity).await.record.status, Status::ClosedRiskAccepted);
        let revision = lab.store.last_revision().await.unwrap();
        assert_eq!(lab.store.end_decisions(until).await.unwrap(), 1);
        assert_eq!(lab.feed_after(revision).await, ["entity changed acme.test", "issue appeared missing_spf"]);
        let view = issue(&lab, entity).await;
        assert_eq!((view.record.status, view.record.decision), (Status::OpenNew, None));
        assert_eq!(lab.store.end_decisions(until).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_decision_until_change_ends_when_the_proof_or_the_severity_changes() {
    both(async |lab| {
        let run = lab.run().await;
        let entity = lab.uid(Kind::Domain, "acme.test");
        reconcile(&lab, run.id, vec![prove(entity)]).await;
        let with =
            |proof| IssueWrite::Prove { entity, kind: &SPF, upstream: "judge".to_owned(), proof: Box::new(proof) };
        for (what, changed) in [
            ("severity", Proof { severity: Some(1), ..proof(false) }),
            ("proof", Proof { details: json!({"records": ["v=spf1 ?all"]}), ..proof(false) }),
        ] {
            reconcile(&lab, run.id, vec![prove(entity)]).await;
            accept(&lab, entity, Some(Until::Change)).await.unwrap();
            reconcile(&lab, run.id, vec![prove(entity)]).await;
            assert_eq!(issue(&lab, entity).await.record.status, Status::ClosedRiskAccepted, "{what}: all is as it was");
            reconcile(&lab, run.id, vec![with(changed)]).await;
            assert_eq!(issue(&lab, entity).await.record.status, Status::OpenNew, "{what} changed");
        }
    })
    .await;
}

#[tokio::test]
async fn an_end_belongs_to_a_closing_and_lies_ahead() {
    both(async |lab| {
        let run = lab.run().await;
        let entity = lab.uid(Kind::Domain, "acme.test");
        reconcile(&lab, run.id, vec![prove(entity)]).await;
        let past = accept(&lab, entity, Some(Until::Moment(Timestamp(1)))).await.unwrap_err();
        assert_eq!(past.to_string(), "until must lie in the future");
        let ids = [uid_of(&lab, entity).to_string()];
        for (change, refusal) in [
            (BulkChange { until: Some(Until::Change), ..BulkChange::default() }, "reason and until need a status"),
            (
                BulkChange {
                    status: Some(Status::OpenTriaged),
                    reason: Some("later".to_owned()),
                    ..BulkChange::default()
                },
                "reason and until need a status",
            ),
            (
                BulkChange {
                    status: Some(Status::ClosedBenign),
                    reason: Some("x".repeat(1_001)),
                    ..BulkChange::default()
                },
                "reason may have 1000 characters",
            ),
        ] {
            let error = lab.store.change_items(&lab.caller(), (Item::Issue, &ids), None, &change).await.unwrap_err();
            assert!(error.to_string().contains(refusal), "{error}");
        }
    })
    .await;
}
