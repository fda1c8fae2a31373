//! Every keyword on a small inventory: what it finds and, by what is missing from the answer, what it does not.

use super::records::{inventory, uid_of};
use super::{Scratch, filled, found, request};
use ambit_model::Kind;
use ambit_query::{Noun, keywords::KEYWORDS};

const URI: &str = "https://a.example:443";
const IP: &str = "192.0.2.1";
const HOST: &str = "www.b-shop.example";

const LISTING: &str = "directory_listing@https://a.example:443";
const COOKIE: &str = "insecure_cookie@https://shop.example:443";

/// (query, hits in order of `last_seen`); each keyword stands in at least one row.
#[rustfmt::skip]
const ENTITIES: &[(&str, &[&str])] = &[
    ("", &[HOST, IP, URI]),
    ("collection:acme_1", &[IP, URI]),
    ("collection:ACME_1 collection:other_2", &[HOST, IP, URI]),
    ("collection:\"acme at 1\"", &[IP, URI]),
    ("collection:!acme_1", &[HOST]),
    ("collection:00000000-0000-0000-0000-000000000002", &[HOST]),
    ("collection:nowhere", &[]),
    ("name:\"a.example\"", &[URI]),
    ("name:https://a.example:443", &[URI]),
    ("name:A.EXAMPLE", &[URI]),
    ("name:xampl", &[HOST, URI]),
    ("name:\":443\"", &[URI]),
    ("name::443", &[URI]),
    ("name:://a.ex", &[URI]),
    ("name:\"www b\"", &[HOST]),
    ("name:\"b www\"", &[]),
    ("name:\"b-shop\"", &[HOST]),
    ("name:2.", &[IP]),
    ("name:e", &[HOST, URI]),
    ("name:1", &[IP]),
    ("name:!example", &[IP]),
    ("name:example.a", &[]),
    ("www", &[HOST]),
    ("192.0 www", &[HOST, IP]),
    ("192.0 hidden:false", &[]),
    ("id:nothing", &[]),
    ("tag:\"T 1\"", &[URI]),
    ("tag:urgent", &[URI]),
    ("tag:t", &[]),
    ("type:uri", &[URI]),
    ("type:Intrigue::Entity::IpAddress type:DnsRecord", &[HOST, IP]),
    ("type:!uri type:!dnsrecord", &[IP]),
    ("type:Domain", &[]),
    ("hidden:true", &[IP]),
    ("present:true", &[HOST, IP, URI]),
    ("present:false", &[]),
    ("change:appeared", &[]),
    ("scoped:false", &[HOST]),
    ("ownership_gte:60 scoped:false", &[HOST]),
    ("ownership_gte:61", &[]),
    ("ownership_lte:59", &[IP, URI]),
    ("country:de", &[IP]),
    ("country:Germany", &[IP]),
    ("country:ger", &[]),
    ("cloud:true", &[URI]),
    ("cloud_provider:amazon", &[URI]),
    ("shadow:unmanaged", &[IP]),
    ("shadow:unseen", &[HOST]),
    ("network:acme", &[IP]),
    ("network:zzz", &[]),
    ("asn:64500", &[IP]),
    ("asn:AS64500", &[IP]),
    ("asn:64501", &[]),
    ("technology:jquery", &[URI]),
    ("technology:NGIN", &[URI]),
    ("technology:f5", &[URI]),
    ("technology:\"F5 nginx\"", &[URI]),
    ("technology:!f5 type:uri", &[]),
    ("technology:f5<1.25", &[URI]),
    ("technology:f5<1.9", &[]),
    ("technology:\"f5 nginx<1.25\"", &[URI]),
    ("technology:nginx<1.25", &[URI]),
    ("technology:nginx<1.9", &[]),
    ("technology:\"NGINX >=1.20 <=1.24\"", &[URI]),
    ("technology:nginx=3.1", &[]),
    ("technology:<3", &[URI]),
    ("technology:!jquery<3.5 type:uri", &[]),
    ("technology:nginx<new", &[]),
    ("http_code:200", &[URI]),
    ("http_code:404", &[]),
    ("http_title:\"index of\"", &[URI]),
    ("http_title:backups", &[]),
    ("http_forms:true", &[URI]),
    ("port_tcp:443", &[IP]),
    ("port_tcp:53", &[]),
    ("port_udp:53", &[IP]),
    ("port_count_gte:3", &[IP]),
    ("port_count_lte:2", &[HOST, URI]),
    ("issue_count_gte:3", &[URI]),
    ("issue_count_lte:2", &[HOST, IP]),
    ("vuln:cve-2021-44228", &[URI]),
    ("vuln:cve-2021", &[]),
    ("vuln_count_gte:1", &[URI]),
    ("vuln_count_lte:0", &[HOST, IP]),
    ("critical_or_high:true", &[URI]),
    ("resolves_to:192.0.2.1", &[HOST]),
    ("resolves_to:192.0.2.10", &[]),
    ("resolves_to:192.0.2.", &[HOST]),
    ("resolves_to:EDGE", &[HOST]),
    ("first_seen_after:1970-01-01T00:00:02Z", &[HOST]),
    ("first_seen_before:1970-01-01T00:00:01.999Z", &[IP, URI]),
    ("last_seen_after:1970-01-01T00:00:02Z", &[IP, URI]),
    ("last_seen_before:1970-01-01T00:00:02.000Z", &[HOST, IP]),
    ("last_seen_after:last_refresh", &[HOST, URI]),
    ("last_seen_before:last_refresh", &[IP, URI]),
    ("last_seen_after:!last_refresh", &[IP]),
    ("last_seen_after:last_scan_count_2", &[HOST, IP, URI]),
    ("last_seen_after:configured_scan_count collection:acme_1", &[IP, URI]),
    ("severity:1", &[]),
    ("asset_type:web", &[]),
];

