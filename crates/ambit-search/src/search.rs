//! One search: from the parsed query to a page of hits with its totals, its counts and the token of the next page
//! (docs/architecture.md §6).

use crate::aggregations::{self, Counted};
use crate::condition::{SearchContext, Window, fingerprint, resolve};
use crate::document::IndexedRecord;
use crate::elastic;
use crate::embedded::{Found, Key, Order, Page};
use crate::error::{IndexError, SearchError};
use crate::fields;
use crate::index::Index;
use crate::ready;
use crate::walks::{Caller, Snapshot, WalkId, Wanted};
use ambit_model::{Kind, Timestamp};
use ambit_query::{Noun, Search, ValueType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// Rows of a page when the caller does not say.
pub const PAGE_SIZE_DEFAULT: u64 = 50;

/// Most rows of a page; a greater `page_size` means this.
pub const PAGE_SIZE_MAX: u64 = 1_000;

/// Rows that `page` reaches; tokens go on.
pub(crate) const WINDOW_ROWS_MAX: u64 = 10_000;

/// How long a search may take: longer than any on a million records, shorter than clients wait.
pub const TIME_LIMIT: Duration = Duration::from_secs(10);

/// A search.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    pub noun: Noun,
    pub search: Search,
    pub context: SearchContext,
    /// Which time it is about, as it was asked for: a moment that is still to come means now.
    pub window: Window,
    pub caller: Caller,
    /// A member to sort by, `last_seen` if none is given; the last part of its path is enough.
    pub sort_field: Option<String>,
    pub descending: bool,
    /// From 0. `None`: not given, which means 0.
    pub page: Option<u64>,
    pub page_size: u64,
    /// What [`SearchAnswer::next_page_token`] gave for the page before, unsealed. `page` is then not looked at.
    pub page_token: Option<Vec<u8>>,
    pub with_aggregations: bool,
    /// Wall time.
    pub now: Timestamp,
    pub time_limit: Duration,
}

impl SearchRequest {
    /// The first page of a search, with the defaults of the contract.
    pub fn new(noun: Noun, search: Search, context: SearchContext, now: Timestamp) -> Self {
        SearchRequest {
            noun,
            search,
            context,
            window: Window::Now,
            caller: Caller::default(),
            sort_field: None,
            descending: false,
            page: None,
            page_size: PAGE_SIZE_DEFAULT,
            page_token: None,
            with_aggregations: true,
            now,
            time_limit: TIME_LIMIT,
        }
    }
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct SearchAnswer {
    pub hits: Vec<IndexedRecord>,
    /// The true count, beyond the window too.
    pub total_hits: u64,
    /// The time that it is about: what was asked for, as it was understood on the first page.
    pub window: Window,
    /// The time limit came first: there are no hits, and the total is a lower bound.
    pub timed_out: bool,
    pub more: bool,
    pub page: u64,
    pub page_size: u64,
    pub total_pages: u64,
    /// For [`SearchRequest::page_token`]; to be sealed before it leaves the server. `None` at the end.
    pub next_page_token: Option<Vec<u8>>,
    /// By neutral names, in the order of the contract; `None` when they were not wanted.
    pub aggregations: Option<Map<String, Value>>,
    /// The executed query in Elasticsearch form.
    pub search_body: Value,
    pub sort_field: &'static str,
    pub descending: bool,
    /// Something that the caller should know: an unknown keyword, a time-out.
    pub message: Option<String>,
}

/// The content of a page token.
#[derive(Serialize, Deserialize)]
struct Token {
    /// The fingerprint of the search it belongs to.
    search: String,
    /// Number of the page that it leads to.
    page: u64,
    /// The last hit of the page before.
    after: Key,
    /// The walk that it goes on with.
    walk: WalkId,
    /// The time that the search is about, as it was understood on the first page.
    window: Window,
}

impl Index {
    /// Searches. Runs on a thread of its own; waits while too many searches run. Fails with `InvalidToken` for a page
    /// token of another search, and with `InvalidSort` for an order that the noun does not have.
    pub async fn search(&self, request: SearchRequest) -> Result<SearchAnswer, SearchError> {
        let _turn = self.turn().await?;
        let index = self.clone();
        let searched = tokio::task::spawn_blocking(move || index.search_blocking(&request)).await;
        // A panic counts as a failure of the index too.
        let searched = searched.unwrap_or_else(|error| Err(IndexError::Stopped(error.to_string()).into()));
        if let Err(SearchError::Index(_)) = &searched {
            self.suspect();
        }
        searched
    }

