//! Pages by number and by token, orders, totals, counts, snapshots, time limit.

use super::records::{at, entity, inventory};
use super::{ACME, OTHER, Scratch, filled, found, names, request};
use crate::{Batch, Caller, Index, IndexedRecord, SearchAnswer, SearchError, SearchRequest, Window};
use ambit_model::{Kind, Timestamp};
use ambit_query::Noun;
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

/// `n00` to `n<count - 1>`; every three share a `last_seen`.
fn hosts(count: usize) -> Vec<IndexedRecord> {
    (0..count).map(|n| at(0, (n / 3) as i64, entity(ACME, Kind::DnsRecord, &format!("n{n:02}"), |_| {}))).collect()
}

fn page(index: &Index, page: u64, size: u64) -> SearchAnswer {
    let mut request = request(Noun::Entities, "");
    (request.page, request.page_size) = (Some(page), size);
    index.search_blocking(&request).unwrap()
}

fn by_tokens(index: &Index, mut request: SearchRequest) -> Vec<String> {
    let mut pages = Vec::new();
    loop {
        let answer = index.search_blocking(&request).unwrap();
        assert_eq!(answer.more, answer.next_page_token.is_some());
        assert_eq!(answer.page, pages.len() as u64);
        pages.push(names(&answer));
        match answer.next_page_token {
            None => return pages,
            token => request.page_token = token,
        }
    }
}

/// So many newcomers before everything else.
fn newcomers(index: &Index, revision: i64, count: usize) {
    let host = |n| at(0, -1, entity(ACME, Kind::DnsRecord, &format!("new{revision}_{n}"), |_| {}));
    let batch = Batch { records: (0..count).map(host).collect(), ..Batch::default() };
    index.apply(revision, &batch).unwrap();
}

/// A page by number for a client of one key.
fn page_for(index: &Index, agent: &str, connection: u64, number: u64) -> String {
    let mut request = request(Noun::Entities, "");
    (request.page, request.page_size) = (Some(number), 3);
    request.caller = Caller { key: "key".to_owned(), agent: agent.to_owned(), connection: Some(connection) };
    names(&index.search_blocking(&request).unwrap())
}

#[test]
fn a_new_page_0_leaves_a_walk_as_it_is() {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(9));
    let before: Vec<String> = (0..3).map(|number| names(&page(&index, number, 3))).collect();
    assert_eq!([names(&page(&index, 0, 3)), names(&page(&index, 1, 3))], before[..2]);
    newcomers(&index, 2, 4);
    // The same key polls the first page, and another of its clients walks by tokens.
    assert!(names(&page(&index, 0, 3)).starts_with("new"));
    assert_eq!(by_tokens(&index, request(Noun::Entities, ""))[0].split(' ').count(), 13);
    assert_eq!(names(&page(&index, 2, 3)), before[2]);
}

#[test]
fn a_walk_by_tokens_leaves_the_walk_by_number_that_began_before_it() {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(9));
    let before: Vec<String> = (0..3).map(|number| names(&page(&index, number, 3))).collect();
    page(&index, 0, 3);
    newcomers(&index, 2, 4);
    let mut tokens = request(Noun::Entities, "");
    tokens.page_size = 3;
    assert_eq!(by_tokens(&index, tokens).len(), 5);
    let now: Vec<String> = (1..3).map(|number| names(&page(&index, number, 3))).collect();
    assert_eq!(now, before[1..]);
}

