//! Random queries: what the engine finds is what a plain look at every record finds.

use super::records::inventory;
use super::{Scratch, context, filled, name, request};
use crate::condition::{Condition, resolve};
use crate::document::value_at;
use crate::fields::{ASSET, RUNNING, Shape, member as field};
use crate::running::runs;
use crate::{IndexedRecord, Record, Window};
use ambit_model::Kind;
use ambit_query::{Keyword, Noun, ValueType, keywords::KEYWORDS, parse_search};
use ipnet::IpNet;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::Value;
use std::cell::Cell;
use std::net::IpAddr;

/// A plain look at one record among all.
pub(super) fn holds(condition: &Condition, record: &IndexedRecord, all: &[IndexedRecord]) -> bool {
    let members = record.members();
    let values = |member: &str| match value_at(&members, member) {
        Some(Value::Array(items)) => items.clone(),
        Some(value) => vec![value.clone()],
        None => Vec::new(),
    };
    let any_text = |member: &str, fits: &dyn Fn(&str) -> bool| {
        values(member).iter().any(|value| value.as_str().is_some_and(|text| fits(&text.to_lowercase())))
    };
    let any_number =
        |member: &str, fits: &dyn Fn(i64) -> bool| values(member).iter().any(|value| value.as_i64().is_some_and(fits));
    match condition {
        Condition::Nothing => false,
        Condition::And(parts) => parts.iter().all(|one| holds(one, record, all)),
        Condition::Or(any) => any.iter().any(|one| holds(one, record, all)),
        Condition::Not(one) => !holds(one, record, all),
        Condition::Space(noun, project) => {
            record.record.noun() == *noun && record.project == *project && record.valid_to.is_none()
        }
        Condition::SpaceAt(noun, project, moment) => {
            let ended = record.valid_to.is_some_and(|to| to.0 <= *moment);
            record.record.noun() == *noun && record.project == *project && record.valid_from.0 <= *moment && !ended
        }
        Condition::Collections(uuids) => uuids.contains(&record.record.collection()),
        Condition::EqualText("id", text) => record.record.uid().to_string() == text.to_lowercase(),
        Condition::EqualText(member, text) => any_text(member, &|value| value == text.to_lowercase()),
        Condition::EqualKind(member, kind) => any_text(member, &|value| value.ends_with(&format!("::{kind}"))),
        Condition::EqualInteger(member, number) => any_number(member, &|value| value == *number),
        Condition::EqualBool(member, flag) => values(member).iter().any(|value| value.as_bool() == Some(*flag)),
        Condition::Contains(member, text) => {
            let has_words = field(member).is_some_and(|member| member.shape == Shape::Text);
            any_text(member, &|value| value.contains(&text.to_lowercase()) || (has_words && words_in(value, text)))
        }
        Condition::Runs(range) => any_text(RUNNING, &|value| runs(range, value)),
        Condition::AtLeast(member, number) => any_number(member, &|value| value >= *number),
        Condition::AtMost(member, number) => any_number(member, &|value| value <= *number),
        Condition::SameAsset(of) => all.iter().filter(|other| holds(of, other, all)).any(|other| {
            let is_same =
                value_at(&other.members(), ASSET).is_some_and(|asset| Some(asset) == value_at(&members, ASSET));
            is_same || lies_in(record, other)
        }),
    }
}

/// The one is an address, the other a block around it.
fn lies_in(one: &IndexedRecord, other: &IndexedRecord) -> bool {
    let (Record::Entity(one), Record::Entity(other)) = (&one.record, &other.record) else { return false };
    let address = one.name.parse::<IpAddr>().ok().filter(|_| one.kind == Kind::IpAddress);
    let block = other.name.parse::<IpNet>().ok().filter(|_| other.kind == Kind::NetBlock);
    block.zip(address).is_some_and(|(block, address)| block.contains(&address))
}

/// The words of a text stand in a value one behind the other. Only members of free text are cut into words.
fn words_in(value: &str, needle: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.to_lowercase()
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (value, needle) = (words(value), words(needle));
    !needle.is_empty() && value.windows(needle.len()).any(|window| window == needle)
}

