//! What live rules found (docs/contract/hunting.md §2): as notifications, as files with the notification beside them,
//! and as the newer stream of indicators. All three are the same rows; nothing of a body that the caller may not see is
//! among them.

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::{About, not_found};
use crate::page;
use crate::present::accounts::require_oneself;
use crate::present::{files, hunting_rulesets, operations};
use ambit_api::objects::{data, missing, object};
use ambit_api::{ApiError, ErrorCode};
use ambit_model::moment::SECOND_MS;
use ambit_query::hunting::{
    Condition, Modifier, NOTIFICATION_MODIFIERS, STREAM_MODIFIERS, parse_conditions, parse_order,
};
use ambit_store::Notification;
use serde_json::{Map, Value, json};

const NOUN: &str = "Notification";
const COLLECTION: &str = "intelligence/hunting_notifications";
const STREAM_COLLECTION: &str = "ioc_stream_notifications";
/// Where entries of the stream come from: nothing else fills it.
const ORIGIN: &str = "hunting";
const RULESET: &str = "hunting_ruleset";

fn bad(message: String) -> ApiError {
    ApiError::with(ErrorCode::BadRequest, message)
}

/// A notification as an object.
async fn shown(call: &Call, found: &Notification) -> Result<Value, ApiError> {
    let mut attributes = Map::from_iter([
        ("date".to_owned(), page::seconds(found.at)),
        ("match_in_subfile".to_owned(), json!(false)),
        ("ruleset_id".to_owned(), json!(found.ruleset_id)),
        ("ruleset_name".to_owned(), json!(found.ruleset_name)),
        ("rule_name".to_owned(), json!(found.rule_name)),
        ("rule_tags".to_owned(), json!(found.rule_tags)),
        ("tags".to_owned(), json!(found.tags)),
    ]);
    if let Some(snippet) = &found.snippet {
        attributes.insert("snippet".to_owned(), json!(snippet));
    }
    let mut out = object(&call.base, COLLECTION, "hunting_notification", &found.id, attributes);
    for name in page::names(call, "relationships").unwrap_or_default() {
        if name != "file" {
            return Err(ApiError::not_found(&format!("Relationship {name}")));
        }
        let own = format!("{}/{COLLECTION}/{}", call.base, found.id);
        out["relationships"]["file"] = json!({
            "data": {"type": "file", "id": found.sha256.to_string()},
            "links": {"self": format!("{own}/relationships/file"), "related": format!("{own}/file")},
        });
    }
    Ok(out)
}

/// The file of a notification, with what else is said.
async fn file_with(call: &Call, found: &Notification, context: Value) -> Result<Value, ApiError> {
    let id = found.sha256.to_string();
    let mut file = files::shown_if_known(call, &id).await?.unwrap_or_else(|| missing("file", &id));
    file["context_attributes"] = context;
    Ok(file)
}

fn file_context(found: &Notification) -> Value {
    json!({
        "match_in_subfile": false,
        "notification_date": page::seconds(found.at),
        "notification_id": found.id,
        "notification_snippet": found.snippet,
        "notification_tags": found.tags,
        "ruleset_id": found.ruleset_id,
        "ruleset_name": found.ruleset_name,
        "rule_name": found.rule_name,
        "rule_tags": found.rule_tags,
    })
}

fn stream_context(found: &Notification) -> Value {
    json!({
        "notification_id": found.id,
        "notification_date": page::seconds(found.at),
        "origin": ORIGIN,
        "sources": [{"type": RULESET, "id": found.ruleset_id, "label": found.ruleset_name}],
        "tags": found.tags,
        "hunting_info": {
            "match_in_subfile": false,
            "rule_name": found.rule_name,
            "rule_tags": found.rule_tags,
            "snippet": found.snippet,
        },
    })
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
async fn filtered(call: &Call, modifiers: &[Modifier]) -> Result<Vec<Notification>, ApiError> {
    let conditions = parse_conditions(call.query("filter").unwrap_or_default(), modifiers);
    let conditions = conditions.map_err(|error| bad(format!("Filter: {error}")))?;
    let order = call.query("order").filter(|order| !order.trim().is_empty()).unwrap_or("date-");
    let (_, descending) = parse_order(order, &["date"]).map_err(|error| bad(format!("Order: {error}")))?;
    let mut found = call.store().list_notifications(call.caller()).await.about(NOUN)?;
    found.retain(|one| conditions.iter().all(|condition| holds(condition, one)));
    if !descending {
        found.reverse();
    }
    Ok(found)
}

/// List what live rules reported to the caller, newest first.
pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    let found = filtered(&call, NOTIFICATION_MODIFIERS).await?;
    list_of(&call, found).await
}

/// The list of notifications below the user; for oneself.
///
/// The same below the user; for oneself.
pub(crate) async fn of_user(call: Call) -> Result<Answer, ApiError> {
    require_oneself(&call).await?;
    list(call).await
}

async fn list_of(call: &Call, found: Vec<Notification>) -> Result<Answer, ApiError> {
    let paging = page::paging(call, page::LIMIT_DEFAULT, page::LIMIT_MAX)?;
    let total = found.len();
    let (found, next) = page::slice(&paging, found)?;
    let mut items = Vec::new();
    for one in &found {
        items.push(shown(call, one).await?);
    }
    Ok(page::answer(call, items, paging.limit, next, Some(total)))
}