#[test]
fn clients_of_one_key_are_told_apart_by_name_connection_and_page() {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(9));
    let walk = |agent: &str, connection| -> [String; 3] {
        [0, 1, 2].map(|number| page_for(&index, agent, connection, number))
    };
    let before = walk("probe", 9);
    // Two programs, and two clients of one program: all stand at page 0.
    let firsts = [("browser", 1), ("poller", 2), ("export", 3), ("export", 4)].map(|(agent, connection)| {
        let first = page_for(&index, agent, connection, 0);
        newcomers(&index, 10 + connection as i64, 1);
        (agent, connection, first)
    });
    for (agent, connection, first) in firsts.iter().rev() {
        let number = usize::try_from(*connection).unwrap() - 1;
        let all =
            format!("{first} {} {}", page_for(&index, agent, *connection, 1), page_for(&index, agent, *connection, 2));
        let shown: Vec<&str> = all.split(' ').collect();
        let there: std::collections::BTreeSet<&str> = shown.iter().copied().collect();
        assert_eq!((shown.len(), there.len()), (9, 9), "{agent}: {all}");
        assert_eq!(shown.iter().filter(|name| name.starts_with("new")).count(), number, "{agent}: {all}");
    }
    // A client that begins again sees what is there now.
    assert_ne!(walk("browser", 1), before);
    newcomers(&index, 20, 1);
    assert_eq!(walk("browser", 1).join(" ").matches("new").count(), 5);
}

#[test]
fn a_key_that_begins_many_walks_ends_only_its_own() {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(9));
    let mut other = request(Noun::Entities, "");
    (other.page, other.page_size, other.caller.key) = (Some(0), 3, "other".to_owned());
    let first = names(&index.search_blocking(&other).unwrap());
    let walked = [page_for(&index, "browser", 1, 0), page_for(&index, "browser", 1, 1)];
    newcomers(&index, 2, 4);
    for connection in 0..200 {
        page_for(&index, "poller", 1_000 + connection, 0);
    }
    let last = page_for(&index, "browser", 1, 2);
    other.page = Some(1);
    let second = names(&index.search_blocking(&other).unwrap());
    assert!(![&first, &second, &walked[0], &walked[1], &last].iter().any(|page| page.contains("new")));
    assert_eq!([first, second], walked);
}

/// A key whose clients do much else: what they have read to its end, and searches of one page, are no walks that need
/// their moment.
#[test]
fn what_was_read_to_its_end_ends_no_walk_that_goes_on() {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(9));
    let before: Vec<String> = (0..3).map(|number| names(&page(&index, number, 3))).collect();
    let tokens = || {
        let mut tokens = request(Noun::Entities, "");
        (tokens.page_size, tokens.caller.key) = (3, "key".to_owned());
        by_tokens(&index, tokens)
    };
    for _ in 0..100 {
        assert_eq!(tokens(), before);
    }
    assert_eq!(page_for(&index, "walker", 1, 0), before[0]);
    newcomers(&index, 2, 4);
    for connection in 0..100 {
        let mut whole = request(Noun::Entities, "");
        whole.caller =
            Caller { key: "key".to_owned(), agent: "poller".to_owned(), connection: Some(1_000 + connection) };
        assert!(!index.search_blocking(&whole).unwrap().more);
        tokens();
    }
    assert_eq!([1, 2].map(|number| page_for(&index, "walker", 1, number)), before[1..]);
}

/// Walks that go on and walks that begin share the places of a key.
#[test]
fn many_walks_that_go_on_let_another_begin() {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(9));
    let first = page_for(&index, "walker", 1, 0);
    newcomers(&index, 2, 4);
    for connection in 0..200 {
        for number in [0, 1] {
            page_for(&index, "other", 1_000 + connection, number);
        }
        if connection % 8 == 0 {
            // A walk that goes on is not the one that rests.
            page_for(&index, "walker", 1, 1);
        }
    }
    assert!(!format!("{first} {}", page_for(&index, "walker", 1, 2)).contains("new"));
}

