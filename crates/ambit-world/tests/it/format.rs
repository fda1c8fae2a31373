//! What the format says of good and bad files: every error names line and word, and nothing that a stranger writes
//! makes it fall over.

use ambit_world::World;
use proptest::prelude::*;

const HEAD: &str = "world t \"T\"\nseeds acme.test\norg acme \"Acme\" ours\nblock 203.0.113.0/24 of acme\nzone \
                    acme.test of acme\n  ns ns1.acme.test 203.0.113.2\n";

pub(crate) fn errors(text: &str) -> Vec<String> {
    let problems = World::parse(&format!("{HEAD}{text}"), "t.world").err().unwrap_or_default();
    problems.iter().map(ToString::to_string).collect()
}

/// Lines below the head, and what is said of them.
const ERRORS: &[(&str, &[&str])] = &[
    ("", &[]),
    (
        "hots x",
        &["t.world:7: `hots`: unknown word; expected world, seeds, org, block, zone, name, host, site, cert, bucket, \
             account, repository, forge, app, expect, state, remove"],
    ),
    (
        "host 203.0.113.9\n  prot 1",
        &["t.world:8: `prot`: unknown word; expected of, ptr, port, udp, unlisted, latency, unknown-host, limit, \
           hidden"],
    ),
    ("host 203.0.113.9\n  port 0 ssh", &["t.world:8: `0`: a port is a number from 1 to 65535"]),
    ("host 203.0.113.9\n  port 1 ssh\n  port 1 ftp login", &["t.world:9: `1`: port 1 was stated before"]),
    (
        "host 203.0.113.9\nhost 203.0.113.9",
        &["t.world:8: `203.0.113.9`: it was stated before; put all its lines under one statement"],
    ),
    (
        "host 10.0.0.1",
        &["t.world:7: `10.0.0.1`: nobody owns this address; add a `block` that covers it, or `host … of ORG`"],
    ),
    ("host 198.51.100.1 of nobody", &["t.world:7: `nobody`: unknown organisation"]),
    ("name x.other.test A 203.0.113.9", &["t.world:7: `x.other.test`: no zone holds this name; add a `zone` line"]),
    ("name x.acme.test A 2001:db8::1", &["t.world:7: `2001:db8::1`: an A record holds an IPv4 address; write AAAA"]),
    ("name x.acme.test A", &["t.world:7: `A`: the line ends here; expected an IP address"]),
    (
        "name x.acme.test CNAME y.acme.test A 203.0.113.9",
        &["t.world:7: `x.acme.test`: a name with a CNAME has no other record"],
    ),
    ("site ftp://x.acme.test", &["t.world:7: `ftp://x.acme.test`: no URL: its scheme is neither http nor https"]),
    (
        "site https://x.acme.test/a",
        &["t.world:7: `https://x.acme.test/a`: a site's URL has no path; put paths on `page` lines"],
    ),
    (
        "site https://x.acme.test",
        &["t.world:7: `https://x.acme.test:443`: its name leads to no address; add `name … A …` or `at ADDRESS`"],
    ),
    (
        "site https://203.0.113.9\n  cert @none",
        &["t.world:7: `none`: no certificate has this name; add a `cert` statement"],
    ),
    (
        "site https://203.0.113.9\n  cert names a.test careless",
        &["t.world:8: `careless`: no name for a certificate: it has no dot; `names` takes the rest of the line"],
    ),
    ("cert c", &["t.world:7: `c`: the certificate has no `names`"]),
    (
        "site https://www.acme.test\n  cert names www.acme.test\n  cert @mine\ncert mine names a.acme.test",
        &["t.world:9: `cert`: the site has another certificate already; only `cert` with words adds up"],
    ),
    ("seeds not_a..name", &["t.world:7: `not_a..name`: no seed: a label has 1 to 63 letters, digits, '-' or '_'"]),
    ("state 3", &["t.world:7: `3`: the next state is 2, and there are at most 12"]),
    ("state 2\nremove name x.acme.test", &["t.world:8: `x.acme.test`: the state before has no such name"]),
    ("remove name ns1.acme.test", &["t.world:7: `remove`: `remove` stands below a `state` line"]),
    ("expect entity Thing x", &["t.world:7: `Thing`: no kind such as Domain, IpAddress or Uri"]),
    ("zone crt.sh of acme\n  ns ns1.acme.test", &["t.world:7: `crt.sh`: every world has this zone already"]),
    ("account hetzner M of acme", &["t.world:7: what shows who asks is missing; add `shown TEXT`"]),
    (
        "account hetzner M of acme shown x answers api.acme.test json \"{}\"",
        &["t.world:7: `api.acme.test`: a zone of the file holds this name; give one that none holds"],
    ),
    (
        "account hetzner M of acme shown x\n  answers api.hetzner.cloud json \"{'a':\"",
        &["t.world:8: `{\\'a\\':`: no JSON; write ' for each \" of it"],
    ),
    (
        "repository https://github.com/acme/app of acme\n  writes a b",
        &["t.world:8: `b`: it stands below a `commit` line"],
    ),
    ("repository acme of acme", &["t.world:7: `acme`: no URL of a repository"]),
    ("app ios shop of acme", &["t.world:7: `shop`: it is no name of an app such as org.example.app"]),
    ("app ios test.acme.shop", &["t.world:7: the owner is missing; add `of ORG`"]),
    ("org acme \"Again\" ours", &["t.world:7: `ours`: it was stated before; put all its lines under one statement"]),
    ("org empty \"\" ours", &["t.world:7: an organisation has a name"]),
    ("seeds acme.test\n  more", &["t.world:8: `more`: `seeds` takes no indented lines"]),
    ("host 203.0.113.9\n  udp 53 ntp\n  udp 53 silent", &["t.world:9: `53`: udp 53 was stated before"]),
    ("host 203.0.113.9\n  port 70000 ssh", &["t.world:8: `70000`: no number here; expected a port from 1 to 65535"]),
    ("host 203.0.113.9\n  latency 2m", &["t.world:8: `2m`: a latency is at most 60s"]),
    ("host 203.0.113.9\n  latency 5", &["t.world:8: `5`: no span such as 5d, 36h, 90s or 250ms"]),
    ("host 203.0.113.9\n  latency 99999999999d", &["t.world:8: `99999999999d`: no span such as 5d, 36h, 90s or 250ms"]),
    ("host 203.0.113.300", &["t.world:7: `203.0.113.300`: no IP address such as 192.0.2.1 or 2001:db8::1"]),
    ("block 192.0.2.0/33 of acme", &["t.world:7: `192.0.2.0/33`: no block such as 192.0.2.0/24"]),
    ("block 192.0.2.0/24 of acme asn ASX", &["t.world:7: `ASX`: no number such as AS64500"]),
    ("block 192.0.2.0/24 of acme allocated soon", &["t.world:7: `soon`: no moment such as +90d, -5d or 2019-03-01"]),
    ("site https://203.0.113.9\n  status 600", &["t.world:8: `600`: a status is a number from 200 to 599"]),
    ("site https://203.0.113.9\n  page x \"\"", &["t.world:8: `x`: a path begins with `/` and has no blanks"]),
    (
        "site https://203.0.113.9\n  header a:b \"c\"",
        &["t.world:8: `a:b`: a header's or cookie's name has letters, digits, `-`, `_` and `.`"],
    ),
    (
        "site https://203.0.113.9\n  tls 1.4",
        &["t.world:8: `1.4`: unknown word; expected modern, 1.2, also-old, only-old"],
    ),
    (
        "name {a,b}.acme.test A 203.0.113.{5..7}",
        &["t.world:7: `203.0.113.{5..7}`: 3 values here, but 2 before; give every repetition of a line as many"],
    ),
    ("name {9..1}.acme.test A 203.0.113.5", &["t.world:7: `{9..1}.acme.test`: the range runs backwards"]),
    ("name {1..9999}.acme.test A 203.0.113.5", &["t.world:7: `{1..9999}.acme.test`: more than 4,096 values"]),
    ("name x.acme.test TXT \"open", &["t.world:7: `open`: the quotation mark is never closed"]),
];

