//! Domains that nobody named: evidence makes them theirs, or candidates that wait for a person's word.

use crate::program::{Folder, scan_text, succeed};
use serde_json::Value;
use std::collections::BTreeSet;

/// One certificate of theirs names three other domains. The first is registered and served as the seed is, the second
/// only served so, the third is a stranger's.
const WORLD: &str = "world kin \"Harbour Tools\"
seeds harbour.test

org harbour \"Harbour Tools Ltd\" ours     email hostmaster@harbour.test
org quay    \"Quayside Ltd\"      related
org globex  \"Globex Partners\"   stranger email desk@globex.test

block 203.0.113.0/26  of harbour asn AS64500 named HARBOUR-NET
block 203.0.113.64/26 of globex  asn AS64501 named GLOBEX-NET

zone harbour.test of harbour
  ns ns1.harbour.test 203.0.113.2
zone tidewater.test of harbour
  ns ns1.harbour.test
  sister
zone quayside.test of quay
  ns ns1.harbour.test
zone globex.test of globex
  ns ns1.globex.test 203.0.113.66

name harbour.test       A 203.0.113.10  MX 10 mail.harbour.test
name www.harbour.test   A 203.0.113.10
name mail.harbour.test  A 203.0.113.25
name tidewater.test     MX 10 mail.harbour.test
name www.tidewater.test A 203.0.113.11
name quayside.test      MX 10 mail.harbour.test
name www.quayside.test  A 203.0.113.70
name globex.test        A 203.0.113.71
name www.globex.test    A 203.0.113.71

site https://www.harbour.test \"Harbour Tools\"
  cert names www.harbour.test www.tidewater.test www.quayside.test www.globex.test
site https://www.tidewater.test \"Tidewater\"
site https://www.globex.test \"Globex\"
";

/// The uid of a domain.
fn domain(name: &str, folder: &str) -> String {
    let found = succeed(&["entities", &format!("name:{name} type:Domain"), "--jsonl", "--data", folder]);
    let lines = found.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let entity = lines.into_iter().find(|entity| entity["name"] == name).expect("the domain is known");
    entity["id"].as_str().expect("a uid").to_owned()
}

#[test]
fn what_is_registered_and_served_alike_is_theirs_what_is_served_alike_waits_and_a_stranger_stays_one() {
    let folder = Folder::new("sisters");
    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    let first = scan_text(&folder, WORLD, &[]);
    for figure in ["missed", "unexpected", "contacts_outside_clearance"] {
        assert_eq!(first.figure(figure), 0, "{figure}: {}", first.summary);
    }
    let is_listed = |name: &str| first.entities.values().any(|entity| entity["name"] == name);
    assert!(is_listed("hostmaster@harbour.test"), "the seed's registration names its mailbox");
    assert!(!is_listed("desk@globex.test"), "a stranger's mailboxes are none of our business");
    let why = |name: &str| succeed(&["entity", "path", &domain(name, path), "--data", path]);
    let theirs = why("tidewater.test");
    assert!(theirs.contains("evidence +4.0: its registrant's mailbox is theirs: hostmaster@harbour.test"), "{theirs}");
    assert!(theirs.contains("evidence +1.5: it is served by their name server ns1.harbour.test"), "{theirs}");
    assert!(theirs.ends_with("Domain tidewater.test: ownership 0.999, clearance L2, evidence\n"), "{theirs}");
    let candidate = why("quayside.test");
    assert!(candidate.contains("evidence -3.0: starting value\n"), "{candidate}");
    assert!(candidate.contains("evidence +1.5 in total: ownership 0.817, clearance at most L1\n"), "{candidate}");
    assert!(candidate.ends_with("Domain quayside.test: ownership 0.817, clearance L1, evidence\n"), "{candidate}");
    let stranger = why("globex.test");
    assert!(stranger.contains("evidence +1.5: it is named in their certificate"), "also why not: {stranger}");
    assert!(stranger.contains("evidence -1.5 in total: too little to count\n"), "{stranger}");
    assert!(stranger.ends_with("Domain globex.test: ownership 0.346, clearance L1, foreign_certificate_name\n"));

    // Again is the same: what is theirs by evidence does not come and go.
    let again = scan_text(&folder, WORLD, &[]);
    for figure in ["missed", "unexpected", "new", "changed", "gone"] {
        assert_eq!(again.figure(figure), 0, "{figure}: {}", again.summary);
    }

    // One word makes a candidate theirs, another takes a sister out.
    let said = succeed(&["entity", "allow", &domain("quayside.test", path), "--data", path]);
    assert!(said.contains("ownership 1.000, clearance L3, allow_list_override"), "{said}");
    let said = succeed(&["entity", "deny", &domain("tidewater.test", path), "--data", path]);
    assert!(said.contains("ownership 0.000, clearance L0, deny_list_override"), "{said}");
}

