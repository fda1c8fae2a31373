//! What a run changes and changes back: it leaves no version, and came and went at no moment.

use crate::lab::{Lab, both, found};
use ambit_model::feed::Noun;
use ambit_model::issue::{Confidence, IssueKind, Proof};
use ambit_model::observation::ProbeResult;
use ambit_model::run::Run;
use ambit_model::{EdgeKind, Kind, Timestamp, Uid};
use ambit_store::engine::{IssueWrite, Reconciliation};
use ambit_store::{EntityFlags, IndexRow};
use serde_json::{Value, json};

static LOGIN: IssueKind = IssueKind {
    name: "login_over_plain_http",
    pretty_name: "Login over plain HTTP",
    severity: 3,
    confidence: Confidence::Confirmed,
    category: "misconfiguration",
    added: "2026-11-21",
    description: "a form sends a password over plain HTTP",
    remediation: "redirect to HTTPS",
    references: &[],
};

fn page(title: &str, product: &str) -> ProbeResult {
    let fingerprint = json!([{"vendor": "F5", "product": product, "version": "1.25"}]);
    found(json!({"title": title, "fingerprint": fingerprint}), &[])
}

fn prove(entity: Uid) -> IssueWrite {
    prove_with(entity, "the form has a password")
}

fn prove_with(entity: Uid, description: &str) -> IssueWrite {
    let proof = Proof {
        discriminator: String::new(),
        description: description.to_owned(),
        details: json!({}),
        severity: None,
        confidence: None,
        identifiers: Vec::new(),
        words: None,
        exploitation: None,
    };
    IssueWrite::Prove { entity, kind: &LOGIN, upstream: "judge".to_owned(), proof: Box::new(proof) }
}

async fn reconcile(lab: &Lab, run: &Run, issues: Vec<IssueWrite>) {
    let reconciliation = lab.reconciliation(run.id);
    lab.engine.reconcile(Reconciliation { issues, ..reconciliation }).await.unwrap();
}

async fn row(lab: &Lab, noun: Noun, uid: Uid) -> IndexRow {
    lab.store.index_rows(noun, &[uid]).await.unwrap().remove(0)
}

/// Closed versions of all records of the project.
async fn closed(lab: &Lab) -> usize {
    lab.store.history_rows(0, 1_000).await.unwrap().len()
}

#[tokio::test]
async fn facts_that_return_within_a_run_leave_no_version() {
    both(async |lab| {
        let entity = lab.uid(Kind::Domain, "acme.test");
        let technology = Uid::of_technology(lab.collection, "F5", "nginx", "1.25");
        let run = lab.run().await;
        lab.probe(&run, "http", entity, 0, page("one", "nginx")).await;
        lab.finish(&run).await;
        let before = (row(&lab, Noun::Entity, entity).await, row(&lab, Noun::Technology, technology).await);

        let run = lab.run().await;
        lab.probe(&run, "http", entity, 0, page("two", "caddy")).await;
        assert_eq!(closed(&lab).await, 2, "another title, and a technology that is gone");
        lab.probe(&run, "derived", entity, 0, found(json!({}), &[])).await;
        lab.probe(&run, "http", entity, 2, page("one", "nginx")).await;
        assert_eq!(closed(&lab).await, 0);
        let after = (row(&lab, Noun::Entity, entity).await, row(&lab, Noun::Technology, technology).await);
        assert_eq!((after.0.opened_at, after.0.revision), (before.0.opened_at, before.0.revision));
        assert_eq!((after.1.opened_at, after.1.revision), (before.1.opened_at, before.1.revision));
        assert_eq!((after.0.turned_at, after.1.turned_at), (before.0.turned_at, before.1.turned_at), "nothing is new");
        assert!(after.0.last_seen > before.0.last_seen);

        lab.probe(&run, "http", entity, 4, page("three", "nginx")).await;
        lab.probe(&run, "http", entity, 6, page("four", "nginx")).await;
        lab.finish(&run).await;
        assert_eq!(closed(&lab).await, 1, "what changes after that is one version again");
    })
    .await;
}

#[tokio::test]
async fn an_issue_that_is_resolved_and_opened_again_within_a_run_leaves_one_version() {
    both(async |lab| {
        let entity = lab.uid(Kind::Domain, "acme.test");
        let issue = Uid::of_issue(lab.collection, LOGIN.name, "judge", "", entity);
        let run = lab.run().await;
        lab.probe(&run, "http", entity, 0, page("one", "nginx")).await;
        reconcile(&lab, &run, vec![prove(entity)]).await;
        lab.finish(&run).await;
        let before = row(&lab, Noun::Issue, issue).await;

        let run = lab.run().await;
        reconcile(&lab, &run, vec![IssueWrite::Resolve { issue }]).await;
        assert_eq!(closed(&lab).await, 2, "the issue, and the counts of its entity");
        lab.probe(&run, "http", entity, 0, page("one", "nginx")).await;
        let revision = lab.store.last_revision().await.unwrap();
        reconcile(&lab, &run, vec![prove(entity)]).await;
        let feed = lab.feed_after(revision).await;
        assert_eq!(feed, ["entity changed acme.test", "issue changed login_over_plain_http"]);
        lab.finish(&run).await;
        let after = row(&lab, Noun::Issue, issue).await;
        assert_eq!(closed(&lab).await, 0);
        assert_eq!((after.turned_at, after.opened_at), (before.turned_at, before.opened_at));
        assert!(after.last_seen > before.last_seen);
        let counts = lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection.issues_by_severity;
        assert_eq!(counts.get("3"), Some(&1));
    })
    .await;
}

