//! What each statement makes the world serve (docs/worlds.md), over the wire: lines of a file, questions, answers.

mod names;
mod providers;
mod services;
mod sites;
mod turns;

use crate::ask::{Served, assert_served};

/// What a second state says in place of the first, and takes away.
const LATER: &[Served] = &[
    (
        "name {a,b}.acme.test A 203.0.113.{5,6}\nhost 203.0.113.5 port 22 ssh\nhost 203.0.113.6 port 22 ssh\nsite \
         http://a.acme.test \
         \"One\"\nsite http://b.acme.test \"One\"\nbucket s3 files of acme listed\nblock 192.0.2.0/24 of acme named \
         OLD\nzone b.test of \
         acme\n  ns ns1.acme.test\nname b.test A 203.0.113.7\nstate 2\nname a.acme.test A 203.0.113.5 TXT \
         \"new\"\nhost 203.0.113.5 port \
         23 telnet\nsite http://a.acme.test \"Two\"\nremove site http://b.acme.test\nremove host 203.0.113.6\nremove \
         bucket \
         files\nremove block 192.0.2.0/24\nremove name b.test\nremove zone b.test",
        &[
            ("TXT a.acme.test", "NOERROR a.acme.test TXT new"),
            ("knock 203.0.113.5:22", "closed"),
            ("knock 203.0.113.5:23", "open"),
            ("knock 203.0.113.6:22", "filtered"),
            ("GET http://a.acme.test/ ? has:Two", "200 | yes"),
            ("A b.acme.test", "NOERROR b.acme.test A 203.0.113.6"),
            ("GET http://b.acme.test/", "timed out"),
            ("GET https://files.s3.amazonaws.com/", "404"),
            ("GET https://rdap.org/ip/192.0.2.1", "404"),
            ("A b.test", "NXDOMAIN"),
        ],
    ),
    // A state begins 30 days later, and what is not said again stays.
    (
        "name w.acme.test A 203.0.113.10\nsite https://w.acme.test\nstate 2\nname v.acme.test A 203.0.113.11",
        &[
            ("GET https://w.acme.test/ ? Date", "200 | Thu, 31 Jul 2025 00:00:00 GMT"),
            (
                "certificate https://w.acme.test",
                "CN=w.acme.test | w.acme.test | Simulated Issuing CA | -40..320 | ed25519 | 2 trusted",
            ),
        ],
    ),
];

#[tokio::test]
async fn a_later_state() {
    assert_served(2, LATER).await;
}

/// A state begins when the file says, and one beyond the last 30 days after it.
#[tokio::test]
async fn a_state_that_follows_sooner() {
    let lines = "name w.acme.test A 203.0.113.10\nsite https://w.acme.test\nstate 2 after 1h\nstate 3 after 25h";
    let world = ambit_world::World::parse(&format!("{}{lines}", crate::ask::HEAD), "t").unwrap();
    for (state, date) in [
        (1, "Tue, 01 Jul 2025 00:00:00 GMT"),
        (2, "Tue, 01 Jul 2025 01:00:00 GMT"),
        (3, "Wed, 02 Jul 2025 02:00:00 GMT"),
        (4, "Fri, 01 Aug 2025 02:00:00 GMT"),
    ] {
        let client = crate::client::Client::new(world.wire(crate::ask::EPOCH, state));
        let shown = crate::ask::ask(&client, "GET https://w.acme.test/ ? Date").await;
        assert_eq!(shown, format!("200 | {date}"), "state {state}");
    }
}

/// Beyond the last state the last one is served at a later date.
#[tokio::test]
async fn a_state_beyond_the_last() {
    let lines = "name w.acme.test A 203.0.113.10\nsite https://w.acme.test\n  cert expires 70d\n  plain none";
    for (state, answer) in [(1, " trusted"), (3, " trusted"), (4, "")] {
        let world = ambit_world::World::parse(&format!("{}{lines}", crate::ask::HEAD), "t").unwrap();
        let client = crate::client::Client::new(world.wire(crate::ask::EPOCH, state));
        let shown = crate::ask::ask(&client, "certificate https://w.acme.test").await;
        assert!(shown.ends_with(&format!("ed25519 | 2{answer}")), "state {state}: {shown}");
    }
}