#[test]
fn an_organisation_that_is_a_seed_leads_to_blocks_that_wait_for_a_persons_word() {
    let folder = Folder::new("organisation");
    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    let first = scan_text(&folder, WORLD, &["org:Harbour Tools Ltd"]);
    assert_eq!(first.figure("contacts_outside_clearance"), 0, "{}", first.summary);
    let block = succeed(&["entities", "type:NetBlock", "--jsonl", "--data", path]);
    let blocks: Vec<Value> = block.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let names: Vec<&str> = blocks.iter().filter_map(|block| block["name"].as_str()).collect();
    assert_eq!(names, ["203.0.113.0/26"], "what others registered is not asked about");
    let uid = blocks[0]["id"].as_str().expect("a uid");
    let why = succeed(&["entity", "path", uid, "--data", path]);
    assert!(why.ends_with("NetBlock 203.0.113.0/26: ownership 0.600, clearance L1, registered_name\n"), "{why}");
    let found = succeed(&["entities", "type:NetworkService", "--jsonl", "--data", path]);
    assert_eq!(found, "", "nobody was contacted");

    // A person says that it is theirs.
    succeed(&["entity", "allow", uid, "--data", path]);
    scan_text(&folder, WORLD, &["org:Harbour Tools Ltd"]);
    let found = succeed(&["entities", "type:NetworkService", "--jsonl", "--data", path]);
    assert!(found.contains("203.0.113.10:443/tcp"), "{found}");
    assert!(!found.contains("203.0.113.7"), "the neighbour's block is not theirs: {found}");
}

/// A sister whose names are in the seed's certificate, on a vendor's machine with an open database.
const AT_A_VENDOR: &str = "world kinship \"Kinship\"
seeds acme.test
org acme \"Acme Tools Ltd\" ours email hostmaster@acme.test
org vendor \"Vendor\" vendor
block 203.0.113.0/25 of acme asn AS64500 named ACME-NET
block 198.51.100.0/24 of vendor asn AS64501 named VENDOR-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
zone acmeparts.test of acme
  ns ns1.acme.test
  sister
name acme.test A 203.0.113.10
name mail.acme.test A 203.0.113.11
name acmeparts.test A 198.51.100.12 MX 10 mail.acme.test
name vpn.acmeparts.test A 198.51.100.13
host 198.51.100.13 of acme
  ptr vpn.acmeparts.test
  port 22 ssh
  port 6379 redis open
site https://acme.test \"Acme\"
  cert names acme.test acmeparts.test
site https://acmeparts.test \"Parts\"
";

#[test]
fn a_sister_is_visited_as_a_browser_does_whatever_certificates_name_it() {
    let folder = Folder::new("kinship");
    let contacts = folder.join("contacts");
    let mut scan = crate::program::scan_command(&folder, AT_A_VENDOR);
    scan.arg("--contacts").arg(&contacts).output().expect("the program starts");
    let contacts = std::fs::read_to_string(&contacts).expect("the contacts were written");
    let contacts: Vec<Value> = contacts.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let there: Vec<&Value> = contacts.iter().filter(|contact| contact["address"] == "198.51.100.13").collect();
    assert!(there.iter().all(|contact| contact["port"] == 80 || contact["port"] == 443), "{there:?}");
    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    let why = succeed(&["entity", "path", &domain("acmeparts.test", path), "--data", path]);
    assert!(why.contains("clearance L2, "), "{why}");
}

/// A site that first sends everyone on to a stranger, and in its second state only links there.
const SENT_ON: &str = "world sent \"Sent on\"
seeds acme.test
org acme \"Acme Tools Ltd\" ours
org globex \"Globex Partners\" stranger email desk@globex.test
block 203.0.113.0/26  of acme   asn AS64500 named ACME-NET
block 203.0.113.64/26 of globex asn AS64501 named GLOBEX-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
zone globex.test of globex
  ns ns1.globex.test 203.0.113.66
name acme.test A 203.0.113.10
name www.acme.test A 203.0.113.10
name www.globex.test A 203.0.113.71
site https://acme.test \"Acme\"
  links https://www.globex.test/
site https://www.acme.test \"Acme\"
  redirect https://www.globex.test/
site https://www.globex.test \"Globex\"
state 2
site https://www.acme.test \"Acme\"
";

#[test]
fn a_registration_goes_with_the_redirect_for_which_the_registry_was_asked() {
    let folder = Folder::new("sent-on");
    let organizations = |state: &str| {
        let found = scan_text(&folder, SENT_ON, &["--state", state]);
        for figure in ["missed", "unexpected", "contacts_outside_clearance"] {
            assert_eq!(found.figure(figure), 0, "{figure}: {}", found.summary);
        }
        let of_kind = |kind: &str| {
            let of_kind = found.entities.values().filter(|entity| entity["type"] == kind);
            of_kind.filter_map(|entity| entity["name"].as_str().map(str::to_owned)).collect::<BTreeSet<_>>()
        };
        assert!(of_kind("Platform::Entity::Domain").contains("globex.test"), "a link leads there");
        of_kind("Platform::Entity::Organization")
    };
    let known = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(organizations("1"), known(&["Acme Tools Ltd", "Globex Partners"]));
    assert_eq!(organizations("2"), known(&["Acme Tools Ltd"]));
}