#[test]
fn a_window_that_ends_in_the_future_is_walked_as_it_was_at_the_beginning() {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(9));
    let mut first = request(Noun::Entities, "");
    (first.now, first.page_size) = (Timestamp(1_000), 4);
    for window in [Window::Between(Timestamp(-10), Timestamp(5_000)), Window::AsOf(Timestamp(5_000))] {
        first.window = window;
        for lost in [false, true] {
            let mut request = first.clone();
            let answer = index.search_blocking(&request).unwrap();
            assert_eq!((answer.total_hits, answer.window), (9, window.until(Timestamp(1_000))));
            // Time goes on, also beyond the window's end and the walk's.
            request.now = if lost { Timestamp(100_000_000) } else { Timestamp(6_000) };
            request.page_token = answer.next_page_token.clone();
            let second = index.search_blocking(&request).unwrap();
            assert_eq!((second.hits.len(), second.window), (4, answer.window), "{window:?} {lost}");
        }
        let mut request = first.clone();
        request.page = Some(0);
        index.search_blocking(&request).unwrap();
        request.page = Some(1);
        request.now = Timestamp(1_500);
        assert_eq!(index.search_blocking(&request).unwrap().window, window.until(Timestamp(1_000)), "by number too");
    }
}

#[test]
fn pages_by_number() {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(10));
    let all = names(&page(&index, 0, 50));
    let pages: Vec<String> = (0..4).map(|number| names(&page(&index, number, 3))).collect();
    assert_eq!(pages.join(" "), all);
    let first = page(&index, 0, 3);
    assert_eq!((first.total_hits, first.total_pages, first.more, first.page_size), (10, 4, true, 3));
    let last = page(&index, 3, 3);
    assert_eq!((last.hits.len(), last.more, last.next_page_token), (1, false, None));
    let beyond = page(&index, 4, 3);
    assert_eq!((beyond.hits.len(), beyond.more, beyond.total_hits, beyond.page), (0, false, 10, 4));
    let far = page(&index, u64::MAX, 3);
    assert_eq!((far.hits.len(), far.more, far.total_hits), (0, false, 10));
}

#[test]
fn edges_of_the_page_size() {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(4));
    let none = page(&index, 0, 0);
    assert_eq!(
        (none.hits.len(), none.total_hits, none.total_pages, none.more, none.next_page_token),
        (0, 4, 0, false, None)
    );
    let clamped = page(&index, 0, 5_000);
    assert_eq!((clamped.page_size, clamped.hits.len(), clamped.total_pages), (1_000, 4, 1));
    let exact = page(&index, 0, 4);
    assert_eq!((exact.hits.len(), exact.more, exact.next_page_token), (4, false, None));
}

#[test]
fn tokens_walk_every_order() {
    let scratch = Scratch::new();
    let index = Index::open(scratch.path()).unwrap();
    // Several commits, so that the order spans segments.
    for (at, chunk) in hosts(20).chunks(6).enumerate() {
        index.apply(at as i64 + 1, &Batch { records: chunk.to_vec(), ..Batch::default() }).unwrap();
    }
    for (field, descending) in [
        ("last_seen", false),
        ("last_seen", true),
        ("name", false),
        ("name", true),
        ("country_code", false),
        ("type", true),
    ] {
        let mut request = request(Noun::Entities, "");
        request.sort_field = Some(field.to_owned());
        request.descending = descending;
        let whole = names(&index.search_blocking(&request).unwrap());
        assert_eq!(whole.split(' ').count(), 20);
        for size in [1, 3, 7, 20] {
            request.page_size = size;
            assert_eq!(by_tokens(&index, request.clone()).join(" "), whole, "{field} {descending} {size}");
        }
    }
    let mut by_name = request(Noun::Entities, "");
    (by_name.sort_field, by_name.descending, by_name.page_size) = (Some("name".to_owned()), true, 3);
    assert_eq!(names(&index.search_blocking(&by_name).unwrap()), "n19 n18 n17");
}

