//! Votes on files, URLs, domains and addresses: one of each user on each object, which may be changed
//! (docs/contract/wider.md §6.2).

use crate::call::{Asking, CallWith};
use crate::failure::About;
use crate::object_body::body_attributes;
use crate::page::{self, Attributes, Page};
use crate::present::objects;
use crate::present::votes::{NOUN, VERDICTS, shown};
use ambit_api::objects::{NewObject, ObjectCollection, OneObject};
use ambit_api::{ApiError, Maybe, Result};
use ambit_model::object::ObjectType;
use serde_json::Value;

/// Returns the votes on an object, newest first.
pub(crate) async fn list(call: Asking<Page>, kind: ObjectType) -> Result<ObjectCollection> {
    let Some(found) = objects::find(&call, kind, call.id()).await? else {
        objects::required_unseen(&call, kind)?;
        return page::of_list(&call, Vec::new(), page::LIMIT_DEFAULT);
    };
    let item = found.id;
    let votes = call.store().votes_on(call.caller(), kind.name(), &item).await.about(NOUN)?;
    let votes = votes.iter().map(|vote| shown(kind.name(), &item, vote)).collect();
    page::of_list(&call, votes, page::LIMIT_DEFAULT)
}

/// Returns the caller's vote on an object, as it is now; another one of before is replaced.
pub(crate) async fn add(call: CallWith<Maybe<NewObject>, Attributes>, kind: ObjectType) -> Result<OneObject> {
    let item = objects::item(&call, kind).await?;
    let attributes = body_attributes(&call, "vote", None)?;
    let verdict = attributes.get("verdict").and_then(Value::as_str).filter(|verdict| VERDICTS.contains(verdict));
    let verdict = verdict.ok_or_else(|| ApiError::invalid("The attribute verdict must be harmless or malicious"))?;
    let store = call.store();
    store.vote(call.caller(), kind.name(), &item, verdict).await.about(NOUN)?;
    let votes = store.votes_on(call.caller(), kind.name(), &item).await.about(NOUN)?;
    let own = votes.iter().find(|vote| vote.user == call.caller().username());
    let own = own.ok_or_else(|| ApiError::not_found(NOUN))?;
    Ok(page::one(&call, shown(kind.name(), &item, own)))
}