/// List the files that live rules found, with the notification beside each.
pub(crate) async fn list_files(call: Call) -> Result<Answer, ApiError> {
    let found = filtered(&call, NOTIFICATION_MODIFIERS).await?;
    answer_files(&call, found, file_context).await
}

/// The list of their files below the user; for oneself.
///
/// The same below the user; for oneself.
pub(crate) async fn files_of_user(call: Call) -> Result<Answer, ApiError> {
    require_oneself(&call).await?;
    list_files(call).await
}

/// List the files that live rules found, as the stream of indicators.
///
/// The stream of indicators: files that live rules found.
pub(crate) async fn stream(call: Call) -> Result<Answer, ApiError> {
    let found = filtered(&call, STREAM_MODIFIERS).await?;
    answer_files(&call, found, stream_context).await
}

async fn answer_files(
    call: &Call,
    found: Vec<Notification>,
    context: fn(&Notification) -> Value,
) -> Result<Answer, ApiError> {
    let paging = page::paging(call, page::LIMIT_DEFAULT, page::LIMIT_MAX)?;
    let total = found.len();
    let (found, next) = page::slice(&paging, found)?;
    let described = call.query("descriptors_only") == Some("true");
    let mut items = Vec::new();
    for one in &found {
        let file = file_with(call, one, context(one)).await?;
        items.push(if described {
            let mut brief = page::described(&file);
            brief["context_attributes"] = file["context_attributes"].clone();
            brief
        } else {
            file
        });
    }
    Ok(page::answer(call, items, paging.limit, next, Some(total)))
}

async fn found(call: &Call) -> Result<Notification, ApiError> {
    call.store().find_notification(call.caller(), call.parameter("id")).await.about_named(NOUN, call.parameter("id"))
}

/// Read a notification.
pub(crate) async fn find(call: Call) -> Result<Answer, ApiError> {
    let found = found(&call).await?;
    let shown = shown(&call, &found).await?;
    Ok(page::one(&call, shown))
}

/// Read the file that a notification is about.
///
/// The file of a notification.
pub(crate) async fn file(call: Call) -> Result<Answer, ApiError> {
    let found = found(&call).await?;
    let file = file_with(&call, &found, file_context(&found)).await?;
    Ok(Answer::json(&data(file)))
}

/// Read an entry of the stream.
///
/// An entry of the stream.
pub(crate) async fn find_in_stream(call: Call) -> Result<Answer, ApiError> {
    let found = found(&call).await?;
    let Value::Object(mut attributes) = stream_context(&found) else {
        return Err(ApiError::new(ErrorCode::Internal));
    };
    attributes.remove("notification_id");
    attributes.insert("entity_type".to_owned(), json!("file"));
    attributes.insert("entity_id".to_owned(), json!(found.sha256.to_string()));
    Ok(page::one(&call, object(&call.base, STREAM_COLLECTION, "ioc_stream_notification", &found.id, attributes)))
}

/// Delete a notification. The answer is empty.
pub(crate) async fn delete(call: Call) -> Result<Answer, ApiError> {
    call.store()
        .delete_notification(call.caller(), call.parameter("id"))
        .await
        .about_named(NOUN, call.parameter("id"))?;
    Ok(Answer::empty())
}

/// Delete the caller's notifications, or those with a tag.
///
/// All of the caller's own, or those with a tag.
pub(crate) async fn delete_all(call: Call) -> Result<Answer, ApiError> {
    let mut found = filtered(&call, NOTIFICATION_MODIFIERS).await?;
    if let Some(tag) = call.query("tag").filter(|tag| !tag.is_empty()) {
        found.retain(|one| one.tags.iter().any(|other| other.eq_ignore_ascii_case(tag)));
    }
    delete_found(&call, &found).await
}

/// Delete the caller's entries of the stream that a filter leaves.
///
/// All of the caller's own that a filter of the stream leaves.
pub(crate) async fn delete_stream(call: Call) -> Result<Answer, ApiError> {
    let found = filtered(&call, STREAM_MODIFIERS).await?;
    delete_found(&call, &found).await
}

async fn delete_found(call: &Call, found: &[Notification]) -> Result<Answer, ApiError> {
    let numbers: Vec<i64> = found.iter().map(|one| one.number).collect();
    let done = call.store().delete_notifications(call.caller(), &numbers, call.now).await.about(NOUN)?;
    Ok(Answer::json(&data(operations::shown(call, &done))))
}

/// List what a rule set reported, newest first.
///
/// What a rule set reported, newest first.
pub(crate) async fn of_ruleset(call: Call) -> Result<Answer, ApiError> {
    let id = call.parameter("id").to_owned();
    let known = call.store().owns_ruleset(call.caller(), &id).await.about(NOUN)?;
    if known.is_none() {
        return Err(not_found(hunting_rulesets::NOUN, &id));
    }
    let mut found = filtered(&call, NOTIFICATION_MODIFIERS).await?;
    found.retain(|one| one.ruleset_id == id);
    list_of(&call, found).await
}