#[test]
fn a_token_belongs_to_its_search() {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(4));
    let mut first = request(Noun::Entities, "n0");
    first.page_size = 2;
    let token = index.search_blocking(&first).unwrap().next_page_token;
    assert!(token.is_some());
    let with = |change: fn(&mut SearchRequest)| {
        let mut request = first.clone();
        request.page_token = token.clone();
        change(&mut request);
        index.search_blocking(&request).map(|answer| names(&answer))
    };
    assert!(with(|_| {}).is_ok());
    // The page size is no part of it.
    assert!(with(|request| request.page_size = 1).is_ok());
    let other_search =
        |request: &mut SearchRequest| request.search = ambit_query::parse_search("n1", Noun::Entities).unwrap();
    assert!(matches!(with(other_search), Err(SearchError::InvalidToken)));
    assert!(matches!(with(|request| request.context.project = 8), Err(SearchError::InvalidToken)));
    assert!(matches!(with(|request| request.descending = true), Err(SearchError::InvalidToken)));
    assert!(matches!(with(|request| request.page_token = Some(b"x".to_vec())), Err(SearchError::InvalidToken)));
}

/// A walk by tokens in pages of two over six hosts; behind its first page a hit of that is seen again and moves to the
/// end, and one yet to come goes. The pages behind it are asked for at `later`.
fn walk_while_data_moves(later: Timestamp) -> (Vec<String>, String, String) {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(6));
    let mut request = request(Noun::Entities, "");
    request.page_size = 2;
    let first = index.search_blocking(&request).unwrap();
    let mut walked: Vec<String> = first.hits.iter().map(super::name).collect();
    let mut moved = first.hits[0].clone();
    moved.last_seen = Timestamp(99);
    let rest: Vec<IndexedRecord> = hosts(6).into_iter().filter(|host| !walked.contains(&super::name(host))).collect();
    let batch = Batch { records: vec![moved.clone()], gone: vec![rest[3].record.uid()], ..Batch::default() };
    index.apply(2, &batch).unwrap();
    request.now = later;
    request.page_token = first.next_page_token;
    while request.page_token.is_some() {
        let answer = index.search_blocking(&request).unwrap();
        walked.extend(answer.hits.iter().map(super::name));
        request.page_token = answer.next_page_token;
    }
    (walked, super::name(&moved), super::name(&rest[3]))
}

#[test]
fn a_walk_by_tokens_is_of_one_moment() {
    let (mut walked, _, _) = walk_while_data_moves(Timestamp(1_000));
    walked.sort();
    assert_eq!(walked.join(" "), "n00 n01 n02 n03 n04 n05");
}

#[test]
fn a_token_whose_walk_is_no_longer_kept_goes_on_behind_its_row() {
    let (walked, moved, gone) = walk_while_data_moves(Timestamp(24 * 3_600 * 1_000));
    assert_eq!((walked.len(), walked.last()), (6, Some(&moved)), "what moved to the end comes again");
    assert!(!walked.contains(&gone));
}

#[test]
fn pages_by_number_are_of_one_moment() {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(6));
    let before = names(&page(&index, 0, 6));
    let first = names(&page(&index, 0, 3));
    let newcomers: Vec<IndexedRecord> =
        (0..5).map(|n| at(0, -1, entity(ACME, Kind::DnsRecord, &format!("new{n}"), |_| {}))).collect();
    index.apply(2, &Batch { records: newcomers, ..Batch::default() }).unwrap();
    assert_eq!(format!("{first} {}", names(&page(&index, 1, 3))), before);
    // Another caller has no part in it, and after five minutes nobody has.
    let mut request = request(Noun::Entities, "");
    (request.page, request.page_size, request.caller.key) = (Some(1), 3, "somebody else".to_owned());
    assert_eq!(index.search_blocking(&request).unwrap().total_hits, 11);
    request.caller = Caller::default();
    request.now = Timestamp(5 * 60 * 1_000);
    assert_eq!(index.search_blocking(&request).unwrap().total_hits, 11);
    assert_eq!(page(&index, 0, 3).total_hits, 11);
}

