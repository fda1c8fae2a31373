//! What other tools saw: it stands in the inventory with its source and date, makes nothing theirs, and lapses.

use crate::lab::{Lab, both, found};
use ambit_model::entity::imported::{IMPORTED, LASTS_MS, Sighted, Source};
use ambit_model::{EdgeKind, Kind, Timestamp};
use ambit_store::engine::{ImportOutcome, Imported};
use ambit_store::{CollectionSettings, EntityFlags};
use serde_json::json;
use std::collections::BTreeMap;

const BLOCK: (Kind, &str) = (Kind::NetBlock, "203.0.113.0/24");
const WWW: (Kind, &str) = (Kind::DnsRecord, "www.acme.test");
const ADDRESS: (Kind, &str) = (Kind::IpAddress, "203.0.113.7");
const SERVICE: (Kind, &str) = (Kind::NetworkService, "203.0.113.7:8443/tcp");
const SITE: (Kind, &str) = (Kind::Uri, "https://www.acme.test:443/login");
const FOREIGN: (Kind, &str) = (Kind::NetworkService, "198.51.100.1:22/tcp");

async fn import(lab: &Lab, things: &[(Kind, &str)], seen_at: Timestamp) -> ImportOutcome {
    import_part(lab, things, seen_at, false).await
}

async fn import_part(lab: &Lab, things: &[(Kind, &str)], seen_at: Timestamp, goes_on: bool) -> ImportOutcome {
    let sighted = |(kind, name): &(Kind, &str)| Sighted {
        kind: *kind,
        name: (*name).to_owned(),
        seen_at,
        says: BTreeMap::from([("state".to_owned(), "open".to_owned())]),
        owned: false,
        resource_type: None,
        configuration: serde_json::Map::new(),
    };
    let sighted = things.iter().map(sighted).collect();
    let imported = Imported { source: Source::Nmap, sighted, account: None, goes_on };
    lab.store.import(&lab.caller(), lab.collection, imported).await.unwrap()
}

/// `scoped clearance: how often it was imported`, or that it is gone.
async fn shown(lab: &Lab, (kind, name): (Kind, &str)) -> String {
    let record = lab.entity(lab.uid(kind, name)).await.record;
    if !record.present {
        return "gone".to_owned();
    }
    format!("{} {:?}: {}", record.scoped, record.clearance, IMPORTED.items(&record.details).count())
}

/// A run that found a block of theirs, and ended.
async fn inventory(lab: &Lab) {
    let run = lab.run().await;
    let domain = lab.uid(Kind::Domain, "acme.test");
    let block = found(json!({}), &[(EdgeKind::CoveringBlock, BLOCK.0, BLOCK.1)]);
    lab.probe(&run, "network", domain, 0, block).await;
    lab.finish(&run).await;
    decide(lab).await;
}

/// Any change of the rules decides all that is known, as an engine does.
async fn decide(lab: &Lab) {
    let never = Some(vec!["elsewhere.test".to_owned()]);
    let settings = CollectionSettings { never, ..CollectionSettings::default() };
    lab.store.change_settings(&lab.caller(), lab.collection, &settings).await.unwrap();
}

/// A run that found a name that is delegated to others, and ended.
async fn delegation(lab: &Lab) {
    let run = lab.run().await;
    let domain = lab.uid(Kind::Domain, "acme.test");
    let shop = found(json!({}), &[(EdgeKind::DelegatedSubdomain, Kind::DnsRecord, "shop.acme.test")]);
    lab.probe(&run, "zone_profile", domain, 0, shop).await;
    lab.finish(&run).await;
    decide(lab).await;
}

#[tokio::test]
async fn what_hangs_on_something_that_nobody_decided_waits_as_well() {
    both(async |lab| {
        let run = lab.run().await;
        lab.finish(&run).await;
        assert_eq!(import_part(&lab, &[WWW], lab.now(), true).await.undecided, 1);
        import(&lab, &[], lab.now()).await;
        assert_eq!(shown(&lab, WWW).await, "false L1: 1");
    })
    .await;
}

#[tokio::test]
async fn what_lies_in_or_on_what_is_known_is_observed_and_the_rest_is_left_out() {
    both(async |lab| {
        inventory(&lab).await;
        let things = [SITE, FOREIGN, SERVICE, WWW, ADDRESS];
        let seen_at = lab.now();
        let outcome = import(&lab, &things, seen_at).await;
        assert_eq!((outcome.accepted, outcome.new_entities, outcome.too_old), (4, 4, 0));
        assert_eq!((outcome.outside, outcome.first_outside), (1, vec![(FOREIGN.0, FOREIGN.1.to_owned())]));
        // The name waits for its zone, and the address is in a block that is not theirs.
        for (thing, expected) in
            [(WWW, "false L1: 1"), (SITE, "false L1: 1"), (ADDRESS, "false L1: 1"), (SERVICE, "false L1: 1")]
        {
            assert_eq!(shown(&lab, thing).await, expected, "{thing:?}");
        }
        let record = lab.entity(lab.uid(SERVICE.0, SERVICE.1)).await.record;
        let said = IMPORTED.items(&record.details).next().unwrap();
        assert_eq!((said.source.as_str(), said.seen_at), ("nmap", seen_at));
        assert_eq!(said.says.get("state").map(String::as_str), Some("open"));
    })
    .await;
}

