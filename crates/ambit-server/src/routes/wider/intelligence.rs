//! Intelligence search (docs/contract/wider.md §5.1) over uploaded files and over the domains, addresses and URLs of
//! the caller's projects. The language is that of `ambit_query::intelligence`; an unknown modifier is refused with the
//! list of those that there are.

use crate::call::{Asking, Call};
use crate::failure::About;
use crate::page::{Attributes, Cursor, Relationships};
use crate::present::object_search::{Asked, OrderKey, inventory, objects_at};
use crate::present::{files, objects, relationships};
use crate::query::query;
use crate::{page, tokens};
use ambit_api::objects::{Meta, Object, ObjectCollection, Snippets, data, value};
use ambit_api::{ApiError, ErrorCode, Result, contract};
use ambit_model::Timestamp;
use ambit_model::id::BlobHash;
use ambit_model::object::ObjectType;
use ambit_query::intelligence::{Condition, Entity, IntelligenceError, Query, parse_intelligence_query};
use ambit_store::{FileSearch, FilesAfter, FoundOrder, OrderValue, WalkBegin};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Items of a page at most (docs/contract/wider.md §1.4).
const LIMIT_MAX: usize = 300;
/// Days that a search looks back over; the inventory forgets nothing, and clients show the figure.
const DAYS_BACK: i64 = 365;
/// Bytes and files that a search for content looks through: some seconds of reading.
const CONTENT_BYTES_MAX: i64 = 256 * 1024 * 1024;
const CONTENT_FILES_MAX: i64 = 20_000;
/// Files that a search for content asks for at once.
const CONTENT_FILES: usize = 500;
/// What snippets are sealed for, and how long they work.
const SNIPPET: &str = "snippet";
const SNIPPET_MS: i64 = ambit_model::moment::DAY_MS;
/// Bytes that a snippet shows before what was found, and in all.
const SNIPPET_BEFORE: usize = 32;
const SNIPPET_BYTES: usize = 256;
/// Bytes of one line of a snippet.
const LINE_BYTES: usize = 16;
/// Members that a search can be ordered by.
const ORDERS: &[(&str, FoundOrder)] = &[
    ("name", FoundOrder::Name),
    ("first_seen_date", FoundOrder::First),
    ("first_submission_date", FoundOrder::First),
    ("last_seen_date", FoundOrder::Last),
    ("last_submission_date", FoundOrder::Last),
    ("last_modification_date", FoundOrder::Last),
    ("positives", FoundOrder::Positives),
    ("size", FoundOrder::Size),
    ("times_submitted", FoundOrder::Submissions),
];

contract! {
    /// The context of a file in which a search found bytes. `snippet` is a token for the bytes around them.
    #[derive(Debug, Serialize)]
    pub(crate) struct FoundByContent {
        confidence: i64,
        match_in_subfile: bool,
        snippet: String,
    }
}

query! { Searched:
    query: Text =
        "Words, hashes and the modifiers entity, type, size, name, tag, fs, ls, p, submissions, content, with AND, OR, \
         NOT and parentheses.",
    order: Text =
        "name, size, positives, times_submitted, first_submission_date or last_submission_date; - behind it reverses.",
    descriptors_only: Text = "true: only type and id of each.",
    limit: Count = "Items of a page: 10 by default, more than 300 means 300.",
}

/// How results are ordered, and whether the greatest comes first.
fn order(call: &Call) -> Result<(FoundOrder, bool)> {
    let text = Searched::order(call).text.map(str::trim).unwrap_or_default();
    let (name, descending) = match text.strip_suffix('-') {
        Some(name) => (name, true),
        None => (text.trim_end_matches('+'), false),
    };
    let name = if name.is_empty() { "name" } else { name };
    match ORDERS.iter().find(|(known, _)| *known == name) {
        Some((_, order)) => Ok((*order, descending)),
        None => {
            let known: Vec<&str> = ORDERS.iter().map(|(name, _)| *name).collect();
            Err(ApiError::bad(format!("Unknown order {name:?}; known: {}", known.join(", "))))
        }
    }
}

