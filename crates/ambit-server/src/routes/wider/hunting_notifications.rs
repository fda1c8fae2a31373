//! What live rules found (docs/contract/hunting.md §2): as notifications, as files with the notification beside them,
//! and as the newer stream of indicators. All three are the same rows; nothing of a body that the caller may not see is
//! among them.

use crate::call::{Asking, Call};
use crate::failure::{About, not_found};
use crate::page::{self, Attributes, Cursor, Limit, One, Page, RelatedPage, Relationships};
use crate::present::accounts::require_oneself;
use crate::present::{hunting_rulesets, operations, relationships};
use crate::query::{Written, query};
use crate::signature::Empty;
use ambit_api::hunting_notifications::{
    FoundByRule, HuntingInfo, NotificationAttributes, StreamAttributes, StreamContext, StreamEntry, StreamSource,
};
use ambit_api::objects::{Object, ObjectCollection, OneObject, data, value};
use ambit_api::{ApiError, Maybe, Result, copied};
use ambit_model::moment::SECOND_MS;
use ambit_query::hunting::{
    Condition, Modifier, NOTIFICATION_MODIFIERS, STREAM_MODIFIERS, parse_conditions, parse_order,
};
use ambit_store::Notification;
use serde_json::Value;

const NOUN: &str = "Notification";
const COLLECTION: &str = "intelligence/hunting_notifications";
const STREAM_COLLECTION: &str = "ioc_stream_notifications";
/// Where entries of the stream come from: nothing else fills it.
const ORIGIN: &str = "hunting";
const RULESET: &str = "hunting_ruleset";

query! { Notified:
    filter: Text = "tag:, owner:, date: with a day or seconds and + or - behind it; all must hold.",
    order: Text = "date- by default, or date+.",
}

query! { Tagged: tag: Text = "Only those with this tag.", filter: Text = "The same filter as in the list." }

query! { Streamed:
    filter: Text =
        "date:, origin:, entity_type:, entity_id:, source_type:, source_id:, notification_tag:, owner:; all must hold.",
    order: Text = "date- by default, or date+.",
}

query! { StreamFilter: filter: Text = "The same filter as in the list." }

query! { Described: descriptors_only: Text = "true: only type and id of each, with its context." }

type Listed = (Notified, ((Limit, Cursor), One));

/// A notification as an object.
fn shown(call: &Call, found: &Notification) -> Result<Object> {
    let attributes = copied! {
        NotificationAttributes from found { ruleset_id, ruleset_name, rule_name, rule_tags, tags }
        date: found.at.into(),
        match_in_subfile: false,
        snippet: Maybe(found.snippet.clone()),
    };
    let mut out = Object::new(&call.base, COLLECTION, "hunting_notification", &found.id, &attributes);
    for name in page::names(Relationships::relationships(call)).unwrap_or_default() {
        if name != "file" {
            return Err(ApiError::not_found(&format!("Relationship {name}")));
        }
        out.relate(&name, &Object::descriptor("file", &found.sha256.to_string()).into(), false);
    }
    Ok(out)
}

/// The file of a notification, with what else is said.
async fn file_with(call: &Call, found: &Notification, context: &Value) -> Result<Object> {
    Ok(relationships::listed(call, "file", &found.sha256.to_string()).await?.in_context(context))
}

fn file_context(found: &Notification) -> Value {
    value(&copied! {
        FoundByRule from found { ruleset_id, ruleset_name, rule_name, rule_tags }
        match_in_subfile: false,
        notification_date: found.at.into(),
        notification_id: found.id.clone(),
        notification_snippet: found.snippet.clone(),
        notification_tags: found.tags.clone(),
    })
}

fn stream_entry(found: &Notification) -> StreamEntry {
    StreamEntry {
        notification_date: found.at.into(),
        origin: ORIGIN,
        sources: vec![StreamSource { kind: RULESET, id: found.ruleset_id.clone(), label: found.ruleset_name.clone() }],
        tags: found.tags.clone(),
    }
}

fn hunting_info(found: &Notification) -> HuntingInfo {
    copied! { HuntingInfo from found { rule_name, rule_tags, snippet } match_in_subfile: false, }
}