#[tokio::test]
async fn a_collection_without_a_run_has_its_seeds() {
    both(async |lab| {
        let outcome = import(&lab, &[WWW, SITE], lab.now()).await;
        assert_eq!((outcome.accepted, outcome.outside), (2, 0));
        assert_eq!(shown(&lab, (Kind::Domain, "acme.test")).await, "true L3: 0");
        assert_eq!(shown(&lab, WWW).await, "false L1: 1");
        let run = lab.run().await;
        assert_eq!(shown(&lab, WWW).await, "false L1: 1");
        lab.finish(&run).await;
    })
    .await;
}

#[tokio::test]
async fn what_comes_in_parts_is_decided_by_what_leads_there_and_the_rest_with_the_last_part() {
    both(async |lab| {
        inventory(&lab).await;
        let seen_at = lab.now();
        let first = import_part(&lab, &[WWW, SITE], seen_at, true).await;
        assert_eq!((first.new_entities, first.undecided), (2, 0));
        assert_eq!(shown(&lab, WWW).await, "false L1: 1");
        assert_eq!(shown(&lab, SITE).await, "false L1: 1");
        // The block is not a seed: a narrower one in it might be somebody else's.
        let second = import_part(&lab, &[ADDRESS, SERVICE], seen_at, true).await;
        assert_eq!((second.new_entities, second.undecided), (2, 2));
        assert_eq!(shown(&lab, ADDRESS).await, "false L0: 1");
        assert_eq!(import_part(&lab, &[], seen_at, false).await.undecided, 0);
        assert_eq!(shown(&lab, ADDRESS).await, "false L1: 1");
        assert_eq!(shown(&lab, SERVICE).await, "false L1: 1");
    })
    .await;
}

#[tokio::test]
async fn what_is_denied_or_excluded_closes_what_is_imported_on_it() {
    both(async |lab| {
        inventory(&lab).await;
        import(&lab, &[WWW], lab.now()).await;
        let flags = EntityFlags { deny: Some(true), ..EntityFlags::default() };
        let www = lab.uid(WWW.0, WWW.1).to_string();
        lab.store.set_entity_flags(&lab.caller(), &www, None, &flags).await.unwrap();
        let never = Some(vec!["*.off.acme.test".to_owned()]);
        let settings = CollectionSettings { never, ..CollectionSettings::default() };
        lab.store.change_settings(&lab.caller(), lab.collection, &settings).await.unwrap();
        let excluded = (Kind::DnsRecord, "a.off.acme.test");
        let outcome = import_part(&lab, &[SITE, excluded], lab.now(), true).await;
        assert_eq!((outcome.new_entities, outcome.undecided), (2, 0));
        assert_eq!(shown(&lab, SITE).await, "false L0: 1");
        assert_eq!(shown(&lab, excluded).await, "false L0: 1");
    })
    .await;
}

#[tokio::test]
async fn what_is_delegated_to_others_waits_for_the_whole_collection() {
    both(async |lab| {
        delegation(&lab).await;
        let names = [(Kind::DnsRecord, "a.shop.acme.test"), (Kind::DnsRecord, "a.acme.test")];
        let outcome = import_part(&lab, &names, lab.now(), true).await;
        assert_eq!((outcome.new_entities, outcome.undecided), (2, 1));
    })
    .await;
}

#[tokio::test]
async fn searches_wait_for_the_last_part_alone() {
    both(async |lab| {
        inventory(&lab).await;
        let awaited = async || lab.store.person_revision(lab.project).await.unwrap();
        let before = awaited().await;
        import_part(&lab, &[WWW], lab.now(), true).await;
        assert_eq!(awaited().await, before, "what comes in parts makes nobody wait");
        import_part(&lab, &[SITE], lab.now(), false).await;
        assert_eq!(awaited().await, lab.store.last_revision().await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn many_names_that_only_the_whole_collection_decides_are_all_decided() {
    both(async |lab| {
        delegation(&lab).await;
        let names: Vec<String> = (0..2_500).map(|number| format!("n{number}.shop.acme.test")).collect();
        for part in names.chunks(1_000) {
            let things: Vec<(Kind, &str)> = part.iter().map(|name| (Kind::DnsRecord, name.as_str())).collect();
            import_part(&lab, &things, lab.now(), part.len() == 1_000).await;
        }
        // More than one transaction writes.
        for name in [&names[0], &names[1_999], &names[2_000], &names[2_499]] {
            assert_eq!(shown(&lab, (Kind::DnsRecord, name)).await, "false L1: 1", "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_same_again_changes_nothing() {
    both(async |lab| {
        inventory(&lab).await;
        let seen_at = lab.now();
        import(&lab, &[WWW, ADDRESS, SERVICE], seen_at).await;
        let before = lab.feed_after(0).await;
        let outcome = import(&lab, &[SERVICE, WWW, ADDRESS], seen_at).await;
        assert_eq!((outcome.accepted, outcome.new_entities), (3, 0));
        assert_eq!(lab.feed_after(0).await, before);
    })
    .await;
}

#[tokio::test]
async fn what_is_old_is_not_taken_and_lapses() {
    both(async |lab| {
        inventory(&lab).await;
        let now = lab.now();
        let old = import(&lab, &[WWW], now.plus_ms(-LASTS_MS - 1_000_000)).await;
        assert_eq!((old.accepted, old.too_old), (0, 1));
        import(&lab, &[WWW], now.plus_ms(-LASTS_MS + 60_000)).await;
        assert_eq!(shown(&lab, WWW).await, "false L1: 1");
        lab.pass(60_000);
        let run = lab.run().await;
        let graph = lab.engine.graph(lab.collection, 0).await.unwrap();
        assert!(graph.opened.iter().all(|edge| edge.to != lab.uid(WWW.0, WWW.1)), "{:?}", graph.opened);
        lab.finish(&run).await;
    })
    .await;
}
