//! The simulated internet as its clients see it: raw bytes over the wire, no engine above.

use crate::ask::{EPOCH, HEAD};
use crate::client::Client;
use ambit_world::World;
use std::time::Duration;

fn client(text: &str) -> Client {
    client_at(text, 1)
}

fn client_at(text: &str, state: i64) -> Client {
    let world = World::parse(&format!("{HEAD}{text}"), "t.world").unwrap_or_else(|problems| panic!("{problems:#?}"));
    Client::new(world.wire(EPOCH, state))
}

#[tokio::test]
async fn names_resolve_through_zones_wildcards_and_chains() {
    let client = client(
        "name www.acme.test A 203.0.113.10 AAAA 2001:db8::1\nname a.acme.test CNAME b.acme.test\nname b.acme.test \
         CNAME www.acme.test\n\
         name *.dev.acme.test A 203.0.113.11\nname x.y.acme.test TXT \"t\"\nname loop1.acme.test CNAME \
         loop2.acme.test\n\
         name loop2.acme.test CNAME loop1.acme.test\nname gone.acme.test CNAME nothing.example.test\nname acme.test MX \
         10 www.acme.test CAA 0 issue \"ca.test\"\n\
         name sick.acme.test answers servfail A 203.0.113.9\nname _sip._tcp.acme.test SRV 0 5 5060 www.acme.test\nname \
         _pop3._tcp.acme.test SRV 0 0 0 .",
    );
    for (name, rtype, expected) in [
        ("www.acme.test", "A", "NOERROR www.acme.test A 203.0.113.10"),
        ("WwW.aCme.test", "A", "NOERROR www.acme.test A 203.0.113.10"),
        ("www.acme.test", "AAAA", "NOERROR www.acme.test AAAA 2001:db8::1"),
        (
            "a.acme.test",
            "A",
            "NOERROR a.acme.test CNAME b.acme.test; b.acme.test CNAME www.acme.test; www.acme.test A 203.0.113.10",
        ),
        ("q.dev.acme.test", "A", "NOERROR q.dev.acme.test A 203.0.113.11"),
        ("q.r.dev.acme.test", "A", "NOERROR q.r.dev.acme.test A 203.0.113.11"),
        ("q.dev.acme.test", "AAAA", "NOERROR"),
        ("dev.acme.test", "A", "NOERROR"),
        ("y.acme.test", "A", "NOERROR"),
        ("no.acme.test", "A", "NXDOMAIN"),
        ("nowhere.test", "A", "NXDOMAIN"),
        ("gone.acme.test", "A", "NXDOMAIN gone.acme.test CNAME nothing.example.test"),
        ("loop1.acme.test", "A", "SERVFAIL"),
        ("sick.acme.test", "A", "SERVFAIL"),
        ("acme.test", "NS", "NOERROR acme.test NS ns1.acme.test"),
        ("acme.test", "MX", "NOERROR acme.test MX 10 www.acme.test"),
        ("acme.test", "CAA", "NOERROR acme.test CAA 0 issue ca.test"),
        ("_sip._tcp.acme.test", "SRV", "NOERROR _sip._tcp.acme.test SRV 0 5 5060 www.acme.test"),
        ("_pop3._tcp.acme.test", "SRV", "NOERROR _pop3._tcp.acme.test SRV 0 0 0 "),
        ("ns1.acme.test", "A", "NOERROR ns1.acme.test A 203.0.113.2"),
        (
            "7.113.0.203.origin.asn.cymru.com",
            "TXT",
            "NOERROR 7.113.0.203.origin.asn.cymru.com TXT 64500 | 203.0.113.0/24 | NL | ripencc | 2015-03-02",
        ),
        ("crt.sh", "A", "NOERROR crt.sh A 198.19.0.10"),
    ] {
        assert_eq!(client.resolve(name, rtype).await, expected, "{name} {rtype}");
    }
}