#[test]
fn the_window_ends_at_ten_thousand_rows_and_tokens_do_not() {
    let scratch = Scratch::new();
    let many: Vec<IndexedRecord> =
        (0..10_020).map(|n| at(0, n, entity(ACME, Kind::DnsRecord, &format!("n{n:05}"), |_| {}))).collect();
    let index = filled(&scratch, many);
    let last = page(&index, 9, 1_000);
    assert_eq!((last.total_hits, last.total_pages, last.hits.len(), last.more), (10_020, 10, 1_000, false));
    assert_eq!(super::name(&last.hits[999]), "n09999");
    let beyond = page(&index, 10, 1_000);
    assert_eq!((beyond.hits.len(), beyond.more, beyond.total_hits), (0, false, 10_020));
    let cut = page(&index, 33, 300);
    assert_eq!((cut.hits.len(), cut.total_pages), (100, 34));
    let mut request = request(Noun::Entities, "");
    request.page_size = 1_000;
    let pages = by_tokens(&index, request);
    assert_eq!(pages.len(), 11);
    assert_eq!(pages[10].split(' ').count(), 20);
}

#[test]
fn a_record_is_replaced_in_place() {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(3));
    let mut changed = hosts(3).remove(1);
    changed.last_seen = Timestamp(50);
    index.apply(2, &Batch { records: vec![changed], ..Batch::default() }).unwrap();
    assert_eq!(index.documents(), 3);
    assert!(found(&index, Noun::Entities, "").ends_with("n01"));
    index.apply(3, &Batch { gone_collections: vec![ACME], ..Batch::default() }).unwrap();
    assert_eq!((index.documents(), index.reached()), (0, 3));
}

#[test]
fn orders_that_are_none_are_refused() {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(1));
    let mut request = request(Noun::Entities, "");
    request.sort_field = Some("tags".to_owned());
    let error = index.search_blocking(&request).unwrap_err().to_string();
    assert!(error.starts_with("cannot sort entities by `tags`; use one of last_seen, first_seen, name"), "{error}");
}

#[test]
fn aggregations_count_all_hits() {
    let scratch = Scratch::new();
    let index = filled(&scratch, inventory());
    let answer = index.search_blocking(&request(Noun::Entities, "")).unwrap();
    let terms = |buckets: &[(&str, u64)]| {
        let buckets: Vec<_> = buckets.iter().map(|(key, count)| json!({ "key": key, "doc_count": count })).collect();
        json!({ "doc_count_error_upper_bound": 0, "sum_other_doc_count": 0, "buckets": buckets })
    };
    let expected = json!({
        "scoped_bucket": terms(&[("true", 2), ("false", 1)]),
        "collection_bucket": terms(&[("acme_1", 2), ("other_2", 1)]),
        "entity_type_bucket": terms(&[("Platform::Entity::DnsRecord", 1), ("Platform::Entity::IpAddress", 1),
        ("Platform::Entity::Uri", 1)]),
        "country_code_bucket": terms(&[("DE", 1)]),
        "technology_bucket": terms(&[("jQuery", 1), ("nginx", 1)]),
        "issues_severity_1_bucket": { "value": 1 },
        "issues_severity_2_bucket": { "value": 0 },
        "issues_severity_3_bucket": { "value": 0 },
        "issues_severity_4_bucket": { "value": 2 },
        "issues_severity_5_bucket": { "value": 0 },
    });
    assert_eq!(serde_json::Value::Object(answer.aggregations.unwrap()), expected);

    let answer = index.search_blocking(&request(Noun::Issues, "severity:2")).unwrap();
    let expected = json!({
        "collection_bucket": terms(&[("acme_1", 1)]),
        "confidence": terms(&[("confirmed", 1)]),
        "issue_name_bucket": terms(&[("directory_listing", 1)]),
        "severity_bucket": terms(&[("2", 1)]),
        "status_bucket": terms(&[("open_new", 1)]),
        "status_new_bucket": terms(&[("open", 1)]),
        "status_detailed_bucket": terms(&[("new", 1)]),
        "ticket_list_bucket": terms(&[("T-1", 1)]),
    });
    assert_eq!(serde_json::Value::Object(answer.aggregations.unwrap()), expected);

    let mut plain = request(Noun::Issues, "");
    plain.with_aggregations = false;
    assert_eq!(index.search_blocking(&plain).unwrap().aggregations, None);
    // Counts of nothing are zeros, not absent.
    let answer = index.search_blocking(&request(Noun::Entities, "asset_type:web")).unwrap();
    assert_eq!(answer.aggregations.unwrap()["issues_severity_1_bucket"], json!({ "value": 0 }));
}