fn stream_context(found: &Notification) -> Value {
    let (notification_id, hunting_info) = (found.id.clone(), hunting_info(found));
    value(&StreamContext { notification_id, entry: stream_entry(found), hunting_info })
}

fn holds(condition: &Condition, found: &Notification) -> bool {
    let wanted = &condition.wanted;
    match condition.modifier {
        "tag" | "notification_tag" => found.tags.iter().any(|tag| wanted.is_in(tag)),
        "owner" => wanted.is_in(&found.owner),
        "date" => wanted.holds_at(found.at.0.div_euclid(SECOND_MS)),
        "origin" => wanted.is_in(ORIGIN),
        "entity_type" => wanted.is_in("file"),
        "entity_id" => wanted.is_in(&found.sha256.to_string()),
        "source_type" => wanted.is_in(RULESET),
        "source_id" => wanted.is_in(&found.ruleset_id),
        _ => false,
    }
}

/// What of the caller's notifications a filter leaves, in the order that is asked for: newest first by default.
async fn filtered(
    call: &Call,
    filter: Written<'_>,
    order: Option<Written<'_>>,
    modifiers: &[Modifier],
) -> Result<Vec<Notification>> {
    let conditions = parse_conditions(filter.or_empty(), modifiers);
    let conditions = conditions.map_err(|error| ApiError::bad(format!("Filter: {error}")))?;
    let order = order.and_then(|order| order.text).filter(|order| !order.trim().is_empty()).unwrap_or("date-");
    let (_, descending) = parse_order(order, &["date"]).map_err(|error| ApiError::bad(format!("Order: {error}")))?;
    let mut found = call.store().list_notifications(call.caller()).await.about(NOUN)?;
    found.retain(|one| conditions.iter().all(|condition| holds(condition, one)));
    if !descending {
        found.reverse();
    }
    Ok(found)
}

async fn notified(call: &Call) -> Result<Vec<Notification>> {
    filtered(call, Notified::filter(call), Some(Notified::order(call)), NOTIFICATION_MODIFIERS).await
}

/// List what live rules reported to the caller, newest first.
pub(crate) async fn list(call: Asking<Listed>) -> Result<ObjectCollection> {
    let found = notified(&call).await?;
    list_of(&call, found).await
}

/// List the notifications of a user, in full or as descriptors, for that user alone.
pub(crate) async fn of_user(call: Asking<Listed>, described: bool) -> Result<ObjectCollection> {
    require_oneself(&call).await?;
    let call = &call;
    let found = notified(call).await?;
    let shown = |one| async move { shown(call, &one).map(|one| if described { one.described() } else { one }) };
    page::of_records(call, found, shown).await
}

async fn list_of(call: &Call, found: Vec<Notification>) -> Result<ObjectCollection> {
    page::of_records(call, found, |one| async move { shown(call, &one) }).await
}

/// List the files that live rules found, with the notification beside each.
pub(crate) async fn list_files(call: Asking<(Listed, Described)>) -> Result<ObjectCollection> {
    let found = notified(&call).await?;
    answer_files(&call, found, file_context).await
}

/// List the files of the notifications below the user, for the user alone.
pub(crate) async fn files_of_user(call: Asking<(Listed, Described)>) -> Result<ObjectCollection> {
    require_oneself(&call).await?;
    list_files(call).await
}

/// List the descriptors of these files, for the user alone.
pub(crate) async fn file_descriptors_of_user(call: Asking<(Notified, Page)>) -> Result<ObjectCollection> {
    require_oneself(&call).await?;
    let call = &call;
    let found = notified(call).await?;
    let shown = |one: Notification| async move {
        Ok(Object::descriptor("file", &one.sha256.to_string()).in_context(&file_context(&one)))
    };
    page::of_records(call, found, shown).await
}

/// List the files that a rule set found, with the notification beside each.
pub(crate) async fn files_of_ruleset(call: Asking<Listed>, described: bool) -> Result<ObjectCollection> {
    let ruleset = call.store().find_ruleset(call.caller(), call.id()).await;
    let ruleset = ruleset.about_named(hunting_rulesets::NOUN, call.id())?;
    let mut found = notified(&call).await?;
    found.retain(|one| one.ruleset_id == ruleset.id);
    let call = &call;
    let shown = |one| async move {
        let file = file_with(call, &one, &file_context(&one)).await?;
        Ok(if described { file.described() } else { file })
    };
    page::of_records(call, found, shown).await
}

