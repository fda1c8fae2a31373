//! Measures searches over a large synthetic inventory, straight on the index: `search_rate FOLDER [ENTITIES] [ISSUES]`.
//! The folder is filled once; a second run only measures. Each class is asked many times, one after the other, and its
//! p50 and p99 are printed, then the same while the index is written to as a run does. Beside the times stands the CPU
//! of one search, and a fixed piece of work that is timed in the same way: on a busy machine its p99 tells how far the
//! others are to be believed.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement that people start")]

use ambit_model::entity::{EntityRecord, Summary, in_account};
use ambit_model::issue::{Confidence, IssueRecord, Status};
use ambit_model::{Clearance, Details, Kind, Timestamp, Uid};
use ambit_query::{Noun, QUERY_BYTES_MAX, TERMS_MAX, parse_search};
use ambit_search::{Batch, CollectionContext, Index, IndexedRecord, Record, SearchContext, SearchRequest, Window};
use serde_json::Value;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use uuid::Uuid;

const PROJECT: i64 = 1;
/// Collections of the project; the first is the largest.
const COLLECTIONS: u64 = 20;
/// Documents of one commit while the index is filled, and while it is written to as a run does.
const FILL: usize = 20_000;
const RUN_BATCH: usize = 500;
/// Between two commits of a run.
const COMMIT_EVERY: Duration = Duration::from_secs(1);
/// One in so many entities has a closed version.
const VERSIONED: u64 = 5;
/// Times that each class is asked; nothing warms up, so that the first ones, which find nothing kept, are among the
/// slowest.
const ASKED: usize = 200;
/// Times that each of the longest queries is asked.
const LONGEST_ASKED: u64 = 5;
/// Steps of the fixed piece of work: about a millisecond.
const FIXED_STEPS: u64 = 400_000;
/// 2026-01-01, and the time between two records: an inventory that was found over weeks.
const BEGIN: i64 = 1_767_225_600_000;
const STEP_MS: i64 = 2_000;
/// When it is searched: later than every moment that is asked for.
const NOW: i64 = BEGIN + 10_000_000_000;

const WORDS: &[&str] = &[
    "shop", "mail", "vpn", "api", "dev", "stage", "cdn", "portal", "login", "blog", "static", "intranet", "jira",
    "git", "db", "auth",
];
const PRODUCTS: &[&str] = &[
    "nginx",
    "jquery",
    "php",
    "wordpress",
    "apache",
    "iis",
    "react",
    "cloudflare",
    "openssh",
    "exchange",
    "tomcat",
    "drupal",
];
const COUNTRIES: &[&str] = &["US", "DE", "FR", "GB", "NL", "IE", "JP", "SG", "BR", "IN"];
const ISSUES: &[&str] = &[
    "dns_caa_missing",
    "certificate_expires_soon",
    "directory_listing",
    "exposed_telnet_service",
    "server_end_of_life",
];

