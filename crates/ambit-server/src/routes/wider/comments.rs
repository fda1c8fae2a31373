//! Comments on objects (v3-wire §2.2). A comment on something that the caller may not see is not there.

use super::{graphs, objects, page};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::of_store;
use ambit_api::objects::{hash_tags, html, object};
use ambit_api::{ApiError, ErrorCode};
use ambit_store::Comment;
use serde_json::{Map, Value, json};

const NOUN: &str = "Comment";

/// A comment as an object.
pub(crate) fn shown(call: &Call, comment: &Comment) -> Value {
    let attributes = Map::from_iter([
        ("date".to_owned(), page::seconds(comment.at)),
        ("text".to_owned(), json!(comment.text)),
        ("html".to_owned(), json!(html(&comment.text))),
        ("tags".to_owned(), json!(hash_tags(&comment.text))),
        ("votes".to_owned(), json!({"positive": 0, "negative": 0, "abuse": 0})),
    ]);
    object(&call.base, "comments", "comment", &comment.id, attributes)
}

/// Those of some comments whose objects the caller may see.
pub(crate) async fn visible(call: &Call, comments: Vec<Comment>) -> Result<Value, ApiError> {
    let mut out = Vec::new();
    for comment in comments {
        if may_see(call, &comment).await? {
            out.push(shown(call, &comment));
        }
    }
    Ok(Value::Array(out))
}

async fn may_see(call: &Call, comment: &Comment) -> Result<bool, ApiError> {
    if comment.item_type != "graph" {
        return objects::is_known(call, &comment.item_type, &comment.item_id).await;
    }
    let right = call.state.store.graph_right(call.caller(), &comment.item_id).await;
    Ok(right.map_err(|error| of_store(error, NOUN))?.is_some())
}

/// The text of a new comment.
pub(crate) fn text(call: &Call) -> Result<String, ApiError> {
    let attributes = page::body_attributes(call, "comment", None)?;
    match attributes.get("text") {
        Some(Value::String(text)) => Ok(text.clone()),
        _ => Err(ApiError::invalid("The attribute text is needed")),
    }
}

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

/// Comments that are read together, and that one call looks at: where few match, a page may have fewer than were asked for.
const CHUNK: usize = 200;
const READ_MAX: usize = 2_000;

/// A page of the newest comments that match and whose objects the caller may see.
pub(crate) async fn latest(call: &Call, matches: &(dyn Fn(&Comment) -> bool + Sync)) -> Result<Answer, ApiError> {
    let paging = page::paging(call, page::LIMIT_DEFAULT, page::LIMIT_MAX)?;
    let mut before = match paging.offset()? {
        0 => None,
        number => i64::try_from(number).ok(),
    };
    let (mut items, mut read) = (Vec::new(), 0);
    loop {
        let found = call.state.store.latest_comments(before, CHUNK).await;
        let found = found.map_err(|error| of_store(error, NOUN))?;
        read += found.len();
        let last = found.len() < CHUNK;
        for (number, comment) in found {
            if items.len() == paging.limit {
                let next = before.map(|number| number.to_be_bytes().to_vec());
                return Ok(page::answer(call, items, paging.limit, next, None));
            }
            before = Some(number);
            if matches(&comment) && may_see(call, &comment).await? {
                items.push(shown(call, &comment));
            }
        }
        if last {
            return Ok(page::answer(call, items, paging.limit, None, None));
        }
        if read >= READ_MAX {
            let next = before.map(|number| number.to_be_bytes().to_vec());
            return Ok(page::answer(call, items, paging.limit, next, None));
        }
    }
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