    /// As [`Index::search`], on the calling thread.
    pub fn search_blocking(&self, request: &SearchRequest) -> Result<SearchAnswer, SearchError> {
        run(self, request)
    }
}

fn run(index: &Index, request: &SearchRequest) -> Result<SearchAnswer, SearchError> {
    let sort_field = sort_field(request.noun, request.sort_field.as_deref())?;
    let member = fields::member(sort_field).expect("sortable members stand in the table");
    let order = Order { member, descending: request.descending };
    let sort = format!("{sort_field} {}", request.descending);
    let print = fingerprint(&request.search, request.noun, &request.context, request.window, &sort);
    let size = request.page_size.min(PAGE_SIZE_MAX);
    let place = place(index, request, &print, size)?;
    // One more than wanted tells whether there are more.
    let fetched = place.rows(size).map_or(0, |rows| rows + 1);
    let page = Page { order, skip: as_size(place.skip), size: as_size(fetched), after: place.after.clone() };
    let counting = request.with_aggregations.then_some(request.noun);
    let mut found = find(index, &place.snapshot, &page, counting, Instant::now() + request.time_limit)?;

    let rows = fetched.saturating_sub(1);
    let rest = as_u64(found.hits.len()) > rows;
    if !rest {
        index.walks().end(place.walk);
    }
    found.hits.truncate(as_size(rows));
    let next = found.hits.last().filter(|_| rest).map(|(key, _)| Token {
        search: print,
        page: place.page + 1,
        after: key.clone(),
        walk: place.walk,
        window: place.snapshot.window,
    });
    let window_ends = request.page.is_some() && request.page_token.is_none() && place.skip + rows >= WINDOW_ROWS_MAX;
    let message = message(index, request, &place, &found)?;
    let aggregations = found.counted.map(|counted| {
        aggregations::to_json(request.noun, counted, |uuid| {
            let collection = request.context.collections.iter().find(|collection| collection.uuid.to_string() == uuid);
            collection.map(|collection| collection.name.clone())
        })
    });
    Ok(SearchAnswer {
        total_hits: found.total,
        window: place.snapshot.window,
        timed_out: found.timed_out,
        more: rest && !window_ends,
        page: place.page,
        page_size: size,
        total_pages: if size == 0 { 0 } else { found.total.min(WINDOW_ROWS_MAX).div_ceil(size) },
        next_page_token: next.map(|token| serde_json::to_vec(&token).expect("a token is plain data")),
        hits: found.hits.into_iter().map(|(_, record)| record).collect(),
        aggregations,
        search_body: elastic::body(
            &place.snapshot.condition,
            request.noun,
            sort_field,
            request.descending,
            request.with_aggregations,
        ),
        sort_field,
        descending: request.descending,
        message,
    })
}

/// What the answer says beside its hits: that the search was stopped, or what a reader may not expect of it.
fn message(
    index: &Index,
    request: &SearchRequest,
    place: &PageStart,
    found: &Found,
) -> Result<Option<String>, SearchError> {
    if found.timed_out {
        let limit = request.time_limit.as_millis();
        return Ok(Some(format!("the search took longer than {limit} ms and was stopped; narrow it")));
    }
    let of_search = request.search.message().or_else(|| unknown_kinds(&request.search));
    Ok(of_search.or_else(|| operators(&request.search, found.total)).or(unplaced(index, request, place)?))
}

/// For the person who wrote the query: which entity types do not exist. Returns `None` where all do.
fn unknown_kinds(search: &Search) -> Option<String> {
    let wanted =
        search.clauses.iter().filter(|clause| clause.keyword.value == ValueType::Kind && !clause.any.is_empty());
    let mut unknown = Vec::new();
    let mut none_is_known = false;
    for clause in wanted {
        let before = unknown.len();
        let name = |value: &ambit_query::Value| match value {
            ambit_query::Value::Kind(name) if Kind::from_name(name).is_none() => Some(format!("`{name}`")),
            _ => None,
        };
        unknown.extend(clause.any.iter().filter_map(name));
        none_is_known |= unknown.len() - before == clause.any.len();
    }
    let said = if none_is_known { "no hits: unknown entity type" } else { "unknown entity type" };
    (!unknown.is_empty()).then(|| format!("{said} {}", unknown.join(", ")))
}

/// For the person who writes what other languages have: the words that were searched in names. Returns `None` where
/// there are none.
fn operators(search: &Search, found: u64) -> Option<String> {
    let of_words = search.clause("name")?;
    // Names of certificates have parentheses: what is found by one is no mistake.
    let is_group = |text: &str| found == 0 && (text.starts_with('(') || text.ends_with(')'));
    let is_operator = |text: &&str| ["AND", "OR", "NOT"].contains(text) || is_group(text);
    let texts = of_words.any.iter().filter_map(|value| match value {
        ambit_query::Value::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let found: Vec<String> = texts.filter(is_operator).map(|text| format!("`{text}`")).collect();
    (!found.is_empty()).then(|| {
        format!(
            "{} was searched in names: a repeated keyword means or, different keywords mean and, `!` means not",
            found.join(", ")
        )
    })
}

/// Says to the person who asks for a country that nothing in these collections has a place, so that the answer is no
/// answer. Returns `None` where something has one, or no country was asked for.
fn unplaced(index: &Index, request: &SearchRequest, place: &PageStart) -> Result<Option<String>, SearchError> {
    let Some(country) = request.search.clause("country") else { return Ok(None) };
    let collections = request.search.clauses.iter().filter(|clause| clause.keyword.name == "collection");
    let everything = Search { clauses: collections.cloned().collect(), unknown: Vec::new() };
    let Snapshot { view, window, .. } = &place.snapshot;
    let window = window.moment().map_or(Window::Now, Window::AsOf);
    let condition = resolve(&everything, request.noun, &request.context, window);
    let snapshot = Snapshot { view: view.clone(), condition, window };
    let order = Order { member: fields::member("last_seen").expect("it stands in the table"), descending: false };
    let page = Page { order, skip: 0, size: 0, after: None };
    let found = find(index, &snapshot, &page, Some(request.noun), Instant::now() + request.time_limit)?;
    let counted = aggregations::of_noun(request.noun).iter().zip(found.counted.iter().flatten());
    let placed = counted.filter(|(of, _)| country.keyword.members.contains(&of.member));
    let nothing = |counted: &Counted| matches!(counted, Counted::Terms { counts, .. } if counts.is_empty());
    let no_place = !found.timed_out && found.total > 0 && placed.map(|(_, counted)| counted).all(nothing);
    let said = if country.any.is_empty() { "" } else { "no hits: " };
    Ok(no_place.then(|| {
        format!("{said}no address here has a location; locations come from a database that the setting `geo` names")
    }))
}

/// Runs the search, with the counts that are kept ready where there are some.
fn find(
    index: &Index,
    snapshot: &Snapshot,
    page: &Page,
    counting: Option<Noun>,
    deadline: Instant,
) -> Result<Found, SearchError> {
    let (view, condition) = (&snapshot.view, &snapshot.condition);
    let (Some(_), Some(project)) = (counting, ready::project_of(condition)) else {
        return Ok(view.find(condition, page, counting, deadline)?);
    };
    let change = index.last_change(project, view.moment());
    if let Some(counted) = index.ready().find(condition, change) {
        let mut found = view.find(condition, page, None, deadline)?;
        found.counted = Some(counted.to_vec());
        return Ok(found);
    }
    let found = view.find(condition, page, counting, deadline)?;
    if let Some(counted) = found.counted.as_ref().filter(|_| !found.timed_out) {
        index.ready().keep(condition, change, counted.clone());
    }
    Ok(found)
}

/// Where a page begins, and in which moment of the index.
struct PageStart {
    snapshot: Snapshot,
    walk: WalkId,
    page: u64,
    skip: u64,
    after: Option<Key>,
}

impl PageStart {
    /// How many rows the page may show; `None` for none at all.
    fn rows(&self, size: u64) -> Option<u64> {
        let left = if self.after.is_some() { size } else { size.min(WINDOW_ROWS_MAX.saturating_sub(self.skip)) };
        (left > 0).then_some(left)
    }
}

fn place(index: &Index, request: &SearchRequest, print: &str, size: u64) -> Result<PageStart, SearchError> {
    let wanted = |page: u64| Wanted { caller: &request.caller, search: print, page, size, now: request.now };
    let snapshot = |window: Window| Snapshot {
        view: index.view(),
        condition: resolve(&request.search, request.noun, &request.context, window),
        window,
    };
    if let Some(bytes) = &request.page_token {
        let token: Token = serde_json::from_slice(bytes).map_err(|_| SearchError::InvalidToken)?;
        if token.search != print {
            return Err(SearchError::InvalidToken);
        }
        let wanted = wanted(token.page);
        let (walk, snapshot) = index.walks().by_token(token.walk, &wanted, || snapshot(token.window));
        return Ok(PageStart { snapshot, walk, page: token.page, skip: 0, after: Some(token.after) });
    }
    let page = request.page.unwrap_or(0);
    let (walk, snapshot) = index.walks().by_number(&wanted(page), || snapshot(request.window.until(request.now)));
    Ok(PageStart { snapshot, walk, page, skip: page.saturating_mul(size).min(WINDOW_ROWS_MAX), after: None })
}

/// The member that a caller's word means.
fn sort_field(noun: Noun, wanted: Option<&str>) -> Result<&'static str, SearchError> {
    let wanted = wanted.unwrap_or("last_seen");
    let fields = sort_fields(noun);
    let named = |path: &&&str| **path == wanted || path.strip_suffix(wanted).is_some_and(|start| start.ends_with('.'));
    fields.iter().find(|path| **path == wanted).or_else(|| fields.iter().find(named)).copied().ok_or_else(|| {
        SearchError::InvalidSort { noun, field: wanted.chars().take(80).collect(), allowed: fields.join(", ") }
    })
}

/// What hits of a noun can be sorted by.
pub(crate) fn sort_fields(noun: Noun) -> &'static [&'static str] {
    match noun {
        Noun::Entities => &[
            "last_seen",
            "first_seen",
            "name",
            "type",
            "hidden",
            "summary.scoped",
            "ownership",
            "summary.issues.current_count",
            "summary.vulns.current_count",
            "summary.ports.count",
            "summary.http.code",
            "summary.network.name",
            "summary.geolocation.country_code",
        ],
        Noun::Issues => &[
            "last_seen",
            "first_seen",
            "name",
            "pretty_name",
            "entity_name",
            "entity_type",
            "upstream",
            "summary.severity",
            "summary.confidence",
            "summary.category",
            "summary.status",
        ],
        Noun::Technologies => &[
            "last_seen",
            "first_seen",
            "name",
            "vendor",
            "product",
            "version",
            "entity_count",
            "summary.vulns.current_count",
        ],
    }
}

fn as_size(rows: u64) -> usize {
    usize::try_from(rows).unwrap_or(usize::MAX)
}

fn as_u64(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}