#[rustfmt::skip]
const ISSUES: &[(&str, &[&str])] = &[
    ("", &[COOKIE, LISTING]),
    ("collection:acme_1", &[LISTING]),
    ("name:listing", &[LISTING]),
    ("name:\"directory listing\"", &[LISTING]),
    ("severity:2", &[LISTING]),
    ("severity:1 severity:5", &[COOKIE]),
    ("severity_lte:3", &[LISTING]),
    ("severity_gte:3", &[COOKIE]),
    ("status_new:open", &[LISTING]),
    ("status_new:open status_new:closed", &[COOKIE, LISTING]),
    ("status_detailed:closed_mitigated", &[COOKIE]),
    ("status_detailed:new", &[LISTING]),
    ("assignee:ANN", &[LISTING]),
    ("assignee:!ann", &[COOKIE]),
    ("overdue:true", &[LISTING]),
    ("overdue:false", &[COOKIE]),
    ("category:application", &[COOKIE]),
    ("confidence:confirmed", &[LISTING]),
    ("entity_type:Uri", &[LISTING]),
    ("entity_name:shop.example", &[COOKIE]),
    ("entity_name:nothing", &[]),
    ("scoped:true", &[LISTING]),
    ("tag:tg", &[LISTING]),
    ("first_seen_after:1970-01-01T00:00:02Z", &[COOKIE]),
    ("last_seen_after:1970-01-01T00:00:03Z", &[LISTING]),
    ("type:uri", &[]),
];

#[rustfmt::skip]
const TECHNOLOGIES: &[(&str, &[&str])] = &[
    ("", &["nginx", "jQuery"]),
    ("collection:acme_1 jquery", &["jQuery"]),
    ("name:\"f5 nginx\"", &["nginx"]),
    ("first_seen_before:1970-01-01T00:00:00.500Z", &["nginx"]),
    ("collection:other_2", &[]),
    ("version:3.", &["jQuery"]),
    ("jquery version:2", &[]),
    ("version:<3.5", &["jQuery"]),
    ("version:>3.1", &[]),
];

