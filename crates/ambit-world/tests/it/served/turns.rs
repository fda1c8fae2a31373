//! Answers that depend on how often somebody asked, or on who asks.

use crate::ask::{Served, assert_served};

const LIMITS: &[Served] = &[
    // The zone's server; resolvers answer all the same.
    (
        "name w.acme.test A 203.0.113.10\nhost 203.0.113.2 limit 2 60s refused",
        &[
            ("A w.acme.test at 203.0.113.2", "NOERROR aa w.acme.test A 203.0.113.10"),
            ("A none.acme.test over tcp at 203.0.113.2", "NXDOMAIN aa"),
            ("A w.acme.test at 203.0.113.2", "REFUSED"),
            ("A w.acme.test over tcp at 203.0.113.2", "REFUSED"),
            ("A w.acme.test", "NOERROR w.acme.test A 203.0.113.10"),
            ("wait 60", ""),
            ("A w.acme.test at 203.0.113.2", "NOERROR aa w.acme.test A 203.0.113.10"),
        ],
    ),
    (
        "name w.acme.test A 203.0.113.10\nhost 198.19.0.1 198.19.0.2 limit 1 60s refused",
        &[
            ("A w.acme.test", "NOERROR w.acme.test A 203.0.113.10"),
            ("A w.acme.test", "REFUSED"),
            ("A w.acme.test at 198.19.0.2", "NOERROR ra w.acme.test A 203.0.113.10"),
        ],
    ),
    // What is cut says to come by TCP, where nothing is counted.
    (
        "name w.acme.test A 203.0.113.10\nhost 203.0.113.2 limit 1 60s truncated",
        &[
            ("A w.acme.test at 203.0.113.2", "NOERROR aa w.acme.test A 203.0.113.10"),
            ("A w.acme.test at 203.0.113.2", "NOERROR tc"),
            ("A w.acme.test over tcp at 203.0.113.2", "NOERROR aa w.acme.test A 203.0.113.10"),
        ],
    ),
    (
        "name w.acme.test A 203.0.113.10\nhost 203.0.113.2 limit 1 90s silent",
        &[
            ("A w.acme.test at 203.0.113.2", "NOERROR aa w.acme.test A 203.0.113.10"),
            ("A w.acme.test at 203.0.113.2", "silence"),
        ],
    ),
    // A web server counts requests for all its names, and each address by itself.
    (
        "name {v,w}.acme.test A 203.0.113.10\nsite http://{v,w}.acme.test\nsite http://203.0.113.11\nhost \
         203.0.113.{10,11} limit 2 10s 429 retry 7",
        &[
            ("GET http://v.acme.test/", "200"),
            ("GET http://w.acme.test/", "200"),
            ("GET http://w.acme.test/ ? Retry-After", "429 | 7"),
            ("GET http://203.0.113.11/", "200"),
            ("wait 10", ""),
            ("GET http://w.acme.test/", "200"),
        ],
    ),
    (
        "site http://203.0.113.10\nhost 203.0.113.10 limit 0 10s 503 latency 1ms",
        &[("GET http://203.0.113.10/ ? Retry-After", "503 | -")],
    ),
];

#[tokio::test]
async fn who_asks_too_often_is_turned_away() {
    assert_served(1, LIMITS).await;
}

