//! What counts as seen: which answers move `last_seen`, and what a run relies on instead of asking again.

use crate::lab::{Lab, both, found, outcome};
use ambit_model::observation::{ProbeResult, Sighting};
use ambit_model::run::Run;
use ambit_model::{EdgeKind, Kind, Timestamp, Uid};
use ambit_store::engine::Fresh;
use serde_json::json;
use std::collections::BTreeSet;

const WWW: (Kind, &str) = (Kind::DnsRecord, "www.acme.test");

fn named() -> ProbeResult {
    found(json!({}), &[(EdgeKind::Subdomain, WWW.0, WWW.1)])
}

/// Commits what a task found at the seed.
async fn probe(lab: &Lab, run: &Run, task: &'static str, sighting: Sighting) {
    let work = lab.lease_one(run, task, lab.uid(Kind::Domain, "acme.test"), 0).await;
    let mut outcome = outcome(work, named(), lab.now());
    outcome.sighting = sighting;
    lab.engine.commit(lab.commit(run.id, vec![outcome])).await.unwrap();
}

/// Whether the seed and its name were seen since the run began.
async fn seen(lab: &Lab, run: &Run) -> (bool, bool) {
    let since = async |uid: Uid| lab.entity(uid).await.last_seen > run.started_at.unwrap();
    (since(lab.uid(Kind::Domain, "acme.test")).await, since(lab.uid(WWW.0, WWW.1)).await)
}

#[tokio::test]
async fn only_who_asks_the_thing_or_its_authority_has_seen_it() {
    both(async |lab| {
        let run = lab.run().await;
        probe(&lab, &run, "names", Sighting::Entity).await;
        lab.finish(&run).await;
        for (task, sighting, expected) in [
            ("derived", Sighting::Nothing, (false, false)),
            ("registry", Sighting::Ends, (false, true)),
            ("names", Sighting::Entity, (true, true)),
        ] {
            let run = lab.run().await;
            probe(&lab, &run, task, sighting).await;
            assert_eq!(seen(&lab, &run).await, expected, "{task}");
            lab.finish(&run).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_run_relies_on_fresh_answers_and_on_what_they_lead_to() {
    both(async |lab| {
        let first = lab.run().await;
        probe(&lab, &first, "names", Sighting::Entity).await;
        lab.finish(&first).await;
        let answered = lab.now();
        let fresh = |task, since, sighting| Fresh { task, kind: Kind::Domain, since, sighting };
        for (task, since, sighting, expected) in [
            ("others", Timestamp(0), Sighting::Entity, (false, false)),
            ("names", answered, Sighting::Entity, (false, false)),
            ("names", Timestamp(0), Sighting::Nothing, (false, false)),
            ("names", Timestamp(0), Sighting::Ends, (false, true)),
            ("names", Timestamp(0), Sighting::Entity, (true, true)),
        ] {
            let run = lab.run().await;
            lab.engine.rely(run.id, vec![fresh(task, since, sighting)], lab.now()).await.unwrap();
            assert_eq!(seen(&lab, &run).await, expected, "{task} since {since}, {sighting:?}");
            lab.finish(&run).await;
        }
        // What was found gone in the run was not seen in it, whatever is fresh.
        let run = lab.run().await;
        lab.decide(&run, lab.uid(WWW.0, WWW.1), 0, false).await;
        lab.engine.rely(run.id, vec![fresh("names", Timestamp(0), Sighting::Entity)], lab.now()).await.unwrap();
        assert_eq!(seen(&lab, &run).await, (true, false));
    })
    .await;
}

#[tokio::test]
async fn what_derives_from_what_was_seen_counts_as_seen_and_what_derives_from_the_rest_does_not() {
    both(async |lab| {
        let (seed, www) = (lab.uid(Kind::Domain, "acme.test"), lab.uid(WWW.0, WWW.1));
        let (domain, block) = ((Kind::Domain, "bakery.test"), (Kind::NetBlock, "192.0.2.0/24"));
        let derived = [lab.uid(domain.0, domain.1), lab.uid(block.0, block.1)];
        let tasks = || BTreeSet::from(["derived"]);
        let first = lab.run().await;
        probe(&lab, &first, "names", Sighting::Entity).await;
        let lead = [(www, EdgeKind::RegistrableDomain, domain), (derived[0], EdgeKind::CoveringBlock, block)];
        for (from, edge, (kind, name)) in lead {
            let work = lab.lease_one(&first, "derived", from, 0).await;
            let mut outcome = outcome(work, found(json!({}), &[(edge, kind, name)]), lab.now());
            outcome.sighting = Sighting::Nothing;
            lab.engine.commit(lab.commit(first.id, vec![outcome])).await.unwrap();
        }
        lab.finish(&first).await;
        for (task, expected) in [("names", true), ("others", false)] {
            let run = lab.run().await;
            // Only one of them leads to the name.
            let work = lab.lease_one(&run, task, seed, 0).await;
            let answer = if task == "names" { named() } else { found(json!({}), &[]) };
            lab.engine.commit(lab.commit(run.id, vec![outcome(work, answer, lab.now())])).await.unwrap();
            lab.engine.derive(run.id, tasks(), lab.now()).await.unwrap();
            for uid in derived {
                let seen = lab.entity(uid).await.last_seen > run.started_at.unwrap();
                assert_eq!(seen, expected, "{task}");
            }
            lab.finish(&run).await;
        }
        // Other tasks that lead there do not derive.
        let run = lab.run().await;
        lab.probe(&run, "names", seed, 0, named()).await;
        lab.engine.derive(run.id, BTreeSet::from(["nobody"]), lab.now()).await.unwrap();
        assert!(lab.entity(derived[0]).await.last_seen < run.started_at.unwrap());
    })
    .await;
}

#[tokio::test]
async fn changes_show_what_was_true_then() {
    both(async |lab| {
        let uid = lab.uid(Kind::Domain, "acme.test");
        let begin = lab.store.last_revision().await.unwrap();
        for title in ["one", "two", "three"] {
            let run = lab.run().await;
            lab.probe(&run, "http", uid, 0, found(json!({"title": title}), &[])).await;
            lab.finish(&run).await;
        }
        let changes = lab.store.changes(&lab.me, lab.project, begin, 1_000).await.unwrap();
        let own = changes.iter().filter(|change| change.row.uid == uid);
        let titles: Vec<&str> =
            own.map(|change| change.record.as_ref().unwrap()["details"]["title"].as_str().unwrap()).collect();
        assert_eq!(titles.last(), Some(&"three"), "{titles:?}");
        assert!(titles.contains(&"one") && titles.contains(&"two"), "{titles:?}");
    })
    .await;
}
