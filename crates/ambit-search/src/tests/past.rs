//! Searches at a moment of the past, and between two: answered from closed versions, with their own counts.

use super::records::{entity, issue};
use super::{ACME, OTHER, Scratch, context, filled, name};
use crate::{Batch, Index, IndexedRecord, Record, SearchRequest, Window};
use ambit_model::{Kind, Timestamp};
use ambit_query::{Noun, parse_search};

/// A version from one moment to another, in which the record had last come or gone at `turned`.
fn version(mut record: IndexedRecord, from: i64, to: Option<i64>, turned: i64, last_seen: i64) -> IndexedRecord {
    record.valid_from = Timestamp(from);
    record.valid_to = to.map(Timestamp);
    record.turned_at = Timestamp(turned);
    record.last_seen = Timestamp(last_seen);
    record.first_seen = Timestamp(1_000);
    record
}

fn site(name: &str, code: i64, present: bool) -> IndexedRecord {
    entity(ACME, Kind::Uri, name, |entity| {
        entity.present = present;
        entity.summary.http.code = Some(code);
    })
}

/// `a` changes at 2,000, `b` goes at 2,500, `c` comes at 2,200.
fn inventory(scratch: &Scratch) -> Index {
    filled(
        scratch,
        vec![
            version(site("a", 200, true), 1_000, Some(2_000), 1_000, 1_500),
            version(site("a", 404, true), 2_000, None, 1_000, 3_000),
            version(site("b", 200, true), 1_000, Some(2_500), 1_000, 2_000),
            version(site("b", 200, false), 2_500, None, 2_500, 2_000),
            version(site("c", 500, true), 2_200, None, 2_200, 3_000),
            version(entity(OTHER, Kind::Domain, "d", |_| {}), 1_000, None, 1_000, 9_000),
        ],
    )
}

