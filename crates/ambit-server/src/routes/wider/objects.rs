//! Domains, addresses and URLs: a view of the inventory of the caller's projects (docs/contract/wider.md §4). What
//! nobody whom the caller may ask knows is 404; a relationship that the inventory does not answer is an empty list.
//! Nothing is made up.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::About;
use crate::page;
use crate::present::comments::{self, text};
use crate::present::objects::{self, Known, count_votes, known, not_found};
use crate::present::relationships::{comments_on, related};
use ambit_api::ApiError;
use ambit_api::objects::Related;
use ambit_model::object::ObjectType;

/// Returns what the caller may know of the object of the path; 404 where that is nothing.
async fn required(call: &Call, kind: ObjectType) -> Result<Known, ApiError> {
    known(call, kind, call.id()).await?.ok_or_else(|| not_found(kind, call.id()))
}

/// Returns a domain, address or URL as the caller's projects know it, and a URL also as somebody submitted it; 404
/// where nobody does.
pub(crate) async fn find(call: Call, kind: ObjectType) -> Result<Answer, ApiError> {
    let found = objects::find(&call, kind, call.id()).await?;
    let mut found = found.ok_or_else(|| not_found(kind, call.id()))?;
    count_votes(&call, kind, &mut found).await?;
    Ok(page::one(&call, found))
}

/// Returns what an object is related to, in full or as descriptors.
pub(crate) async fn relationship(call: Call, kind: ObjectType, described: bool) -> Result<Answer, ApiError> {
    let found = required(&call, kind).await?;
    let items = related(&call, kind, call.parameter("relationship"), &found).await?;
    page::answer_related(&call, Related::Many(items), described)
}

/// Returns the comments on an object, newest first.
pub(crate) async fn comments(call: Call, kind: ObjectType) -> Result<Answer, ApiError> {
    let found = required(&call, kind).await?;
    let items = comments_on(&call, kind, &found).await?;
    page::of_list(&call, items, page::LIMIT_DEFAULT)
}

/// Returns the new comment on an object.
pub(crate) async fn add_comment(call: Call, kind: ObjectType) -> Result<Answer, ApiError> {
    let found = required(&call, kind).await?;
    let text = text(&call)?;
    let made =
        call.store().add_comment(call.caller(), kind.name(), &found.id, &text, call.now).await.about("Comment")?;
    Ok(page::one(&call, comments::shown(&call, &made)))
}
