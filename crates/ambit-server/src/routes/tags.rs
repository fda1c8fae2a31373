//! Tags of entities and issues: list, add one or several, remove one (docs/contract/asm.md §8.2).

use crate::call::{Call, CallWith};
use crate::failure::About;
use crate::present::items::{item, noun};
use ambit_api::request::{Text, Texts};
use ambit_api::{ApiError, Envelope, Maybe, Result, contract, success};
use ambit_model::limits::TAG_CHARS_MAX;
use ambit_store::{ItemView, TagChange};
use serde::Deserialize;

contract! {
    /// The body that adds tags: one of the two members.
    #[derive(Debug, Deserialize)]
    pub(crate) struct NewTag {
        tag_name: Maybe<Text<TAG_CHARS_MAX>>,
        tag_names: Maybe<Texts>,
    }
}

/// List the tags of an entity or issue.
pub(crate) async fn list(call: Call) -> Result<Envelope<Vec<String>>> {
    let view = item(&call).await?;
    Ok(success(&message(&view), view.tags))
}

/// Add a tag to an entity or issue, or several; adding one that is there is harmless.
pub(crate) async fn add(call: CallWith<NewTag>) -> Result<Envelope<Vec<String>>> {
    let view = item(&call).await?;
    let body = call.read()?;
    let add = match (body.tag_names.0, body.tag_name.0) {
        (Some(tags), _) => tags.0,
        (None, Some(tag)) => vec![tag.0],
        (None, None) => return Err(ApiError::invalid("tag_name is missing")),
    };
    let change = TagChange { add, remove: Vec::new() };
    let id = view.uid.to_string();
    let tags = call
        .store()
        .change_tags(call.caller(), (view.item, &id), call.project, &change)
        .await
        .about(noun(view.item))?;
    Ok(success(&message(&view), tags))
}

/// Remove a tag from an entity or issue.
pub(crate) async fn remove(call: Call) -> Result<Envelope<bool>> {
    let view = item(&call).await?;
    let change = TagChange { add: Vec::new(), remove: vec![call.parameter("tag_name").to_owned()] };
    let id = view.uid.to_string();
    call.store().change_tags(call.caller(), (view.item, &id), call.project, &change).await.about("Tag")?;
    Ok(success("Tag removed", true))
}

fn message(view: &ItemView) -> String {
    format!("Tags for {} {}", view.item.name(), view.uid)
}
