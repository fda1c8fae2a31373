//! A search on behalf of a caller: where it may look, who walks through its pages, and the index that it waits for.

use crate::call::Call;
use crate::failure::{About, of_query, of_search};
use crate::query::Written;
use ambit_api::{ApiError, CollectionRef, ErrorCode, Result, Sighting};
use ambit_model::Uid;
use ambit_model::user::ProjectRole;
use ambit_query::{Noun, parse_search};
use ambit_search::{
    Caller, CollectionContext, IndexedRecord, PAGE_SIZE_MAX, Record, SearchContext, SearchRequest, Window,
};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

/// Seconds until a search over an index that lags is tried again.
pub(crate) const RETRY_S: u32 = 2;

/// What a page token is sealed for; the index binds it to query and project.
const TOKEN_PURPOSE: &str = "page token";
/// Characters of a token that is looked at: tokens hold one sort key and a fingerprint.
const TOKEN_CHARS_MAX: usize = 16 * 1024;
/// What clients send as a token where they have none (docs/contract/asm.md §7.3).
const NO_TOKEN: &[&str] = &["", "True", "False", "None", "null"];

/// The first entities that a search string finds in the call's project, in default order, with the number of all; a
/// page at most. In no project nothing is found.
pub(crate) async fn found_uids(call: &Call, text: &str) -> Result<(Vec<Uid>, u64)> {
    let search = parse_search(text, Noun::Entities).map_err(|error| of_query(&error))?;
    if call.project.is_none() {
        return Ok((Vec::new(), 0));
    }
    let (context, _) = context(call, Window::Now).await?;
    let mut request = SearchRequest::new(Noun::Entities, search, context, call.now);
    request.caller = caller(call);
    request.page_size = PAGE_SIZE_MAX;
    request.with_aggregations = false;
    let answer = call.state.index()?.search(request).await.map_err(of_search)?;
    if let Some(message) = answer.message {
        return Err(ApiError::invalid(message));
    }
    Ok((answer.hits.iter().map(|hit| hit.record.uid()).collect(), answer.total_hits))
}

/// Where the caller may look, once the index is far enough: the project's collections as far as they are the caller's.
/// In no project nothing is found.
pub(crate) async fn context(
    call: &Call,
    window: Window,
) -> Result<(SearchContext, Vec<ambit_store::CollectionContext>)> {
    let Some(project) = call.project else {
        let nowhere = SearchContext { project: 0, collections: Vec::new(), whole_project: false };
        return Ok((nowhere, Vec::new()));
    };
    let (store, reached) = (call.store(), wait_for_index(call, project).await?);
    if let Some(moment) = window.moment() {
        store.require_kept(moment).await.about("Project")?;
    }
    let found = match window.moment() {
        None => store.collection_contexts(call.caller(), project, reached).await,
        Some(moment) => store.collection_contexts_at(call.caller(), project, reached, moment).await,
    };
    let found = found.about("Project")?;
    let now = window.moment().map_or(call.now, |moment| moment.min(call.now));
    let collections = found
        .iter()
        .map(|context| CollectionContext {
            uuid: context.uuid,
            name: context.name.clone(),
            printable_name: context.printable_name.clone(),
            last_refreshes: context.last_refreshes.clone(),
            configured_scan_count: usize::try_from(context.custom_last_refreshes_count).unwrap_or(0),
            overdue_since: context.due_days.unwrap_or(call.state.due_days).overdue_since(now),
        })
        .collect();
    let context = SearchContext {
        project,
        collections,
        whole_project: call.caller().project_role(project) == Some(ProjectRole::Owner),
    };
    Ok((context, found))
}

/// What shapes need beside the record of a hit. `None` for one of a collection that is no longer the caller's: the
/// index may be a moment behind.
pub(crate) fn placed<'a>(
    call: &Call,
    hit: &IndexedRecord,
    names: &'a [ambit_store::CollectionContext],
) -> Option<(Sighting, CollectionRef<'a>)> {
    let collection = names.iter().find(|named| named.uuid == hit.record.collection())?;
    let due_days = collection.due_days.unwrap_or(call.state.due_days);
    let due_at = match &hit.record {
        Record::Issue(issue) => due_days.due_at(issue.severity, hit.turned_at),
        Record::Entity(_) | Record::Technology(_) => None,
    };
    let collection = CollectionRef {
        id: collection.id,
        uuid: collection.uuid,
        name: &collection.name,
        organization_uuid: Some(collection.organization_uuid),
    };
    let (first_seen, last_seen) = (hit.first_seen, hit.last_seen);
    let seen = Sighting { id: hit.id, first_seen, last_seen, since: hit.valid_from, due_at };
    Some((seen, collection))
}

/// Who walks through pages: walks belong to a key; the local operator has some of its own. What a client calls itself
/// counts only where pages are asked for by number.
pub(crate) fn caller(call: &Call) -> Caller {
    let caller = call.caller();
    let key = caller.key_id();
    Caller {
        key: key.map_or_else(|| format!("user {}", caller.user_id()), |key| format!("key {key}")),
        agent: String::new(),
        connection: call.connection,
    }
}

/// Waits until the index shows what is committed now, as far as it gets there in time: whoever asks for a window of
/// time that ends now does not come back to it.
pub(crate) async fn await_committed(call: &Call) -> Result<()> {
    let newest = call.store().last_revision().await.about("Project")?;
    let reached = call.aside(call.state.index()?.wait_for(newest, call.state.limits.index_wait)).await;
    reached.map(drop).map_err(|error| of_search(error.into()))
}

/// A search shows what people did before it; it does not wait for the engine's writes, but for those from before the
/// index was opened. Answers with the revision that the index has reached.
async fn wait_for_index(call: &Call, project: i64) -> Result<i64> {
    let wanted = call.store().person_revision(project).await.about("Project")?;
    let index = call.state.index()?;
    let reached = call.aside(index.wait_for(wanted, call.state.limits.index_wait)).await;
    if reached.map_err(|error| of_search(error.into()))? {
        return Ok(index.reached());
    }
    Err(ApiError::with(ErrorCode::Transient, "The search index is catching up").retry_after(RETRY_S))
}

/// A page token as callers get it.
pub(crate) fn sealed(call: &Call, token: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(call.store().seal(TOKEN_PURPOSE, token))
}

/// The page token of a call, unsealed.
pub(crate) fn page_token(call: &Call, written: Written<'_>) -> Result<Option<Vec<u8>>> {
    let Some(text) = written.text.filter(|text| !NO_TOKEN.contains(text)) else {
        return Ok(None);
    };
    let sealed = (text.len() <= TOKEN_CHARS_MAX).then(|| BASE64_URL_SAFE_NO_PAD.decode(text).ok()).flatten();
    let token = sealed.and_then(|sealed| call.store().unseal(TOKEN_PURPOSE, &sealed));
    token.map(Some).ok_or_else(|| ApiError::bad("The page_token was not made by this server; start again without it"))
}