const TURNS: &[Served] = &[
    // Each machine begins as the one before; what it says of a header, a page or its certificate stands for that.
    (
        "name w.acme.test A 203.0.113.10\nsite https://w.acme.test \"One\"\n  header X-Node a page /n \"a\" cert \
         expires 70d\n  next server Apache header x-node b page /n \"b\"\n  next\n  cert names w.acme.test v.acme.test",
        &[
            ("GET https://w.acme.test/n ? Server X-Node body", "200 | nginx | a | a"),
            ("GET https://w.acme.test/n ? Server X-Node body", "200 | Apache | b | b"),
            (
                "certificate https://w.acme.test",
                "CN=w.acme.test | w.acme.test v.acme.test | Simulated Issuing CA | -40..320 | ed25519 | 2 trusted",
            ),
            (
                "certificate https://w.acme.test",
                "CN=w.acme.test | w.acme.test | Simulated Issuing CA | -20..70 | ed25519 | 2 trusted",
            ),
            ("GET https://w.acme.test/ ? has:One", "200 | yes"),
            ("GET https://w.acme.test/n ? X-Node", "200 | b"),
            // Connections of another port count by themselves.
            ("GET http://w.acme.test/", "301"),
        ],
    ),
    (
        "host 203.0.113.9\n  port 22 ssh \"A\" next ssh \"B\" next silent",
        &[
            ("say 203.0.113.9:22", "SSH-2.0-A\\r\\n"),
            ("say 203.0.113.9:22", "SSH-2.0-B\\r\\n"),
            ("say 203.0.113.9:22", ""),
            ("say 203.0.113.9:22", "SSH-2.0-A\\r\\n"),
        ],
    ),
    (
        "host 203.0.113.9\n  port 25 smtp \"m.acme.test ESMTP {connection}; {time}\"\n  port 26 banner \"#{connection} \
         {other}\"\nsite http://203.0.113.8\n  header X-Request \"{connection}\"  body \"no. {connection}\"",
        &[
            ("say 203.0.113.9:25 QUIT\r\n", "220 m.acme.test ESMTP 1; Tue, 01 Jul 2025 00:00:00 GMT\\r\\n…"),
            ("say 203.0.113.9:25 QUIT\r\n", "220 m.acme.test ESMTP 2; Tue, 01 Jul 2025 00:00:0…"),
            ("say 203.0.113.9:26", "#1 {other}"),
            ("say 203.0.113.9:26", "#2 {other}"),
            ("GET http://203.0.113.8/ ? X-Request has:no. 1<", "200 | 1 | yes"),
            ("GET http://203.0.113.8/ ? X-Request has:no. 2<", "200 | 2 | yes"),
        ],
    ),
];

#[tokio::test]
async fn connections_that_are_answered_in_turn() {
    assert_served(1, TURNS).await;
}

const VIEWS: &[Served] = &[
    (
        "name w.acme.test A 203.0.113.10 inside A 10.0.0.5\nname db.acme.test inside A 10.0.0.6 inside TXT x\nname \
         a.b.acme.test A 203.0.113.11\nname b.acme.test inside A 10.0.0.7",
        &[
            ("A w.acme.test", "NOERROR w.acme.test A 203.0.113.10"),
            ("A w.acme.test at 203.0.113.2", "NOERROR aa w.acme.test A 10.0.0.5"),
            ("A w.acme.test over tcp at 203.0.113.2", "NOERROR aa w.acme.test A 10.0.0.5"),
            ("A db.acme.test", "NXDOMAIN"),
            ("A db.acme.test at 203.0.113.2", "NOERROR aa db.acme.test A 10.0.0.6"),
            ("TXT db.acme.test at 203.0.113.2", "NOERROR aa db.acme.test TXT x"),
            ("A b.acme.test", "NOERROR"),
            ("A b.acme.test at 203.0.113.2", "NOERROR aa b.acme.test A 10.0.0.7"),
        ],
    ),
    (
        "zone z.test of acme\n  ns ns1.z.test 203.0.113.3\n  transfer open\nname z.test A 203.0.113.9 inside A \
         10.0.0.9",
        &[(
            "AXFR z.test over tcp at 203.0.113.3",
            "NOERROR aa z.test SOA ; z.test NS ns1.z.test; ns1.z.test A 203.0.113.3; z.test A 10.0.0.9; z.test SOA ",
        )],
    ),
];

#[tokio::test]
async fn a_zones_own_servers_say_something_else() {
    assert_served(1, VIEWS).await;
}
