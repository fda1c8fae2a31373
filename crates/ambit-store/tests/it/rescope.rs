//! Scope follows a person's word at once, without an engine: what is denied, excluded or bounded by another level is
//! decided before the call is answered.

use crate::lab::{Lab, both, found, louder};
use ambit_model::scope::Decision;
use ambit_model::{Clearance, EdgeKind, Kind, Uid};
use ambit_store::engine::Reconciliation;
use ambit_store::{CollectionSettings, EntityFlags};
use serde_json::json;

const WWW: (Kind, &str) = (Kind::DnsRecord, "www.acme.test");
const PAY: (Kind, &str) = (Kind::DnsRecord, "pay.acme.test");
const ADDRESS: (Kind, &str) = (Kind::IpAddress, "203.0.113.7");

/// A run that is over found two names, and the address of one of them.
async fn inventory(lab: &Lab) {
    let run = lab.run().await;
    let uid = |of: (Kind, &str)| lab.uid(of.0, of.1);
    let domain = lab.uid(Kind::Domain, "acme.test");
    let names = [(EdgeKind::Subdomain, WWW.0, WWW.1), (EdgeKind::Subdomain, PAY.0, PAY.1)];
    lab.probe(&run, "zone_profile", domain, 0, found(json!({}), &names)).await;
    lab.probe(&run, "resolve", uid(WWW), 0, found(json!({}), &[(EdgeKind::ResolvesTo, ADDRESS.0, ADDRESS.1)])).await;
    // Its reverse name is theirs and leads back: evidence that the address is theirs alone.
    let reverse = found(json!({}), &[(EdgeKind::Pointer, WWW.0, WWW.1)]);
    lab.probe(&run, "ptr", uid(ADDRESS), 0, reverse).await;
    lab.finish(&run).await;
    // Any change of the rules decides all that is known.
    exclude(lab, &["elsewhere.test"]).await;
}

async fn exclude(lab: &Lab, patterns: &[&str]) {
    let settings = CollectionSettings {
        never: Some(patterns.iter().map(|pattern| (*pattern).to_owned()).collect()),
        ..CollectionSettings::default()
    };
    lab.store.change_settings(&lab.caller(), lab.collection, &settings).await.unwrap();
}

async fn mark(lab: &Lab, of: (Kind, &str), allow: bool, deny: bool) {
    let flags = EntityFlags { allow: Some(allow), deny: Some(deny), ..EntityFlags::default() };
    let uid = lab.uid(of.0, of.1).to_string();
    lab.store.set_entity_flags(&lab.caller(), &uid, None, &flags).await.unwrap();
}

/// `true L3 subdomain`: scoped, clearance, reason.
async fn shown(lab: &Lab, of: (Kind, &str)) -> String {
    let record = lab.entity(lab.uid(of.0, of.1)).await.record;
    format!("{} {:?} {}", record.scoped, record.clearance, record.scoped_reason)
}

async fn all(lab: &Lab) -> [String; 3] {
    [shown(lab, WWW).await, shown(lab, PAY).await, shown(lab, ADDRESS).await]
}

#[tokio::test]
async fn what_rules_would_do_is_said_and_not_done() {
    both(async |lab| {
        inventory(&lab).await;
        let before = all(&lab).await;
        let preview = async |level: Option<Clearance>, never: Option<&str>| {
            let never = never.map(|never| vec![never.to_owned()]);
            let said = lab.store.preview_scope(&lab.me, lab.collection, level, never).await.unwrap();
            [said.leaves, said.enters, said.quieter, said.louder].map(|moved| {
                assert_eq!(moved.count, moved.first.len());
                moved.first.into_iter().map(|(_, _, name)| name).collect::<Vec<_>>().join(" ")
            })
        };
        assert_eq!(preview(None, None).await, ["", "", "", ""]);
        assert_eq!(preview(None, Some("pay.acme.test")).await, ["pay.acme.test", "", "", ""]);
        assert_eq!(preview(None, Some("*.acme.test")).await[0], "203.0.113.7 pay.acme.test www.acme.test");
        let quieter = "203.0.113.7 acme.test pay.acme.test www.acme.test";
        assert_eq!(preview(Some(Clearance::L1), None).await, ["", "", quieter, ""]);
        assert_eq!(all(&lab).await, before, "nothing was changed");
        exclude(&lab, &["pay.acme.test"]).await;
        assert_eq!(preview(None, Some("elsewhere.test")).await, ["", "pay.acme.test", "", ""]);
    })
    .await;
}

#[tokio::test]
async fn what_is_denied_is_nobodys_at_once_with_what_depends_on_it_and_comes_back() {
    both(async |lab| {
        inventory(&lab).await;
        let before = all(&lab).await;
        assert!(before.iter().all(|shown| shown.starts_with("true L3")), "{before:?}");
        let revision = lab.store.last_revision().await.unwrap();
        mark(&lab, WWW, false, true).await;
        let denied = all(&lab).await;
        assert_eq!(denied[0], "false L0 deny_list_override");
        assert_eq!(denied[1], before[1], "it has its own path");
        assert!(denied[2].starts_with("false L0") || denied[2].starts_with("false L1"), "{}", denied[2]);
        let feed = lab.feed_after(revision).await;
        assert!(feed.contains(&format!("entity changed {}", ADDRESS.1)), "{feed:?}");
        assert_eq!(
            lab.store.person_revision(lab.project).await.unwrap(),
            lab.store.last_revision().await.unwrap(),
            "a search right after waits for it"
        );
        mark(&lab, WWW, false, false).await;
        assert_eq!(all(&lab).await, before);
    })
    .await;
}

