//! Searches over entities, issues and technologies (seed-asm §4, endpoints 12 and 15; the edges of paging are those of design §8).

use crate::answer::Answer;
use crate::call::{Call, whole_number};
use crate::failure::{of_query, of_search, of_store};
use crate::hit_issues;
use crate::window::{set_last_seen, window};
use ambit_api::search::{COMPLETED, Query, SearchPage, search_result};
use ambit_api::{ApiError, CollectionRef, ErrorCode, Sighting, entities, issues as wire_issues, success, technologies as wire_technologies};
use ambit_model::Uid;
use ambit_model::user::ProjectRole;
use ambit_query::{Noun, parse_search};
use ambit_search::{
    Caller, CollectionContext, IndexedRecord, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, Record, SearchAnswer, SearchContext, SearchRequest, TIME_LIMIT,
    Window,
};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::Value;

/// Seconds until a search over an index that lags is tried again.
const RETRY_S: u32 = 2;
/// What a page token is sealed for; the index binds it to query and project.
const TOKEN_PURPOSE: &str = "page token";
/// Characters of a token that is looked at: tokens hold one sort key and a fingerprint.
const TOKEN_CHARS_MAX: usize = 16 * 1024;
/// What clients send as a token where they have none (asm-wire §4).
const NO_TOKEN: &[&str] = &["", "True", "False", "None"];

pub(crate) async fn entities(call: Call) -> Result<Answer, ApiError> {
    search(call, Noun::Entities).await
}

pub(crate) async fn issues(call: Call) -> Result<Answer, ApiError> {
    search(call, Noun::Issues).await
}

pub(crate) async fn technologies(call: Call) -> Result<Answer, ApiError> {
    search(call, Noun::Technologies).await
}

async fn search(call: Call, noun: Noun) -> Result<Answer, ApiError> {
    let text = call.parameter("search_string");
    let search = parse_search(text, noun).map_err(|error| of_query(&error))?;
    let page_size = whole_number(&call, "page_size")?.unwrap_or(PAGE_SIZE_DEFAULT).min(PAGE_SIZE_MAX);
    let page = whole_number(&call, "page")?;
    let descending = match call.query("sort_direction") {
        None | Some("" | "asc") => false,
        Some("desc") => true,
        Some(_) => return Err(ApiError::invalid("sort_direction must be asc or desc")),
    };
    let with_aggregations = match call.query("aggregations") {
        None | Some("" | "true") => true,
        Some("false") => false,
        Some(_) => return Err(ApiError::invalid("aggregations must be true or false")),
    };
    let window = window(&call, &search)?;
    let (context, names) = context(&call, window.until(call.now)).await?;
    let page_token = page_token(&call)?;
    let project = context.project;
    wait_for_index(&call, project).await?;
    let request = SearchRequest {
        noun,
        search,
        context,
        window,
        caller: caller(&call),
        sort_field: call.query("sort_field").filter(|field| !field.is_empty()).map(str::to_owned),
        descending,
        page,
        page_size,
        page_token,
        with_aggregations,
        now: call.now,
        time_limit: TIME_LIMIT,
    };
    let mut answer = call.state.index()?.search(request).await.map_err(of_search)?;
    let window = answer.window;
    set_last_seen(&call, noun, window, &mut answer.hits).await?;
    let message = answer.message.clone().unwrap_or_else(|| COMPLETED.to_owned());
    let mut result = result(&call, noun, text, answer, &names);
    if let (Noun::Entities, Some(hits)) = (noun, result["hits"].as_array_mut()) {
        hit_issues::fill(&call, project, hits, window.moment()).await?;
    }
    Ok(Answer::json(&success(&message, result)))
}

