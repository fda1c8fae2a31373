//! Answers that depend on how often somebody asked, or on who asks: all is found whatever turn a run gets, a refusal is
//! no absence, and nothing false is said.

use super::explorer::empty_facts;
use super::faulty::look_by;
use super::{EPOCH, compare, explore, world};
use ambit_model::scope::Decision;
use ambit_model::{Clearance, Facts, Kind};
use ambit_tasks::{Answer, Settings};
use ambit_world::World;
use serde_json::json;

/// Explores lines below those of [`world`], and demands that all is found, nothing else, and nobody touched.
fn assert_found(lines: &str) {
    let (explorer, truth) = explore(&world(lines), Clearance::L3);
    let (missed, unexpected) = compare(&explorer, &truth);
    assert!(
        missed.is_empty() && unexpected.is_empty(),
        "{lines}\nmissed {missed:#?}\nunexpected {unexpected:#?}\nfailed {:#?}",
        explorer.failures()
    );
    assert_eq!(explorer.outside(), Vec::<String>::new(), "{lines}");
}

/// Names by guess, by transfer and by a walk.
const NAMES: &str = "name acme.test A 203.0.113.10 MX 10 works.acme.test MX 20 open.acme.test
name {www,api,dev,shop,vpn}.acme.test A 203.0.113.{11..15}
zone open.acme.test of acme
  ns ns1.acme.test
  transfer open
name {open,qzx-1.open}.acme.test A 203.0.113.{16,17}
zone works.acme.test of acme
  ns ns1.acme.test
  signed nsec
name {works,quoin.works,thwart.works}.acme.test A 203.0.113.{18..20}";

#[test]
fn names_of_servers_that_limit_their_rate_are_found() {
    for how in ["refused", "silent", "truncated"] {
        assert_found(&format!("{NAMES}\nhost 203.0.113.2 limit 3 1s {how}"));
    }
}

#[test]
fn names_are_found_by_resolvers_that_limit_their_rate() {
    for how in ["silent", "truncated"] {
        assert_found(&format!("{NAMES}\nhost 198.19.0.1 198.19.0.2 limit 40 1s {how}"));
    }
}

#[test]
fn sites_of_a_server_that_limits_its_rate_are_found() {
    for how in ["429 retry 10", "429", "503 retry 10", "503"] {
        assert_found(&format!(
            "name {{www,api,dev}}.acme.test A 203.0.113.10\nhost 203.0.113.10 limit 6 10s {how}\n\
             site https://{{www,api,dev}}.acme.test \"Acme {{1..3}}\"\n  exposes git  links /about"
        ));
    }
}

#[test]
fn what_stands_behind_unequal_machines_is_found() {
    assert_found(
        "name {www,api,mail}.acme.test A 203.0.113.{10,11,25}\nsite https://www.acme.test \"Acme\"\n  header X-Node \
         a\n  next header X-Node b  server Apache  body \"another\"\n  next status 503\nsite https://api.acme.test \
         \"API\"\n  next cert expires 70d\nhost 203.0.113.25\n  port 22 ssh \"OpenSSH_9.6\" next ssh \
         \"OpenSSH_9.2\"\n  port 25 smtp \"mail.acme.test ESMTP Postfix\" next smtp \"mx2.acme.test ESMTP Exim 4.97\"",
    );
}

#[test]
fn a_view_for_insiders_says_nothing_of_what_is_outside() {
    assert_found(
        "name {acme.test,www.acme.test} A 203.0.113.{10,11} inside A 10.0.0.{10,11}\nname ledger.acme.test inside A \
         10.0.0.12\nname acme.test MX 10 open.acme.test\nzone open.acme.test of acme\n  ns ns1.acme.test\n  transfer \
         open\nname {open,qzx-1.open}.acme.test A 203.0.113.{16,17} inside A 10.0.1.{16,17}\nname \
         secret.open.acme.test inside A 10.0.1.18",
    );
}

/// What a record says of a service does not change with the number of the connection or the clock.
#[test]
fn a_banner_that_counts_says_the_same_of_its_service() {
    let lines = |earlier: &str| {
        format!(
            "name mail.acme.test A 203.0.113.25\nhost 203.0.113.25\n  port 25 smtp \"mail.acme.test ESMTP Postfix; \
             {earlier}{{connection}}; {{time}}\"\n  port 21 ftp \"FTP server ready {earlier}{{connection}}\" login\n  \
             port 7777 banner \"{earlier}{{connection}} {{time}}\""
        )
    };
    let told = |earlier: &str| {
        let (explorer, _) = explore(&world(&lines(earlier)), Clearance::L3);
        let of = |port: u16| {
            let mut details = explorer.details(Kind::NetworkService, &format!("203.0.113.25:{port}/tcp"));
            assert!(details.remove("hidden_banner").is_some(), "{details:?}");
            details
        };
        [25, 21, 7777].map(of)
    };
    assert_eq!(told(""), told("77"));
}

/// What a site takes is known until it says something else; that it cannot say so now is nothing else.
#[test]
fn known_methods_stand_where_a_site_refuses_to_tell_them() {
    const SITE: &str = "http://w.acme.test:80";
    let verbs = |limit: &str, known: serde_json::Value| {
        let text = world(&format!("name w.acme.test A 203.0.113.10\nsite http://w.acme.test \"W\"\n{limit}"));
        let world = World::parse(&text, "test.world").unwrap_or_else(|problems| panic!("{problems:?}"));
        let decision = Decision { clearance: Clearance::L3, ..Decision::unreached() };
        let details = [("verbs".to_owned(), known)].into_iter().collect();
        let facts = Facts { decision, details, ..empty_facts(Kind::Uri, SITE) };
        let settings = Settings::default();
        let looked = look_by(settings, (&world, EPOCH), "http_enrich", (facts, "203.0.113.10:80"), |_, _| None);
        assert_eq!(looked.answer, Ok(Answer::Found), "{limit}");
        looked.found.details["verbs"].clone()
    };
    for how in ["429", "503"] {
        let limit = format!("host 203.0.113.10 limit 1 9m {how}");
        assert_eq!(verbs(&limit, json!("GET,HEAD")), "GET,HEAD", "{how}");
        assert_eq!(verbs(&limit, json!(null)), json!(null), "{how}");
    }
    assert_eq!(verbs("", json!("GET,TRACE")), "GET,HEAD,OPTIONS,POST", "it tells others");
}
