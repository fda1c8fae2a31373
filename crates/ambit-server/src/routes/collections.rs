//! Collections: list, create, read, delete, archive, unarchive (docs/contract/asm.md §6), and ours: change settings.

use crate::answer::Answer;
use crate::call::{Call, NAME_CHARS_MAX, only_members, optional_text, text_member};
use crate::failure::About;
use ambit_api::{ApiError, collections, envelope, success};
use ambit_model::collection::Schedule;
use ambit_model::scope::exclusion;
use ambit_model::wire::WireChoice;
use ambit_model::{Clearance, workflow};
use ambit_store::{CollectionSettings, CollectionView, NewCollection};
use serde_json::{Map, Value, json};

const NOUN: &str = "Collection";
/// The body of a deletion is declared as plain text (docs/contract/asm.md §2.3).
const PLAIN: &str = "text/plain; charset=utf-8";

/// List the collections of a project that the caller may see.
pub(crate) async fn list(call: Call) -> Result<Answer, ApiError> {
    let Some(project) = call.project else {
        return Ok(Answer::json(&success("User collections", json!([]))));
    };
    let found = call.store().list_collections(call.caller(), Some(project)).await.about(NOUN)?;
    let result: Value = found.iter().map(shown).collect();
    Ok(Answer::json(&success("User collections", result)))
}

/// Create a collection.
pub(crate) async fn create(call: Call) -> Result<Answer, ApiError> {
    let project = call.project_or_404()?;
    let body = call.object()?;
    let name = text_member(&body, "name", NAME_CHARS_MAX)?;
    let workflow = text_member(&body, "workflow_name", NAME_CHARS_MAX)?;
    if workflow::find(&workflow).is_none() {
        let allowed = collections::WORKFLOWS.join(", ");
        return Err(ApiError::invalid(format!("workflow_name must be one of {allowed}")));
    }
    let new = NewCollection {
        uuid: None,
        printable_name: name,
        workflow,
        schedule: schedule(&body)?.unwrap_or(Schedule::Daily),
        wire: WireChoice::Live,
        level: level(&body)?.unwrap_or(Clearance::L3),
        never: exclusions(&body)?.unwrap_or_default(),
        seeds: Vec::new(),
    };
    let created = call.store().create_collection(call.caller(), project, &new, call.now).await.about(NOUN)?;
    Ok(Answer::json(&success(
        "Collection created!",
        collections::created_collection(&created.collection, &created.never),
    )))
}

/// Read a collection.
pub(crate) async fn find(call: Call) -> Result<Answer, ApiError> {
    let found = call.store().find_collection(call.caller(), call.uuid("uuid", NOUN)?).await.about(NOUN)?;
    call.narrowed_to(found.collection.project, NOUN)?;
    Ok(Answer::json(&success("Collection retrieved!", shown(&found))))
}

/// Change name, schedule, level, exclusions, or the number of refreshes that count as active; a member that cannot be changed is refused.
pub(crate) async fn change(call: Call) -> Result<Answer, ApiError> {
    let uuid = narrowed(&call).await?;
    let body = call.change(&collections::COLLECTION_SETTINGS, &collections::COLLECTION)?;
    let is_empty = |value: &Value| value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
    if let Some((name, _)) = body.iter().find(|(_, value)| is_empty(value)) {
        return Err(ApiError::invalid(format!("{name} is empty: leave it out to keep it as it is")));
    }
    let settings = CollectionSettings {
        printable_name: optional_text(&body, "printable_name", NAME_CHARS_MAX)?,
        schedule: schedule(&body)?,
        level: level(&body)?,
        never: exclusions(&body)?,
        custom_last_refreshes_count: refreshes(&body)?,
    };
    let changed = call.store().change_settings(call.caller(), uuid, &settings, call.now).await.about(NOUN)?;
    Ok(Answer::json(&success("Collection updated!", shown(&changed))))
}