#[test]
fn a_search_that_takes_too_long_says_so() {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(5));
    let mut request = request(Noun::Entities, "");
    request.time_limit = Duration::ZERO;
    let answer = index.search_blocking(&request).unwrap();
    assert_eq!((answer.timed_out, answer.hits.len(), answer.more, answer.next_page_token), (true, 0, false, None));
    assert_eq!(answer.message.as_deref(), Some("the search took longer than 0 ms and was stopped; narrow it"));
}

#[tokio::test]
async fn waiting_for_a_revision() {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(1));
    assert!(index.wait_for(1, Duration::ZERO).await.unwrap());
    assert!(!index.wait_for(2, Duration::from_millis(1)).await.unwrap());
    let waiting = tokio::spawn({
        let index = index.clone();
        async move { index.wait_for(2, Duration::from_secs(5)).await }
    });
    index.apply(2, &Batch::default()).unwrap();
    assert!(waiting.await.unwrap().unwrap());
    let answer = index.search(request(Noun::Entities, "")).await.unwrap();
    assert_eq!(answer.total_hits, 1);
}

#[test]
fn tokens_miss_nothing_under_fire() {
    const COUNT: usize = 900;
    // A day: no walk is kept so long, so that each page is of a moment of its own.
    const PAUSE_MS: i64 = 24 * 3_600 * 1_000;
    for pause in [1, PAUSE_MS] {
        let scratch = Scratch::new();
        let host =
            |n: usize, last_seen: i64| at(0, last_seen, entity(ACME, Kind::DnsRecord, &format!("n{n:04}"), |_| {}));
        let index = filled(&scratch, (0..COUNT).map(|n| host(n, (n / 3) as i64)).collect());
        let (mut seen, mut rows, mut rounds, mut token) = (std::collections::BTreeSet::new(), 0, 0, None);
        loop {
            let mut request = request(Noun::Entities, "");
            (request.page_size, request.page_token, request.with_aggregations) = (100, token.take(), false);
            request.now = Timestamp(pause * rounds as i64);
            let answer = index.search_blocking(&request).unwrap();
            rows += answer.hits.len();
            seen.extend(answer.hits.iter().map(super::name));
            let Some(next) = answer.next_page_token else { break };
            token = Some(next);
            // Between two pages a tenth of all hosts is seen again, for the first twenty pages.
            if rounds < 20 {
                let again = (0..COUNT).filter(|n| n % 10 == rounds % 10);
                let batch =
                    Batch { records: again.map(|n| host(n, (COUNT + rounds) as i64)).collect(), ..Batch::default() };
                index.apply(2 + rounds as i64, &batch).unwrap();
            }
            rounds += 1;
        }
        assert_eq!(seen.len(), COUNT);
        if pause == PAUSE_MS {
            assert!(rounds > 20, "the data moved while it was read");
        } else {
            assert_eq!((rows, rounds), (COUNT, 8), "each row once");
        }
    }
}