#[tokio::test]
async fn servers_answer_at_their_own_addresses_and_truncate_transfer_and_fail() {
    let client = client(
        "name big.acme.test TXT \"{1..60} 0123456789012345678901234567890123456789\"\n\
         zone lab.acme.test of acme\n  ns ns1.acme.test\n  transfer open\nname h{1..3}.lab.acme.test A \
         203.0.113.{21..23}\n\
         zone dead.test of acme\n  ns ns.dead.test 203.0.113.3\n  answers silent\nname dead.test A 203.0.113.9\n\
         zone cut.test of acme\n  ns ns1.acme.test\n  answers truncated\nname cut.test A 203.0.113.9\nhost \
         203.0.113.30\n  ptr h.acme.test",
    );
    assert_eq!(client.ask("203.0.113.2", "ns1.acme.test", "A").await, "NOERROR aa ns1.acme.test A 203.0.113.2");
    assert_eq!(client.ask("203.0.113.2", "h1.lab.acme.test", "A").await, "NOERROR aa h1.lab.acme.test A 203.0.113.21");
    assert_eq!(client.ask("203.0.113.2", "other.test", "A").await, "REFUSED");
    assert_eq!(client.ask("203.0.113.2", "big.acme.test", "TXT").await, "NOERROR aa tc");
    assert_eq!(client.ask("203.0.113.2", "cut.test", "A").await, "NOERROR aa tc");
    assert_eq!(client.ask_tcp("203.0.113.2", "cut.test", "A").await, "NOERROR aa cut.test A 203.0.113.9");
    assert_eq!(client.resolve("dead.test", "A").await, "SERVFAIL");
    assert_eq!(client.ask("203.0.113.3", "dead.test", "A").await, "silence");
    assert_eq!(
        client.resolve("30.113.0.203.in-addr.arpa", "PTR").await,
        "NOERROR 30.113.0.203.in-addr.arpa PTR h.acme.test"
    );
    assert_eq!(client.ask_tcp("203.0.113.2", "acme.test", "AXFR").await, "REFUSED");
    let transfer = client.ask_tcp("203.0.113.2", "lab.acme.test", "AXFR").await;
    assert!(transfer.contains("h3.lab.acme.test A 203.0.113.23") && transfer.matches("SOA").count() == 2, "{transfer}");
}

#[tokio::test]
async fn services_say_what_their_protocols_say() {
    let client = client(
        "host 203.0.113.20\n  port 22 ssh \"OpenSSH_9.6\"\n  port 21 ftp \"vsFTPd 3.0.5\" anonymous\n  port 2121 ftp \
         \"vsFTPd 3.0.5\" login\n  port 6379 redis open\n\
         \x20 port 6380 redis password\n  port 23 telnet \"login: \"\n  port 3306 mysql \"8.0.36\"\n  port 5432 \
         postgres\n  port 3389 rdp\n  port 445 smb\n\
         \x20 port 25 smtp \"mail.acme.test ESMTP\"\n  port 99 filtered\n  port 98 closed\nhost 203.0.113.21\n  \
         unlisted open\n",
    );
    let at = "203.0.113.20";
    for (port, said, heard) in [
        (22, "", "SSH-2.0-OpenSSH_9.6\r\n"),
        (
            21,
            "USER anonymous\r\nPASS x\r\n",
            "220 vsFTPd 3.0.5\r\n331 Please specify the password.\r\n230 Login successful.\r\n",
        ),
        (
            2121,
            "USER anonymous\r\nPASS x\r\n",
            "220 vsFTPd 3.0.5\r\n331 Password required.\r\n530 Login incorrect.\r\n",
        ),
        (6379, "PING\r\n", "+PONG\r\n"),
        (6379, "*1\r\n$4\r\nPING\r\n", "+PONG\r\n"),
        (6380, "INFO\r\n", "-NOAUTH Authentication required.\r\n"),
        (25, "HELO x\r\n", "220 mail.acme.test ESMTP\r\n250 mail.acme.test\r\n"),
    ] {
        let bytes = client.talk(at, port, said.as_bytes(), heard.len()).await.unwrap();
        assert_eq!(String::from_utf8_lossy(&bytes), heard, "port {port}");
    }
    let bytes = client.talk(at, 23, b"", 16).await.unwrap();
    assert!(bytes.ends_with(b"login: "), "{bytes:?}");
    let bytes = client.talk(at, 3306, b"", 60).await.unwrap();
    assert!(bytes[4] == 10 && bytes[5..].starts_with(b"8.0.36\0"), "{bytes:?}");
    assert_eq!(client.talk(at, 5432, &[0, 0, 0, 8, 4, 210, 22, 47], 1).await.unwrap(), b"N");
    let request = [3, 0, 0, 19, 14, 0xe0, 0, 0, 0, 0, 0, 1, 0, 8, 0, 3, 0, 0, 0];
    assert_eq!(client.talk(at, 3389, &request, 19).await.unwrap()[5], 0xd0);
    let negotiate = [&[0, 0, 0, 36, 0xfe][..], b"SMB", &[0; 32]].concat();
    assert_eq!(client.talk(at, 445, &negotiate, 8).await.unwrap()[4..], *b"\xfeSMB");
    assert_eq!(client.knock(at, 98).await, "closed");
    assert_eq!(client.knock(at, 97).await, "closed");
    assert_eq!(client.knock(at, 99).await, "filtered");
    assert_eq!(client.knock("203.0.113.99", 80).await, "filtered");
    assert_eq!(client.knock("203.0.113.21", 40_123).await, "open");
}

