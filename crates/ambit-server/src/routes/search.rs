//! Searches over entities, issues and technologies (docs/contract/asm.md §7; the edges of paging are those of
//! docs/contract/asm.md §7.4).

use crate::call::{Asking, Call};
use crate::failure::{of_query, of_search};
use crate::header::headers;
use crate::present::entities::fill_issues;
use crate::query::{Written, query};
use crate::searching::{await_committed, caller, context, page_token, placed, sealed};
use crate::window::{Past, set_last_seen, window};
use ambit_api::entities::EntityHit;
use ambit_api::issues::IssueHit;
use ambit_api::search::{
    Aggregations, COMPLETED, Entities, Issues, KeywordValue, SearchKeyword, SearchQuery, SearchResult, SearchType,
    Searched, SortDirection, Technologies,
};
use ambit_api::technologies::TechnologyHit;
use ambit_api::{ApiError, CollectionRef, Envelope, Result, Sighting, success};
use ambit_query::keywords::KEYWORDS;
use ambit_query::{Keyword, Noun, ValueType, parse_search};
use ambit_search::{Caller, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, Record, SearchAnswer, SearchRequest, TIME_LIMIT};
use http::HeaderValue;

query! { Page:
    page_size: Count = "Rows of a page: 50 by default, more than 1,000 means 1,000.",
    page: Count = "Number of the page, from 0, within the first 10,000 rows.",
    page_token: Text = "The next_page_token of the page before; without limit of rows. Not together with page.",
    sort_field: Text = "A member to sort by; last_seen by default.",
    sort_direction: (SortDirection) = "asc by default.",
}

query! { Beside: aggregations: Boolean = "With false none are counted, and `aggregations` is null. Ambit's own." }

headers! { Client:
    user_agent "user-agent" =
        "Name of the client. Programs that share a key and differ in it page independently of each other.",
}

/// Characters of a client's name for itself that are looked at: browsers use some two hundred.
const AGENT_CHARS_MAX: usize = 300;

type Searching = Asking<(((Page, Past), Beside), Client)>;

/// Search entities. An empty search string finds all of the project.
pub(crate) async fn entities(call: Searching) -> Result<Envelope<SearchResult<Entities>>> {
    let found = search(&call, Noun::Entities).await?;
    let mut hits = found.hits(&call, |record, seen, collection| match record {
        Record::Entity(record) => Some(EntityHit::of(record, seen, collection)),
        _ => None,
    });
    fill_issues(&call, found.project, &mut hits, found.answer.window.moment()).await?;
    Ok(found.shown(&call, hits))
}

/// Search issues. An empty search string finds all of the project.
pub(crate) async fn issues(call: Searching) -> Result<Envelope<SearchResult<Issues>>> {
    let found = search(&call, Noun::Issues).await?;
    let hits = found.hits(&call, |record, seen, collection| match record {
        Record::Issue(record) => Some(IssueHit::of(record, seen, collection)),
        _ => None,
    });
    Ok(found.shown(&call, hits))
}

/// Search technologies. An empty search string finds all of the project.
pub(crate) async fn technologies(call: Searching) -> Result<Envelope<SearchResult<Technologies>>> {
    let found = search(&call, Noun::Technologies).await?;
    let hits = found.hits(&call, |record, seen, collection| match record {
        Record::Technology(record) => Some(TechnologyHit::of(record, seen, collection)),
        _ => None,
    });
    Ok(found.shown(&call, hits))
}

/// List the keywords of the search language: what each searches, and what it may be given.
pub(crate) async fn keywords(_: Call) -> Result<Envelope<Vec<SearchKeyword>>> {
    Ok(success("Keywords", KEYWORDS.iter().map(shown_keyword).collect()))
}

fn shown_keyword(row: &Keyword) -> SearchKeyword {
    let searches = row.nouns.iter().map(|noun| match noun {
        Noun::Entities => SearchType::Entities,
        Noun::Issues => SearchType::Issues,
        Noun::Technologies => SearchType::Technologies,
    });
    let (value, bounds, words) = match row.value {
        ValueType::Text => (KeywordValue::Text, None, &[][..]),
        ValueType::Integer { min, max } => (KeywordValue::Number, Some((min, max)), &[][..]),
        ValueType::Bool => (KeywordValue::Boolean, None, &[][..]),
        ValueType::Time => (KeywordValue::Time, None, &[][..]),
        ValueType::Kind => (KeywordValue::Kind, None, &[][..]),
        ValueType::OneOf(words) => (KeywordValue::Word, None, words),
    };
    SearchKeyword {
        keyword: row.name,
        searches: searches.collect(),
        value,
        min: bounds.map(|(min, _)| min),
        max: bounds.map(|(_, max)| max).filter(|max| *max != i64::MAX),
        // The others are spellings that clients use, too.
        words: words.iter().filter(|(word, meaning)| word == meaning).map(|(word, _)| *word).collect(),
        meaning: row.doc,
    }
}

