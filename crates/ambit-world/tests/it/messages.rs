//! DNS as bytes: what is no question gets no answer, and what is one is echoed as it came. The certificates of a world,
//! which follow from its name and from their own words, and exposures as their files state them.

use crate::ask::{EPOCH, HEAD, Served, ask, assert_served};
use crate::client::Client;
use ambit_world::World;
use std::collections::BTreeMap;

/// A message of one question, in hex: head, name, type and class, and what follows.
macro_rules! message {
    ($head:literal $name:literal $rest:literal) => {
        concat!("send 198.19.0.1:53 ", $head, $name, $rest)
    };
}

const MESSAGES: &[Served] = &[(
    "name www.acme.test A 203.0.113.10 ttl 60\nname x.acme.test A 203.0.113.11\nhost 203.0.113.30\n  port 22 ssh",
    &[
        (
            message!("123401000001000000000000" "037777770461636d65047465737400" "00010001"),
            "123481800001000100000000037777770461636d6504746573740000010001c00c000100010000003c0004cb00710a",
        ),
        // Mixed case comes back as it was asked.
        (
            message!("123401000001000000000000" "035777570461636d65047465737400" "00010001"),
            "123481800001000100000000035777570461636d6504746573740000010001c00c000100010000003c0004cb00710a",
        ),
        // Who does not desire recursion gets it all the same, and is not told that it did.
        (message!("123400000001000000000000" "037777770461636d65047465737400" "00010001"), "12348080000100010000…"),
        // Another class than that of the internet is refused.
        (
            message!("123401000001000000000000" "037777770461636d65047465737400" "00010003"),
            "123481850001000000000000037777770461636d6504746573740000010003",
        ),
        // Whoever speaks EDNS is told what fits.
        (
            message!("123401000001000000000001" "017804616d63650474657374000001" "0001000029ffff000000000000"),
            "12348183000100000001000101780461…",
        ),
        (
            message!("123401000001000000000001" "01780461636d65047465737400" "00010001000029ffff000000000000"),
            "12348180000100010000000101780461636d6504746573740000010001c00c000100010000012c0004cb00710b00002904d0000000000000",
        ),
        // Bytes outside ASCII are a name that nobody has.
        (message!("123401000001000000000000" "01ff0461636d65047465737400" "00010001"), "123481830001000000010000…"),
        // A type that no file states has no records.
        (message!("123401000001000000000000" "01780461636d65047465737400" "00ff0001"), "1234818000010001…"),
        (message!("123401000001000000000000" "01780461636d65047465737400" "ff000001"), "12348180000100000001…"),
        // Answers, no questions, two of them, a pointer, names too long, and messages that end early.
        (message!("123481000001000000000000" "01780461636d65047465737400" "00010001"), "silence"),
        (message!("123401000000000000000000" "" ""), "silence"),
        (message!("123401000002000000000000" "01780461636d65047465737400" "00010001"), "silence"),
        (message!("123401000001000000000000" "c00c" "00010001"), "silence"),
        (message!("123401000001000000000000" "40" "00010001"), "silence"),
        (message!("123401000001000000000000" "01780461636d650474657374" ""), "silence"),
        (message!("123401000001000000000000" "01780461636d65047465737400" "0001"), "silence"),
        (message!("1234010000010000" "" ""), "silence"),
        (message!("12" "" ""), "silence"),
        // Neither is a machine that serves no names asked in vain.
        ("send 203.0.113.30:53 12340100000100000000000001780461636d6504746573740000010001", "silence"),
        // Of its own servers a zone's answer is authoritative, and names of others are refused.
        ("send 203.0.113.2:53 12340100000100000000000001780461636d6504746573740000010001", "12348500000100010000…"),
        ("send 203.0.113.2:53 1234010000010000000000000178056f74686572047465737400", "silence"),
        (
            "send 203.0.113.2:53 1234010000010000000000000178056f7468657204746573740000010001",
            "1234810500010000000000000178056f7468657204746573740000010001",
        ),
    ],
)];

