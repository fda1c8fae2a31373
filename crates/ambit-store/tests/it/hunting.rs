//! Live rules, packs and analyses: what is reported to whom, how much of it, and what lists of hashes say.

use crate::lab::{BEGIN, Lab, both};
use crate::quotas::{again, user};
use ambit_model::Timestamp;
use ambit_model::moment::DAY_MS;
use ambit_store::engine::{Hunted, RuleMatch};
use ambit_store::{
    Collaborator, NewFile, PackContent, Principal, Ruleset, RulesetChange, Staged, StoreError, Visibility,
};
use serde_json::{Map, json};

fn file(text: &str) -> NewFile {
    NewFile {
        content: Staged::of(text.as_bytes()).unwrap(),
        sha1: format!("1{text}"),
        md5: format!("5{text}"),
        type_tag: None,
        name: None,
        visibility: Visibility::Installation,
    }
}

/// An enabled set of one rule that may report so much a day.
async fn set(lab: &Lab, owner: &Principal, daily_limit: i64) -> Ruleset {
    let new = RulesetChange {
        name: Some("Webshells".to_owned()),
        rules: Some(("rule a { condition: true }".to_owned(), vec!["a".to_owned()])),
        enabled: Some(true),
        daily_limit: Some(daily_limit),
        match_object_type: Some("file".to_owned()),
        tags: Some(vec!["Team".to_owned(), "php".to_owned()]),
        ..RulesetChange::default()
    };
    lab.store.create_ruleset(&owner.at(lab.now()), &new).await.unwrap()
}

/// Lets every live set be true of every file that waits, by so many of its rules.
async fn hunt(lab: &Lab, matches: usize, at: Timestamp) {
    let engine = &lab.engine;
    let live = engine.live_rulesets(at).await.unwrap();
    let found = |rule: usize| RuleMatch {
        rule: format!("Rule{rule}"),
        tags: vec!["PHP".to_owned()],
        snippet: Some("00ff".to_owned()),
    };
    let mut hunts = Vec::new();
    for specimen in engine.waiting_specimens(100).await.unwrap() {
        let mut hunted = Hunted::new(specimen);
        hunted.matches = live.iter().map(|set| (set.clone(), (0..matches).map(found).collect())).collect();
        hunts.push(hunted);
    }
    engine.record_hunts(hunts.clone(), at).await.unwrap();
    engine.record_hunts(hunts, at).await.unwrap();
}

