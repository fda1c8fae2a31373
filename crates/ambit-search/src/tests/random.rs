//! Random inventories with a past, written in several commits: hits, their order, totals and counts are those of a
//! plain look at every record.

use super::brute_force::{any_term, holds};
use super::records::{entity, issue, technology};
use super::{ACME, OTHER, PROJECT, Scratch, context, name};
use crate::aggregations::{Count, Counted, of_noun, to_json};
use crate::condition::resolve;
use crate::document::value_at;
use crate::fields::{Shape, member};
use crate::search::sort_fields;
use crate::{Batch, Index, IndexedRecord, SearchRequest, Window};
use ambit_model::issue::Status;
use ambit_model::{Kind, Timestamp};
use ambit_query::{Noun, parse_search};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// A collection of another project.
const ELSEWHERE: Uuid = Uuid::from_u128(9);

/// Deterministic throws.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }

    fn some_of(&mut self, all: &[&str]) -> Vec<String> {
        all.iter().filter(|_| self.below(3) == 0).map(|text| (*text).to_owned()).collect()
    }
}

fn random_entity(dice: &mut Dice) -> IndexedRecord {
    let kind = [Kind::Uri, Kind::IpAddress, Kind::DnsRecord][dice.below(3) as usize];
    let host = format!("{}.{}.example", dice.one_of(&["www", "shop", "a", "edge", "b-shop"]), dice.below(12));
    let collection = [ACME, ACME, OTHER, ELSEWHERE][dice.below(4) as usize];
    entity(collection, kind, &host, |record| {
        record.hidden = dice.below(4) == 0;
        record.present = dice.below(5) > 0;
        record.ownership = [0, 200, 600, 990][dice.below(4) as usize];
        record.tags = dice.some_of(&["t 1", "Urgent"]);
        let summary = &mut record.summary;
        summary.scoped = dice.below(2) == 0;
        if dice.below(2) == 0 {
            summary.geolocation.country_code = Some(dice.one_of(&["DE", "US", "FR"]).to_owned());
            summary.http.code = Some(200 + i64::try_from(dice.below(3)).unwrap());
            summary.http.title = Some(dice.one_of(&["Index of /backup", "Shop", "a.example"]).to_owned());
        }
        summary.technology.technologies = dice.some_of(&["nginx", "jQuery", "php", "IIS"]);
        summary.issues.current_count = i64::try_from(dice.below(4)).unwrap();
        for severity in ["1", "4", "5"] {
            let count = i64::try_from(dice.below(3)).unwrap();
            summary.issues.current_by_severity.insert(severity.to_owned(), count);
        }
        summary.ports.count = i64::try_from(dice.below(4)).unwrap();
    })
}

fn random_record(dice: &mut Dice) -> IndexedRecord {
    let mut record = match dice.below(10) {
        0..6 => random_entity(dice),
        6..9 => {
            let host = format!("https://{}.example:443", dice.one_of(&["a", "shop", "www"]));
            let what = dice.one_of(&["directory_listing", "insecure_cookie", "dns_caa_missing"]);
            issue(if dice.below(2) == 0 { OTHER } else { ACME }, what, &host, |record| {
                record.severity = 1 + i64::try_from(dice.below(5)).unwrap();
                record.status =
                    [Status::OpenNew, Status::ClosedResolved, Status::ClosedMitigated][dice.below(3) as usize];
                record.ticket_list = (dice.below(2) == 0).then(|| vec![json!("T-1"), json!(dice.below(3))]);
            })
        }
        _ => technology(
            dice.one_of(&["f5", "jquery"]),
            dice.one_of(&["nginx", "jQuery"]),
            dice.one_of(&["", "1.2", "3"]),
        ),
    };
    let below = |dice: &mut Dice, ms: u64| i64::try_from(dice.below(ms / 100)).unwrap() * 100;
    // At most one version of a record is in force at any moment: closed ones in one of three seconds, the current one
    // after them.
    let second = i64::try_from(dice.below(5)).unwrap() * 1_000;
    record.valid_from = Timestamp(if second < 3_000 { second } else { 3_000 + below(dice, 3_000) });
    record.valid_to = (second < 3_000).then(|| Timestamp(second + 100 + below(dice, 900)));
    record.turned_at = Timestamp(record.valid_from.0 - below(dice, 1_000));
    record.first_seen = Timestamp(below(dice, 1_000));
    record.last_seen = Timestamp(record.valid_from.0 + below(dice, 3_000));
    if record.record.collection() == ELSEWHERE {
        record.project = PROJECT + 1;
    }
    record
}

/// An index after some commits, and the records that it should hold.
fn grown(scratch: &Scratch, dice: &mut Dice) -> (Index, Vec<IndexedRecord>) {
    let index = Index::open(scratch.path()).unwrap();
    let mut held: BTreeMap<Vec<u8>, IndexedRecord> = BTreeMap::new();
    for revision in 1..=5 {
        let mut batch = Batch::default();
        let mut keys = BTreeSet::new();
        for _ in 0..40 {
            let record = random_record(dice);
            if keys.insert(record.key()) {
                batch.records.push(record);
            }
        }
        let going: Vec<_> = held.values().filter(|_| dice.below(8) == 0).map(|record| record.record.uid()).collect();
        batch
            .gone
            .extend(going.into_iter().filter(|uid| batch.records.iter().all(|record| record.record.uid() != *uid)));
        index.apply(revision, &batch).unwrap();
        held.retain(|_, record| !batch.gone.contains(&record.record.uid()));
        held.extend(batch.records.into_iter().map(|record| (record.key(), record)));
    }
    (index, held.into_values().collect())
}