#[test]
fn each_keyword_finds_what_it_says() {
    let scratch = Scratch::new();
    let index = filled(&scratch, inventory());
    for (noun, rows) in [(Noun::Entities, ENTITIES), (Noun::Issues, ISSUES), (Noun::Technologies, TECHNOLOGIES)] {
        for (text, expected) in rows {
            assert_eq!(found(&index, noun, text), expected.join(" "), "{noun}: {text}");
        }
    }
    let uid = uid_of(Kind::Uri, URI);
    for (noun, text, expected) in [
        (Noun::Entities, format!("uid:{uid}"), URI),
        (Noun::Entities, format!("id:{} id:i2", uid.to_uppercase()), URI),
        (Noun::Issues, format!("entity_uid:{uid}"), LISTING),
    ] {
        assert_eq!(found(&index, noun, &text), expected, "{text}");
    }
}

#[test]
fn each_keyword_has_a_row() {
    let mut all: Vec<&str> = [ENTITIES, ISSUES, TECHNOLOGIES].into_iter().flatten().map(|(text, _)| *text).collect();
    all.extend(["uid:", "id:", "entity_uid:"]);
    for row in KEYWORDS {
        let term = format!("{}:", row.name);
        assert!(all.iter().any(|text| text.split(' ').any(|word| word.starts_with(&term))), "{} has no row", row.name);
    }
}

#[test]
fn an_unknown_keyword_is_named() {
    let scratch = Scratch::new();
    let index = filled(&scratch, inventory());
    let answer = index.search_blocking(&request(Noun::Entities, "asset_type:web")).unwrap();
    assert_eq!((answer.total_hits, answer.more), (0, false));
    assert_eq!(answer.message.as_deref(), Some("no hits: unknown keyword `asset_type`"));
}

#[test]
fn operators_of_other_languages_are_named() {
    let scratch = Scratch::new();
    let index = filled(&scratch, inventory());
    let rule = "was searched in names: a repeated keyword means or, different keywords mean and, `!` means not";
    for (text, words) in [
        ("www OR mail", Some("`OR`")),
        ("type:uri AND NOT www", Some("`AND`, `NOT`")),
        ("(type:uri)", Some("`(type:uri)`")),
        ("www and mail", None),
        ("type:uri www", None),
    ] {
        let message = index.search_blocking(&request(Noun::Entities, text)).unwrap().message;
        assert_eq!(message, words.map(|words| format!("{words} {rule}")), "{text}");
    }
}

#[test]
fn a_country_is_not_answered_where_nothing_has_a_place() {
    let scratch = Scratch::new();
    let index = filled(&scratch, inventory());
    let message = |noun, text: &str| index.search_blocking(&request(noun, text)).unwrap().message;
    let no_place = "no address here has a location; locations come from a database that the setting `geo` names";
    for (text, expected) in [
        ("country:fr", None),
        ("country:!fr", None),
        ("country:fr collection:acme_1", None),
        ("country:fr collection:other_2", Some(format!("no hits: {no_place}"))),
        ("country:!fr collection:other_2", Some(no_place.to_owned())),
        ("collection:other_2", None),
        ("country:fr collection:nobody", None),
    ] {
        assert_eq!(message(Noun::Entities, text), expected, "{text}");
    }
}

#[test]
fn a_caller_sees_its_collections_only() {
    let scratch = Scratch::new();
    let index = filled(&scratch, inventory());
    let mut request = request(Noun::Entities, "");
    request.context.whole_project = false;
    request.context.collections.truncate(1);
    assert_eq!(super::names(&index.search_blocking(&request).unwrap()), format!("{IP} {URI}"));
    request.context.collections.clear();
    let answer = index.search_blocking(&request).unwrap();
    assert_eq!((answer.total_hits, answer.hits.len()), (0, 0));
}

#[test]
fn a_hit_is_the_record_without_what_no_hit_shows() {
    let scratch = Scratch::new();
    let records = inventory();
    let index = filled(&scratch, records.clone());
    let answer = index.search_blocking(&request(Noun::Entities, "a.example")).unwrap();
    let crate::Record::Entity(hit) = &answer.hits[0].record else { panic!("an entity") };
    let crate::Record::Entity(record) = &records[0].record else { panic!("an entity") };
    assert_eq!(hit.summary, record.summary);
    assert_eq!(hit.tags, record.tags);
    assert_eq!(answer.hits[0].last_seen, records[0].last_seen);
    let details: Vec<&str> = hit.details.keys().map(String::as_str).collect();
    assert_eq!(details, ["exfil_lookup_identifier"]);
}
