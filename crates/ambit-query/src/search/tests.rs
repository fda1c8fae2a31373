//! Search strings in, trees out.

use super::*;
use proptest::prelude::*;

/// What a keyword of severities takes.
const SEVERITIES: &str = "expected critical, high, medium, low, info, or a whole number from 1 to 5";

fn read(noun: Noun, text: &str) -> String {
    parse_search(text, noun).map_or_else(|error| error.to_string(), |search| search.to_string())
}

fn entities(text: &str, expected: &str) {
    assert_eq!(read(Noun::Entities, text), expected, "{text}");
}

fn issues(text: &str, expected: &str) {
    assert_eq!(read(Noun::Issues, text), expected, "{text}");
}

#[test]
fn a_moment_that_a_program_printed_with_blanks_is_one() {
    let moment = "last_seen_after{2025-08-01T12:30:00.000Z}";
    for text in [
        "last_seen_after:2025-08-01 12:30:00",
        "last_seen_after : 2025-08-01  12:30",
        "last_seen_after:2025-08-01+12:30:00",
        "last_seen_after:2025-08-01 12:30:00 UTC",
        "last_seen_after:2025-08-01 14:30:00+02:00",
        "last_seen_after:2025-08-01 14:30:00 02:00",
    ] {
        issues(text, moment);
        issues(&format!("{text} severity:1"), &format!("{moment} severity{{1}}"));
        issues(&format!("{text}+severity:1"), &format!("{moment} severity{{1}}"));
    }
    let date = "last_seen_after{2025-08-01T00:00:00.000Z}";
    for (word, name) in [("12", "12"), ("25:00:00", "25:00:00"), ("\"12:30:00\"", "12:30:00"), ("0200", "0200")] {
        issues(&format!("last_seen_after:2025-08-01 {word}"), &format!("{date} name{{{name:?}}}"));
    }
    issues("name:2025-08-01 12:30:00", "name{\"2025-08-01\" \"12:30:00\"}");
}

#[test]
fn what_real_clients_send() {
    issues("severity:5 last_seen_after:2025-08-01T00:00:00Z", "severity{5} last_seen_after{2025-08-01T00:00:00.000Z}");
    entities(
        "name:\"a.example\" tag:\"t 1\" critical_or_high:true vuln_count_gte:1 issue_count_gte:2 ",
        "name{\"a.example\"} tag{\"t 1\"} critical_or_high{true} vuln_count_gte{1} issue_count_gte{2}",
    );
    issues(
        "first_seen_after:2025-01-01T00:00:00Z last_seen_after:last_refresh severity_lte:3 status_new:open",
        "first_seen_after{2025-01-01T00:00:00.000Z} last_seen_after{last_refresh} severity_lte{3} status_new{open}",
    );
    issues(
        "severity_lte:2 last_seen_before:2025-02-01T12:00:00.000005 last_seen_after:2025-01-01T00:00:00.000005 id:i1 \
         id:i2 entity_uid:e1 ",
        "severity_lte{2} last_seen_before{2025-02-01T12:00:00.000Z} last_seen_after{2025-01-01T00:00:00.001Z} \
         id{\"i1\" \"i2\"} entity_uid{\"e1\"}",
    );
    issues("status_new:open+entity_type:Domain+severity_gte:3", "status_new{open} entity_type{domain} severity_gte{3}");
    issues(" ", "");
    issues(
        "collection:12341234 collection:23452345 severity_gte:1",
        "collection{\"12341234\" \"23452345\"} severity_gte{1}",
    );
    issues("collection:  last_seen_before:2023-04-17T21:49:54.000000Z", "last_seen_before{2023-04-17T21:49:54.000Z}");
    entities(
        "collection:acme last_seen_after:last_scan_count_3",
        "collection{\"acme\"} last_seen_after{last_scan_count_3}",
    );
    entities("last_seen_after:configured_scan_count", "last_seen_after{configured_scan_count}");
}