/// The first entities that a search string finds in the call's project, in default order, with the number of all; a page at most. In no project
/// nothing is found.
pub(crate) async fn found_uids(call: &Call, text: &str) -> Result<(Vec<Uid>, u64), ApiError> {
    let search = parse_search(text, Noun::Entities).map_err(|error| of_query(&error))?;
    if call.project.is_none() {
        return Ok((Vec::new(), 0));
    }
    let (context, _) = context(call, Window::Now).await?;
    wait_for_index(call, context.project).await?;
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

/// Where the caller may look: the project's collections as far as they are the caller's. In no project nothing is found.
async fn context(call: &Call, window: Window) -> Result<(SearchContext, Vec<ambit_store::CollectionContext>), ApiError> {
    let Some(project) = call.project else {
        let nowhere = SearchContext {
            project: 0,
            collections: Vec::new(),
            whole_project: false,
        };
        return Ok((nowhere, Vec::new()));
    };
    let store = &call.state.store;
    let found = match window.moment() {
        None => store.collection_contexts(call.caller(), project).await,
        Some(moment) => store.collection_contexts_at(call.caller(), project, moment).await,
    };
    let found = found.map_err(|error| of_store(error, "Project"))?;
    let collections = found
        .iter()
        .map(|context| CollectionContext {
            uuid: context.uuid,
            name: context.name.clone(),
            last_refreshes: context.last_refreshes.clone(),
            configured_scan_count: usize::try_from(context.custom_last_refreshes_count).unwrap_or(0),
        })
        .collect();
    let context = SearchContext {
        project,
        collections,
        whole_project: call.caller().project_role(project) == Some(ProjectRole::Owner),
    };
    Ok((context, found))
}

/// Who walks through pages: walks belong to a key; the local operator has some of its own.
fn caller(call: &Call) -> Caller {
    let caller = call.caller();
    let key = caller.key_id();
    Caller {
        key: key.map_or_else(|| format!("user {}", caller.user_id()), |key| format!("key {key}")),
        agent: call.agent.clone(),
        connection: call.connection,
    }
}

fn page_token(call: &Call) -> Result<Option<Vec<u8>>, ApiError> {
    let Some(text) = call.query("page_token").filter(|text| !NO_TOKEN.contains(text)) else {
        return Ok(None);
    };
    let sealed = (text.len() <= TOKEN_CHARS_MAX)
        .then(|| BASE64_URL_SAFE_NO_PAD.decode(text).ok())
        .flatten();
    let token = sealed.and_then(|sealed| call.state.store.unseal(TOKEN_PURPOSE, &sealed));
    token
        .map(Some)
        .ok_or_else(|| ApiError::with(ErrorCode::BadRequest, "Page_token was not made by this server; start again without it"))
}

/// A search shows what people did before it; it does not wait for the engine's writes, but for those from before the index was opened.
async fn wait_for_index(call: &Call, project: i64) -> Result<(), ApiError> {
    let wanted = call.state.store.person_revision(project).await;
    let wanted = wanted.map_err(|error| of_store(error, "Project"))?;
    let reached = call.aside(call.state.index()?.wait_for(wanted, call.state.limits.index_wait)).await;
    if reached.map_err(|error| of_search(error.into()))? {
        return Ok(());
    }
    Err(ApiError::with(ErrorCode::Transient, "The search index is catching up").retry_after(RETRY_S))
}

fn result(call: &Call, noun: Noun, text: &str, answer: SearchAnswer, names: &[ambit_store::CollectionContext]) -> Value {
    let hits = answer.hits.iter().filter_map(|hit| shown(hit, names)).collect();
    let seal = |token: Vec<u8>| BASE64_URL_SAFE_NO_PAD.encode(call.state.store.seal(TOKEN_PURPOSE, &token));
    search_result(SearchPage {
        search: Query {
            body: answer.search_body,
            text: text.to_owned(),
            noun: noun.as_str(),
            sort_field: answer.sort_field.to_owned(),
            descending: answer.descending,
        },
        total_hits: answer.total_hits,
        timed_out: answer.timed_out,
        more: answer.more,
        page: answer.page,
        page_size: answer.page_size,
        total_pages: answer.total_pages,
        hits,
        aggregations: answer.aggregations,
        next_page_token: answer.next_page_token.map(seal),
    })
}

/// A hit in the contract's shape. One of a collection that is no longer the caller's is left out: the index may be a moment behind.
fn shown(hit: &IndexedRecord, names: &[ambit_store::CollectionContext]) -> Option<Value> {
    let collection = names.iter().find(|named| named.uuid == hit.record.collection())?;
    let collection = CollectionRef {
        id: collection.id,
        uuid: collection.uuid,
        name: &collection.name,
        organization_uuid: Some(collection.organization_uuid),
    };
    let seen = Sighting {
        id: hit.id,
        first_seen: hit.first_seen,
        last_seen: hit.last_seen,
        since: hit.valid_from,
    };
    match &hit.record {
        Record::Entity(record) => Some(entities::entity_hit(record, seen, collection)),
        Record::Issue(record) => Some(wire_issues::issue_hit(record, seen, collection)),
        Record::Technology(record) => Some(wire_technologies::technology_hit(record, seen, collection)),
    }
}