pub(super) fn any_term(noun: Noun) -> impl Strategy<Value = String> {
    let keywords: Vec<&Keyword> = KEYWORDS.iter().filter(|row| row.nouns.contains(&noun)).collect();
    let texts = [
        "a.example",
        "192.0.2.1",
        "www",
        "b-shop",
        "example www",
        "://",
        "x",
        "e",
        "t 1",
        "DE",
        "germany",
        "amazon",
        "nginx",
        "nginx<1.25",
        ">=3",
        "jquery",
        "CVE-2021-44228",
        "acme_1",
        "other_2",
        "listing",
        "index of",
        "acme-net",
        "application",
        "edge.example",
        "44",
        // Of the version 3.1 the second word, and no part of it.
        "1-",
        "example:443",
    ];
    let text = prop_oneof![prop::sample::select(texts.to_vec()).prop_map(str::to_owned), "[a-z0-9./:-]{1,6}"];
    (prop::sample::select(keywords), text, 0i64..6, any::<bool>(), prop::bool::weighted(0.3)).prop_map(
        |(row, text, number, flag, negated)| {
            let value = match row.value {
                ValueType::Text => format!("\"{text}\""),
                ValueType::Integer { min, max } => number.clamp(min, max).to_string(),
                ValueType::Bool => flag.to_string(),
                ValueType::Time if flag => format!("1970-01-01T00:00:0{number}Z"),
                ValueType::Time => {
                    ["last_refresh", "last_scan_count_2", "configured_scan_count"][number as usize % 3].to_owned()
                }
                ValueType::Kind => ["Uri", "IpAddress", "DnsRecord", "Domain"][number as usize % 4].to_owned(),
                ValueType::OneOf(words) => words[number as usize % words.len()].0.to_owned(),
            };
            format!("{}:{}{value}", row.name, if negated { "!" } else { "" })
        },
    )
}

#[test]
fn the_engine_agrees_with_a_look_at_every_record() {
    let scratch = Scratch::new();
    let records = inventory();
    let index = filled(&scratch, records.clone());
    let hits = Cell::new(0);
    for noun in Noun::ALL {
        let mut runner = TestRunner::new(ProptestConfig::with_cases(300));
        let tried = runner.run(&prop::collection::vec(any_term(noun), 1..4), |terms| {
            let text = terms.join(" ");
            let search = parse_search(&text, noun).unwrap();
            let condition = resolve(&search, noun, &context(), Window::Now);
            let mut expected: Vec<&IndexedRecord> =
                records.iter().filter(|record| holds(&condition, record, &records)).collect();
            expected.sort_by_key(|record| (record.last_seen, record.record.uid()));
            let expected: Vec<String> = expected.into_iter().map(name).collect();
            let answer = index.search_blocking(&request(noun, &text)).unwrap();
            let found: Vec<String> = answer.hits.iter().map(name).collect();
            prop_assert_eq!(&found, &expected, "{}", text);
            hits.set(hits.get() + found.len());
            prop_assert_eq!(answer.total_hits, expected.len() as u64);
            Ok(())
        });
        tried.unwrap_or_else(|error| panic!("{noun}: {error}"));
    }
    assert!(hits.get() > 200, "queries that find nothing prove little: {}", hits.get());
}

/// Rules of receivers ask which of many records a search finds: far more than a text could name.
#[test]
fn a_search_among_many_records_finds_those_that_it_would_find_of_all() {
    let scratch = Scratch::new();
    let records = inventory();
    let index = filled(&scratch, records.clone());
    let uids: Vec<String> = records.iter().map(|record| record.record.uid().to_string()).collect();
    let absent = (0..200).map(|number| format!("{number:064x}"));
    for (noun, text) in [(Noun::Entities, ""), (Noun::Entities, "type:Uri"), (Noun::Issues, "severity_lte:2")] {
        let all = index.search_blocking(&request(noun, text)).unwrap();
        let names = |hits: &[IndexedRecord]| hits.iter().map(name).collect::<Vec<_>>();
        assert!(!all.hits.is_empty(), "{text}");
        let among = |uids: Vec<String>| {
            let mut asked = request(noun, text);
            asked.search = asked.search.among(uids);
            names(&index.search_blocking(&asked).unwrap().hits)
        };
        assert_eq!(among(uids.iter().cloned().chain(absent.clone()).collect()), names(&all.hits), "{text}");
        assert_eq!(among(absent.clone().collect()), [""; 0], "{text}");
        let one = all.hits[0].record.uid().to_string();
        assert_eq!(among(vec![one]), names(&all.hits[..1]), "{text}");
    }
}