/// A walk through the pages of a search: its cursor says who began it and when, what it found then, and where the page
/// before ended.
struct Walk {
    begin: WalkBegin,
    total: Option<usize>,
    after: Option<OrderKey>,
}

impl Walk {
    async fn of(call: &Call, cursor: Option<&[u8]>) -> Result<Self> {
        match cursor {
            Some(bytes) => Self::read(call, bytes).ok_or_else(|| ApiError::bad("Invalid cursor")),
            None => {
                let begin = call.store().begin_walk(call.now).await.about("File")?;
                Ok(Self { begin, total: None, after: None })
            }
        }
    }

    fn read(call: &Call, bytes: &[u8]) -> Option<Self> {
        let ((user, submission, at), total, (found, kind, name)) =
            serde_json::from_slice::<((i64, i64, i64), usize, (Value, String, String))>(bytes).ok()?;
        let value = match found {
            Value::Number(number) => OrderValue::Number(number.as_i64()?),
            Value::String(text) => OrderValue::Text(text),
            _ => return None,
        };
        let kind = ObjectType::from_name(&kind)?;
        let after = OrderKey { value, inventory: kind != ObjectType::File, name, kind };
        let begin = WalkBegin { submission, at: Timestamp(at) };
        (user == call.caller().user_id()).then_some(Self { begin, total: Some(total), after: Some(after) })
    }

    /// What the next page is read with.
    fn cursor(&self, call: &Call, total: usize, place: &OrderKey) -> Vec<u8> {
        let found = match &place.value {
            OrderValue::Number(number) => Value::from(*number),
            OrderValue::Text(text) => Value::from(text.as_str()),
        };
        let begin = (call.caller().user_id(), self.begin.submission, self.begin.at.0);
        value(&(begin, total, (found, place.kind.name(), &place.name))).to_string().into_bytes()
    }
}

/// The places of the first files that a search finds behind a place.
async fn files_behind(
    call: &Call,
    asked: &Asked<'_>,
    begin: WalkBegin,
    after: Option<&OrderKey>,
    limit: usize,
) -> Result<Vec<OrderKey>> {
    let after = after.map(|place| FilesAfter { value: place.value.clone(), file: place.name.parse::<BlobHash>().ok() });
    let search = FileSearch {
        principal: call.caller(),
        query: asked.query,
        order: asked.order,
        descending: asked.descending,
        begin,
        after,
        limit,
    };
    let found = call.store().search_files(&search).await.about("File")?;
    let place = |(value, file): (OrderValue, BlobHash)| OrderKey {
        value,
        inventory: false,
        name: file.to_string(),
        kind: ObjectType::File,
    };
    Ok(found.into_iter().map(place).collect())
}

/// Whether a search may find a file at all.
fn may_be_file(query: &Query) -> bool {
    let known = |condition: &Condition| match condition {
        Condition::Entity(entity) => Some(*entity == Entity::File),
        Condition::Tag(_) => Some(false),
        _ => None,
    };
    query.verdict(&known) != Some(false)
}

/// How much a search finds, and the places of a page and of one more.
async fn places(call: &Call, asked: &Asked<'_>, walk: &Walk) -> Result<(usize, Vec<OrderKey>)> {
    let (mut total, mut page) = inventory(call, asked).await?;
    if may_be_file(asked.query) {
        page.extend(files_behind(call, asked, walk.begin, walk.after.as_ref(), asked.limit + 1).await?);
        if walk.total.is_none() {
            let (files, _) = call.store().count_files(call.caller(), asked.query, walk.begin).await.about("File")?;
            total += usize::try_from(files).unwrap_or_default();
        }
    }
    asked.keep_first(&mut page);
    Ok((walk.total.unwrap_or(total), page))
}