/// A cheap, good mix of a number: the same inventory on every machine.
fn mix(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Small numbers are frequent, large ones rare, as in real inventories.
fn skewed(seed: u64, of: usize) -> usize {
    let share = (seed % 10_000) as f64 / 10_000.0;
    ((share * share * share) * of as f64) as usize
}

fn collection(number: u64) -> Uuid {
    let place = skewed(mix(number ^ 0xc011), COLLECTIONS as usize);
    Uuid::from_u128(1 + place as u128)
}

fn name(number: u64, kind: Kind) -> String {
    let (word, zone) = (WORDS[skewed(mix(number ^ 1), WORDS.len())], mix(number ^ 2) % 4_000);
    let host = format!("{word}-{number}.zone{zone}.example");
    match kind {
        Kind::Uri => format!("https://{host}:443"),
        Kind::IpAddress => format!("203.{}.{}.{}", number >> 16 & 255, number >> 8 & 255, number & 255),
        Kind::NetworkService => format!("203.{}.{}.{}:443/tcp", number >> 16 & 255, number >> 8 & 255, number & 255),
        _ => host,
    }
}

fn kind(number: u64) -> Kind {
    match mix(number ^ 3) % 100 {
        0..40 => Kind::DnsRecord,
        40..60 => Kind::IpAddress,
        60..80 => Kind::Uri,
        80..95 => Kind::NetworkService,
        _ => Kind::Domain,
    }
}

fn summary(number: u64, kind: Kind) -> Summary {
    let mut summary = Summary { scoped: !mix(number ^ 4).is_multiple_of(5), ..Summary::default() };
    let current = i64::try_from(skewed(mix(number ^ 5), 4)).unwrap();
    summary.issues.current_count = current;
    for severity in 1..=5 {
        let count = i64::from(current > 0 && severity == 3 + mix(number ^ 6) % 3);
        summary.issues.current_by_severity.insert(severity.to_string(), count);
    }
    summary.geolocation.country_code = Some(COUNTRIES[skewed(mix(number ^ 7), COUNTRIES.len())].to_owned());
    if kind == Kind::Uri {
        summary.http.code = Some([200, 200, 200, 301, 403, 404][(mix(number ^ 8) % 6) as usize]);
        summary.http.title = Some(format!("{} of customer {}", WORDS[(mix(number ^ 9) % 16) as usize], number % 977));
        let products = 1 + mix(number ^ 10) % 3;
        summary.technology.technologies =
            (0..products).map(|n| PRODUCTS[skewed(mix(number ^ (11 + n)), PRODUCTS.len())].to_owned()).collect();
    }
    if kind == Kind::IpAddress {
        summary.ports.tcp = vec![80, 443];
        summary.ports.count = 2;
    }
    summary
}

/// One in ten stands in an account at a provider.
fn held(number: u64) -> Details {
    let account = mix(number ^ 21).is_multiple_of(10).then(|| in_account::CLOUD.is("Production (1)".to_owned()));
    account.into_iter().collect()
}

fn entity(number: u64) -> IndexedRecord {
    let (kind, collection) = (kind(number), collection(number));
    let name = name(number, kind);
    let uid = Uid::of_entity(collection, kind, &name);
    let record = EntityRecord {
        vulnerabilities: Default::default(),
        uid,
        collection,
        kind,
        seed: false,
        hidden: false,
        allow_list: false,
        deny_list: false,
        present: !mix(number ^ 20).is_multiple_of(50),
        scoped: true,
        scoped_reason: "path".into(),
        shared: false,
        ownership: 1_000,
        clearance: Clearance::L3,
        path: Vec::new(),
        evidence: Vec::new(),
        ancestors: Vec::new(),
        task_results: Vec::new(),
        details: held(number),
        fingerprint: Vec::new(),
        tags: if number.is_multiple_of(200) { vec!["mine".to_owned()] } else { Vec::new() },
        aliases: None,
        alias_group: None,
        category: None,
        confidence: None,
        description: None,
        source: None,
        status: None,
        summary: summary(number, kind),
        name,
    };
    stamped(number, Record::Entity(Box::new(record)))
}

fn issue(number: u64) -> IndexedRecord {
    let of = mix(number) % 1_000_000;
    let (kind, collection) = (kind(of), collection(of));
    let entity_name = name(of, kind);
    let entity_uid = Uid::of_entity(collection, kind, &entity_name);
    let name = ISSUES[skewed(mix(number ^ 30), ISSUES.len())].to_owned();
    let discriminator = number.to_string();
    let record = IssueRecord {
        uid: Uid::of_issue(collection, &name, "ambit", &discriminator, entity_uid),
        collection,
        pretty_name: name.replace('_', " "),
        upstream: "ambit".to_owned(),
        discriminator,
        entity_uid,
        entity_kind: kind,
        entity_name,
        severity: 5 - i64::try_from(skewed(mix(number ^ 31), 5)).unwrap(),
        confidence: Confidence::Confirmed,
        category: "misconfiguration".to_owned(),
        status: if number.is_multiple_of(4) { Status::ClosedResolved } else { Status::OpenNew },
        scoped: true,
        description: "Something that should not be so.".to_owned(),
        identifiers: None,
        details: Value::Null,
        tags: Vec::new(),
        ticket_list: None,
        decision: None,
        assignee: None,
        exploitation: None,
        name,
    };
    stamped(number, Record::Issue(Box::new(record)))
}

fn stamped(number: u64, record: Record) -> IndexedRecord {
    let first = BEGIN + i64::try_from(number).unwrap() / 500 * STEP_MS;
    IndexedRecord {
        project: PROJECT,
        id: record.uid().integer(),
        first_seen: Timestamp(first),
        last_seen: Timestamp(first + i64::try_from(mix(number ^ 40) % 2_000_000_000).unwrap()),
        valid_from: Timestamp(first),
        valid_to: None,
        turned_at: Timestamp(first),
        record,
    }
}

/// The entity, behind its closed version where it has one.
fn with_past(number: u64) -> Vec<IndexedRecord> {
    let mut now = entity(number);
    if !number.is_multiple_of(VERSIONED) {
        return vec![now];
    }
    let mut then = now.clone();
    let turn = now.first_seen.plus_ms(1_000_000_000);
    (then.valid_to, now.valid_from) = (Some(turn), turn);
    then.last_seen = turn;
    vec![then, now]
}

fn fill(index: &Index, entities: u64, issues: u64) {
    let began = Instant::now();
    let mut batch = Batch::default();
    let mut revision = 0;
    let mut flush = |batch: &mut Batch, least: usize| {
        if batch.records.len() > least {
            revision += 1;
            index.apply(revision, batch).unwrap();
            batch.records.clear();
        }
    };
    for number in 0..entities {
        batch.records.extend(with_past(number));
        flush(&mut batch, FILL);
    }
    for number in 0..issues {
        batch.records.push(issue(number));
        flush(&mut batch, FILL);
    }
    flush(&mut batch, 0);
    println!("filled with {} documents in {:.1} s", index.documents(), began.elapsed().as_secs_f64());
}

fn context() -> SearchContext {
    let collections = (0..COLLECTIONS).map(|place| CollectionContext {
        uuid: Uuid::from_u128(1 + u128::from(place)),
        name: format!("collection_{place}"),
        printable_name: format!("Collection {place}"),
        last_refreshes: vec![Timestamp(BEGIN + 3_000_000_000)],
        configured_scan_count: 1,
        overdue_since: Vec::new(),
    });
    SearchContext { project: PROJECT, collections: collections.collect(), whole_project: true }
}

struct Class {
    name: &'static str,
    noun: Noun,
    /// Another each time: `#` becomes a number, `@` the number of a collection, `%` a word of the names, `~` a word
    /// without its first letter and with the hyphen behind it.
    text: &'static str,
    aggregations: bool,
    past: bool,
}

const fn class(name: &'static str, noun: Noun, text: &'static str, aggregations: bool, past: bool) -> Class {
    Class { name, noun, text, aggregations, past }
}

const CLASSES: &[Class] = &[
    class("all entities, aggregations", Noun::Entities, "", true, false),
    class("all issues, aggregations", Noun::Issues, "", true, false),
    class("one collection, aggregations", Noun::Entities, "collection:collection_@", true, false),
    class("all entities, page alone", Noun::Entities, "", false, false),
    class("a bare word", Noun::Entities, "%", true, false),
    class("a substring of many names", Noun::Entities, "~", true, false),
    class("a substring of few names", Noun::Entities, "one#.ex", true, false),
    class("kind, technology, country", Noun::Entities, "type:uri technology:php country:de", true, false),
    class("outside and in no account", Noun::Entities, "shadow:unmanaged", true, false),
    class("in an account and never seen", Noun::Entities, "shadow:unseen", true, false),
    class("open and severe issues", Noun::Issues, "severity_lte:2 status_new:open", true, false),
    class("as of a moment", Noun::Entities, "", true, true),
    class("as of a moment, narrowed", Noun::Entities, "type:uri technology:php", true, true),
];

fn request(class: &Class, round: u64) -> SearchRequest {
    let number = mix(round) % 4_000;
    let word = WORDS[(round % WORDS.len() as u64) as usize];
    let text = class
        .text
        .replace('#', &number.to_string())
        .replace('@', &(round % COLLECTIONS).to_string())
        .replace('%', word)
        .replace('~', &format!("{}-", &word[1..]));
    let mut request =
        SearchRequest::new(class.noun, parse_search(&text, class.noun).unwrap(), context(), Timestamp(NOW));
    request.with_aggregations = class.aggregations;
    request.caller.key = round.to_string();
    if class.past {
        let moment = BEGIN + 2_000_000_000 + i64::try_from(number).unwrap() * 1_000_000;
        request.window = Window::AsOf(Timestamp(moment));
    }
    request
}

/// Nanoseconds of CPU that this thread has used; 0 where the system does not say.
fn cpu_ns() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0.0)
}