#[test]
fn or_and_not() {
    issues("severity:High severity_lte:medium severity:!info", "severity{2 !5} severity_lte{3}");
    issues("status_new:open severity:1 status_new:closed", "status_new{open closed} severity{1}");
    entities("type:!uri type:domain type:!dnsrecord", "type{domain !uri !dnsrecord}");
    entities("type:uri type:URI", "type{uri}");
    entities("www acme \"two words\" name:x", "name{\"www\" \"acme\" \"two words\" \"x\"}");
    entities("!www", "name{!\"www\"}");
    entities("https://a.example:443", "name{\"https://a.example:443\"}");
}

#[test]
fn numbers_of_autonomous_systems_are_written_with_or_without_their_prefix() {
    entities("asn:64500 asn:AS64501 asn:!as0", "asn{64500 64501 !0}");
    entities("asn:4294967295", "asn{4294967295}");
    for text in ["asn:AS", "asn:AS-1", "asn:-1", "asn:ASAS1", "asn:A64500", "asn:AS4294967296", "asn:AS+5", "asn:ünf"]
    {
        entities(
            text,
            &format!("`{text}` at character 1: expected the number of an autonomous system such as 64500 or AS64500"),
        );
    }
}

#[test]
fn empty_values_are_ignored() {
    issues("severity_lte: status_new:open", "status_new{open}");
    entities("tag:\"\" tag:\"  \" collection:", "");
    entities("type:!", "");
    entities("nonsense:", "");
}

#[test]
fn kinds_match_on_the_last_part() {
    entities("type:Intrigue::Entity::Uri type:Platform::Entity::DnsRecord", "type{uri dnsrecord}");
    issues("entity_type:githubrepository", "entity_type{githubrepository}");
    entities("type:a,b", "`type:a,b` at character 1: expected an entity kind such as Uri or IpAddress");
    entities(
        "type:Platform::Entity::",
        "`type:Platform::Entity::` at character 1: expected an entity kind such as Uri or IpAddress",
    );
}

#[test]
fn a_plus_is_a_blank_where_the_keyword_cannot_take_it() {
    issues("status_new:open+exposed", "status_new{open} name{\"exposed\"}");
    issues("status_new:open+!exposed", "status_new{open} name{!\"exposed\"}");
    issues("severity:5++exposed+panel severity:1", "severity{5 1} name{\"exposed+panel\"}");
    issues("scoped:true+exposed", "scoped{true} name{\"exposed\"}");
    entities("type:uri+shop", "type{uri} name{\"shop\"}");
    entities("technology:c++ name:a+b", "technology{\"c++\"} name{\"a+b\"}");
    let moment = read(Noun::Entities, "last_seen_after:2025-08-01T02:00:00+02:00");
    let with_word = read(Noun::Entities, "last_seen_after:2025-08-01T02:00:00+02:00+shop");
    assert_eq!(with_word, format!("{moment} name{{\"shop\"}}"));
    issues("severity:\"5+exposed\"", &format!("`severity:\"5+exposed\"` at character 1: {SEVERITIES}"));
    issues("status_new:fixed+exposed", "`status_new:fixed+exposed` at character 1: expected open, closed");
}

#[test]
fn words_have_meanings() {
    issues(
        "status_detailed:closed_no_reproduce status_detailed:TRIAGED status_detailed:closed",
        "status_detailed{closed_no_repro open_triaged closed}",
    );
    issues("confidence:Confirmed scoped:True", "confidence{confirmed} scoped{true}");
}

#[test]
fn a_bad_value_names_its_place_and_what_was_expected() {
    issues("scoped:true severity:WORST", &format!("`severity:WORST` at character 13: {SEVERITIES}"));
    issues("severity:>=2", &format!("`severity:>=2` at character 1: {SEVERITIES}"));
    issues("severity:6", &format!("`severity:6` at character 1: {SEVERITIES}"));
    issues("é status_new:fixed", "`status_new:fixed` at character 3: expected open, closed");
    issues("scoped:maybe", "`scoped:maybe` at character 1: expected true or false");
    entities("port_tcp:65536", "`port_tcp:65536` at character 1: expected a whole number from 0 to 65535");
    entities("issue_count_gte:-1", "`issue_count_gte:-1` at character 1: expected a whole number from 0");
    entities(
        "issue_count_gte:99999999999999999999",
        "`issue_count_gte:99999999999999999999` at character 1: expected a whole number from 0",
    );
    entities("tag:\"open", "`tag:\"open` at character 1: expected a closing double quote");
    let text = read(Noun::Entities, "last_seen_after:soon");
    assert!(
        text.starts_with("`last_seen_after:soon` at character 1: expected a date (2025-08-01), a UTC timestamp"),
        "{text}"
    );
}