/// List the files that live rules found, as the stream of indicators.
pub(crate) async fn stream(call: Asking<((Streamed, Described), RelatedPage)>) -> Result<ObjectCollection> {
    let found = filtered(&call, Streamed::filter(&call), Some(Streamed::order(&call)), STREAM_MODIFIERS).await?;
    answer_files(&call, found, stream_context).await
}

async fn answer_files(
    call: &Call,
    found: Vec<Notification>,
    context: fn(&Notification) -> Value,
) -> Result<ObjectCollection> {
    let described = Described::descriptors_only(call).text == Some("true");
    let shown = |one| async move {
        let file = file_with(call, &one, &context(&one)).await?;
        Ok(if described { file.described() } else { file })
    };
    page::of_records(call, found, shown).await
}

async fn found(call: &Call) -> Result<Notification> {
    call.store().find_notification(call.caller(), call.id()).await.about_named(NOUN, call.id())
}

/// Read a notification.
pub(crate) async fn find(call: Asking<One>) -> Result<OneObject> {
    let found = found(&call).await?;
    Ok(page::one(&call, shown(&call, &found)?))
}

/// Read the file that a notification is about.
pub(crate) async fn file(call: Asking<Relationships>) -> Result<OneObject> {
    let found = found(&call).await?;
    let file = file_with(&call, &found, &file_context(&found)).await?;
    Ok(data(file))
}

/// Read an entry of the stream of indicators.
pub(crate) async fn find_in_stream(call: Asking<Attributes>) -> Result<OneObject> {
    let found = found(&call).await?;
    let attributes = StreamAttributes {
        hunting_info: hunting_info(&found),
        entry: stream_entry(&found),
        entity_type: "file",
        entity_id: found.sha256.to_string(),
    };
    let entry = Object::new(&call.base, STREAM_COLLECTION, "ioc_stream_notification", &found.id, &attributes);
    Ok(page::one(&call, entry))
}

/// Delete a notification. The answer is empty.
pub(crate) async fn delete(call: Call) -> Result<Empty> {
    call.store().delete_notification(call.caller(), call.id()).await.about_named(NOUN, call.id())?;
    Ok(Empty)
}

/// Delete the caller's notifications, or those with a tag.
pub(crate) async fn delete_all(call: Asking<Tagged>) -> Result<OneObject> {
    let mut found = filtered(&call, Tagged::filter(&call), None, NOTIFICATION_MODIFIERS).await?;
    if let Some(tag) = Tagged::tag(&call).text.filter(|tag| !tag.is_empty()) {
        found.retain(|one| one.tags.iter().any(|other| other.eq_ignore_ascii_case(tag)));
    }
    delete_found(&call, &found).await
}

/// Delete the caller's entries of the stream that a filter leaves.
pub(crate) async fn delete_stream(call: Asking<StreamFilter>) -> Result<OneObject> {
    let found = filtered(&call, StreamFilter::filter(&call), None, STREAM_MODIFIERS).await?;
    delete_found(&call, &found).await
}

async fn delete_found(call: &Call, found: &[Notification]) -> Result<OneObject> {
    let numbers: Vec<i64> = found.iter().map(|one| one.number).collect();
    let done = call.store().delete_notifications(call.caller(), &numbers).await.about(NOUN)?;
    Ok(data(operations::shown(call, &done)))
}

/// List what a rule set reported, newest first.
pub(crate) async fn of_ruleset(call: Asking<Listed>) -> Result<ObjectCollection> {
    let known = call.store().owns_ruleset(call.caller(), call.id()).await.about(NOUN)?;
    if known.is_none() {
        return Err(not_found(hunting_rulesets::NOUN, call.id()));
    }
    let mut found = notified(&call).await?;
    found.retain(|one| one.ruleset_id == call.id());
    list_of(&call, found).await
}