/// A seed that hosts of six domains serve: four are registered by a mailbox of the seed's, the fifth to somebody else,
/// and the sixth is a provider's that hides who registered it. They stand at machines of others.
const SERVED: &str = "world served \"Served\"
seeds acme.test
org acme    \"Acme Tools Ltd\" ours email hostmaster@acme.test
org mailers \"Mailers Inc\"    stranger email desk@mailers.test
org vendor  \"Vendor\"         stranger
block 203.0.113.0/24  of acme    asn AS64500 named ACME-NET
block 198.51.100.0/25 of vendor  asn AS64501 named VENDOR-NET
block 198.51.100.128/25 of mailers asn AS64502 named MAILERS-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
zone acmemail.test of acme
  ns ns1.vendor.test
zone acmesend.test of acme
  ns ns1.vendor.test
zone acmereports.test of acme
  ns ns1.vendor.test
zone acmehosts.test of acme
  ns ns1.vendor.test
zone mailers.test of mailers
  ns ns1.mailers.test 198.51.100.130
zone vendor.test of vendor
  ns ns1.vendor.test 198.51.100.2
  redacted
name acme.test MX 10 mx.acmemail.test MX 20 mx.mailers.test MX 30 mx.vendor.test A 203.0.113.10
  TXT \"v=spf1 include:_spf.acmesend.test include:_spf.mailers.test include:_spf.vendor.test -all\"
name _dmarc.acme.test TXT \"v=DMARC1; p=reject; rua=mailto:d@acmereports.test,mailto:d@mailers.test\"
name {mx,mail}.acmemail.test A 198.51.100.{11,12}
name _spf.acmesend.test TXT \"v=spf1 ip4:198.51.100.13 -all\"
name acmereports.test A 198.51.100.14
name db1.acmehosts.test A 203.0.113.40
name mx.mailers.test A 198.51.100.131
name _spf.mailers.test TXT \"v=spf1 ip4:198.51.100.131 -all\"
name mx.vendor.test A 198.51.100.3
name _spf.vendor.test TXT \"v=spf1 ip4:198.51.100.3 -all\"
name www.acme.test A 203.0.113.40
host 203.0.113.40
  ptr db1.acmehosts.test
";

#[test]
fn domains_that_serve_a_seed_are_candidates_by_further_evidence_and_providers_are_not() {
    let folder = Folder::new("served");
    let list = folder.join("contacts.jsonl");
    let data = folder.join("data");
    let path = data.to_str().expect("UTF-8");
    let first = scan_text(&folder, SERVED, &["--contacts", list.to_str().expect("UTF-8")]);
    for figure in ["unexpected", "contacts_outside_clearance"] {
        assert_eq!(first.figure(figure), 0, "{figure}: {}", first.summary);
    }
    let why = |name: &str| succeed(&["entity", "path", &domain(name, path), "--data", path]);
    for (name, relied) in [
        ("acmemail.test", "a seed relies on mx.acmemail.test"),
        ("acmesend.test", "a seed relies on _spf.acmesend.test"),
        ("acmereports.test", "a seed relies on d@acmereports.test"),
        ("acmehosts.test", "a pointer of theirs names db1.acmehosts.test"),
    ] {
        let why = why(name);
        assert!(
            why.contains("evidence +4.0: its registrant's mailbox is theirs: hostmaster@acme.test"),
            "{name}: {why}"
        );
        assert!(why.contains(&format!("evidence +0.5: {relied}")), "{name}: {why}");
        assert!(why.contains("clearance at most L1\n"), "{name}: {why}");
        assert!(why.ends_with("clearance L1, evidence\n"), "{name}: {why}");
    }
    for name in ["mailers.test", "vendor.test"] {
        let why = why(name);
        assert!(!why.contains("evidence"), "{name}: {why}");
        assert!(why.contains("clearance L1, "), "{name}: {why}");
    }
    // Servers of names are asked; nobody else there is.
    let contacts = std::fs::read_to_string(&list).expect("the contacts were written");
    let contacts = contacts.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let visited: Vec<Value> = contacts
        .filter(|contact| contact["address"].as_str().is_some_and(|address| address.starts_with("198.51.100.")))
        .filter(|contact| contact["port"] != 53)
        .collect();
    assert_eq!(visited, Vec::<Value>::new(), "a candidate is not visited");

    let again = scan_text(&folder, SERVED, &[]);
    for figure in ["unexpected", "new", "changed", "gone"] {
        assert_eq!(again.figure(figure), 0, "{figure}: {}", again.summary);
    }
}