/// Times something often, and says so.
fn time(when: &str, what: &str, mut ask: impl FnMut(u64) -> u64) {
    let mut times = Vec::with_capacity(ASKED);
    let (mut hits, cpu) = (0, cpu_ns());
    for round in 0..ASKED as u64 {
        let began = Instant::now();
        hits = ask(round);
        times.push(began.elapsed());
    }
    let cpu = (cpu_ns() - cpu) / 1e6 / ASKED as f64;
    times.sort_unstable();
    let ms = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1_000.0;
    let (half, most, all) = (ms(0.5), ms(0.99), ms(1.0));
    println!(
        "{when:<9} {what:<30} p50 {half:>7.1} ms  p99 {most:>7.1} ms  most {all:>7.1} ms  CPU {cpu:>6.2} ms  ({hits} \
         hits)"
    );
}

fn measure(index: &Index, when: &str) {
    time(when, "the fixed piece of work", |round| {
        std::hint::black_box((0..FIXED_STEPS).fold(round, |sum, step| mix(sum ^ step)));
        0
    });
    for class in CLASSES {
        time(when, class.name, |round| {
            let answer = index.search_blocking(&request(class, round)).unwrap();
            assert!(!answer.timed_out, "{}", class.name);
            answer.total_hits
        });
    }
    let pages = pages(index);
    println!("{when:<9} pages of 1,000 by token: {pages:.1} ms each");
}