#[test]
fn an_unknown_keyword_is_no_error_and_is_named() {
    entities("asset_type:web type:uri asset_type:x", "type{uri} ?asset_type");
    entities("severity:HIGH", "?severity");
    let message = |noun, text| parse_search(text, noun).unwrap().message();
    assert_eq!(message(Noun::Issues, "asset_type:web").as_deref(), Some("no hits: unknown keyword `asset_type`"));
    assert_eq!(
        message(Noun::Technologies, "severity:1 foo:1").as_deref(),
        Some("no hits: keyword `severity` applies to issues only, unknown keyword `foo`")
    );
    assert_eq!(message(Noun::Issues, "severity:1"), None);
    assert!(parse_search("status:open", Noun::Issues).unwrap().matches_nothing());
}

#[test]
fn limits() {
    let long = "x".repeat(QUERY_BYTES_MAX + 1);
    let text = read(Noun::Entities, &long);
    assert!(text.ends_with("expected a query of at most 32768 bytes, this one has 32769"), "{text}");
    assert!(text.len() < 400, "a message stays short");
    assert!(parse_search(&long[1..], Noun::Entities).is_ok());
    let many = "a ".repeat(TERMS_MAX);
    assert!(parse_search(&many, Noun::Entities).is_ok());
    let text = read(Noun::Entities, &format!("{many} b"));
    assert!(text.ends_with("expected at most 1024 terms"), "{text}");
}

#[test]
fn every_keyword_reads_a_value_where_it_applies_and_is_unknown_elsewhere() {
    for row in keywords::KEYWORDS {
        let value = match row.value {
            ValueType::Text => "x",
            ValueType::Integer { .. } => "3",
            ValueType::Bool => "false",
            ValueType::Time => "2025-01-01",
            ValueType::Kind => "Uri",
            ValueType::OneOf(words) => words[0].0,
        };
        for noun in Noun::ALL {
            let search = parse_search(&format!("{}:!{value}", row.name), noun).unwrap();
            if row.nouns.contains(&noun) {
                assert_eq!(search.clauses[0].keyword, row);
                assert_eq!(search.clauses[0].none.len(), 1);
            } else {
                assert_eq!(search.unknown[0].name, row.name);
            }
        }
    }
}

fn any_noun() -> impl Strategy<Value = Noun> {
    prop::sample::select(Noun::ALL.to_vec())
}

/// Texts near the language, so that every branch is met.
fn near_text() -> impl Strategy<Value = String> {
    let names: Vec<String> = keywords::KEYWORDS.iter().map(|row| row.name.to_owned()).collect();
    let piece = prop_oneof![
        prop::sample::select(names),
        "[a-zA-Z0-9:+!\"\\\\ ._/é-]{0,6}",
        prop::sample::select(vec![":", "+", "!", "\"", " ", "::", "//", "last_refresh", "2025-01-01", "true", "3"])
            .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,300}", near in near_text(), noun in any_noun()) {
        for text in [text, near] {
            match parse_search(&text, noun) {
                Ok(search) => prop_assert!(search.to_string().len() < 16 * text.len() + 64),
                Err(error) => prop_assert!(error.position <= text.chars().count() + 1),
            }
        }
    }

    #[test]
    fn blanks_around_change_nothing(text in near_text(), noun in any_noun()) {
        let plain = parse_search(&text, noun);
        let spaced = parse_search(&format!("  {text}  "), noun);
        if let (Ok(plain), Ok(spaced)) = (plain, spaced) {
            prop_assert_eq!(plain, spaced);
        }
    }

    #[test]
    fn quoted_text_reads_back(value in "[^\"\\\\]{1,40}") {
        let search = parse_search(&format!("name:\"{value}\""), Noun::Entities).unwrap();
        let expected = value.trim();
        if expected.is_empty() {
            prop_assert!(search.clauses.is_empty());
        } else {
            prop_assert_eq!(&search.clauses[0].any, &vec![Value::Text(expected.to_owned())]);
        }
    }
}