/// The same of those files in which bytes stand, each with where they stand first. The first page reads all of them and
/// counts; those behind it read on until they are full. One search reads at a time, one file after the other.
async fn places_with_content(
    call: &Call,
    asked: &Asked<'_>,
    walk: &Walk,
    content: &[u8],
) -> Result<(usize, Vec<(OrderKey, usize)>)> {
    let (files, bytes) = call.store().count_files(call.caller(), asked.query, walk.begin).await.about("File")?;
    if bytes > CONTENT_BYTES_MAX || files > CONTENT_FILES_MAX {
        let message = format!(
            "The content would have to be looked for in {bytes} bytes of {files} files, at most {CONTENT_BYTES_MAX} of \
             {CONTENT_FILES_MAX} are: narrow the query by type, size or name"
        );
        return Err(ApiError::with(ErrorCode::UnselectiveContent, message));
    }
    let _turn = call.state.content_searches.acquire().await.map_err(|_| ApiError::new(ErrorCode::Internal))?;
    let (mut total, mut page, mut after) = (0, Vec::new(), walk.after.clone());
    loop {
        let files = files_behind(call, asked, walk.begin, after.as_ref(), CONTENT_FILES).await?;
        let Some(last) = files.last() else { break };
        after = Some(last.clone());
        for place in files {
            let Some(at) = place_of(call, &place.name, content).await? else { continue };
            total += 1;
            if page.len() <= asked.limit {
                page.push((place, at));
            }
            if walk.total.is_some() && page.len() > asked.limit {
                return Ok((walk.total.unwrap_or(total), page));
            }
        }
    }
    Ok((walk.total.unwrap_or(total), page))
}

/// Where bytes stand first in a file.
async fn place_of(call: &Call, file: &str, content: &[u8]) -> Result<Option<usize>> {
    let Ok(hash) = file.parse::<BlobHash>() else { return Ok(None) };
    let Some(bytes) = call.store().blob(hash).await.about("File")? else { return Ok(None) };
    let content = content.to_vec();
    let found = tokio::task::spawn_blocking(move || memchr::memmem::find(&bytes, &content)).await;
    found.map_err(|_| ApiError::new(ErrorCode::Internal))
}

/// The objects at some places, in their order.
async fn objects_of(call: &Call, places: &[OrderKey]) -> Result<Vec<Object>> {
    let hashes: Vec<BlobHash> =
        places.iter().filter(|place| !place.inventory).filter_map(|place| place.name.parse().ok()).collect();
    let mut last = call.store().last_analyses(&hashes).await.about("File")?;
    let mut found = BTreeMap::new();
    for file in call.store().files_of(call.caller(), &hashes).await.about("File")? {
        let object = files::shown(call, &files::attributes(&file, last.remove(&file.sha256)));
        found.insert((ObjectType::File, file.sha256.to_string()), object);
    }
    // What nobody uploaded is a body of a page.
    for place in places.iter().filter(|place| !place.inventory) {
        let key = (ObjectType::File, place.name.clone());
        if !found.contains_key(&key)
            && let Some(body) = files::shown_if_known(call, &place.name).await?
        {
            found.insert(key, body);
        }
    }
    found.extend(objects_at(call, places).await?);
    Ok(places.iter().filter_map(|place| found.remove(&(place.kind, place.name.clone()))).collect())
}

fn unreadable(error: &IntelligenceError) -> ApiError {
    let text = error.to_string();
    let mut chars = text.chars();
    let message: String = chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect();
    match error {
        IntelligenceError::Malformed(_) => ApiError::bad(message),
        IntelligenceError::Unselective => ApiError::with(ErrorCode::UnselectiveContent, message),
        IntelligenceError::Unsupported => ApiError::with(ErrorCode::UnsupportedContent, message),
    }
}

