//! Assessments by example.

use super::*;
use serde_json::{Value, json};

const DATE: &str = "2026-06-01T00:00:00Z";

fn details(value: Value) -> Details {
    value.as_object().cloned().unwrap()
}

fn theirs() -> Details {
    details(json!({
        "hidden_registration": {"registrant": "Acme Tools, Ltd.", "registered": "2001-01-01T00:00:00Z"},
        "hidden_front_page": {"url": "https://www.acme.test/", "status": 200, "title": "Acme Tools",
            "likeness": "00000000000000ff", "icon": "aa", "trackers": ["G-THEIRS0001"]},
    }))
}

/// What is made of `acrne.test`, of which this is known beside how it resembles `acme.test`.
fn assessed(more: Value) -> Assessment {
    let mut known = details(json!({
        "hidden_resemblances": [{"of": "acme.test", "by": "ascii_alike"}],
        "resolutions": [{"response_data": "203.0.113.9", "response_type": "A"}],
    }));
    known.extend(details(more));
    let theirs = theirs();
    let original = Original { name: "acme.test", details: &theirs };
    assess("acrne.test", &known, &[original], Timestamp::parse(DATE).unwrap()).unwrap()
}

#[test]
fn what_it_is_and_does_adds_up_with_its_reasons() {
    let idle = assessed(json!({}));
    assert_eq!((idle.standing, idle.score), (Standing::Active, 25));
    let ready = assessed(json!({
        "hidden_registration": {"registered": "2026-05-20T00:00:00Z"},
        "mx_records": [{"priority": 10, "host": "mx.evil.test"}],
        "spf_record": "v=spf1 mx -all",
    }));
    assert_eq!(ready.score, 25 + 20 + 15 + 5);
    assert!(ready.sends_mail && ready.takes_mail.contains("mx.evil.test"), "{ready:?}");
    assert_eq!(ready.reasons[0].text, "resembles acme.test: a letter is replaced by one that looks alike");
    let old = assessed(json!({"hidden_registration": {"registered": "2010-05-20T00:00:00Z"}}));
    assert_eq!(old.score, 15, "an old registration is rather a namesake's");
    let null = assessed(json!({"mx_records": [{"priority": 0, "host": "."}], "spf_record": "v=spf1 -all"}));
    assert!(null.takes_mail.is_empty() && !null.sends_mail && null.score == 25, "{null:?}");
}

#[test]
fn a_copy_of_their_page_is_told_from_a_page_with_one_thing_in_common() {
    let page = |page: Value| assessed(json!({"hidden_front_page": page}));
    let copy = page(json!({"url": "https://acrne.test/", "status": 200, "title": "Acme Tools", "icon": "aa",
        "likeness": "00000000000000fe", "login": true, "posts_to": ["collect.evil.test"],
        "loads_from": ["static.acme.test"]}));
    assert!(copy.copies && copy.asks_password && copy.score == 100, "{copy:?}");
    let told: Vec<&str> = copy.reasons.iter().map(|reason| reason.text.as_str()).collect();
    assert!(told.contains(&"the password is sent to collect.evil.test"), "{told:?}");
    let namesake = page(json!({"url": "https://acrne.test/", "status": 200, "title": "Acme Tools", "login": true,
        "posts_to": ["acrne.test"], "likeness": "ffffffff00000000", "icon": "bb"}));
    assert!(!namesake.copies, "{namesake:?}");
    let fresh = page(json!({"url": "https://acrne.test/", "title": "Welcome to nginx!", "icon": "aa",
        "notice": "fresh"}));
    assert!(!fresh.copies && fresh.score == 25, "{fresh:?}");
}

#[test]
fn what_is_held_by_them_parked_for_sale_or_unused_is_told_apart() {
    for (more, standing, score) in [
        (
            json!({"hidden_registration": {"registrant": "ACME TOOLS LTD"}, "contacts": [{"email": "it@acme.test"}]}),
            Standing::Defensive,
            0,
        ),
        (
            json!({"hidden_registration": {"registrant": "Acme Tooling Ltd"}, "contacts": [{"email": "it@acme.test"}]}),
            Standing::Active,
            25,
        ),
        (json!({"nameservers": ["ns1.acme.test"]}), Standing::Defensive, 0),
        (json!({"nameservers": ["ns1.notacme.test"]}), Standing::Active, 25),
        (json!({"hidden_front_page": {"url": "https://acrne.test/", "leads_to": "www.acme.test"}}), Standing::Led, 25),
        (
            json!({"hidden_front_page": {"url": "https://acrne.test/", "leads_to": "www.acme.test"},
                "mx_records": [{"priority": 1, "host": "mx.evil.test"}]}),
            Standing::Active,
            45,
        ),
        (
            json!({"nameservers": ["ns1.sedoparking.com"], "mx_records": [{"priority": 1, "host": "mx.evil.test"}]}),
            Standing::Parked,
            30,
        ),
        (json!({"hidden_front_page": {"url": "http://acrne.test/", "notice": "for_sale"}}), Standing::ForSale, 25),
        (json!({"nameservers": ["ns1.csof.net"]}), Standing::Sinkholed, 0),
        (json!({"nameservers": ["ns1.csof.net", "ns1.evil.test"]}), Standing::Active, 25),
        (json!({"resolutions": []}), Standing::Unused, 25),
    ] {
        let made = assessed(more.clone());
        assert_eq!((made.standing, made.score), (standing, score), "{more}: {made:?}");
    }
}

