//! Whom a run may contact, and how (docs/worlds.md, standings), by what the simulated servers saw; and what is told of
//! each contact to whoever wants to know what a run can have seen.

use crate::ask::{EPOCH, ask};
use crate::client::Client;
use ambit_model::workflow::{EXTERNAL_DISCOVERY, SUSPICIOUS_DOMAINS, Workflow};
use ambit_world::{Exchange, World};
use std::sync::{Arc, Mutex};

/// An address of each standing with its web ports, another port and one of UDP, and a name that leads there.
const HEAD: &str = "world t \"T\"\nseeds acme.test\norg ours \"Acme\" ours\norg kin \"Kin\" related\norg shop \"Shop\" \
                    vendor\norg out \"Out\" stranger\nblock 203.0.113.0/24 of ours\nblock 192.0.2.0/25 of kin\nblock \
                    198.51.100.0/25 of out\nblock 198.51.100.128/25 of shop\nzone acme.test of ours\n  ns \
                    ns1.acme.test \
                    203.0.113.2\nzone other.test of out\n  ns ns1.other.test 198.51.100.2\nhost 203.0.113.9 192.0.2.9 \
                    198.51.100.9 198.51.100.200\n  port 80 http\n  port 443 https\n  port 22 ssh\n  udp 123 ntp\nname \
                    o.other.test A 198.51.100.9\nname v.acme.test A 198.51.100.200\nname v.other.test A \
                    198.51.100.200\nname a.acme.test A 203.0.113.9\n";

/// A question, and why it was outside clearance; nothing where it was not.
type Contacted = (&'static str, &'static str);

async fn assert_contacts(workflow: Workflow, lines: &str, table: &[Contacted]) {
    let world = World::parse(&format!("{HEAD}{lines}"), "t.world");
    let world = world.unwrap_or_else(|problems| panic!("{lines}\n{problems:#?}")).for_workflow(workflow);
    let mut others = Vec::new();
    for (question, expected) in table {
        let wire = world.wire(EPOCH, 1);
        let answer = ask(&Client::new(wire.clone()), question).await;
        // A connection counts when its handler has seen the end.
        while wire.contacts().is_empty() {
            tokio::task::yield_now().await;
        }
        let outside = wire.contacts_outside_clearance();
        let why = outside.iter().map(|contact| contact.why.as_str()).collect::<Vec<_>>().join("; ");
        if why != *expected {
            others.push(format!("{question} ({answer}): {why:?}, and not {expected:?}"));
        }
    }
    assert!(others.is_empty(), "{lines}\n{}", others.join("\n"));
}

