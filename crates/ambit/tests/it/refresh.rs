//! What a second scan notices within the time to live of searches: whatever is gone or has changed, and of what is new
//! only what a search with a reason tells (docs/decisions/0225-a-refresh-verifies-what-is-known.md).

use crate::sightings::{Held, Scans, is_open, is_present};
use ambit_model::Uid;
use std::collections::{BTreeMap, BTreeSet};

/// An hour later, something is gone in `acme.test` and in `mail.test`, and a front page is another. In `still.test` and
/// `shop.test` all that was known is as it was, and something is new. Nothing else changes in the states after that.
const WORLD: &str = r#"world refreshed "Refreshed"
seeds acme.test still.test shop.test mail.test
org acme "Acme Tools" ours
block 203.0.113.0/24 of acme asn AS64500 named ACME
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
zone {still,shop,mail}.test of acme
  ns ns1.acme.test
name www.acme.test A 203.0.113.4
site http://www.acme.test "Acme"
name vpn.acme.test A 203.0.113.4
site http://vpn.acme.test "Ways in"
  exposes git
name www.still.test A 203.0.113.5
host 203.0.113.5
  port 22 ssh "OpenSSH_10.2"
name www.shop.test A 203.0.113.6
site http://www.shop.test "Shop"
name mail.test A 203.0.113.7
host 203.0.113.7
  port 21 ftp "ready" login
  port 22 ssh "OpenSSH_10.2"
state 2 after 1h
remove site http://vpn.acme.test
remove name vpn.acme.test
site http://www.acme.test "Acme, renewed"
host 203.0.113.5
  port 22 ssh "OpenSSH_10.2"
  port 3306 mysql
name api.still.test A 203.0.113.5
site http://www.shop.test "Shop"
  exposes git
host 203.0.113.7
  port 21 ftp "ready" login
state 3 after 25h
state 4 after 7d
"#;

/// What is new behind searches that nothing gives a reason to make again.
const NEW_PORT: &str = "203.0.113.5:3306/tcp";
const NEW_NAME: &str = "api.still.test";
const NEW_PAGE: &str = "exposed_version_control";

/// The versions that records are in.
fn versions(held: &Held) -> BTreeMap<Uid, i64> {
    let rows = held.entities.iter().chain(&held.issues);
    rows.map(|row| (row.uid, row.opened_at.0)).collect()
}

/// The names of records that are in another version than before, of what was there before.
fn changed<'a>(before: &Held, after: &'a Held) -> BTreeSet<&'a str> {
    let known = versions(before);
    let rows = after.entities.iter().chain(&after.issues);
    let changed = rows.filter(|row| known.get(&row.uid).is_some_and(|opened| *opened != row.opened_at.0));
    changed.filter_map(|row| row.record["name"].as_str()).collect()
}

/// Which of the new things are known.
fn known(held: &Held) -> Vec<&str> {
    let found = held.names(&held.entities, |row| is_present(row) && [NEW_PORT, NEW_NAME].contains(&name(row)));
    let told = held.names(&held.issues, |row| is_open(row) && row.record["name"] == NEW_PAGE && is_of_shop(row));
    [found, told].concat()
}

fn is_of_shop(row: &ambit_store::IndexRow) -> bool {
    row.record["entity_name"] == "http://www.shop.test:80"
}

fn name(row: &ambit_store::IndexRow) -> &str {
    row.record["name"].as_str().unwrap_or_default()
}

#[test]
fn what_is_gone_or_has_changed_is_noticed_at_once_and_nothing_else_moves() {
    let scans = Scans::of(WORLD);
    let (_, before) = scans.scan_with("1", &[]);
    let (_, after) = scans.scan_with("2", &[]);
    let gone = after.names(&after.entities, |row| !is_present(row));
    assert_eq!(gone, ["203.0.113.7:22/tcp", "http://vpn.acme.test:80", "vpn.acme.test"]);
    let closed = after.names(&after.issues, |row| !is_open(row));
    assert!(closed.contains(&NEW_PAGE), "{closed:?}");
    let page = after.entities.iter().find(|row| name(row) == "http://www.acme.test:80").expect("it is there");
    assert!(page.record.to_string().contains("Acme, renewed"), "{}", page.record);
    // What went, what is another, and what they are shown with.
    let changed = changed(&before, &after);
    let of_first = ["203.0.113.4", "203.0.113.4:80/tcp", "http://203.0.113.4:80", "http://www.acme.test:80"];
    let of_last = ["203.0.113.7", "203.0.113.7:22/tcp"];
    let wanted = [&of_first[..], &["http://vpn.acme.test:80", "vpn.acme.test", NEW_PAGE], &of_last[..]].concat();
    assert_eq!(changed, wanted.into_iter().collect());
    assert_eq!(known(&after), [""; 0]);
}

#[test]
fn what_is_new_behind_a_search_that_nothing_gives_a_reason_to_make_is_found_by_a_full_run() {
    let scans = Scans::of(WORLD);
    scans.scan_with("1", &[]);
    let (_, refreshed) = scans.scan_with("2", &[]);
    assert_eq!(known(&refreshed), [""; 0]);
    let (found, full) = scans.scan_with("2", &["--full"]);
    assert_eq!(known(&full), [NEW_PORT, NEW_NAME, NEW_PAGE]);
    for figure in ["missed", "unexpected", "contacts_outside_clearance"] {
        assert_eq!(found.figure(figure), 0, "{figure}: {}", found.summary);
    }
}

#[test]
fn what_is_new_is_found_once_its_search_is_past_its_time_to_live() {
    let scans = Scans::of(WORLD);
    let found = |state: &str| known(&scans.scan_with(state, &[]).1).into_iter().map(str::to_owned).collect::<Vec<_>>();
    for (state, wanted) in
        [("1", &[][..]), ("2", &[]), ("3", &[NEW_PORT, NEW_PAGE]), ("4", &[NEW_PORT, NEW_NAME, NEW_PAGE])]
    {
        assert_eq!(found(state), wanted, "state {state}");
    }
}
