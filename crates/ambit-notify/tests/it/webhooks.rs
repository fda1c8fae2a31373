//! Webhooks: what comes, in which order, how often; receivers that fail in every way.

use crate::lab::{Lab, Receiver, SECRET, Says, rule};
use ambit_model::issue::Status;
use ambit_model::notification::{Channel, DeliveryState, Digest, EventKind, Rule};
use ambit_model::{EdgeKind, Kind};
use ambit_notify::Service;
use ambit_store::{Cost, Outcome, ReceiverView};
use ambit_testkit::inventory::{self, Inventory, Look};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;
use tokio::sync::watch;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

/// A person sets the status of the issue at the domain.
async fn set(lab: &Lab, inventory: &Inventory, status: Status) {
    let target = format!("/api/v3/asm/issues/{}/status", inventory.issue);
    let reply = lab.server.call("owner", "POST", &target, Some(&json!({"status": status.name()}))).await.unwrap();
    assert_eq!(reply.status, 200, "{}", reply.text());
}

/// Closes the issue and opens it again, so many times.
async fn toggle(lab: &Lab, inventory: &Inventory, times: usize) {
    for _ in 0..times {
        set(lab, inventory, Status::ClosedRiskAccepted).await;
        set(lab, inventory, Status::OpenNew).await;
    }
}

/// A server that has found something, and tells of what follows to one webhook, which answers like this.
async fn with_a_webhook(says: Says) -> (Lab, Inventory, Receiver, ReceiverView, Service) {
    let lab = Lab::new().await;
    let inventory = lab.fill().await;
    let receiver = Receiver::new(says).await;
    let view = lab.add_webhook(&receiver).await;
    let service = lab.service();
    service.begin().await.unwrap();
    (lab, inventory, receiver, view, service)
}

