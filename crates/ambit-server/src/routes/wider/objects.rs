//! Domains, addresses and URLs: a view of the inventory of the caller's projects (docs/contract/wider.md §4). What
//! nobody whom the caller may ask knows is 404; a relationship that the inventory does not answer is an empty list.
//! Nothing is made up.

use crate::call::{Asking, Call, CallWith};
use crate::failure::About;
use crate::page::{self, Attributes, One, Page, RelatedPage};
use crate::present::comments::{self, text};
use crate::present::objects::{self, Known, count_votes_of, known, not_found};
use crate::present::relationships::{self, comments_on};
use ambit_api::objects::{NewObject, ObjectCollection, OneObject, Related, RelatedObjects};
use ambit_api::{Maybe, Result};
use ambit_model::object::ObjectType;

/// Returns what the caller may know of the object of the path; 404 where that is nothing.
async fn required(call: &Call, kind: ObjectType) -> Result<Known> {
    known(call, kind, call.id()).await?.ok_or_else(|| not_found(kind, call.id()))
}

/// Returns a domain, address or URL as the caller's projects know it, and a URL also as somebody submitted it. What
/// nobody knows is 404, but for an address, which says that nothing is known of it.
pub(crate) async fn find(call: Asking<One>, kind: ObjectType) -> Result<OneObject> {
    let Some(known) = known(&call, kind, call.id()).await? else { return unseen(&call, kind).await };
    let mut found = objects::of_known(&call, kind, &known).ok_or_else(|| not_found(kind, call.id()))?;
    count_votes_of(&call, kind, &known.ids(), &mut found).await?;
    match kind {
        ObjectType::Url => objects::add_content(&call, &known, &mut found).await?,
        _ => objects::add_certificate(&call, &known, &mut found).await?,
    }
    if kind == ObjectType::Domain {
        objects::add_registration(&call, &known, &mut found).await?;
    }
    relationships::embed(&call, &mut found).await?;
    Ok(page::one(&call, found))
}

/// An address that nobody looked at, without facts and without a date of any look: a connector reads one to see whether
/// its key is good. A name, a URL or a hash that nobody knows may be none at all.
async fn unseen(call: &Call, kind: ObjectType) -> Result<OneObject> {
    let mut found = objects::required_unseen(call, kind)?;
    relationships::embed(call, &mut found).await?;
    Ok(page::one(call, found))
}

/// Returns an empty list of relations for an address that was never probed. Comments and votes on it are visible only
/// to projects that know the address.
fn none_of_unseen(call: &Call, kind: ObjectType) -> Result<ObjectCollection> {
    objects::required_unseen(call, kind)?;
    page::of_list(call, Vec::new(), page::LIMIT_DEFAULT)
}

/// Returns what an object is related to.
pub(crate) async fn relationship(call: Asking<RelatedPage>, kind: ObjectType) -> Result<RelatedObjects> {
    match related(&call, kind).await? {
        None => none_of_unseen(&call, kind).map(Into::into),
        Some(Related::Many(items)) => relationships::page_of(&call, items).await.map(Into::into),
        Some(Related::One(mut object)) => {
            relationships::complete(&call, &mut object).await?;
            page::answer_related(&call, Related::One(object), false)
        }
        Some(Related::Nothing) => page::answer_related(&call, Related::Nothing, false),
    }
}

/// Returns the descriptors of what an object is related to.
pub(crate) async fn descriptors(call: Asking<Page>, kind: ObjectType) -> Result<RelatedObjects> {
    match related(&call, kind).await? {
        None => none_of_unseen(&call, kind).map(Into::into),
        Some(found) => page::answer_related(&call, found, true),
    }
}

async fn related(call: &Call, kind: ObjectType) -> Result<Option<Related>> {
    let Some(found) = known(call, kind, call.id()).await? else { return Ok(None) };
    relationships::related(call, kind, call.parameter("relationship"), &found).await.map(Some)
}

/// Returns the comments on an object, newest first.
pub(crate) async fn comments(call: Asking<Page>, kind: ObjectType) -> Result<ObjectCollection> {
    let Some(found) = known(&call, kind, call.id()).await? else { return none_of_unseen(&call, kind) };
    let items = comments_on(&call, kind, &found).await?;
    page::of_list(&call, items, page::LIMIT_DEFAULT)
}

/// Returns the new comment on an object.
pub(crate) async fn add_comment(call: CallWith<Maybe<NewObject>, Attributes>, kind: ObjectType) -> Result<OneObject> {
    let found = required(&call, kind).await?;
    let text = text(&call)?;
    let made = call.store().add_comment(call.caller(), kind.name(), &found.id, &text).await.about("Comment")?;
    Ok(page::one(&call, comments::shown(&call, &made)))
}