const SITES: &str = "name www.acme.test A 203.0.113.10\nname b.acme.test A 203.0.113.10\nname old.acme.test A \
                     203.0.113.11\nname weak.acme.test A 203.0.113.12\n\
     name ancient.acme.test A 203.0.113.13\nname closed.acme.test A 203.0.113.14\n\
     site https://www.acme.test \"Acme & Sons\"\n  cookie sid careful\n  nonce\n  exposes git\n  twin env\n  page /a \
     text/plain \"b\"\n\
     site https://b.acme.test \"B\"\n  redirect https://www.acme.test/ 302\n  bare\n\
     site https://old.acme.test \"Old\"\n  cert expired 5d\nsite https://weak.acme.test \"Weak\"\n  cert key weak\n\
     site https://ancient.acme.test \"Ancient\"\n  tls only-old\nhost 203.0.113.14\n  unknown-host close\nsite \
     https://closed.acme.test \"Closed\"\n";

#[tokio::test]
async fn sites_answer_by_name_with_their_pages_and_exposures() {
    let client = client(SITES);
    let www = client.get("203.0.113.10", Some("www.acme.test"), "www.acme.test", "/").await.unwrap();
    assert!(
        www.head.starts_with("HTTP/1.1 200 OK\r\nDate: Tue, 01 Jul 2025 00:00:00 GMT\r\nServer: nginx\r\n"),
        "{}",
        www.head
    );
    assert!(
        www.head.contains("\r\nStrict-Transport-Security: ") && www.head.contains("; Path=/; Secure; HttpOnly"),
        "{}",
        www.head
    );
    assert!(www.body.contains("<title>Acme &amp; Sons</title>"), "{}", www.body);
    assert!(www.trusted, "a chain to the root of the wire");
    let again = client.get("203.0.113.10", Some("www.acme.test"), "www.acme.test", "/").await.unwrap();
    assert_ne!(www.body, again.body, "a nonce changes with wire time");
    for (host, path, expected) in [
        ("www.acme.test", "/.git/HEAD", "200 ref: refs/heads/main"),
        ("www.acme.test", "/.env", "200 <!doctype html>"),
        ("www.acme.test", "/a", "200 b"),
        ("www.acme.test", "/none", "404 <html>"),
        ("b.acme.test", "/x", "302 <h1>Moved"),
        ("other.acme.test", "/", "404 <h1>Not Found"),
        ("203.0.113.10", "/", "404 <h1>Not Found"),
    ] {
        let answer = client.get("203.0.113.10", Some("www.acme.test"), host, path).await.unwrap();
        let shown = format!("{} {}", &answer.head[9..12], answer.body);
        assert!(shown.starts_with(expected), "{host}{path}: {shown}");
    }
    let plain = client.get_plain("203.0.113.10", "www.acme.test", "/x").await.unwrap();
    assert!(
        plain.head.contains("301 Moved Permanently") && plain.head.contains("Location: https://www.acme.test/x\r\n"),
        "{}",
        plain.head
    );
    assert!(client.get("203.0.113.14", Some("unknown.acme.test"), "unknown.acme.test", "/").await.is_err());
    assert!(client.get("203.0.113.14", Some("closed.acme.test"), "closed.acme.test", "/").await.is_ok());
}