/// Search files, and domains, addresses and URLs of the inventory.
pub(crate) async fn search(
    call: Asking<((Searched, Cursor), (Attributes, Relationships))>,
) -> Result<ObjectCollection> {
    let text = Searched::query(&call).or_empty().to_owned();
    let query = parse_intelligence_query(&text).map_err(|error| unreadable(&error))?;
    let (order, descending) = order(&call)?;
    // Each relationship of each hit is looked for.
    let most = if Relationships::relationships(&call).text.is_some() { page::LIMIT_MAX } else { LIMIT_MAX };
    let paging = page::paging_of(&call, Searched::limit(&call), page::LIMIT_DEFAULT, most)?;
    let walk = Walk::of(&call, paging.after.as_deref()).await?;
    // A query that is nothing but the name of an object finds that one and nothing beside it: clients ask so what they
    // do not know the type of.
    if let Some((_, object)) = objects::named(&call, text.trim().trim_matches('"')).await? {
        return answer(&call, vec![object], paging.limit, None, 1).await;
    }
    let after = walk.after.clone();
    let asked = Asked { query: &query.query, order, descending, after, limit: paging.limit };
    let (total, mut found, contents) = match &query.content {
        None => {
            let (total, found) = places(&call, &asked, &walk).await?;
            (total, found, Vec::new())
        }
        Some(content) => {
            let (total, found) = places_with_content(&call, &asked, &walk, content).await?;
            let (found, contents) = found.into_iter().unzip();
            (total, found, contents)
        }
    };
    let more = found.len() > paging.limit;
    found.truncate(paging.limit);
    let next = found.last().filter(|_| more).map(|place| walk.cursor(&call, total, place));
    let mut items = objects_of(&call, &found).await?;
    for (item, at) in items.iter_mut().zip(contents) {
        let snippet = tokens::sealed(&call, SNIPPET, &format!("{}:{at}", item.id), SNIPPET_MS);
        *item = item.clone().in_context(&FoundByContent { confidence: 1, match_in_subfile: false, snippet });
    }
    answer(&call, items, paging.limit, next, total).await
}

async fn answer(
    call: &Call,
    mut items: Vec<Object>,
    limit: usize,
    next: Option<Vec<u8>>,
    total: usize,
) -> Result<ObjectCollection> {
    if Searched::descriptors_only(call).text == Some("true") {
        items = items.iter().map(Object::described).collect();
    } else {
        for item in &mut items {
            relationships::complete(call, item).await?;
        }
    }
    let meta = Meta { total_hits: Some(total), days_back: Some(DAYS_BACK), ..Meta::default() };
    Ok(page::answer_with(call, items, limit, next, meta))
}

/// Read the surroundings of a match that a content search found.
pub(crate) async fn snippet(call: Call) -> Result<Snippets> {
    let opened = tokens::opened(&call, SNIPPET, call.id())?;
    let (hash, at) = opened.split_once(':').ok_or_else(|| ApiError::bad("Invalid token"))?;
    let at: usize = at.parse().map_err(|_| ApiError::bad("Invalid token"))?;
    let bytes = files::content(&call, hash).await?.ok_or_else(|| ApiError::not_found("File"))?;
    Ok(data(vec![dump(&bytes, at)]))
}

/// Lines of a place, bytes and characters.
fn dump(bytes: &[u8], at: usize) -> String {
    let start = at.saturating_sub(SNIPPET_BEFORE) / LINE_BYTES * LINE_BYTES;
    let end = bytes.len().min(start + SNIPPET_BYTES);
    let part = bytes.get(start..end).unwrap_or_default();
    let lines = part.chunks(LINE_BYTES).enumerate().map(|(number, line)| {
        let digits: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        let text: String =
            line.iter().map(|byte| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' }).collect();
        format!("{:08x}  {:<47}  {text}", start + number * LINE_BYTES, digits.join(" "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snippets_are_lines_around_a_place() {
        let text = dump(b"hello world\0\xff, this is a test of lines", 6);
        assert!(
            text.starts_with("00000000  68 65 6c 6c 6f 20 77 6f 72 6c 64 00 ff 2c 20 74  hello world.., t\n00000010  "),
            "{text}"
        );
        assert!(dump(&[0; 1000], 900).starts_with("00000360  "));
        assert_eq!(dump(b"", 9), "");
    }
}