#[tokio::test]
async fn what_rules_report_is_seen_by_owner_and_editors_and_deleted_by_the_owner() {
    both(async |lab| {
        let mut people = Vec::new();
        for name in ["ann", "bob", "cid", "dee"] {
            people.push(user(&lab, name).await);
        }
        let [ann, bob, cid, dee] = &people[..] else { panic!("four people") };
        let red = ["ann".to_owned(), "cid".to_owned()];
        lab.store.create_group(&lab.caller(), "red", &red).await.unwrap();
        let ann = &again(&lab, ann).await;
        lab.store.set_quota(&lab.caller(), "ann", "intelligence_hunting_rules", 10).await.unwrap();
        let set = set(&lab, ann, 100).await;
        let editors = [Collaborator::User("bob".to_owned()), Collaborator::Group("red".to_owned())];
        lab.store.add_ruleset_editors(ann, &set.id, &editors).await.unwrap();
        let (stored, _) =
            lab.store.submit_file(&dee.at(lab.now()), None, file("body"), "files").await.unwrap().unwrap();
        hunt(&lab, 2, lab.now()).await;
        for (who, sees) in [(ann, 2), (bob, 2), (cid, 2), (dee, 0), (&lab.me, 0)] {
            let listed = lab.store.list_notifications(who).await.unwrap();
            assert_eq!(listed.len(), sees, "{}: once each, though it was recorded twice", who.username());
        }
        let listed = lab.store.list_notifications(bob).await.unwrap();
        let newest = &listed[0];
        assert!(newest.number > listed[1].number, "the newest first");
        assert_eq!((newest.owner.as_str(), newest.ruleset_name.as_str()), ("ann", "Webshells"));
        assert_eq!((newest.rule_name.as_str(), newest.rule_tags.as_slice()), ("Rule1", &["PHP".to_owned()][..]));
        let hash = stored.sha256.to_string();
        assert_eq!(newest.tags, ["rule1", "webshells", hash.as_str(), "php", "team"], "in lower case, each once");
        assert_eq!((newest.sha256, newest.snippet.as_deref()), (stored.sha256, Some("00ff")));
        let refused = [(bob, "an editor"), (cid, "an editor's group")];
        for (who, why) in refused {
            let outcome = lab.store.delete_notification(who, &newest.id).await;
            assert!(matches!(outcome, Err(StoreError::Forbidden(_))), "{why}: {outcome:?}");
        }
        for who in [dee, &lab.me] {
            assert_eq!(lab.store.find_notification(who, &newest.id).await.unwrap_err(), StoreError::NotFound);
            assert_eq!(lab.store.delete_notification(who, &newest.id).await.unwrap_err(), StoreError::NotFound);
        }
        let numbers: Vec<i64> = listed.iter().map(|one| one.number).collect();
        let nothing = lab.store.delete_notifications(&bob.at(lab.now()), &numbers).await.unwrap();
        assert_eq!(nothing.objects, 0, "what is another's stays");
        lab.store.delete_notification(ann, &newest.id).await.unwrap();
        assert_eq!(lab.store.delete_notification(ann, &newest.id).await.unwrap_err(), StoreError::NotFound);
        assert_eq!(lab.store.delete_notifications(&ann.at(lab.now()), &numbers).await.unwrap().objects, 1);
        assert!(lab.store.list_notifications(bob).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_set_reports_as_much_of_a_day_as_its_limit_and_goes_on_the_next_day() {
    both(async |lab| {
        let ann = user(&lab, "ann").await;
        lab.store.set_quota(&lab.caller(), "ann", "intelligence_hunting_rules", 10).await.unwrap();
        let set = set(&lab, &ann, 3).await;
        // Day, matches of a new file, notifications after it, and whether the set runs no more that day.
        let steps = [(0, 2, 2, false), (0, 2, 3, true), (0, 2, 3, true), (1, 1, 4, false), (1, 5, 6, true)];
        for (number, (day, matches, reported, limited)) in steps.into_iter().enumerate() {
            let at = Timestamp(BEGIN + day * DAY_MS);
            lab.store.submit_file(&ann.at(at), None, file(&number.to_string()), "files").await.unwrap();
            hunt(&lab, matches, at).await;
            let listed = lab.store.list_notifications(&ann).await.unwrap();
            assert_eq!(listed.len(), reported, "step {number}");
            let shown = lab.store.find_ruleset(&ann.at(at), &set.id).await.unwrap();
            assert_eq!(shown.rate_limited, limited, "step {number}");
            assert_eq!(lab.engine.live_rulesets(at).await.unwrap().is_empty(), limited, "step {number}");
        }
    })
    .await;
}

#[tokio::test]
async fn packs_take_the_place_of_those_of_their_name_and_only_administrators_load_them() {
    both(async |lab| {
        let ann = user(&lab, "ann").await;
        let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        let hashes =
            |pairs: &[(&str, &str)]| PackContent::Hashes(pairs.iter().map(|(hash, label)| pair(hash, label)).collect());
        let rules = || PackContent::Rules { sources: vec![pair("a.yar", "rule a {}")], rules: 1 };
        let load = async |who: &Principal, name: &str, content: PackContent| {
            lab.store.load_pack(&who.at(lab.now()), name, "v1", content).await
        };
        assert!(matches!(load(&ann, "bad", rules()).await, Err(StoreError::Forbidden(_))));
        load(&lab.me, "zoo", rules()).await.unwrap();
        load(&lab.me, "bad", hashes(&[("aa", "old"), ("bb", "old")])).await.unwrap();
        load(&lab.me, "bad", hashes(&[("aa", "Worm"), ("cc", "Worm2"), ("dd", "x")])).await.unwrap();
        load(&lab.me, "good", hashes(&[("aa", "Setup")])).await.unwrap();
        let things = PackContent::Fingerprints { sources: vec![pair("a.xml", "<fingerprints/>")], rules: 7 };
        load(&lab.me, "things", things).await.unwrap();
        let listed = lab.store.list_packs().await.unwrap();
        let lines: Vec<String> = listed.iter().map(|p| format!("{} {} {}", p.name, p.kind, p.entries)).collect();
        assert_eq!(lines, ["bad hashes 3", "good hashes 1", "things fingerprints 7", "zoo rules 1"]);
        assert_eq!(lab.engine.packs().await.unwrap(), listed);
        for (asked, known) in [
            (&["aa"][..], vec![pair("bad", "Worm"), pair("good", "Setup")]),
            (&["cc", "aa"], vec![pair("bad", "Worm"), pair("good", "Setup")]),
            (&["bb"], Vec::new()),
            (&[], Vec::new()),
        ] {
            let asked: Vec<String> = asked.iter().map(|hash| (*hash).to_owned()).collect();
            assert_eq!(lab.store.hash_labels(&asked).await.unwrap(), known, "{asked:?}");
        }
        assert_eq!(lab.store.pack_sources("zoo").await.unwrap(), [pair("a.yar", "rule a {}")]);
        assert_eq!(lab.store.pack_sources("things").await.unwrap(), [pair("a.xml", "<fingerprints/>")]);
        for name in ["bad", "none"] {
            assert_eq!(lab.store.pack_sources(name).await.unwrap_err(), StoreError::NotFound, "{name}");
        }
        assert!(matches!(lab.store.remove_pack(&ann, "bad").await, Err(StoreError::Forbidden(_))));
        lab.store.remove_pack(&lab.me, "bad").await.unwrap();
        assert_eq!(lab.store.remove_pack(&lab.me, "bad").await.unwrap_err(), StoreError::NotFound);
        assert_eq!(lab.store.hash_labels(&["aa".to_owned()]).await.unwrap(), [pair("good", "Setup")]);
    })
    .await;
}

#[tokio::test]
async fn an_analysis_waits_for_the_engine_only_where_a_pack_is_loaded() {
    both(async |lab| {
        let at = |second: i64| Timestamp(BEGIN + second * 1_000);
        let things = PackContent::Fingerprints { sources: Vec::new(), rules: 0 };
        lab.store.load_pack(&lab.me.at(at(0)), "things", "v1", things).await.unwrap();
        let (stored, _) = lab.store.submit_file(&lab.me.at(at(0)), None, file("body"), "files").await.unwrap().unwrap();
        let first = lab.store.last_analysis(stored.sha256).await.unwrap().unwrap();
        assert_eq!(
            (first.second, first.finished, first.results.len()),
            (BEGIN / 1_000, true, 0),
            "no pack judges files"
        );
        let rules = PackContent::Rules { sources: Vec::new(), rules: 0 };
        lab.store.load_pack(&lab.me.at(at(0)), "zoo", "v1", rules).await.unwrap();
        lab.store.analyse_file(stored.sha256, at(5)).await.unwrap();
        lab.store.analyse_file(stored.sha256, Timestamp(at(5).0 + 999)).await.unwrap();
        let waiting = lab.engine.waiting_analyses(10).await.unwrap();
        assert_eq!(waiting.len(), 1, "one of the same second is the same");
        assert_eq!((waiting[0].sha1.as_str(), waiting[0].md5.as_str()), ("1body", "5body"));
        assert!(!lab.store.find_analysis(stored.sha256, at(5).0 / 1_000).await.unwrap().finished);
        assert_eq!(lab.store.last_analysis(stored.sha256).await.unwrap().unwrap().second, first.second);
        for verdict in ["malicious", "too late"] {
            let results = Map::from_iter([("zoo".to_owned(), json!(verdict))]);
            lab.engine.record_analysis(waiting[0].number, &results, at(6)).await.unwrap();
        }
        let last = lab.store.last_analysis(stored.sha256).await.unwrap().unwrap();
        assert_eq!((last.second, last.results["zoo"].as_str()), (at(5).0 / 1_000, Some("malicious")));
        assert!(lab.engine.waiting_analyses(10).await.unwrap().is_empty());
    })
    .await;
}
