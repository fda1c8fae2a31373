//! Tags of entities and issues: list, add one or several, remove one (docs/contract/asm.md §8.2).

use crate::answer::Answer;
use crate::call::{Call, text_member, texts_member};
use crate::failure::About;
use crate::present::items::{item, noun};
use ambit_api::{ApiError, success};
use ambit_store::{ItemView, TagChange};
use serde_json::json;

/// Characters of a tag; the store says the same.
const TAG_CHARS_MAX: usize = 100;

/// List the tags of an entity or issue.
pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    let view = item(&call).await?;
    Ok(Answer::json(&success(&message(&view), json!(view.tags))))
}

/// Add a tag to an entity or issue, or several; adding one that is there is harmless.
pub(crate) async fn add(call: Call) -> Result<Answer, ApiError> {
    let view = item(&call).await?;
    let body = call.object()?;
    let add = match body.contains_key("tag_names") {
        true => texts_member(&body, "tag_names")?,
        false => vec![text_member(&body, "tag_name", TAG_CHARS_MAX)?],
    };
    let change = TagChange { add, remove: Vec::new() };
    let id = view.uid.to_string();
    let tags = call
        .store()
        .change_tags(call.caller(), (view.item, &id), call.project, &change, call.now)
        .await
        .about(noun(view.item))?;
    Ok(Answer::json(&success(&message(&view), json!(tags))))
}

/// Remove a tag from an entity or issue.
pub(crate) async fn remove(call: Call) -> Result<Answer, ApiError> {
    let view = item(&call).await?;
    let change = TagChange {
        add: Vec::new(),
        remove: vec![call.parameter("tag_name").to_owned()],
    };
    let id = view.uid.to_string();
    call.store()
        .change_tags(call.caller(), (view.item, &id), call.project, &change, call.now)
        .await
        .about("Tag")?;
    Ok(Answer::json(&success("Tag removed", json!(true))))
}

fn message(view: &ItemView) -> String {
    format!("Tags for {} {}", view.item.name(), view.uid)
}