#[tokio::test]
async fn certificates_have_every_quality() {
    let client = client(SITES);
    let old = client.get("203.0.113.11", Some("old.acme.test"), "old.acme.test", "/").await.unwrap();
    assert!(!old.trusted, "expired");
    let (_, parsed) = x509_parser::parse_x509_certificate(&old.chain[0]).unwrap();
    assert_eq!(parsed.validity().not_after.timestamp() * 1_000, EPOCH.0 - 5 * 86_400_000);
    let weak = client.get("203.0.113.12", Some("weak.acme.test"), "weak.acme.test", "/").await.unwrap();
    let (_, parsed) = x509_parser::parse_x509_certificate(&weak.chain[0]).unwrap();
    assert_eq!(parsed.public_key().parsed().unwrap().key_size(), 1_024);
    assert!(
        client.get("203.0.113.13", Some("ancient.acme.test"), "ancient.acme.test", "/").await.is_err(),
        "no version in common"
    );
    let hello = client.old_hello("203.0.113.13", "ancient.acme.test").await;
    assert_eq!(hello[..3], [22, 3, 1]);
    assert_eq!(hello[9..11], [3, 1], "TLS 1.0");
    let alert = client.old_hello("203.0.113.10", "www.acme.test").await;
    assert_eq!(alert[0], 21, "an alert");
}

#[tokio::test]
async fn providers_renew_their_certificates_only_when_they_are_due() {
    let mut chains = Vec::new();
    for state in 1..=40 {
        let log = client_at(SITES, state).get("198.19.0.10", Some("crt.sh"), "crt.sh", "/").await.unwrap();
        assert!(log.trusted, "state {state}");
        chains.push(log.chain);
    }
    chains.dedup();
    // Forty states are 1,170 days, and a certificate is good for 320 of them.
    assert!((4..=6).contains(&chains.len()), "{}", chains.len());
}

#[tokio::test]
async fn requests_are_kept_for_whoever_wants_to_know() {
    let world = World::parse(&format!("{HEAD}{SITES}"), "t.world").unwrap();
    let wire = world.wire(EPOCH, 1);
    let client = Client::new(wire.clone());
    client.knock("203.0.113.99", 22).await;
    assert!(wire.requests().is_empty(), "nobody asked for them yet");
    wire.keep_requests();
    client.knock("203.0.113.99", 22).await;
    client.get_plain("203.0.113.10", "www.acme.test", "/x?y=1").await.unwrap();
    client.get("203.0.113.10", Some("www.acme.test"), "203.0.113.10", "/").await.unwrap();
    client.ask("203.0.113.2", "www.acme.test", "MX").await;
    client.ask_tcp("203.0.113.2", "acme.test", "AXFR").await;
    client.resolve("www.acme.test", "A").await;
    let kept: Vec<String> = wire
        .requests()
        .iter()
        .map(|kept| {
            let name = kept.name.as_deref().unwrap_or("-");
            format!("{}:{} {name} {:?} {}", kept.address, kept.port, kept.asked, kept.count)
        })
        .collect();
    assert_eq!(
        kept,
        [
            "198.19.0.1:53 - \"\" 1",
            "203.0.113.2:53 - \"\" 1",
            "203.0.113.2:53 acme.test \"dns AXFR\" 1",
            "203.0.113.2:53 www.acme.test \"dns MX\" 1",
            "203.0.113.10:80 - \"\" 1",
            "203.0.113.10:80 www.acme.test \"GET /x?y=1\" 1",
            "203.0.113.10:443 - \"\" 1",
            "203.0.113.10:443 - \"GET /\" 1",
            "203.0.113.10:443 www.acme.test \"tls\" 1",
            "203.0.113.99:22 - \"\" 1",
        ]
    );
}