/// A collection as its caller sees it.
fn shown(view: &CollectionView) -> Value {
    collections::collection(&view.collection, &view.never, view.role)
}

/// How many refreshes count as active, if a body says so.
fn refreshes(body: &Map<String, Value>) -> Result<Option<i64>, ApiError> {
    let config = match body.get("config") {
        None => return Ok(None),
        Some(Value::Object(config)) => config,
        Some(_) => return Err(ApiError::invalid("config must be an object")),
    };
    only_members(config, &collections::CONFIG, &collections::CONFIG)?;
    let count = config.get("custom_last_refreshes_count").and_then(Value::as_i64);
    count
        .map(Some)
        .ok_or_else(|| ApiError::invalid("custom_last_refreshes_count must be a whole number"))
}

/// The level that a body names, if it names one.
fn level(body: &Map<String, Value>) -> Result<Option<Clearance>, ApiError> {
    let Some(word) = optional_text(body, "level", NAME_CHARS_MAX)? else {
        return Ok(None);
    };
    let allowed = || collections::LEVELS.join(", ");
    Clearance::from_level(&word)
        .map(Some)
        .ok_or_else(|| ApiError::invalid(format!("level must be one of {}", allowed())))
}

/// The exclusions of a body in canonical form, if it has any; an empty list lifts all.
fn exclusions(body: &Map<String, Value>) -> Result<Option<Vec<String>>, ApiError> {
    const WANTED: &str = "exclusions must be a list of names, *.names, addresses, blocks or URLs";
    let items = match body.get("exclusions") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(ApiError::invalid(WANTED)),
    };
    let read = |item: &Value| {
        let text = item.as_str().ok_or_else(|| ApiError::invalid(WANTED))?;
        exclusion(text).map_err(|error| ApiError::invalid(format!("exclusions: {error}")))
    };
    let mut patterns = items.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    patterns.sort();
    patterns.dedup();
    Ok(Some(patterns))
}

/// The schedule that a body names, if it names one.
fn schedule(body: &Map<String, Value>) -> Result<Option<Schedule>, ApiError> {
    let Some(word) = optional_text(body, "auto_refresh_schedule", NAME_CHARS_MAX)? else {
        return Ok(None);
    };
    let found = Schedule::from_name(&word);
    let allowed = || collections::SCHEDULES.join(", ");
    found
        .map(Some)
        .ok_or_else(|| ApiError::invalid(format!("auto_refresh_schedule must be one of {}", allowed())))
}

/// Delete a collection for good.
pub(crate) async fn delete(call: Call) -> Result<Answer, ApiError> {
    let uuid = narrowed(&call).await?;
    call.store().delete_collection(call.caller(), uuid, call.now).await.about(NOUN)?;
    Ok(Answer::json_as(PLAIN, &success("Collection permanently deleted", json!(true))))
}

/// Archive a collection.
pub(crate) async fn archive(call: Call) -> Result<Answer, ApiError> {
    let uuid = narrowed(&call).await?;
    call.store().archive_collection(call.caller(), uuid, call.now).await.about(NOUN)?;
    Ok(Answer::json(&success("Collection archived", json!(true))))
}

/// Make an archived collection active. The answer says success: false and is a success.
pub(crate) async fn unarchive(call: Call) -> Result<Answer, ApiError> {
    let uuid = narrowed(&call).await?;
    call.store().unarchive_collection(call.caller(), uuid, call.now).await.about(NOUN)?;
    Ok(Answer::json(&envelope::unarchived()))
}

/// The collection of the path, in the project that the header names, if it names one.
async fn narrowed(call: &Call) -> Result<uuid::Uuid, ApiError> {
    let uuid = call.uuid("uuid", NOUN)?;
    if call.project.is_some() {
        let found = call.store().find_collection(call.caller(), uuid).await.about(NOUN)?;
        call.narrowed_to(found.collection.project, NOUN)?;
    }
    Ok(uuid)
}
