//! Comments on objects: those whose objects the caller may see.

use super::objects;
use crate::call::Call;
use crate::failure::About;
use crate::object_body::body_attributes;
use crate::page;
use ambit_api::comments::CommentAttributes;
use ambit_api::objects::{Object, ObjectCollection};
use ambit_api::{ApiError, Result};
use ambit_store::Comment;
use serde_json::Value;

pub(crate) const NOUN: &str = "Comment";

/// A comment as an object.
pub(crate) fn shown(call: &Call, comment: &Comment) -> Object {
    let attributes = CommentAttributes::new(comment.at.into(), &comment.text);
    Object::new(&call.base, "comments", "comment", &comment.id, &attributes)
}

/// The comments on an item, newest first.
pub(crate) async fn on(call: &Call, kind: &str, id: &str) -> Result<Vec<Object>> {
    let found = call.store().comments_on(call.caller(), kind, id).await.about(NOUN)?;
    Ok(found.iter().map(|comment| shown(call, comment)).collect())
}

/// Those of some comments whose objects the caller may see.
pub(crate) async fn visible(call: &Call, comments: Vec<Comment>) -> Result<Vec<Object>> {
    let mut out = Vec::new();
    for comment in comments {
        if may_see(call, &comment).await? {
            out.push(shown(call, &comment));
        }
    }
    Ok(out)
}

pub(crate) async fn may_see(call: &Call, comment: &Comment) -> Result<bool> {
    if comment.item_type != "graph" {
        return objects::is_known(call, &comment.item_type, &comment.item_id).await;
    }
    let right = call.store().graph_right(call.caller(), &comment.item_id).await.about(NOUN)?;
    Ok(right.is_some())
}

/// The text of a new comment.
pub(crate) fn text(call: &Call) -> Result<String> {
    let attributes = body_attributes(call, "comment", None)?;
    match attributes.get("text") {
        Some(Value::String(text)) => Ok(text.clone()),
        _ => Err(ApiError::invalid("The attribute text is needed")),
    }
}

/// Comments that are read together, and that one call looks at: where few match, a page may have fewer than were asked
/// for.
const CHUNK: usize = 200;
const READ_MAX: usize = 2_000;

/// A page of the newest comments that match and whose objects the caller may see.
pub(crate) async fn latest(call: &Call, matches: &(dyn Fn(&Comment) -> bool + Sync)) -> Result<ObjectCollection> {
    let paging = page::paging(call, page::LIMIT_DEFAULT, page::LIMIT_MAX)?;
    let mut before = match paging.offset()? {
        0 => None,
        number => i64::try_from(number).ok(),
    };
    let (mut items, mut read) = (Vec::new(), 0);
    loop {
        let found = call.store().latest_comments(call.caller(), before, CHUNK).await.about(NOUN)?;
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