#[tokio::test]
async fn each_standing_allows_what_the_documents_say() {
    assert_contacts(
        EXTERNAL_DISCOVERY,
        "",
        &[
            ("knock 203.0.113.9:22", ""),
            ("knock 203.0.113.9:80", ""),
            ("send 203.0.113.9:123 00", ""),
            ("GET http://any.test/ at 203.0.113.9", ""),
            ("GET http://o.other.test/ at 192.0.2.9", ""),
            ("knock 192.0.2.9:443", ""),
            ("knock 192.0.2.9:22", "kin is related: only what a browser does"),
            ("send 192.0.2.9:123 00", "kin is related: only what a browser does"),
            ("GET http://v.acme.test/ at 198.51.100.200", ""),
            ("GET http://v.other.test/ at 198.51.100.200", "shop serves many, and v.other.test is not ours"),
            ("knock 198.51.100.200:80", "shop serves many, and no name was asked for"),
            ("knock 198.51.100.201:80", ""),
            ("knock 198.51.100.200:22", "shop serves many: only its web servers, by a name of ours"),
            ("send 198.51.100.200:123 00", "shop serves many: only its web servers, by a name of ours"),
            ("GET http://a.acme.test/ at 198.51.100.9", "out is a stranger"),
            ("GET http://o.other.test/ at 198.51.100.9", "out is a stranger"),
            ("knock 198.51.100.9:22", "out is a stranger"),
            ("send 198.51.100.9:123 00", "out is a stranger"),
            ("A o.other.test", ""),
            ("A o.other.test at 198.51.100.2", "out is a stranger"),
            ("A a.acme.test at 203.0.113.2", ""),
            ("GET https://crt.sh/?q=acme.test", ""),
            ("knock 192.0.2.200:80", "nobody owns this address"),
            ("send 192.0.2.200:123 00", "nobody owns this address"),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_the_file_never_allows_is_outside_whatever_else_holds() {
    let lines = "expect never 203.0.113.9\nexpect never 192.0.2.0/28";
    let never = "the file says never";
    let table = [
        ("knock 203.0.113.9:80", never),
        ("GET http://a.acme.test/ at 203.0.113.9", never),
        ("send 203.0.113.9:123 00", never),
        ("knock 192.0.2.9:443", never),
        ("knock 203.0.113.10:80", ""),
    ];
    assert_contacts(EXTERNAL_DISCOVERY, lines, &table).await;
}

/// What was handed to a stranger below a seed may be visited by its name, and an alias through others may not.
#[tokio::test]
async fn names_decide_about_servers_of_others() {
    let lines = "zone handed.acme.test of out\n  ns ns1.other.test\nname handed.acme.test A 198.51.100.9\nname \
                 l.acme.test CNAME \
                 v.other.test\nname h.acme.test CNAME v.platform.test\nzone platform.test of shop\n  ns \
                 ns1.platform.test \
                 198.51.100.201\nname v.platform.test A 198.51.100.200";
    let table = [
        ("GET http://handed.acme.test/ at 198.51.100.9", ""),
        ("GET http://x.acme.test/ at 198.51.100.9", "out is a stranger"),
        (
            "GET http://l.acme.test/ at 198.51.100.200",
            "an alias of l.acme.test leads to third parties: they are only known about",
        ),
    ];
    assert_contacts(EXTERNAL_DISCOVERY, lines, &table).await;
}

/// A look-alike is visited by its names where such are searched for, and nowhere else.
#[tokio::test]
async fn look_alikes_are_visited_where_they_are_searched_for() {
    let lines = "zone acne.test of out\n  ns ns1.other.test\n  phishing\nname acne.test A 198.51.100.9";
    let searched = [
        ("GET http://acne.test/ at 198.51.100.9", ""),
        ("GET http://www.acne.test/ at 198.51.100.9", ""),
        ("GET http://o.other.test/ at 198.51.100.9", "out is a stranger"),
        ("knock 198.51.100.9:80", "out is a stranger"),
        ("knock 198.51.100.9:22", "out is a stranger"),
    ];
    assert_contacts(SUSPICIOUS_DOMAINS, lines, &searched).await;
    let elsewhere = [("GET http://acne.test/ at 198.51.100.9", "out is a stranger")];
    assert_contacts(EXTERNAL_DISCOVERY, lines, &elsewhere).await;
}

#[tokio::test]
async fn buckets_of_strangers_are_theirs_whoever_stores_them() {
    let lines = "bucket s3 mine of ours listed\nbucket s3 theirs of out listed\nbucket firebase-database theirs of out";
    let table = [
        ("GET https://mine.s3.amazonaws.com/", ""),
        ("GET https://none.s3.amazonaws.com/", ""),
        ("GET https://theirs.s3.amazonaws.com/", "the bucket theirs is a stranger's"),
        ("GET https://theirs.firebaseio.com/.json?shallow=true", "the bucket theirs is a stranger's"),
    ];
    assert_contacts(EXTERNAL_DISCOVERY, lines, &table).await;
}

/// A question, and what an observer hears of it: name, what was asked, and the answer, cut to a line.
#[tokio::test]
async fn an_observer_hears_what_was_asked_and_what_was_answered() {
    let lines = "site http://w.acme.test \"W\"\n  redirect https://w.acme.test/x\nname w.acme.test A \
                 203.0.113.10\nhost \
                 203.0.113.20\n  port 22 ssh \"S\"\n  port 6379 redis open\n  port 99 filtered\n  udp 161 snmp public";
    let world = World::parse(&format!("{HEAD}{lines}"), "t.world").unwrap();
    for (question, expected) in [
        ("knock 203.0.113.20:98", vec!["203.0.113.20:98 - connect: refused"]),
        ("knock 203.0.113.20:99", vec!["203.0.113.20:99 - connect: silent"]),
        ("say 203.0.113.20:22", vec!["203.0.113.20:22 - connect: open", "203.0.113.20:22 - : SSH-2.0-S\r"]),
        (
            "say 203.0.113.20:6379 PING\r\n",
            vec!["203.0.113.20:6379 - connect: open", "203.0.113.20:6379 - PING: +PONG\r"],
        ),
        (
            "GET http://w.acme.test/a at 203.0.113.10",
            vec!["203.0.113.10:80 - connect: open", "203.0.113.10:80 w.acme.test GET /a: 301 https://w.acme.test/x"],
        ),
        ("A w.acme.test at 203.0.113.2", vec!["203.0.113.2:53 w.acme.test dns A: NOERROR; w.acme.test A 203.0.113.10"]),
        ("A no.acme.test", vec!["198.19.0.1:53 no.acme.test dns A: NXDOMAIN"]),
    ] {
        let wire = world.wire(EPOCH, 1);
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = heard.clone();
        wire.observe(Arc::new(move |exchange: &Exchange| {
            let name = exchange.name.as_deref().unwrap_or("-");
            let answer = exchange.answer.split('\n').next().unwrap_or_default();
            hears.lock().unwrap().push(format!("{} {name} {}: {answer}", exchange.to, exchange.asked));
        }));
        ask(&Client::new(wire), question).await;
        assert_eq!(*heard.lock().unwrap(), expected, "{question}");
    }
}