#[test]
fn errors_name_file_line_and_word() {
    for (text, expected) in ERRORS {
        let shown = errors(text);
        if text.contains("nobody") {
            assert_eq!(shown.len(), 1, "{text}");
        } else if text.starts_with("host 203.0.113.9\nhost") || text.starts_with("org acme") {
            assert!(shown[0].ends_with("it was stated before; put all its lines under one statement"), "{shown:?}");
        } else {
            assert_eq!(shown, *expected, "{text}");
        }
    }
}

#[test]
fn an_unknown_exposure_is_answered_with_those_that_can_be_planted() {
    let shown = errors("site https://203.0.113.9\n  exposes all").remove(0);
    assert!(shown.starts_with("t.world:8: `all`: unknown word; expected "), "{shown}");
    assert!(shown.contains(" git,") && shown.contains(" listing,"), "{shown}");
}

#[test]
fn a_mark_of_the_encoding_before_the_first_line_is_passed_over() {
    assert!(World::parse(&format!("\u{feff}{HEAD}"), "t").is_ok());
}

#[test]
fn a_file_without_its_first_lines_says_so() {
    let shown = |text: &str| World::parse(text, "x").unwrap_err()[0].to_string();
    assert_eq!(shown(""), "x:1: the file has no line `world NAME \"TITLE\"`");
    assert_eq!(shown("world t"), "x:1: the file has no line `seeds NAME…`");
}

