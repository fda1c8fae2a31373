//! What others tell: names by sources, blocks by what a network announces.

use crate::program::{Discovery, Folder, scan_command, scan_text, succeed};
use std::collections::BTreeMap;

/// A network announces two blocks of its own and one of a customer.
const NETWORK: &str = "world network \"A network\"
seeds AS64500
org acme   \"Acme Corp\" ours
org tenant \"A Tenant\"  stranger
block 198.51.100.0/28   of acme   asn AS64500 named ACME-ONE
block 203.0.113.0/28    of acme   asn AS64500 named ACME-TWO
block 203.0.113.128/28  of tenant asn AS64500 named TENANT-NET
host 198.51.100.3
  port 22 ssh
host 203.0.113.5
  port 80 http
  port 6379 redis open
host 203.0.113.133
  port 80 http
  port 6379 redis open
";

#[test]
fn a_network_leads_to_the_blocks_of_its_holder_and_touches_no_customer_of_its() {
    let folder = Folder::new("network");
    let found = scan_text(&folder, NETWORK, &[]);
    for figure in ["missed", "unexpected", "contacts_outside_clearance"] {
        assert_eq!(found.figure(figure), 0, "{figure}: {}", found.summary);
    }
    let blocks: BTreeMap<&str, bool> = found
        .entities
        .values()
        .filter(|entity| entity["type"] == "Platform::Entity::NetBlock")
        .filter_map(|entity| Some((entity["name"].as_str()?, entity["summary"]["scoped"].as_bool()?)))
        .collect();
    let expected = [("198.51.100.0/28", true), ("203.0.113.0/28", true), ("203.0.113.128/28", false)];
    assert_eq!(blocks, expected.into());
    let exposed = found.issues.values().filter(|issue| issue["name"] == "open_redis_service");
    let exposed: Vec<&str> = exposed.filter_map(|issue| issue["entity_name"].as_str()).collect();
    assert_eq!(exposed, ["203.0.113.5:6379/tcp"]);
}

#[test]
fn a_customer_s_small_part_of_an_announced_block_is_left_alone_and_their_part_of_a_customer_s_is_found() {
    let world = "world parts \"Parts\"
seeds AS64500
org acme   \"Acme Corp\" ours
org tenant \"A Tenant\"  stranger
block 198.18.0.0/22    of acme   asn AS64500 named ACME-NET
block 198.18.1.4/30    of tenant asn AS64500 named TENANT-PART
block 198.18.8.0/26    of tenant asn AS64500 named TENANT-NET
block 198.18.8.16/28   of acme   asn AS64500 named ACME-BACK
host 198.18.1.{5,9} 198.18.8.{5,20}
  port 22 ssh
";
    let found = scan_text(&Folder::new("parts"), world, &["--ports", "22"]);
    for figure in ["missed", "unexpected", "contacts_outside_clearance"] {
        assert_eq!(found.figure(figure), 0, "{figure}: {}", found.summary);
    }
}

#[test]
fn a_part_that_no_registry_tells_of_is_not_swept_and_is_named_and_the_rest_goes_on() {
    let world = "world silent \"Silent\"
seeds AS64500
org acme   \"Acme Corp\" ours
org tenant \"A Tenant\"  stranger
block 198.18.0.0/24    of acme   asn AS64500 named ACME-NET
block 198.18.0.32/28   of tenant asn AS64500 named TENANT-PART registry http://rdap.gone.test/
block 198.18.0.64/28   of tenant asn AS64510 named TENANT-QUIET
block 198.18.8.0/28    of acme   asn AS64500 named ACME-TWO
host 198.18.0.{5,33,65}
  port 22 ssh
host 198.18.8.5
  port 22 ssh
";
    let folder = Folder::new("silent-part");
    let output = scan_command(&folder, world).args(["--ports", "22"]).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(5), "{said}");
    let found = Discovery::parse(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(found.figure("contacts_outside_clearance"), 0, "{}", found.summary);
    for (address, is_swept) in
        [("198.18.0.5", true), ("198.18.0.33", false), ("198.18.0.65", false), ("198.18.8.5", true)]
    {
        assert_eq!(found.names("IpAddress").contains(address), is_swept, "{address}: {said}");
    }
    for part in ["198.18.0.32/28 is not swept: no registry", "198.18.0.64/28 is not swept: within what you named"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

const TOLD: &str = "world told \"Told\"
seeds acme.test
org acme \"Acme Corp\" ours
block 203.0.113.0/26 of acme asn AS64500 named ACME-NET
zone acme.test of acme
  ns ns1.acme.test 203.0.113.2
name zq7-harbour.acme.test A 203.0.113.10 archived
site https://zq7-harbour.acme.test \"Harbour\"
  cert unlogged
";

#[test]
fn a_name_that_only_archives_know_is_found_and_its_trail_says_who_told_of_it() {
    let folder = Folder::new("told");
    let found = scan_text(&folder, TOLD, &[]);
    assert_eq!((found.figure("missed"), found.figure("unexpected")), (0, 0), "{}", found.summary);
    let data = folder.join("data");
    let trail = succeed(&["entity", "path", "zq7-harbour.acme.test", "--data", data.to_str().expect("UTF-8")]);
    assert!(trail.contains("name_sources"), "{trail}");
}

#[test]
fn sources_are_chosen_and_wrong_words_are_named() {
    for (setting, value, why) in [
        ("AMBIT_SOURCES", "wayback,nowhere", "setting sources: no source is named \"nowhere\"; there are alienvault,"),
        ("AMBIT_SOURCE_KEYS", "shodan=k1 nowhere=k2", "setting source_keys, key 2: no source is named \"nowhere\""),
        ("AMBIT_SOURCE_KEYS", "s3cret", "setting source_keys, key 1: expected the name of a source and its key"),
    ] {
        let folder = Folder::new("sources");
        let output = scan_command(&folder, TOLD).env(setting, value).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(why) && !said.contains("s3cret"), "{said}");
    }
    let folder = Folder::new("no-sources");
    let output = scan_command(&folder, TOLD).env("AMBIT_SOURCES", "none").output().expect("it runs");
    let found = Discovery::of(&output);
    assert!(!found.names("DnsRecord").contains("zq7-harbour.acme.test"), "{}", found.summary);
}