fn ask(index: &Index, window: Window, text: &str) -> String {
    let mut request =
        SearchRequest::new(Noun::Entities, parse_search(text, Noun::Entities).unwrap(), context(), Timestamp(9_999));
    request.window = window;
    request.sort_field = Some("name".to_owned());
    let answer = index.search_blocking(&request).unwrap();
    let shown = |hit: &IndexedRecord| match &hit.record {
        Record::Entity(entity) => {
            entity.summary.http.code.map_or_else(|| name(hit), |code| format!("{}={code}", name(hit)))
        }
        _ => name(hit),
    };
    answer.hits.iter().map(shown).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_was_shown_then_is_found_and_nothing_else() {
    let scratch = Scratch::new();
    let index = inventory(&scratch);
    for (window, text, expected) in [
        (Window::Now, "", "a=404 b=200 c=500 d"),
        (Window::AsOf(Timestamp(999)), "", ""),
        (Window::AsOf(Timestamp(1_000)), "", "a=200 b=200 d"),
        (Window::AsOf(Timestamp(1_999)), "http_code:200", "a=200 b=200"),
        (Window::AsOf(Timestamp(2_000)), "http_code:200", "b=200"),
        (Window::AsOf(Timestamp(2_499)), "present:true", "a=404 b=200 c=500 d"),
        (Window::AsOf(Timestamp(2_500)), "present:true", "a=404 c=500 d"),
        (Window::Now, "http_code:200 present:true", ""),
    ] {
        assert_eq!(ask(&index, window, text), expected, "{window:?} {text}");
    }
}

#[test]
fn versions_that_are_not_kept_any_more_leave_the_index_and_the_present_stays() {
    let scratch = Scratch::new();
    let index = inventory(&scratch);
    let before = index.documents();
    index.apply(2, &Batch { kept_since: Some(Timestamp(2_000)), ..Batch::default() }).unwrap();
    assert_eq!(before - index.documents(), 1, "the first state of a ended then, that of b at 2,500");
    assert_eq!(ask(&index, Window::Now, ""), "a=404 b=200 c=500 d");
    assert_eq!(ask(&index, Window::AsOf(Timestamp(2_400)), "name:b"), "b=200");
    index.apply(3, &Batch { kept_since: Some(Timestamp(9_000)), ..Batch::default() }).unwrap();
    assert_eq!(ask(&index, Window::Now, ""), "a=404 b=200 c=500 d");
    assert_eq!(ask(&index, Window::AsOf(Timestamp(2_400)), "name:b"), "");
}

#[test]
fn a_version_that_is_current_again_takes_the_place_of_its_closed_one() {
    let scratch = Scratch::new();
    let index = inventory(&scratch);
    let again = version(site("a", 200, true), 1_000, None, 1_000, 4_000);
    index.apply(2, &Batch { records: vec![again], ..Batch::default() }).unwrap();
    for (window, expected) in [
        (Window::Now, "a=200 b=200 c=500 d"),
        (Window::AsOf(Timestamp(1_500)), "a=200 b=200 d"),
        (Window::AsOf(Timestamp(2_100)), "a=200 b=200 d"),
    ] {
        assert_eq!(ask(&index, window, ""), expected, "{window:?}");
    }
    let between = Window::Between(Timestamp(1_500), Timestamp(3_500));
    assert_eq!(ask(&index, between, "change:changed"), "", "{between:?}");
}

#[test]
fn what_was_seen_then_is_asked_by_the_runs_until_then() {
    let scratch = Scratch::new();
    let index = inventory(&scratch);
    // The context of 2,999: of acme's runs, those of 2,000 had finished; that of 3,000 not.
    let mut request = SearchRequest::new(
        Noun::Entities,
        parse_search("last_seen_after:last_refresh", Noun::Entities).unwrap(),
        context(),
        Timestamp(9_999),
    );
    request.context.collections[0].last_refreshes = vec![Timestamp(2_000)];
    request.window = Window::AsOf(Timestamp(2_300));
    request.sort_field = Some("name".to_owned());
    let names: Vec<String> = index.search_blocking(&request).unwrap().hits.iter().map(name).collect();
    assert_eq!(names, ["a", "b", "c", "d"], "the run of 2,000 saw a and b; c came after it; d was never refreshed");
    request.search = parse_search("last_seen_before:1970-01-01T00:00:01.999Z", Noun::Entities).unwrap();
    let names: Vec<String> = index.search_blocking(&request).unwrap().hits.iter().map(name).collect();
    assert_eq!(names, ["d"]);
    request.search = parse_search("last_seen_after:1970-01-01T00:00:02.400Z", Noun::Entities).unwrap();
    request.window = Window::AsOf(Timestamp(2_600));
    let names: Vec<String> = index.search_blocking(&request).unwrap().hits.iter().map(name).collect();
    assert!(names.is_empty(), "{names:?}: b was found gone after that, and not seen");
}

#[test]
fn what_happened_between_two_moments_is_found_as_it_was_at_the_second() {
    let scratch = Scratch::new();
    let index = inventory(&scratch);
    let between = |from, until| Window::Between(Timestamp(from), Timestamp(until));
    for (window, text, expected) in [
        (between(1_500, 2_999), "", "a=404 b=200 c=500"),
        (between(1_500, 2_999), "change:appeared", "c=500"),
        (between(1_500, 2_999), "change:changed", "a=404"),
        (between(1_500, 2_999), "change:disappeared", "b=200"),
        (between(1_500, 2_999), "change:appeared change:disappeared", "b=200 c=500"),
        (between(1_500, 2_999), "change:!changed type:uri", "b=200 c=500"),
        (between(1_500, 2_100), "", "a=404"),
        (between(2_500, 2_999), "", ""),
        (between(0, 1_500), "change:appeared", "a=200 b=200 d"),
    ] {
        assert_eq!(ask(&index, window, text), expected, "{window:?} {text}");
    }
}

#[test]
fn counts_are_those_of_then() {
    let scratch = Scratch::new();
    let open = issue(ACME, "x", "a", |_| {});
    let closed = issue(ACME, "x", "a", |issue| issue.status = ambit_model::issue::Status::ClosedResolved);
    let index = filled(
        &scratch,
        vec![version(open, 1_000, Some(2_000), 1_000, 1_500), version(closed, 2_000, None, 2_000, 1_500)],
    );
    for (window, key) in [(Window::AsOf(Timestamp(1_500)), "open"), (Window::Now, "closed")] {
        let mut request =
            SearchRequest::new(Noun::Issues, parse_search("", Noun::Issues).unwrap(), context(), Timestamp(9_999));
        request.window = window;
        let answer = index.search_blocking(&request).unwrap();
        let counted = answer.aggregations.unwrap();
        assert_eq!(counted["status_new_bucket"]["buckets"], serde_json::json!([{"key": key, "doc_count": 1}]));
        assert_eq!(answer.total_hits, 1);
    }
}

#[test]
fn a_token_belongs_to_its_moment() {
    let scratch = Scratch::new();
    let index = inventory(&scratch);
    let mut request =
        SearchRequest::new(Noun::Entities, parse_search("", Noun::Entities).unwrap(), context(), Timestamp(9_999));
    request.page_size = 1;
    request.window = Window::AsOf(Timestamp(1_500));
    let mut names = Vec::new();
    let mut first = None;
    loop {
        let answer = index.search_blocking(&request).unwrap();
        names.extend(answer.hits.iter().map(name));
        request.page_token = answer.next_page_token;
        first = first.or_else(|| request.page_token.clone());
        if request.page_token.is_none() {
            break;
        }
    }
    names.sort();
    assert_eq!(names, ["a", "b", "d"]);
    request.page_token = first;
    request.window = Window::AsOf(Timestamp(1_501));
    assert!(index.search_blocking(&request).is_err(), "another moment is another search");
}