#[test]
fn many_errors_are_told_at_once_but_not_without_end() {
    let text = "bad line\n".repeat(1_000);
    assert_eq!(errors(&text).len(), 100);
}

#[test]
fn states_replace_what_they_repeat_and_keep_the_rest() {
    let text = format!(
        "{HEAD}name a.acme.test A 203.0.113.5\nname b.acme.test A 203.0.113.6\nstate 2\nname a.acme.test A \
         203.0.113.7\nremove name b.acme.test\n"
    );
    let world = World::parse(&text, "t").unwrap();
    assert_eq!(world.states(), 2);
    let epoch = ambit_model::Timestamp(1_751_328_000_000);
    let has = |state, name: &str| world.truth(epoch, state).entities.iter().any(|(_, known)| known == name);
    assert!(has(1, "203.0.113.5") && has(1, "203.0.113.6") && !has(1, "203.0.113.7"));
    assert!(!has(2, "203.0.113.5") && !has(2, "203.0.113.6") && has(2, "203.0.113.7"));
    assert!(!has(2, "b.acme.test") && has(2, "a.acme.test"));
}

#[test]
fn lines_about_the_certificate_of_a_site_add_up() {
    let of = |lines: &str| {
        let text = format!("{HEAD}name www.acme.test A 203.0.113.5\nsite https://www.acme.test\n{lines}\n");
        World::parse(&text, "t").unwrap().truth(ambit_model::Timestamp(1_751_328_000_000), 1)
    };
    let one = of("  cert expired 5d names www.acme.test a.acme.test b.acme.test");
    for lines in [
        "  cert expired 5d names www.acme.test\n  cert names {a,b}.acme.test",
        "  cert names www.acme.test\n  cert expired 5d\n  cert names a.acme.test\n  cert names b.acme.test",
    ] {
        let other = of(lines);
        assert_eq!((&other.entities, &other.issues), (&one.entities, &one.issues), "{lines}");
    }
}

/// Words that reach deep into the parser, and some that reach nowhere.
const WORDS: &[&str] = &[
    "world",
    "seeds",
    "org",
    "block",
    "zone",
    "name",
    "host",
    "site",
    "cert",
    "bucket",
    "expect",
    "state",
    "remove",
    "acme",
    "ours",
    "of",
    "ns",
    "A",
    "AAAA",
    "CNAME",
    "MX",
    "TXT",
    "SRV",
    "HTTPS",
    "raw",
    "alpn",
    "hint",
    "10",
    "0",
    "99999",
    "-1",
    "acme.test",
    "*.acme.test",
    "www.acme.test",
    "203.0.113.9",
    "2001:db8::1",
    "203.0.113.0/24",
    "https://www.acme.test",
    "port",
    "ssh",
    "ftp",
    "redis",
    "open",
    "names",
    "expired",
    "5d",
    "99999999999d",
    "@x",
    "cookie",
    "careful",
    "page",
    "/",
    "\"text\"",
    "\"\"",
    "{1..3}",
    "{a,b}",
    "{9..1}",
    "{{",
    "\u{202e}",
    "#",
    "hostile",
    "bomb",
    "redirect",
    "2",
    "issue",
    "never",
    "Uri",
    "starttls",
    "key",
    "weak",
    "\"",
    "\\",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_file_makes_it_panic(lines in proptest::collection::vec((any::<bool>(),
    proptest::collection::vec(0..WORDS.len(), 1..8)), 0..30)) {
        let mut text = HEAD.to_owned();
        for (indented, words) in lines {
            text.push_str(if indented { "  " } else { "" });
            text.push_str(&words.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join(" "));
            text.push('\n');
        }
        if let Ok(world) = World::parse(&text, "t") {
            let _ = world.truth(ambit_model::Timestamp(0), 1);
        }
    }

    #[test]
    fn no_bytes_make_it_panic(text in "\\PC{0,400}") {
        let _ = World::parse(&text, "t");
    }
}