/// Keywords that end a window of time: connectors ask for each window once, up to now.
const ENDS: [&str; 2] = ["first_seen_before", "last_seen_before"];

/// What a search found, and the collections in which it looked.
struct Found {
    project: i64,
    answer: SearchAnswer,
    names: Vec<ambit_store::CollectionContext>,
}

async fn search(call: &Call, noun: Noun) -> Result<Found> {
    let text = call.parameter("search_string");
    let search = parse_search(text, noun).map_err(|error| of_query(&error))?;
    let page_size = Page::page_size(call).page_number()?.unwrap_or(PAGE_SIZE_DEFAULT).min(PAGE_SIZE_MAX);
    let page = Page::page(call).page_number()?;
    let descending = match word(Page::sort_direction(call)).as_deref() {
        None | Some("asc" | "ascending") => false,
        Some("desc" | "descending") => true,
        Some(_) => return Err(ApiError::invalid("sort_direction must be asc or desc")),
    };
    let with_aggregations = match word(Beside::aggregations(call)).as_deref() {
        None | Some("true" | "1") => true,
        Some("false" | "0") => false,
        Some(_) => return Err(ApiError::invalid("aggregations must be true or false")),
    };
    let window = window(call, &search)?;
    if ENDS.iter().any(|keyword| text.contains(keyword)) {
        await_committed(call).await?;
    }
    let (context, names) = context(call, window.until(call.now)).await?;
    let page_token = page_token(call, Page::page_token(call))?;
    let project = context.project;
    let request = SearchRequest {
        noun,
        search,
        context,
        window,
        caller: Caller { agent: agent(Client::user_agent(call)), ..caller(call) },
        sort_field: Page::sort_field(call).text.filter(|field| !field.is_empty()).map(str::to_owned),
        descending,
        page,
        page_size,
        page_token,
        with_aggregations,
        now: call.now,
        time_limit: TIME_LIMIT,
    };
    let mut answer = call.state.index()?.search(request).await.map_err(of_search)?;
    set_last_seen(call, noun, answer.window, &mut answer.hits).await?;
    Ok(Found { project, answer, names })
}

/// A client's name for itself. One that is not ASCII tells clients apart as well.
fn agent(sent: Option<&HeaderValue>) -> String {
    let sent = sent.map(|sent| String::from_utf8_lossy(sent.as_bytes()));
    sent.unwrap_or_default().chars().take(AGENT_CHARS_MAX).collect()
}

/// A word of the query in whatever letter case; `None` where there is none, or what clients write for none.
fn word(written: Written<'_>) -> Option<String> {
    written.value().map(str::to_ascii_lowercase)
}

impl Found {
    /// The hits in the contract's shape.
    fn hits<T>(&self, call: &Call, shown: impl Fn(&Record, Sighting, CollectionRef<'_>) -> Option<T>) -> Vec<T> {
        let hits = self.answer.hits.iter().filter_map(|hit| {
            let (seen, collection) = placed(call, hit, &self.names)?;
            shown(&hit.record, seen, collection)
        });
        hits.collect()
    }

    /// The answer with its hits.
    fn shown<S: Searched>(self, call: &Call, hits: Vec<S::Hit>) -> Envelope<SearchResult<S>> {
        let answer = self.answer;
        let result = SearchResult::<S> {
            search: SearchQuery {
                search_body: SearchQuery::body(answer.search_body),
                search_string: call.parameter("search_string").to_owned(),
                search_type: S::TYPE,
                sort_direction: if answer.descending { SortDirection::Descending } else { SortDirection::Ascending },
                sort_field: answer.sort_field.to_owned(),
                group_by_field: None,
            },
            total_hits: answer.total_hits,
            timed_out: answer.timed_out,
            more: answer.more,
            page: answer.page,
            page_size: answer.page_size,
            total_pages: answer.total_pages,
            hits,
            aggregations: answer.aggregations.map(Aggregations::of),
            next_page_token: answer.next_page_token.map(|token| sealed(call, &token)),
        };
        success(answer.message.as_deref().unwrap_or(COMPLETED), result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_has_the_name_that_it_sends_whatever_its_letters() {
        for (sent, expected) in
            [("curl/8.5".as_bytes(), "curl/8.5"), ("Späher".as_bytes(), "Späher"), (&b"\xff"[..], "\u{fffd}")]
        {
            assert_eq!(agent(HeaderValue::from_bytes(sent).ok().as_ref()), expected);
        }
        assert_eq!(agent(None), "");
    }
}