#[tokio::test]
async fn registries_send_on_to_where_the_file_says() {
    let client = client(
        "zone gone.test of acme\n  ns ns1.acme.test\n  registry https://rdap.elsewhere.test/v1/\n\
         block 192.0.2.0/24 of acme registry http://rdap.elsewhere.test\n",
    );
    for (path, expected) in [
        ("/domain/gone.test", "Location: https://rdap.elsewhere.test/v1/domain/gone.test\r"),
        ("/ip/192.0.2.7", "Location: http://rdap.elsewhere.test/ip/192.0.2.7\r"),
        ("/domain/acme.test", "200 OK"),
        ("/ip/203.0.113.9", "200 OK"),
    ] {
        for (address, name) in [("198.19.0.11", "rdap.org"), ("198.19.0.14", "rdap-registry.example")] {
            let head = client.get(address, Some(name), name, path).await.unwrap().head;
            assert!(head.contains(expected), "{name} {path}: {head}");
        }
    }
    for (query, server) in [
        ("gone.test", "rdap.elsewhere.test"),
        ("192.0.2.7", "rdap.elsewhere.test"),
        ("acme.test", "whois.rdap-registry.example"),
    ] {
        let whois = client.talk("198.19.0.13", 43, format!("{query}\r\n").as_bytes(), 400).await.unwrap();
        let whois = String::from_utf8_lossy(&whois).into_owned();
        assert!(whois.contains(&format!("refer:        {server}\r")), "{query}: {whois}");
    }
}

#[tokio::test]
async fn sources_answer_under_their_own_names() {
    let client =
        client(&format!("{SITES}bucket s3 acme-files of acme listed keys a.txt\nbucket s3 acme-secret of acme\n"));
    let log = client.get("198.19.0.10", Some("crt.sh"), "crt.sh", "/?q=%25.acme.test&output=json").await.unwrap();
    assert!(log.trusted && log.body.contains("\"common_name\":\"www.acme.test\""), "{}", log.body);
    let domain = client.get("198.19.0.11", Some("rdap.org"), "rdap.org", "/domain/acme.test").await.unwrap();
    assert!(domain.body.contains("\"ldhName\":\"acme.test\"") && domain.body.contains("Acme"), "{}", domain.body);
    let block = client.get("198.19.0.11", Some("rdap.org"), "rdap.org", "/ip/203.0.113.77").await.unwrap();
    assert!(block.body.contains("\"name\":\"ACME\"") && block.body.contains("64500"), "{}", block.body);
    assert!(
        client
            .get("198.19.0.11", Some("rdap.org"), "rdap.org", "/domain/none.test")
            .await
            .unwrap()
            .head
            .contains("404")
    );
    let whois = client.talk("198.19.0.15", 43, b"acme.test\r\n", 400).await.unwrap();
    assert!(String::from_utf8_lossy(&whois).contains("Registrant Organization: Acme"));
    for (host, expected) in [
        ("acme-files.s3.amazonaws.com", "<Key>a.txt</Key>"),
        ("acme-secret.s3.amazonaws.com", "AccessDenied"),
        ("no-such.s3.amazonaws.com", "NoSuchBucket"),
    ] {
        let answer = client.get("198.19.0.20", Some(host), host, "/").await.unwrap();
        assert!(answer.body.contains(expected), "{host}: {}", answer.body);
    }
}