#[tokio::test]
async fn exclusions_and_level_hold_at_once_and_are_lifted_at_once() {
    both(async |lab| {
        inventory(&lab).await;
        let before = all(&lab).await;
        exclude(&lab, &["*.acme.test"]).await;
        let excluded = all(&lab).await;
        for shown in &excluded[..2] {
            assert_eq!(shown, "false L0 hard_stop");
        }
        assert!(!excluded[2].contains("L3"), "{}", excluded[2]);
        exclude(&lab, &[]).await;
        assert_eq!(all(&lab).await, before);
        let settings = CollectionSettings { level: Some(Clearance::L1), ..CollectionSettings::default() };
        lab.store.change_settings(&lab.caller(), lab.collection, &settings).await.unwrap();
        let quiet = all(&lab).await;
        assert!(quiet.iter().all(|shown| shown.starts_with("true L1")), "{quiet:?}");
    })
    .await;
}

#[tokio::test]
async fn what_only_the_engine_knows_to_be_closed_stays_closed() {
    both(async |lab| {
        inventory(&lab).await;
        let uid = |of: (Kind, &str)| lab.uid(of.0, of.1);
        for (of, reason) in [(ADDRESS, "reserved_range"), (PAY, "hard_stop")] {
            let run = lab.run().await;
            let mut reconciliation = lab.reconciliation(run.id);
            let closed = Decision { reason: reason.into(), ..Decision::unreached() };
            reconciliation.decisions.push((uid(of), closed, true));
            lab.engine.reconcile(reconciliation).await.unwrap();
            lab.finish(&run).await;
        }
        mark(&lab, ADDRESS, true, false).await;
        exclude(&lab, &["other.test"]).await;
        assert_eq!(shown(&lab, ADDRESS).await, "false L0 reserved_range");
        assert_eq!(shown(&lab, PAY).await, "false L0 hard_stop");
    })
    .await;
}

#[tokio::test]
async fn an_open_run_loses_what_is_louder_than_the_new_clearance_and_says_so() {
    both(async |lab| {
        inventory(&lab).await;
        let run = lab.run().await;
        let before = lab.engine.scope_revision(lab.collection).await.unwrap();
        let uid = |of: (Kind, &str)| lab.uid(of.0, of.1);
        let work = |of, task, footprint| louder(task, uid(of), footprint);
        let reconciliation = Reconciliation {
            vulns: Vec::new(),
            work: vec![
                work(ADDRESS, "port_sweep", Clearance::L3),
                work(PAY, "http_probe", Clearance::L2),
                work(WWW, "http_probe", Clearance::L2),
            ],
            ..lab.reconciliation(run.id)
        };
        lab.engine.reconcile(reconciliation).await.unwrap();
        mark(&lab, WWW, false, true).await;
        assert!(lab.engine.scope_revision(lab.collection).await.unwrap() > before, "the run hears of it");
        let far = ambit_model::Timestamp(i64::MAX - 1);
        let left = lab.engine.lease(run.id, 10, far).await.unwrap();
        let left: Vec<Uid> = left.iter().map(|work| work.uid).collect();
        assert_eq!(left, [uid(PAY)]);
        let not_done = lab.store.list_not_done(&lab.me, run.id).await.unwrap();
        let said: Vec<String> =
            not_done.iter().map(|row| format!("{} {} {}", row.task, row.reason.name(), row.example)).collect();
        assert_eq!(
            said,
            [
                "http_probe refused by scope DnsRecord www.acme.test",
                "port_sweep refused by scope IpAddress 203.0.113.7"
            ]
        );
        mark(&lab, WWW, false, true).await;
        let same = lab.engine.scope_revision(lab.collection).await.unwrap();
        assert_eq!(same, before + 1, "saying the same again changes nothing");
    })
    .await;
}

#[tokio::test]
async fn a_large_block_waits_for_a_yes() {
    both(async |lab| {
        let seeds = [(Kind::NetBlock, "198.18.0.0/15".to_owned()), (Kind::NetBlock, "192.0.2.0/24".to_owned())];
        lab.store.add_seeds(&lab.caller(), lab.collection, &seeds).await.unwrap();
        assert!(lab.engine.confirmed_blocks(lab.collection).await.unwrap().is_empty());
        let before = lab.engine.scope_revision(lab.collection).await.unwrap();
        let confirm = async || lab.store.confirm_large_blocks(&lab.caller(), lab.collection, 9).await.unwrap();
        assert_eq!(confirm().await, ["198.18.0.0/15"]);
        assert!(confirm().await.is_empty(), "once");
        let confirmed = lab.engine.confirmed_blocks(lab.collection).await.unwrap();
        assert_eq!(confirmed, [lab.uid(Kind::NetBlock, "198.18.0.0/15")].into());
        assert_eq!(lab.engine.scope_revision(lab.collection).await.unwrap(), before + 1);
    })
    .await;
}
