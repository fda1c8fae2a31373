//! Products that are told anew out of what looks left.

use crate::lab::{Lab, both, found};
use ambit_model::feed::Noun;
use ambit_model::observation::{BODY, Evidence, ProbeResult};
use ambit_model::{Details, Kind, TaskName};
use ambit_store::engine::Telling;
use serde_json::{Value, json};

fn page(fingerprint: &Value) -> ProbeResult {
    let seen = found(json!({"title": "one", "fingerprint": fingerprint}), &[]);
    let ProbeResult::Found(mut seen) = seen else { panic!("{seen:?}") };
    seen.evidence = vec![Evidence { label: BODY.to_owned(), bytes: b"<p>quokka</p>".to_vec() }];
    ProbeResult::Found(seen)
}

fn members(details: &Value) -> Details {
    details.as_object().cloned().unwrap()
}

#[tokio::test]
async fn what_a_look_left_is_told_anew_and_nothing_counts_as_seen() {
    both(async |lab: Lab| {
        let site = lab.uid(Kind::Domain, "acme.test");
        let run = lab.run().await;
        lab.probe(&run, "http_enrich", site, 0, page(&json!([]))).await;
        lab.probe(&run, "zone_profile", site, 0, found(json!({"soa": "x"}), &[])).await;
        lab.finish(&run).await;
        let tasks = [TaskName::HttpEnrich];
        let (last, looks) = lab.engine.looks_of(&tasks, None, 10).await.unwrap().unwrap();
        assert_eq!((last, looks.len()), (site, 1), "of that task alone");
        let look = looks.into_iter().next().unwrap();
        assert_eq!((look.name.as_str(), look.argument.as_str()), ("acme.test", ""));
        assert_eq!(look.evidence[0].bytes, b"<p>quokka</p>");
        assert!(lab.engine.looks_of(&tasks, Some(last), 10).await.unwrap().is_none());

        let record = async || lab.store.index_rows(Noun::Entity, &[site]).await.unwrap().remove(0);
        let before = record().await;
        let quokka = json!([{"vendor": "Zoo", "product": "Quokka", "version": "2.1"}]);
        let telling = |before: &Value, after: &Value| Telling {
            entity: site,
            task: TaskName::HttpEnrich,
            argument: String::new(),
            before: members(&json!({"title": "one", "fingerprint": before})),
            after: members(&json!({"title": "one", "fingerprint": after})),
        };
        let stale = vec![telling(&quokka, &json!([]))];
        assert!(lab.engine.tell_anew(look.collection, stale, lab.now()).await.unwrap().is_empty(), "a run was quicker");
        let told = vec![telling(&json!([]), &quokka)];
        let others = lab.engine.tell_anew(look.collection, told, lab.now()).await.unwrap();
        assert_eq!(others.into_iter().collect::<Vec<_>>(), [site]);
        let after = record().await;
        assert_ne!(before, after, "the record shows it");
        let showing = lab.engine.showing(&[site], lab.now()).await.unwrap();
        assert_eq!(showing[0].known.facts.details["fingerprint"], quokka);
        let (_, products) = lab.engine.showing_products(None, 10, lab.now()).await.unwrap().unwrap();
        assert_eq!(products.len(), 1, "it is a technology");
        let probe = &showing[0].known.facts.probes[&TaskName::HttpEnrich][""];
        assert_eq!(probe.run, run.id, "nobody looked again");
    })
    .await;
}

#[tokio::test]
async fn the_rules_by_which_products_were_told_are_noted() {
    both(async |lab: Lab| {
        assert_eq!(lab.engine.told_by().await.unwrap(), "");
        lab.engine.note_judged_by("own list").await.unwrap();
        lab.engine.note_told_by("own 1\npack 2").await.unwrap();
        assert_eq!(lab.engine.told_by().await.unwrap(), "own 1\npack 2");
        assert_eq!(lab.engine.judged_by().await.unwrap(), "own list");
    })
    .await;
}