#[tokio::test]
async fn hostile_peers_stop_when_the_client_goes() {
    let behaviours = [
        "endless",
        "endless-length",
        "bomb",
        "slow-head",
        "slow-body",
        "huge-header",
        "big-header",
        "redirect-metadata",
        "redirect-loop",
        "redirect-file",
        "redirect-mapped",
        "redirect-decimal",
        "redirect-hex",
        "silent",
        "tls-garbage",
        "nasty",
        "nested",
        "smuggle",
        "noise",
        "continue",
        "regex",
        "reset",
        "reset-at-once",
        "short-body",
        "invalid-utf8",
        "not-http",
    ];
    let ports: String = behaviours
        .iter()
        .enumerate()
        .map(|(index, word)| format!("  port {} hostile {word}\n", 9_000 + index))
        .collect();
    let client = client(&format!("host 203.0.113.66\n{ports}  port 8000 tarpit\n"));
    let request = b"GET / HTTP/1.1\r\nHost: x.acme.test\r\n\r\n";
    for (index, word) in behaviours.iter().enumerate() {
        let port = 9_000 + u16::try_from(index).unwrap();
        let heard = client.talk("203.0.113.66", port, request, 40).await;
        match *word {
            "silent" => assert_eq!(heard.unwrap(), b""),
            "reset-at-once" => assert_eq!(heard.unwrap_err().kind(), std::io::ErrorKind::ConnectionReset),
            "tls-garbage" => assert!(heard.unwrap().starts_with(&[0x16, 3, 3, 0xff])),
            "noise" => assert_eq!(heard.unwrap().len(), 40),
            "not-http" => assert!(heard.unwrap().starts_with(b"HTTP/9.9")),
            _ => assert!(heard.unwrap().starts_with(b"HTTP/1.1 "), "{word}"),
        }
    }
    let before = client.now();
    assert_eq!(client.talk("203.0.113.66", 8_000, b"", 4).await.unwrap(), b"xxxx");
    assert!(client.now() - before >= Duration::from_secs(30), "a tarpit costs wire time only");
    let whole = client.talk("203.0.113.66", 9_000 + 21, request, 10_000).await;
    assert_eq!(whole.unwrap_err().kind(), std::io::ErrorKind::ConnectionReset);
}

#[tokio::test]
async fn a_site_whose_answer_lies_about_its_length_says_it_at_once() {
    let client = client("name www.acme.test A 203.0.113.10\nsite http://www.acme.test \"T\"\n  hostile smuggle\n");
    let heard = client.talk("203.0.113.10", 80, b"GET / HTTP/1.1\r\nHost: www.acme.test\r\n\r\n", 12).await;
    assert_eq!(heard.unwrap(), b"HTTP/1.1 200");
    assert!(client.now() < Duration::from_secs(1), "{:?}", client.now());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_comes_at_the_moment_at_which_patience_ends_comes_in_time() {
    let client = client("host 203.0.113.66\n  latency 10s\n  port 8000 tarpit\n");
    for round in 0..20 {
        let talks = (0..20).map(|_| client.talk("203.0.113.66", 8_000, b"", 100));
        for heard in futures::future::join_all(talks).await {
            assert_eq!(heard.unwrap(), b"xxxxxx", "a byte every 10 s for 60 s, round {round}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_questions_get_the_same_bytes_in_any_order() {
    let paths = ["/", "/a", "/.git/config", "/none", "/favicon.ico"];
    let names = ["www.acme.test", "b.acme.test", "x.acme.test", "acme.test"];
    let mut outcomes = Vec::new();
    for backwards in [false, true] {
        let client = client_at(&SITES.replace("  nonce\n", "").replace("  cookie sid careful\n", ""), 2);
        let mut seen = std::collections::BTreeMap::new();
        let (mut paths, mut names) = (paths.to_vec(), names.to_vec());
        if backwards {
            paths.reverse();
            names.reverse();
        }
        for path in paths {
            let answer = client.get("203.0.113.10", Some("www.acme.test"), "www.acme.test", path).await.unwrap();
            let head: String = answer.head.lines().filter(|line| !line.starts_with("Date:")).collect();
            seen.insert(path, format!("{head}{}{:?}", answer.body, answer.chain));
        }
        for name in names {
            seen.insert(name, client.resolve(name, "A").await);
        }
        outcomes.push(seen);
    }
    assert_eq!(outcomes[0], outcomes[1]);
}