#[test]
fn counts_kept_ready_and_the_kept_order_give_what_a_look_at_every_record_gives() {
    let scratch = Scratch::new();
    let index = filled(&scratch, hosts(40));
    let check = |index: &Index| {
        for size in [1, 3, 50] {
            let [mut kept, mut looked] = ["", "hidden:false"].map(|text| request(Noun::Entities, text));
            (kept.page_size, looked.page_size) = (size, size);
            assert_eq!(by_tokens(index, kept.clone()), by_tokens(index, looked.clone()), "{size}");
            let (kept, looked) = (index.search_blocking(&kept).unwrap(), index.search_blocking(&looked).unwrap());
            assert_eq!((kept.total_hits, kept.aggregations), (looked.total_hits, looked.aggregations), "{size}");
        }
    };
    check(&index);
    let replaced =
        (0..40).step_by(7).map(|n| at(0, 100 - n, entity(ACME, Kind::DnsRecord, &format!("n{n:02}"), |_| {})));
    let batch = Batch {
        records: replaced.collect(),
        gone: hosts(40).iter().step_by(11).map(|record| record.record.uid()).collect(),
        ..Batch::default()
    };
    index.apply(2, &batch).unwrap();
    check(&index);
    let added = Batch { records: vec![at(0, 7, entity(ACME, Kind::DnsRecord, "new", |_| {}))], ..Batch::default() };
    index.apply(3, &added).unwrap();
    check(&index);
    // A record of another project; a uid never moves from one to another.
    let elsewhere = entity(OTHER, Kind::DnsRecord, "elsewhere", |_| {});
    let other = Batch { records: vec![IndexedRecord { project: 99, ..elsewhere }], ..Batch::default() };
    index.apply(4, &other).unwrap();
    check(&index);
}

/// Ends writers when it goes, also where a test fails beside them: a scope waits for its threads.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Writes until the end: moves hosts of its own to the end of the order, and adds and takes away one that nobody counts
/// on.
fn write_until(ended: &AtomicBool, index: &Index, revision: &AtomicI64, writer: usize) -> usize {
    let mut rounds = 0;
    while rounds == 0 || !ended.load(Ordering::SeqCst) {
        let mine = (0..HOSTS).filter(|n| n % WRITERS == writer && n / WRITERS % 7 == rounds % 7);
        let mut batch = Batch::default();
        batch.records.extend(mine.map(|n| numbered(n, (HOSTS + rounds) as i64)));
        let passing = entity(ACME, Kind::DnsRecord, &format!("passing{writer}"), |_| {});
        match rounds % 2 {
            0 => batch.records.push(passing),
            _ => batch.gone.push(passing.record.uid()),
        }
        index.apply(1 + revision.fetch_add(1, Ordering::SeqCst), &batch).unwrap();
        rounds += 1;
    }
    rounds
}

const HOSTS: usize = 2_000;
const WRITERS: usize = 10;

fn numbered(n: usize, last_seen: i64) -> IndexedRecord {
    at(0, last_seen, entity(ACME, Kind::DnsRecord, &format!("n{n:04}"), |_| {}))
}

#[test]
fn ten_writers_at_once_make_no_page_miss_or_double_a_row() {
    let scratch = Scratch::new();
    let index = filled(&scratch, (0..HOSTS).map(|n| numbered(n, (n / 3) as i64)).collect());
    let before: Vec<String> = (0..HOSTS / 100).map(|number| names(&page(&index, number as u64, 100))).collect();
    // The moment of page 0 stays while everything below moves.
    page(&index, 0, 100);
    let (revision, ended) = (AtomicI64::new(1), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let (index, revision, ended) = (&index, &revision, &ended);
        let end = End(ended);
        let writers: Vec<_> =
            (0..WRITERS).map(|writer| scope.spawn(move || write_until(ended, index, revision, writer))).collect();
        for _ in 0..2 {
            let mut request = request(Noun::Entities, "");
            (request.page_size, request.with_aggregations) = (100, false);
            let walked = by_tokens(index, request).join(" ");
            let mut walked: Vec<&str> = walked.split(' ').filter(|name| !name.starts_with("passing")).collect();
            walked.sort_unstable();
            let all: Vec<String> = (0..HOSTS).map(|n| format!("n{n:04}")).collect();
            assert_eq!(walked, all, "each row once");
        }
        let now: Vec<String> = (1..HOSTS / 100).map(|number| names(&page(index, number as u64, 100))).collect();
        assert_eq!(now, before[1..], "pages by number are of one moment");
        drop(end);
        let rounds = writers.into_iter().map(|writer| writer.join().unwrap()).min().unwrap();
        assert!(rounds > 0, "each of them wrote while it was read");
    });
}