#[tokio::test]
async fn messages_of_dns() {
    assert_served(1, MESSAGES).await;
}

/// The certificate of a site of a world, as its log knows it.
async fn logged(text: &str) -> String {
    let world = World::parse(text, "t").unwrap_or_else(|problems| panic!("{text}\n{problems:#?}"));
    let client = Client::new(world.wire(EPOCH, world.states()));
    ask(&client, "GET https://crt.sh/?q=w.acme.test&output=json ? body").await
}

/// Editing other lines changes no certificate; another world, another word, a renewal is another one.
#[tokio::test]
async fn a_certificate_follows_from_its_world_and_its_words() {
    let of = |words: &str, more: &str| {
        format!("{HEAD}name w.acme.test A 203.0.113.10\nsite https://w.acme.test \"W\"\n  cert {words}\n{more}")
    };
    let usual = logged(&of("expires 60d", "")).await;
    assert!(usual.contains("\"common_name\":\"w.acme.test\""), "{usual}");
    for (same, text) in [
        (true, of("expires 60d", "name v.acme.test A 203.0.113.11\nsite https://v.acme.test \"V\"\n")),
        (true, of("expires 60d", "host 203.0.113.30\n  port 22 ssh\n")),
        (true, of("expires 60d", "state 2\nname v.acme.test A 203.0.113.11\n")),
        (false, of("expires 61d", "")),
        (false, of("expires 60d key rsa", "")),
        (false, of("expires 60d names w.acme.test x.acme.test", "")),
        (false, of("expires 60d", "").replace("world t ", "world u ")),
    ] {
        assert_eq!(logged(&text).await == usual, same, "{text}");
    }
}

/// What a file of `worlds/exposures/` states: its word, and each path with its first line, open or of its twin.
fn stated(text: &str) -> (String, BTreeMap<(bool, String), String>) {
    let (mut word, mut answers) = (String::new(), BTreeMap::new());
    let mut current: Option<(bool, String)> = None;
    for line in text.lines() {
        let mut words = line.split(' ');
        match (words.next(), words.next()) {
            (Some("word"), Some(named)) => word = named.to_owned(),
            (Some(kind @ ("open" | "twin")), Some(path)) => {
                let key = (kind == "open", path.to_owned());
                answers.insert(key.clone(), String::new());
                current = Some(key);
            }
            (Some(""), _) if line.starts_with("  ") => {
                let first = current.as_ref().and_then(|key| answers.get_mut(key)).filter(|first| first.is_empty());
                let plain = line.trim().split(['\\', '{']).next().unwrap_or_default();
                if let Some(first) = first {
                    *first = plain.to_owned();
                }
            }
            _ => {}
        }
    }
    (word, answers)
}

/// Each exposure is served where its file says, and its twin on the same paths with something else.
#[tokio::test]
async fn exposures_are_served_as_their_files_state() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/exposures");
    let mut asked = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let (word, answers) = stated(&text);
        let lines = format!(
            "name {{o,t}}.acme.test A 203.0.113.10\nsite http://o.acme.test \"O\"\n  exposes {word}\nsite \
             http://t.acme.test \"T\"\n  twin {word}"
        );
        let world = World::parse(&format!("{HEAD}{lines}"), "t").unwrap();
        let client = Client::new(world.wire(EPOCH, 1));
        for ((open, path), first) in answers {
            let site = if open { "o" } else { "t" };
            let path = if path == "*" { "/no-such-path" } else { path.as_str() };
            let answer = ask(&client, &format!("GET http://{site}.acme.test{path} ? has:{first}")).await;
            assert!(answer.ends_with(" | yes"), "{word} {site} {path}: {answer}, {first:?}");
            asked += 1;
        }
    }
    assert!(asked > 50, "only {asked}");
}
