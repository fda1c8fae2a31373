//! Comments on objects (v3-wire §2.2). A comment on something that the caller may not see is not there.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::of_store;
use crate::page;
use crate::present::comments::{NOUN, latest, may_see, shown, text};
use crate::present::graphs;
use ambit_api::objects::hash_tags;
use ambit_api::{ApiError, ErrorCode};
use ambit_store::Comment;

pub(crate) async fn on_graph(call: Call) -> Result<Answer, ApiError> {
    let store = &call.state.store;
    let graph = store
        .find_graph(call.caller(), call.parameter("id"))
        .await
        .map_err(graphs::failed(&call))?;
    let found = store.comments_on("graph", &graph.id).await.map_err(|error| of_store(error, NOUN))?;
    page::of_list(&call, found.iter().map(|comment| shown(&call, comment)).collect(), page::LIMIT_DEFAULT)
}

pub(crate) async fn add_to_graph(call: Call) -> Result<Answer, ApiError> {
    let text = text(&call)?;
    let made = call
        .state
        .store
        .add_comment(call.caller(), "graph", call.parameter("id"), &text, call.now)
        .await;
    let made = made.map_err(graphs::failed(&call))?;
    Ok(page::one(&call, shown(&call, &made)))
}

/// The newest comments; `tag:word` in the filter, as often as wanted, narrows them.
pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    let mut tags = Vec::new();
    for word in call.query("filter").unwrap_or_default().split_whitespace() {
        match word.strip_prefix("tag:").filter(|tag| !tag.is_empty()) {
            Some(tag) => tags.push(tag.trim_matches('"').to_lowercase()),
            None => {
                let message = format!("Unknown filter {word:?}; known: tag");
                return Err(ApiError::with(ErrorCode::BadRequest, message));
            }
        }
    }
    latest(&call, &|comment| {
        let of = hash_tags(&comment.text);
        tags.iter().all(|tag| of.contains(tag))
    })
    .await
}

fn not_found(id: &str) -> ApiError {
    ApiError::with(ErrorCode::NotFound, format!("Comment \"{id}\" not found"))
}

async fn named(call: &Call) -> Result<Comment, ApiError> {
    let id = call.parameter("id");
    let found = call.state.store.comment(id).await;
    let found = found.map_err(|error| match of_store(error, NOUN) {
        error if error.code == ErrorCode::NotFound => not_found(id),
        error => error,
    })?;
    if may_see(call, &found).await? { Ok(found) } else { Err(not_found(id)) }
}

pub(crate) async fn find(call: Call) -> Result<Answer, ApiError> {
    let found = named(&call).await?;
    Ok(page::one(&call, shown(&call, &found)))
}

pub(crate) async fn delete(call: Call) -> Result<Answer, ApiError> {
    let found = named(&call).await?;
    let deleted = call.state.store.delete_comment(call.caller(), &found.id, call.now).await;
    deleted.map_err(|error| of_store(error, NOUN))?;
    Ok(Answer::empty())
}
