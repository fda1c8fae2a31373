//! Searches for files in version 2: hashes, the file submitted last first, in pages that a token goes on from.

use super::{OneFile, answer, required, without};
use crate::call::{Asking, Call, CallWith};
use crate::failure::About;
use crate::query::query;
use crate::tokens;
use ambit_api::objects::{Form, value};
use ambit_api::v2::FoundFiles;
use ambit_api::{ApiError, ErrorCode, Maybe, Result};
use ambit_model::Timestamp;
use ambit_model::moment::DAY_MS;
use ambit_query::intelligence::parse_intelligence_query;
use ambit_store::{FileSearch, FilesAfter, FoundOrder, OrderValue, WalkBegin};
use serde_json::Value;

/// Hashes of a page, as the documentation of this version says.
const HASHES_MAX: usize = 300;
/// What tokens of pages are sealed for, and how long they work.
const PURPOSE: &str = "v2 file search";
const PAGE_MS: i64 = DAY_MS;
const NOUN: &str = "File";

query! { Searched:
    query: Text = "What intelligence search takes, but for content.",
    offset: Text = "The offset of the page before.",
}

query! { Day: date: Text = "A day, as YYYY-MM-DD." }

/// Where a page begins: when the walk did, and the file that the page before ended with.
async fn place(call: &Call, query: &str) -> Result<(WalkBegin, Option<FilesAfter>)> {
    let Some(token) = Searched::offset(call).text.filter(|token| !token.is_empty()) else {
        return Ok((call.store().begin_walk(call.now).await.about(NOUN)?, None));
    };
    let bad = || ApiError::bad("The offset is of another search, or too old");
    let told = tokens::opened(call, PURPOSE, token)?;
    let (of, submission, at, value, file) =
        serde_json::from_str::<(String, i64, i64, i64, String)>(&told).map_err(|_| bad())?;
    let file = file.parse().map_err(|_| bad())?;
    if of != query {
        return Err(bad());
    }
    let after = FilesAfter { value: OrderValue::Number(value), file: Some(file) };
    Ok((WalkBegin { submission, at: Timestamp(at) }, Some(after)))
}

/// Find files by a query; their SHA-256.
pub(crate) async fn files(call: CallWith<Maybe<Form>, Searched>) -> Result<Value> {
    let text = required(Searched::query(&call))?;
    let query = parse_intelligence_query(text).map_err(|error| ApiError::invalid(format!("Query: {error}")))?;
    if query.content.is_some() {
        let message = "content: is for /api/v3/intelligence/search";
        return Err(ApiError::with(ErrorCode::UnsupportedContent, message));
    }
    let (begin, after) = place(&call, text).await?;
    let search = FileSearch {
        principal: call.caller(),
        query: &query.query,
        order: FoundOrder::Last,
        descending: true,
        begin,
        after,
        limit: HASHES_MAX + 1,
    };
    let mut found = call.store().search_files(&search).await.about(NOUN)?;
    let more = found.len() > HASHES_MAX;
    found.truncate(HASHES_MAX);
    let next = match found.last() {
        Some((OrderValue::Number(at), file)) if more => {
            let place = value(&(text, begin.submission, begin.at.0, at, file.to_string())).to_string();
            Some(tokens::sealed(&call, PURPOSE, &place, PAGE_MS))
        }
        _ => None,
    };
    if found.is_empty() {
        return Ok(answer(vec![without(0, text, "No matches for this query")]));
    }
    let hashes = found.iter().map(|(_, file)| file.to_string()).collect();
    let verbose_msg = "Intelligence search executed";
    Ok(value(&FoundFiles { response_code: 1, verbose_msg, hashes, offset: Maybe(next) }))
}

/// Say what a sandbox saw of a file: none runs files here.
pub(crate) async fn behaviour(call: Asking<OneFile>) -> Result<Value> {
    let hash = required(OneFile::hash(&call))?;
    Ok(answer(vec![without(0, hash, "No behavioural report is available for this file")]))
}

/// List groups of alike files that were submitted on a day: files are not grouped here.
pub(crate) async fn clusters(call: Asking<Day>) -> Result<Value> {
    let day = required(Day::date(&call))?;
    Ok(answer(vec![without(0, day, "No clusters are available for this date")]))
}