#[tokio::test]
async fn what_goes_and_comes_back_within_a_run_was_there_all_along() {
    both(async |lab| {
        let (seed, uid) = (lab.uid(Kind::Domain, "acme.test"), lab.uid(Kind::DnsRecord, "www.acme.test"));
        let named = || found(json!({}), &[(EdgeKind::Subdomain, Kind::DnsRecord, "www.acme.test")]);
        let run = lab.run().await;
        lab.probe(&run, "names", seed, 0, named()).await;
        lab.decide(&run, uid, 990, true).await;
        lab.finish(&run).await;
        let before = row(&lab, Noun::Entity, uid).await;
        // Whether it is there with which ownership, word by word, and the versions that are left.
        for (words, versions) in [(&[(990, false), (990, true)][..], 0), (&[(990, false), (950, true)][..], 1)] {
            let run = lab.run().await;
            lab.probe(&run, "names", seed, 0, named()).await;
            for (ownership, present) in words {
                lab.decide(&run, uid, *ownership, *present).await;
            }
            lab.finish(&run).await;
            let after = row(&lab, Noun::Entity, uid).await;
            assert_eq!(after.turned_at, before.turned_at, "{words:?}");
            assert_eq!(closed(&lab).await, versions, "{words:?}");
            assert_eq!(lab.engine.run(run.id).await.unwrap().counters.new_entities, 0, "{words:?}");
        }
        let collection = lab.store.find_collection(&lab.me, lab.collection).await.unwrap().collection;
        assert_eq!(collection.entity_count, 2);
    })
    .await;
}

#[tokio::test]
async fn what_was_gone_and_comes_for_a_moment_stays_gone() {
    both(async |lab| {
        let (seed, uid) = (lab.uid(Kind::Domain, "acme.test"), lab.uid(Kind::DnsRecord, "www.acme.test"));
        let named = || found(json!({}), &[(EdgeKind::Subdomain, Kind::DnsRecord, "www.acme.test")]);
        let mut seen = Vec::new();
        for words in [&[true][..], &[false], &[true, false]] {
            let run = lab.run().await;
            lab.probe(&run, "names", seed, 0, named()).await;
            for present in words {
                lab.decide(&run, uid, 990, *present).await;
            }
            lab.finish(&run).await;
            let new = lab.engine.run(run.id).await.unwrap().counters.new_entities;
            seen.push((row(&lab, Noun::Entity, uid).await.turned_at, closed(&lab).await, new));
        }
        assert_eq!(seen[2], (seen[1].0, 1, 0));
    })
    .await;
}

/// The records of one noun of the version that was open at each moment, by its member.
async fn shown_at(lab: &Lab, noun: Noun, uid: Uid, member: &str, moments: &[Timestamp]) -> Vec<Value> {
    let history = lab.store.history_rows(0, 1_000).await.unwrap();
    let now = row(lab, noun, uid).await;
    let at = |moment: &Timestamp| {
        let then = history
            .iter()
            .find(|old| (old.noun, old.uid) == (noun, uid) && (old.opened_at..old.closed_at).contains(moment));
        then.map_or(&now.record, |old| &old.record)[member].clone()
    };
    moments.iter().map(at).collect()
}

#[tokio::test]
async fn what_changes_and_then_goes_within_a_run_was_there_until_it_went() {
    both(async |lab| {
        let (seed, www) = (lab.uid(Kind::Domain, "acme.test"), lab.uid(Kind::DnsRecord, "www.acme.test"));
        let issue = Uid::of_issue(lab.collection, LOGIN.name, "judge", "", www);
        let named = || found(json!({}), &[(EdgeKind::Subdomain, Kind::DnsRecord, "www.acme.test")]);
        let run = lab.run().await;
        lab.probe(&run, "names", seed, 0, named()).await;
        lab.probe(&run, "http", www, 0, page("one", "nginx")).await;
        reconcile(&lab, &run, vec![prove(www)]).await;
        lab.finish(&run).await;

        let run = lab.run().await;
        let mut moments = Vec::new();
        let moment = |moments: &mut Vec<Timestamp>| {
            moments.push(lab.now());
            lab.pass(1_000);
        };
        lab.probe(&run, "http", www, 0, page("two", "nginx")).await;
        reconcile(&lab, &run, vec![prove_with(www, "another form has a password")]).await;
        moment(&mut moments);
        let lost = Reconciliation { lost: vec![www], ..lab.reconciliation(run.id) };
        lab.engine.reconcile(lost).await.unwrap();
        reconcile(&lab, &run, vec![IssueWrite::Resolve { issue }]).await;
        moment(&mut moments);
        lab.finish(&run).await;
        assert_eq!(shown_at(&lab, Noun::Entity, www, "present", &moments).await, [json!(true), json!(false)]);
        let statuses = shown_at(&lab, Noun::Issue, issue, "status", &moments).await;
        assert_eq!(statuses, [json!("open_new"), json!("closed_resolved")]);
    })
    .await;
}

#[tokio::test]
async fn a_version_that_a_person_made_within_a_run_stays() {
    both(async |lab| {
        let entity = lab.uid(Kind::Domain, "acme.test");
        let run = lab.run().await;
        lab.probe(&run, "http", entity, 0, page("one", "nginx")).await;
        lab.finish(&run).await;
        let run = lab.run().await;
        let tags = |tags: &[&str]| EntityFlags {
            tags: Some(tags.iter().map(|tag| (*tag).to_owned()).collect()),
            ..EntityFlags::default()
        };
        let mark = async |list: &[&str]| {
            lab.store.set_entity_flags(&lab.caller(), &entity.to_string(), None, &tags(list)).await.unwrap()
        };
        mark(&["mine"]).await;
        mark(&[]).await;
        lab.probe(&run, "http", entity, 0, page("one", "nginx")).await;
        lab.finish(&run).await;
        assert_eq!(closed(&lab).await, 2);
    })
    .await;
}
