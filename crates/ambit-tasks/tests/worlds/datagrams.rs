//! Services that speak over UDP: found where their answers prove them.

use super::faulty::{Fault, look, look_with};
use super::{EPOCH, compare, explore, world};
use ambit_model::{Clearance, Kind};
use ambit_tasks::{Answer, Settings};
use ambit_world::World;
use serde_json::json;
use std::time::Duration;

/// Hosts of theirs with every service that the format knows, and one that says nothing.
const HOSTS: &str = "name acme.test A 203.0.113.25 A 203.0.113.26 A 203.0.113.27
host 203.0.113.25
  udp 69 tftp
  udp 123 ntp
  udp 137 netbios
  udp 161 snmp public
  udp 443 quic
  udp 500 ike
  udp 1900 ssdp
host 203.0.113.26
  udp 161 snmp s3cret
  udp 3478 stun
  udp 5060 sip \"Gate 7\"
  udp 5353 mdns
  udp 5683 coap
  udp 11211 memcached
  unlisted filtered
host 203.0.113.27
  udp 123 silent
  port 22 ssh \"OpenSSH_9.6\"";

const NEVER: Fault = |_, _| None;

fn parsed(lines: &str) -> World {
    World::parse(&world(lines), "test.world").unwrap_or_else(|problems| panic!("{problems:?}"))
}

#[test]
fn every_service_over_udp_is_found_and_no_other() {
    let (explorer, truth) = explore(&world(HOSTS), Clearance::L3);
    let (missed, unexpected) = compare(&explorer, &truth);
    assert!(missed.is_empty() && unexpected.is_empty(), "missed {missed:#?}\nunexpected {unexpected:#?}");
    assert_eq!(explorer.outside(), Vec::<String>::new());
    let planted = truth.entities.iter().filter(|(_, name)| name.ends_with("/udp")).count();
    assert_eq!(planted, 14, "thirteen stated ones and the name server's");
}

#[test]
fn a_service_over_udp_says_what_it_is_and_whether_it_serves_anybody() {
    let world = parsed(HOSTS);
    for (socket, service, banner, open) in [
        ("203.0.113.25:69", "TFTP", json!("File not found"), true),
        ("203.0.113.25:123", "NTP", json!("version 4, stratum 2"), false),
        ("203.0.113.25:161", "SNMP", json!("Router OS 7.14"), true),
        ("203.0.113.26:161", "SNMP", json!("version 3, engine 8000000004776f726c64"), false),
        ("203.0.113.26:5060", "SIP", json!("Gate 7"), false),
        ("203.0.113.26:11211", "MEMCACHED", json!("version 1.6.21"), true),
    ] {
        let name = format!("{socket}/udp");
        let looked = look(&world, EPOCH, "service_identify", (Kind::NetworkService, &name, ""), NEVER);
        let details = looked.found.details;
        assert_eq!(looked.answer, Ok(Answer::Found), "{socket}");
        assert_eq!((&details["service"], &details["hidden_banner"]), (&json!(service), &banner), "{socket}");
        assert_eq!(details.get("hidden_no_authentication"), open.then_some(&json!(true)), "{socket}");
    }
}

#[test]
fn silence_is_not_the_word_that_nothing_listens() {
    let world = parsed(HOSTS);
    let identify = |name: &str| look(&world, EPOCH, "service_identify", (Kind::NetworkService, name, ""), NEVER).answer;
    assert!(identify("203.0.113.27:123/udp").is_err(), "silent: nothing is known");
    assert!(identify("203.0.113.26:123/udp").is_err(), "filtered: nothing is known");
    assert_eq!(identify("203.0.113.25:3478/udp"), Ok(Answer::Absent), "the host says so");
}

#[test]
fn a_silent_block_is_asked_over_udp_as_fast_as_its_rate_lets_datagrams_out() {
    let world = parsed("host 203.0.113.40\n  udp 123 ntp\n  unlisted filtered");
    let mut settings = Settings::default();
    settings.ask_ports(&"9".parse().unwrap());
    let block = (Kind::NetBlock, "203.0.113.0/24", "0-256");
    let looked = look_with(settings, &world, EPOCH, "block_sweep", block, NEVER);
    assert_eq!(looked.answer, Ok(Answer::Found));
    assert!(looked.found.edges.iter().any(|edge| edge.name == "203.0.113.40"), "{:?}", looked.found.edges);
    // 3,840 datagrams at 300/s, the last of which is waited for 3 s, after one port of each address.
    let range = Duration::from_secs(14)..Duration::from_secs(19);
    assert!(range.contains(&looked.took), "{:?}", looked.took);
}
