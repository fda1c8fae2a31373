//! Hosts far away: what answers after seconds is found like what answers at once.

use super::{compare, explore, world};
use ambit_model::{Clearance, Kind};

const HOSTS: &str = "name acme.test A 203.0.113.10
name vpn.acme.test A 203.0.113.25
name mail.acme.test A 203.0.113.26
host 203.0.113.25
  latency 2800ms
  port 22 ssh \"OpenSSH_9.6\"
  port 8080 http
host 203.0.113.26
  latency 2800ms
  unlisted filtered
  port 443 ssh \"OpenSSH_9.6\"";

#[test]
fn a_host_that_answers_after_seconds_is_found_with_its_services() {
    let (explorer, truth) = explore(&world(HOSTS), Clearance::L3);
    let (missed, unexpected) = compare(&explorer, &truth);
    let planted = |name: &str| truth.entities.contains(&(Kind::NetworkService, name.to_owned()));
    assert!(planted("203.0.113.25:22/tcp") && planted("203.0.113.26:443/tcp"));
    assert!(missed.is_empty() && unexpected.is_empty(), "missed {missed:#?}\nunexpected {unexpected:#?}");
}