/// The longest queries that are taken, of terms that are as expensive as they come, each other ones in every round.
fn longest(round: u64) -> Vec<(&'static str, Noun, String)> {
    let terms = |term: &dyn Fn(u64) -> String| {
        let mut text = String::new();
        for number in 0..TERMS_MAX as u64 {
            let next = term(mix(round * 1_000_000 + number));
            if text.len() + next.len() >= QUERY_BYTES_MAX {
                break;
            }
            text.push_str(&next);
            text.push(' ');
        }
        text
    };
    let word = |number: u64| WORDS[(number % 16) as usize];
    vec![
        ("ids", Noun::Issues, terms(&|number| format!("id:{}", issue(number % 200_000).record.uid()))),
        ("ids that are not there", Noun::Issues, terms(&|number| format!("id:{number:064x}"))),
        ("substrings", Noun::Entities, terms(&|number| format!("{}-{}", &word(number)[1..], number % 1_000))),
        ("substrings of one letter", Noun::Entities, terms(&|number| format!("{}", number % 36))),
        ("substrings of two letters", Noun::Entities, terms(&|number| format!("{:02x}", number % 256))),
        (
            "substrings that are not",
            Noun::Entities,
            terms(&|number| format!("name:!{}-{}", word(number), number % 999)),
        ),
        ("kinds of all sorts", Noun::Entities, terms(&|number| format!("port_tcp:{}", number % 65_536))),
        (
            "technologies",
            Noun::Entities,
            terms(&|number| format!("technology:{}", &PRODUCTS[(number % 12) as usize][1..])),
        ),
    ]
}

/// Times the longest queries, each a few times.
fn measure_longest(index: &Index) {
    for place in 0..longest(0).len() {
        let mut worst = Duration::ZERO;
        let mut said = String::new();
        for round in 0..LONGEST_ASKED {
            let (name, noun, text) = longest(round).swap_remove(place);
            let search = parse_search(&text, noun).unwrap();
            let mut request = SearchRequest::new(noun, search, context(), Timestamp(NOW));
            request.with_aggregations = true;
            let began = Instant::now();
            let answer = index.search_blocking(&request).unwrap();
            worst = worst.max(began.elapsed());
            assert!(!answer.timed_out, "{name}");
            said = format!(
                "{name} ({} terms, {} bytes, {} hits)",
                text.split(' ').count() - 1,
                text.len(),
                answer.total_hits
            );
        }
        println!("longest   {said}: most {:.0} ms", worst.as_secs_f64() * 1_000.0);
    }
}

/// Milliseconds for a page of 1,000 in a walk by token.
fn pages(index: &Index) -> f64 {
    let mut request = request(&CLASSES[3], 0);
    request.page_size = 1_000;
    let began = Instant::now();
    let mut walked = 0;
    while walked < 100 {
        let answer = index.search_blocking(&request).unwrap();
        walked += 1;
        match answer.next_page_token {
            Some(token) => request.page_token = Some(token),
            None => break,
        }
    }
    began.elapsed().as_secs_f64() * 1_000.0 / f64::from(walked)
}

fn folder_bytes(path: &Path) -> u64 {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .map(|entry| {
            if entry.path().is_dir() {
                folder_bytes(&entry.path())
            } else {
                entry.metadata().map_or(0, |meta| meta.len())
            }
        })
        .sum()
}

/// Resident bytes of this process; 0 where the system does not say.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4_096
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("usage: search_rate FOLDER [ENTITIES] [ISSUES]");
    let mut number = |default: u64| arguments.next().map_or(default, |text| text.parse().expect("a number"));
    let (entities, issues) = (number(1_000_000), number(200_000));
    let began = Instant::now();
    let index = Index::open(Path::new(&folder)).unwrap();
    println!("opened and checked in {:.1} s", began.elapsed().as_secs_f64());
    if index.documents() == 0 {
        fill(&index, entities, issues);
    }
    println!("{} documents, {} MB on disk", index.documents(), folder_bytes(Path::new(&folder)) / 1_000_000);
    measure_longest(&index);
    measure(&index, "at rest");
    println!("{} MB resident", resident() / 1_000_000);
    let (stop, stopped) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let index = &index;
        scope.spawn(move || {
            let mut revision = index.committed().unwrap();
            while stopped.recv_timeout(COMMIT_EVERY) == Err(RecvTimeoutError::Timeout) {
                revision += 1;
                let first = mix(u64::try_from(revision).unwrap()) % entities;
                let records = (first..first + RUN_BATCH as u64).map(entity).collect();
                let batch = Batch { records, ..Batch::default() };
                index.apply(revision, &batch).unwrap();
            }
        });
        measure(index, "in a run");
        drop(stop);
    });
}