/// What a copy of their page shows that sends passwords to somebody else.
fn copy() -> Value {
    json!({"url": "https://acrne.test/", "status": 200, "title": "Acme Tools", "icon": "aa", "login": true,
        "likeness": "00000000000000fe", "posts_to": ["collect.evil.test"]})
}

#[test]
fn what_anybody_can_publish_takes_no_copy_out_of_the_comparison() {
    let with = |member: &str, value: &str| {
        let mut page = copy();
        page[member] = json!(value);
        json!({"hidden_front_page": page})
    };
    let typed = json!({"registrant": "Acme Tools Ltd"});
    for more in [
        json!({}),
        json!({"nameservers": ["ns1.acme.test", "ns1.evil.test"]}),
        json!({"nameservers": ["ns1.acme.test"]}),
        json!({"nameservers": ["ns1.acme.test"], "hidden_registration": {"nameservers": ["ns1.evil.test"]}}),
        json!({"nameservers": ["ns1.csof.net"]}),
        json!({"nameservers": ["ns1.sedoparking.com"]}),
        json!({"mx_records": [{"priority": 10, "host": "mail.acme.test"}]}),
        json!({"hidden_registration": typed}),
        json!({"hidden_registration": typed, "contacts": [{"email": "it@acme.test"}]}),
        with("notice", "for_sale"),
        with("notice", "parked"),
        with("notice", "fresh"),
        with("leads_to", "www.acme.test"),
    ] {
        let mut known = json!({"hidden_front_page": copy()});
        known.as_object_mut().unwrap().extend(details(more.clone()));
        let made = assessed(known);
        assert_eq!((made.standing, made.copies), (Standing::Active, true), "{more}: {made:?}");
        assert!(made.score >= SERIOUS_FROM, "{more}: {made:?}");
    }
}

#[test]
fn a_copy_without_a_form_is_not_taken_for_a_domain_for_sale() {
    let mut page = copy();
    page["login"] = json!(false);
    page["notice"] = json!("for_sale");
    let made = assessed(json!({"hidden_front_page": page}));
    assert!(made.standing == Standing::Active && made.copies && made.score >= SERIOUS_FROM, "{made:?}");
}

#[test]
fn a_registrant_of_their_name_counts_beside_what_only_the_holder_has() {
    let standing = |more: Value| {
        let theirs = details(json!({
            "nameservers": ["ann.dns.test", "bob.dns.test"],
            "hidden_registration": {"registrant": "Acme Tools, Ltd.", "registrar": "Best Registrar"},
        }));
        let mut known = details(json!({
            "hidden_resemblances": [{"of": "acme.test", "by": "ascii_alike"}],
            "resolutions": [{"response_data": "203.0.113.9", "response_type": "A"}],
        }));
        known.extend(details(more));
        let original = Original { name: "acme.test", details: &theirs };
        let made = assess("acrne.test", &known, &[original], Timestamp::parse(DATE).unwrap()).unwrap();
        (made.standing, made.reasons.iter().any(|reason| reason.text.starts_with("is registered in their name")))
    };
    let registered = |registrant: &str, registrar: &str| json!({"registrant": registrant, "registrar": registrar});
    let both = ["ann.dns.test", "bob.dns.test"];
    let name = "Acme Tools Ltd";
    for (more, expected) in [
        (
            json!({"nameservers": both, "hidden_registration": registered(name, "Best Registrar")}),
            (Standing::Defensive, false),
        ),
        (
            json!({"nameservers": both, "hidden_registration": registered(name, "Cheap Registrar")}),
            (Standing::Active, true),
        ),
        (
            json!({"nameservers": ["ann.dns.test"], "hidden_registration": registered(name, "Best Registrar")}),
            (Standing::Active, true),
        ),
        (
            json!({"nameservers": both, "hidden_registration": registered("Other Ltd", "Best Registrar")}),
            (Standing::Active, false),
        ),
        (json!({"hidden_registration": registered(name, "Best Registrar")}), (Standing::Active, true)),
    ] {
        assert_eq!(standing(more.clone()), expected, "{more}");
    }
}

#[test]
fn those_that_share_what_others_do_not_have_belong_together() {
    let shared = traits_of(&details(json!({
        "nameservers": ["ns1.evil.test"],
        "resolutions": [{"response_data": "x.evil.test", "response_type": "CNAME"},
            {"response_data": "203.0.113.9", "response_type": "A"}],
        "hidden_front_page": {"url": "x", "trackers": ["G-EVIL000001"], "https": {"version": "TLSv1.3", "trusted": true,
            "certificate": "cc", "ends": null}},
    })));
    let shared: Vec<(Shared, &str)> = shared.iter().map(|(by, value)| (*by, value.as_str())).collect();
    assert_eq!(
        shared,
        [
            (Shared::NameServer, "ns1.evil.test"),
            (Shared::Address, "203.0.113.9"),
            (Shared::Certificate, "cc"),
            (Shared::Tracker, "G-EVIL000001"),
        ]
    );
}