fn values(record: &IndexedRecord, path: &str) -> Vec<Value> {
    match value_at(&record.members(), path) {
        Some(Value::Array(items)) => items.clone(),
        Some(value) => vec![value.clone()],
        None => Vec::new(),
    }
}

fn in_order(left: &IndexedRecord, right: &IndexedRecord, path: &str, descending: bool) -> Ordering {
    let key = |record: &IndexedRecord| values(record, path).into_iter().next();
    let by_value = match (key(left), key(right)) {
        (Some(left), Some(right)) => {
            let order = match member(path).unwrap().shape {
                Shape::Integer | Shape::Time => left.as_i64().cmp(&right.as_i64()),
                Shape::Bool => left.as_bool().cmp(&right.as_bool()),
                Shape::Text | Shape::Word | Shape::Kind | Shape::Uid => left.as_str().cmp(&right.as_str()),
            };
            if descending { order.reverse() } else { order }
        }
        (left, right) => left.is_none().cmp(&right.is_none()),
    };
    let uid = |record: &IndexedRecord| record.record.uid().to_string();
    by_value.then_with(|| uid(left).cmp(&uid(right)))
}

fn counted(noun: Noun, hits: &[&IndexedRecord]) -> Vec<Counted> {
    let of = |aggregation: &crate::aggregations::Aggregation| match aggregation.count {
        Count::Sum => {
            let amounts = hits.iter().flat_map(|hit| values(hit, aggregation.member));
            Counted::Sum(amounts.filter_map(|amount| amount.as_i64()).sum())
        }
        Count::Terms(_) => {
            let mut counts: BTreeMap<String, u64> = BTreeMap::new();
            for hit in hits {
                let texts = values(hit, aggregation.member).into_iter().map(|value| match value {
                    Value::String(text) => text,
                    other => other.to_string(),
                });
                texts.collect::<BTreeSet<_>>().into_iter().for_each(|text| *counts.entry(text).or_default() += 1);
            }
            Counted::terms(counts.into_iter().collect())
        }
    };
    of_noun(noun).iter().map(of).collect()
}

fn walked(index: &Index, mut request: SearchRequest) -> Vec<String> {
    let mut hits = Vec::new();
    loop {
        let answer = index.search_blocking(&request).unwrap();
        hits.extend(answer.hits.iter().map(|hit| format!("{}@{}", name(hit), hit.valid_from.0)));
        match answer.next_page_token {
            Some(token) => request.page_token = Some(token),
            None => return hits,
        }
    }
}

fn any_window() -> impl Strategy<Value = Window> {
    let moment = || (0i64..70).prop_map(|hundreds| Timestamp(hundreds * 100));
    prop_oneof![
        2 => Just(Window::Now),
        2 => moment().prop_map(Window::AsOf),
        1 => (moment(), moment()).prop_map(|(one, other)| Window::Between(one.min(other), one.max(other))),
    ]
}

#[test]
fn hits_orders_totals_and_counts_are_those_of_a_plain_look() {
    let mut found = 0;
    for seed in 0..4 {
        let scratch = Scratch::new();
        let (index, held) = grown(&scratch, &mut Dice(seed));
        for noun in Noun::ALL {
            let mut runner = TestRunner::new(ProptestConfig::with_cases(60));
            let asked = (
                prop::collection::vec(any_term(noun), 0..3),
                any_window(),
                0..sort_fields(noun).len(),
                any::<bool>(),
                1u64..30,
            );
            let hits = std::cell::Cell::new(0);
            let tried = runner.run(&asked, |(terms, window, field, descending, size)| {
                let text = terms.join(" ");
                let search = parse_search(&text, noun).unwrap();
                let condition = resolve(&search, noun, &context(), window);
                let field = sort_fields(noun)[field];
                let mut expected: Vec<&IndexedRecord> =
                    held.iter().filter(|record| holds(&condition, record, &held)).collect();
                expected.sort_by(|left, right| in_order(left, right, field, descending));
                let mut request = SearchRequest::new(noun, search, context(), Timestamp(1_000_000_000_000));
                (request.window, request.descending, request.page_size) = (window, descending, size);
                request.sort_field = Some(field.to_owned());
                let answer = index.search_blocking(&request).unwrap();
                let names: Vec<String> =
                    expected.iter().map(|record| format!("{}@{}", name(record), record.valid_from.0)).collect();
                prop_assert_eq!(
                    &walked(&index, request),
                    &names,
                    "seed {} {} {:?} {} {}",
                    seed,
                    text,
                    window,
                    field,
                    descending
                );
                prop_assert_eq!(answer.total_hits, expected.len() as u64);
                let counts = to_json(noun, counted(noun, &expected), |uuid| {
                    let known = context().collections.into_iter().find(|known| known.uuid.to_string() == uuid);
                    known.map(|collection| collection.name)
                });
                prop_assert_eq!(answer.aggregations, Some(counts), "seed {} {} {:?}", seed, text, window);
                hits.set(hits.get() + expected.len());
                Ok(())
            });
            tried.unwrap_or_else(|error| panic!("seed {seed}: {noun}: {error}"));
            found += hits.get();
        }
    }
    assert!(found > 1_000, "queries that find nothing prove little: {found}");
}