async fn find_host(lab: &Lab, name: &str) {
    let edges = [(EdgeKind::Subdomain, Kind::DnsRecord, name)];
    let details = json!({"nameservers": ["ns1.acme.test"]});
    let zone = Look { task: "zone_profile", kind: Kind::Domain, name: "acme.test", details, edges: &edges };
    let host = Look { task: "resolve", kind: Kind::DnsRecord, name, details: json!({"resolutions": []}), edges: &[] };
    inventory::look(&lab.server, &[zone, host]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_first_run_is_one_digest_and_what_a_person_does_is_told_at_once() {
    let lab = Lab::new().await;
    let receiver = Receiver::new(Says::Status(200)).await;
    let view = lab.add_webhook(&receiver).await;
    let service = lab.service();
    service.begin().await.unwrap();
    let inventory = lab.fill().await;
    service.round().await.unwrap();
    assert_eq!(receiver.types(), ["digest"]);
    let digest = receiver.got()[0].json();
    assert_eq!(digest["data"]["counts"]["issue.opened"], 2);
    assert!(digest["data"]["counts"]["entity.new"].as_u64().unwrap() >= 4, "{digest}");
    let first = &digest["data"]["events"][0];
    assert_eq!((&first["type"], &first["severity_word"]), (&json!("issue.opened"), &json!("high")));
    toggle(&lab, &inventory, 2).await;
    service.round().await.unwrap();
    let steps = ["issue.closed", "issue.back", "issue.closed", "issue.back"];
    assert_eq!(receiver.types()[1..], steps);
    let closed = receiver.got()[1].json();
    assert_eq!(closed["data"]["subject"], inventory.issue.to_string());
    assert_eq!(closed["data"]["title"], "Domain without a CAA record on acme.test");
    // What came together is told as each step was, by whom, and where more of it stands.
    let statuses: Vec<_> =
        receiver.got()[1..].iter().map(|got| got.json()["data"]["issue"]["status"].clone()).collect();
    assert_eq!(statuses, ["closed_risk_accepted", "open_new", "closed_risk_accepted", "open_new"]);
    assert!(closed["data"]["issue"]["decision"]["by"].is_string() && closed["data"]["issue"]["seen"] != "", "{closed}");
    assert_eq!(closed["data"]["link"], format!("https://ambit.example/issues/{}", inventory.issue));
    service.round().await.unwrap();
    assert_eq!((receiver.got().len(), lab.log(&view).await.len()), (5, 5), "nothing is said twice");
    assert!(receiver.got().iter().all(|got| got.body.len() < 20_000));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_later_run_finds_is_told_when_it_is_over() {
    let lab = Lab::new().await;
    lab.fill().await;
    let receiver = Receiver::new(Says::Status(204)).await;
    lab.add_webhook(&receiver).await;
    let service = lab.service();
    service.begin().await.unwrap();
    find_host(&lab, "new.acme.test").await;
    service.round().await.unwrap();
    let told: Vec<_> = receiver.got().iter().map(|got| got.json()["data"]["name"].clone()).collect();
    assert_eq!(told, ["new.acme.test"], "{:?}", receiver.types());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_becomes_theirs_after_it_appeared_is_told_as_new_once() {
    let lab = Lab::new().await;
    lab.fill().await;
    let receiver = Receiver::new(Says::Status(204)).await;
    lab.add_webhook(&receiver).await;
    let service = lab.service();
    service.begin().await.unwrap();
    let name = "late.acme.test";
    let edges = [(EdgeKind::Subdomain, Kind::DnsRecord, name)];
    let zone = Look { task: "zone_profile", kind: Kind::Domain, name: "acme.test", details: json!({}), edges: &edges };
    let host = |addresses: &[&str]| {
        let details = json!({"resolutions": addresses});
        Look { task: "resolve", kind: Kind::DnsRecord, name, details, edges: &[] }
    };
    // The feed is read while the run goes on: when the name appears, nobody has decided whose it is.
    let looks = [zone, host(&[]), host(&["203.0.113.7"])];
    inventory::look_beside(&lab.server, &looks, async || {
        service.round().await.unwrap();
        assert!(receiver.got().is_empty(), "what a run finds is told when it is over");
    })
    .await
    .unwrap();
    service.round().await.unwrap();
    service.round().await.unwrap();
    let told: Vec<_> = receiver.got().iter().map(|got| got.json()["data"]["name"].clone()).collect();
    assert_eq!((told, receiver.types()), (vec![json!(name)], vec!["entity.new".to_owned()]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_said_of_a_collection_decides_over_its_new_entities() {
    let lab = Lab::new().await;
    lab.fill().await;
    let (usual, of_issues) = (Receiver::new(Says::Status(204)).await, Receiver::new(Says::Status(204)).await);
    lab.add_webhook(&usual).await;
    let rule = Rule { events: vec![EventKind::IssueOpened], ..rule() };
    lab.add(Channel::Webhook, json!({"url": of_issues.url(), "secrets": [SECRET]}), rule).await;
    let service = lab.service();
    service.begin().await.unwrap();
    let target = format!("/api/v3/asm/user_collections/{}", lab.server.collection);
    // What is said of webhooks and of mail; who is told of a new host: whom the rules name, and who asked for others.
    for (at, (webhooks, emails, usual_told, others_told)) in [
        (json!(null), json!(null), true, false),
        (json!(true), json!(false), true, true),
        (json!(false), json!(true), false, false),
        (json!(null), json!(false), true, false),
    ]
    .into_iter()
    .enumerate()
    {
        let body = json!({"notify_webhooks_new_entities": webhooks, "notify_emails_new_entities": emails});
        let reply = lab.server.call("owner", "PATCH", &target, Some(&body)).await.unwrap();
        assert_eq!(reply.status, 200, "{}", reply.text());
        let before = (usual.got().len(), of_issues.got().len());
        find_host(&lab, &format!("new{at}.acme.test")).await;
        service.round().await.unwrap();
        let told = (usual.got().len() > before.0, of_issues.got().len() > before.1);
        assert_eq!(told, (usual_told, others_told), "webhooks: {webhooks}, emails: {emails}");
    }
    assert!(of_issues.types().iter().all(|kind| kind == "entity.new"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_quota_that_nears_its_end_is_told_once_in_its_window() {
    let lab = Lab::new().await;
    let (receiver, other) = (Receiver::new(Says::Status(204)).await, Receiver::new(Says::Status(204)).await);
    lab.add_webhook(&receiver).await;
    let of_issues = Rule { events: vec![EventKind::IssueOpened], ..rule() };
    lab.add(Channel::Webhook, json!({"url": other.url(), "secrets": [SECRET]}), of_issues).await;
    let service = lab.service();
    service.begin().await.unwrap();
    let daily = "api_requests_daily";
    lab.store().set_quota(&lab.caller(), lab.me.username(), daily, 20).await.unwrap();
    // Requests in all, minutes that pass before the look, what was told by then.
    for (requests, minutes, told) in [(18, 0, 0), (1, 0, 0), (0, 1, 1), (1, 1, 1), (0, 24 * 60, 1), (19, 1, 2)] {
        lab.pass(minutes * MINUTE);
        for _ in 0..requests {
            lab.store().charge(&lab.caller(), Cost::Requests(1), "test").await.unwrap();
        }
        service.round().await.unwrap();
        assert_eq!(receiver.types(), vec!["quota.near"; told], "after {requests} requests and {minutes} minutes");
    }
    let event = receiver.got()[0].json();
    assert_eq!(event["data"]["title"], "19 of 20 of api_requests_daily are used");
    assert_eq!(other.types(), [""; 0], "its rule names other events");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rule_whose_search_fails_for_good_keeps_nobody_from_being_told() {
    let lab = Lab::new().await;
    let inventory = lab.fill().await;
    let (fine, broken) = (Receiver::new(Says::Status(500)).await, Receiver::new(Says::Status(200)).await);
    lab.add_webhook(&fine).await;
    let fails = Arc::new(AtomicBool::new(true));
    let ill = Arc::clone(&fails);
    let service = lab.service_with(
        &["127.0.0.1/32"],
        Arc::new(move |_| {
            let answer = if ill.load(SeqCst) { Err("no such search".to_owned()) } else { Ok(BTreeSet::new()) };
            Box::pin(async move { answer })
        }),
    );
    service.begin().await.unwrap();
    set(&lab, &inventory, Status::ClosedRiskAccepted).await;
    service.round().await.unwrap();
    assert_eq!(fine.types(), ["issue.closed"], "it answers 500, and is tried again");
    let with_query = Rule { query: Some("severity:1".to_owned()), ..rule() };
    lab.add(Channel::Webhook, json!({"url": broken.url(), "secrets": [SECRET]}), with_query).await;
    fine.says(Says::Status(200));
    set(&lab, &inventory, Status::OpenNew).await;
    lab.pass(MINUTE);
    service.round().await.unwrap();
    assert_eq!(fine.types(), ["issue.closed"; 2], "what waited is sent; what is new waits for the search");
    lab.pass(5 * MINUTE);
    service.round().await.unwrap();
    assert_eq!(fine.types()[2..], ["issue.back"], "and not for ever");
    assert_eq!(broken.types(), ["issue.back"], "it is told without its search rather than not at all");
    fails.store(false, SeqCst);
    set(&lab, &inventory, Status::ClosedRiskAccepted).await;
    service.round().await.unwrap();
    assert_eq!((fine.got().len(), broken.got().len()), (4, 1), "the search answers again and finds nothing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_an_hour_of_500_everything_comes_once_and_in_order() {
    let (lab, inventory, receiver, view, service) = with_a_webhook(Says::Status(500)).await;
    for _ in 0..60 {
        if lab.log(&view).await.len() < 20 {
            toggle(&lab, &inventory, 1).await;
        }
        service.round().await.unwrap();
        lab.pass(MINUTE);
    }
    let tries = receiver.got().len();
    assert!((3..=16).contains(&tries), "{tries} tries in an hour: it is left in peace");
    receiver.says(Says::Status(200));
    lab.pass(5 * HOUR);
    service.round().await.unwrap();
    let log = lab.log(&view).await;
    assert!(log.iter().all(|row| row.state == DeliveryState::Delivered), "{:?}", lab.states(&view).await);
    let taken: Vec<String> = receiver.got()[tries..].iter().map(|got| got.id().to_owned()).collect();
    let made: Vec<String> = log.iter().map(|row| row.uuid.to_string()).collect();
    assert_eq!(taken, made);
    assert!(receiver.got()[..tries].iter().all(|got| got.id() == made[0]), "the first was tried until then");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_hangs_or_leads_away_harms_no_other() {
    let lab = Lab::new().await;
    let inventory = lab.fill().await;
    let (hangs, elsewhere) = (Receiver::new(Says::Hangs).await, Receiver::new(Says::Status(200)).await);
    let leads = Receiver::new(Says::With(307, "Location: /elsewhere")).await;
    let (hanging, leading) = (lab.add_webhook(&hangs).await, lab.add_webhook(&leads).await);
    let fine = lab.add_webhook(&elsewhere).await;
    let service = lab.service();
    service.begin().await.unwrap();
    toggle(&lab, &inventory, 1).await;
    service.round().await.unwrap();
    assert_eq!(lab.states(&fine).await, ["delivered 1 HTTP 200", "delivered 1 HTTP 200"]);
    assert_eq!(lab.states(&leading).await, ["waiting 1 HTTP 307", "waiting 0 -"]);
    assert_eq!(leads.got().len(), 1, "no redirect is followed");
    let states = lab.states(&hanging).await;
    assert!(states[0].starts_with("waiting 1 ") && states[1] == "waiting 0 -", "{states:?}");
    hangs.says(Says::Status(200));
    lab.pass(HOUR);
    service.round().await.unwrap();
    assert_eq!(lab.states(&hanging).await, ["delivered 2 HTTP 200", "delivered 1 HTTP 200"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_thirty_third_receiver_is_told_as_well() {
    let lab = Lab::new().await;
    let receiver = Receiver::new(Says::Status(200)).await;
    for _ in 0..40 {
        let view = lab.add_webhook(&receiver).await;
        lab.store().test_receiver(&lab.caller(), view.uuid).await.unwrap();
    }
    let (stop, stopped) = watch::channel(false);
    let serving = tokio::spawn(ambit_notify::serve(lab.service().within(Duration::from_secs(30)), stopped));
    receiver.until(40).await;
    stop.send(true).unwrap();
    serving.await.unwrap();
    let ids: BTreeSet<String> = receiver.got().iter().map(|got| got.id().to_owned()).collect();
    assert_eq!(ids.len(), 40);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gone_ends_a_receiver_and_a_replay_takes_it_back() {
    let (lab, inventory, receiver, view, service) = with_a_webhook(Says::Status(410)).await;
    toggle(&lab, &inventory, 1).await;
    service.round().await.unwrap();
    let ended = lab.store().find_receiver(&lab.me, view.uuid).await.unwrap().ended;
    assert_eq!(ended.as_deref(), Some("it answered HTTP 410: it is gone"));
    toggle(&lab, &inventory, 1).await;
    service.round().await.unwrap();
    assert_eq!(receiver.got().len(), 1, "nothing is sent to it any more");
    receiver.says(Says::Status(200));
    let before: Vec<_> = lab.log(&view).await.iter().map(|row| row.uuid.to_string()).collect();
    assert_eq!(lab.store().replay_deliveries(&lab.caller(), view.uuid, None).await.unwrap(), 2);
    service.round().await.unwrap();
    let again: Vec<_> = receiver.got()[1..].iter().map(|got| got.id().to_owned()).collect();
    assert_eq!(again, before, "with the ids that it knows");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_does_not_wait_for_the_next_try() {
    let (lab, inventory, receiver, view, service) = with_a_webhook(Says::Status(500)).await;
    set(&lab, &inventory, Status::ClosedRiskAccepted).await;
    service.round().await.unwrap();
    lab.pass(10 * SECOND);
    service.round().await.unwrap();
    assert_eq!(lab.states(&view).await, ["waiting 2 HTTP 500"]);
    receiver.says(Says::Status(200));
    lab.pass(10 * SECOND);
    service.round().await.unwrap();
    assert_eq!(receiver.got().len(), 2, "the third try is due after minutes");
    assert_eq!(lab.store().replay_deliveries(&lab.caller(), view.uuid, None).await.unwrap(), 1);
    service.round().await.unwrap();
    assert_eq!(lab.states(&view).await, ["delivered 3 HTTP 200"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_receiver_is_left_alone_for_as_long_as_it_asks() {
    let (lab, inventory, receiver, view, service) = with_a_webhook(Says::With(429, "Retry-After: 120")).await;
    toggle(&lab, &inventory, 1).await;
    for _ in 0..12 {
        service.round().await.unwrap();
        lab.pass(10 * SECOND - 1);
    }
    assert_eq!(receiver.got().len(), 1);
    receiver.says(Says::Status(200));
    lab.pass(SECOND);
    service.round().await.unwrap();
    assert_eq!(lab.states(&view).await, ["delivered 2 HTTP 200", "delivered 1 HTTP 200"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn days_of_failure_end_a_receiver() {
    let (lab, inventory, _receiver, view, service) = with_a_webhook(Says::Status(503)).await;
    set(&lab, &inventory, Status::ClosedRiskAccepted).await;
    for _ in 0..100 {
        service.round().await.unwrap();
        lab.pass(HOUR);
    }
    assert_eq!(lab.states(&view).await, ["failed 10 HTTP 503"]);
    let ended = lab.store().find_receiver(&lab.me, view.uuid).await.unwrap().ended;
    assert!(ended.is_some_and(|why| why.contains("HTTP 503")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn private_addresses_are_contacted_only_where_the_operator_opened_them() {
    let lab = Lab::new().await;
    let receiver = Receiver::new(Says::Status(200)).await;
    let secured = receiver.url().replace("http:", "https:");
    let mut views = Vec::new();
    for url in
        [secured.clone(), secured.replace("127.0.0.1", "[::ffff:127.0.0.1]"), secured.replace("127.0.0.1", "localhost")]
    {
        let secrets = json!({"url": url, "secrets": []});
        views.push(lab.add(Channel::Webhook, secrets, rule()).await);
    }
    views.push(lab.add_webhook(&receiver).await);
    let service = lab.service_to(&[]);
    service.begin().await.unwrap();
    for view in &views {
        lab.store().test_receiver(&lab.caller(), view.uuid).await.unwrap();
    }
    service.round().await.unwrap();
    assert!(receiver.got().is_empty());
    for view in &views {
        let states = lab.states(view).await;
        assert!(states[0].contains("reserved range"), "{states:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sender_that_dies_repeats_only_what_was_not_acknowledged() {
    let lab = Lab::new().await;
    let inventory = lab.fill().await;
    let receiver = Receiver::new(Says::Status(200)).await;
    let view = lab.add_webhook(&receiver).await;
    lab.service().begin().await.unwrap();
    toggle(&lab, &inventory, 1).await;
    lab.service().round().await.unwrap();
    set(&lab, &inventory, Status::ClosedRiskAccepted).await;
    receiver.says(Says::Status(500));
    lab.service().round().await.unwrap();
    lab.pass(HOUR);
    // One process takes the delivery and dies before it has written how that went.
    let outbox = lab.store().outbox();
    let waiting = outbox.waiting(view.id).await.unwrap();
    assert!(outbox.claim(waiting[0].id, lab.now()).await.unwrap());
    assert!(!outbox.claim(waiting[0].id, lab.now()).await.unwrap(), "nobody else has it meanwhile");
    receiver.says(Says::Status(200));
    let service = lab.service();
    service.begin().await.unwrap();
    service.round().await.unwrap();
    let ids: Vec<String> = receiver.got().iter().map(|got| got.id().to_owned()).collect();
    assert_eq!(ids.len(), 4);
    assert_eq!(ids[2], ids[3], "the same id at every try");
    assert!(lab.log(&view).await.iter().all(|row| row.state == DeliveryState::Delivered));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_position_is_said_and_the_present_is_the_beginning() {
    let lab = Lab::new().await;
    let inventory = lab.fill().await;
    let receiver = Receiver::new(Says::Status(200)).await;
    lab.add_webhook(&receiver).await;
    toggle(&lab, &inventory, 1).await;
    lab.store().set_position("notifications", i64::MAX).await.unwrap();
    let service = lab.service();
    service.begin().await.unwrap();
    service.round().await.unwrap();
    assert_eq!(receiver.types(), ["notifications.resumed"]);
    service.begin().await.unwrap();
    service.round().await.unwrap();
    assert_eq!(receiver.got().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn digests_collections_and_events_are_as_the_rule_says() {
    let lab = Lab::new().await;
    let inventory = lab.fill().await;
    let (daily, runs) = (Receiver::new(Says::Status(200)).await, Receiver::new(Says::Status(200)).await);
    let at = |receiver: &Receiver| json!({"url": receiver.url(), "secrets": []});
    let mut of_day = rule();
    (of_day.digest, of_day.heartbeat) = (Digest::Daily, true);
    lab.add(Channel::Webhook, at(&daily), of_day).await;
    let mut of_runs = rule();
    of_runs.events = vec![EventKind::RunBegun, EventKind::RunEnded];
    of_runs.collection = Some(lab.server.collection);
    lab.add(Channel::Webhook, at(&runs), of_runs).await;
    let service = lab.service();
    service.begin().await.unwrap();
    set(&lab, &inventory, Status::ClosedRiskAccepted).await;
    find_host(&lab, "new.acme.test").await;
    service.round().await.unwrap();
    assert_eq!(runs.types(), ["run.begun", "run.ended"]);
    assert!(daily.got().is_empty());
    lab.pass(24 * HOUR);
    service.round().await.unwrap();
    assert_eq!(daily.types(), ["digest"]);
    assert_eq!(daily.got()[0].json()["data"]["counts"], json!({"entity.new": 1, "issue.closed": 1}));
    lab.pass(24 * HOUR);
    service.round().await.unwrap();
    service.round().await.unwrap();
    assert_eq!(daily.types(), ["digest", "heartbeat"]);
    assert_eq!(runs.got().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_senders_tell_nothing_twice() {
    let lab = Lab::new().await;
    let inventory = lab.fill().await;
    let receiver = Receiver::new(Says::Status(200)).await;
    let view = lab.add_webhook(&receiver).await;
    lab.service().begin().await.unwrap();
    toggle(&lab, &inventory, 10).await;
    let (one, other) = (lab.service(), lab.service());
    for _ in 0..4 {
        let (first, second) = tokio::join!(one.round(), other.round());
        assert!(first.is_ok() || second.is_ok(), "{first:?} {second:?}");
    }
    let mut ids: Vec<String> = receiver.got().iter().map(|got| got.id().to_owned()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((ids.len(), receiver.got().len()), (20, 20));
    let outbox = lab.store().outbox();
    let delivered = lab.log(&view).await.len();
    let late = Outcome::Failed { answer: "late".to_owned() };
    outbox.finish(view.id, i64::MAX, late, lab.now()).await.unwrap();
    assert_eq!(lab.log(&view).await.len(), delivered);
}
