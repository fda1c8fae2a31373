//! Comments on objects (docs/contract/wider.md §6.1). A comment on something that the caller may not see is not there.

use crate::call::{Asking, Call, CallWith};
use crate::failure::{About, not_found};
use crate::page::{self, Attributes, Page};
use crate::present::comments::{NOUN, latest, may_see, on, shown, text};
use crate::present::graphs;
use crate::query::query;
use crate::signature::Empty;
use ambit_api::comments::hash_tags;
use ambit_api::objects::{NewObject, ObjectCollection, OneObject};
use ambit_api::{ApiError, Maybe, Result};
use ambit_store::Comment;

/// List the comments on a graph, newest first.
pub(crate) async fn on_graph(call: Asking<Page>) -> Result<ObjectCollection> {
    let graph = call.store().find_graph(call.caller(), call.id()).await.about_named(graphs::NOUN, call.id())?;
    page::of_list(&call, on(&call, "graph", &graph.id).await?, page::LIMIT_DEFAULT)
}

/// Comment on a graph.
pub(crate) async fn add_to_graph(call: CallWith<Maybe<NewObject>, Attributes>) -> Result<OneObject> {
    let text = text(&call)?;
    let made = call.store().add_comment(call.caller(), "graph", call.id(), &text).await;
    Ok(page::one(&call, shown(&call, &made.about_named(graphs::NOUN, call.id())?)))
}

query! { Tagged: filter: Text = "tag:word, as often as wanted." }

/// List the newest comments.
///
/// The newest comments; `tag:word` in the filter, as often as wanted, narrows them.
pub(crate) async fn list(call: Asking<(Tagged, Page)>) -> Result<ObjectCollection> {
    let mut tags = Vec::new();
    for word in Tagged::filter(&call).or_empty().split_whitespace() {
        match word.strip_prefix("tag:").filter(|tag| !tag.is_empty()) {
            Some(tag) => tags.push(tag.trim_matches('"').to_lowercase()),
            None => {
                let message = format!("Unknown filter {word:?}; known: tag");
                return Err(ApiError::bad(message));
            }
        }
    }
    latest(&call, &|comment| {
        let of = hash_tags(&comment.text);
        tags.iter().all(|tag| of.contains(tag))
    })
    .await
}

async fn named(call: &Call) -> Result<Comment> {
    let found = call.store().comment(call.caller(), call.id()).await.about_named(NOUN, call.id())?;
    if may_see(call, &found).await? { Ok(found) } else { Err(not_found(NOUN, call.id())) }
}

/// Read a comment.
pub(crate) async fn find(call: Asking<Attributes>) -> Result<OneObject> {
    let found = named(&call).await?;
    Ok(page::one(&call, shown(&call, &found)))
}

/// Delete a comment of one's own. The answer is empty.
pub(crate) async fn delete(call: Call) -> Result<Empty> {
    let found = named(&call).await?;
    call.store().delete_comment(call.caller(), &found.id).await.about(NOUN)?;
    Ok(Empty)
}
