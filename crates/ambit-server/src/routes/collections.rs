//! Collections: list, create, read, delete, archive, unarchive (docs/contract/asm.md §6), and ours: change settings.

use crate::call::{Call, CallWith};
use crate::failure::About;
use crate::path::CollectionUuid;
use crate::signature::Plain;
use ambit_api::collections::{self as wire, Collection};
use ambit_api::{ApiError, Envelope, Result, envelope, read, success};
use ambit_model::Clearance;
use ambit_model::collection::Schedule;
use ambit_model::timing::Timing;
use ambit_model::wire::WireChoice;
use ambit_store::{CollectionSettings, CollectionView, Moved, NewCollection};
use serde_json::Value;

const NOUN: &str = "Collection";

/// Members that select who is notified of new entities; null leaves it to the rules of the receivers.
const NOTIFY_EMAILS: &str = "notify_emails_new_entities";
const NOTIFY_WEBHOOKS: &str = "notify_webhooks_new_entities";

/// List the collections of a project that the caller may see.
pub(crate) async fn list(call: Call) -> Result<Envelope<Vec<Collection>>> {
    let Some(project) = call.project else {
        return Ok(success("User collections", Vec::new()));
    };
    let found = call.store().list_collections(call.caller(), Some(project)).await.about(NOUN)?;
    Ok(success("User collections", found.iter().map(shown).collect()))
}

/// Create a collection.
pub(crate) async fn create(call: CallWith<wire::NewCollection>) -> Result<Envelope<Collection>> {
    let project = call.project_or_404()?;
    let body = call.read()?;
    let said = body.timing.0.map(wire::NewTiming::read).transpose().map_err(ApiError::invalid)?.unwrap_or_default();
    let timing = said.of(&Timing::default()).map_err(|why| ApiError::invalid(format!("timing: {why}")))?;
    let new = NewCollection {
        uuid: None,
        printable_name: body.name.0,
        workflow: body.workflow_name.0.name.to_owned(),
        schedule: body.auto_refresh_schedule.0.map_or(Schedule::Daily, |word| word.0),
        timing,
        wire: WireChoice::Live,
        level: body.level.0.map_or(Clearance::L3, |word| word.0),
        ports: body.ports.0.and_then(|ports| ports.0),
        skipped_tasks: body.skipped_tasks.0.map(|tasks| tasks.0).unwrap_or_default(),
        never: body.exclusions.0.map(|exclusions| exclusions.0).unwrap_or_default(),
        seeds: Vec::new(),
    };
    let created = call.store().create_collection(call.caller(), project, &new).await.about(NOUN)?;
    Ok(success("Collection created!", Collection::created(&created.collection, &created.never)))
}

/// Read a collection.
pub(crate) async fn find(call: Call) -> Result<Envelope<Collection>> {
    let uuid = CollectionUuid::of(&call)?;
    let found = call.store().find_collection(call.caller(), uuid).await.about(NOUN)?;
    Ok(success("Collection retrieved!", shown(&found)))
}

/// Change name, schedule, timing, level, ports, tasks that are left out, exclusions, or the number of refreshes that
/// count as active; a member that cannot be changed is refused.
pub(crate) async fn change(call: CallWith<wire::CollectionSettings>) -> Result<Envelope<Collection>> {
    let uuid = CollectionUuid::of(&call)?;
    let body = call.change::<Collection>()?;
    let is_empty = |value: &Value| value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
    // A null has a meaning for the receivers of notifications.
    let told = |name: &str| body.get(name).map(Value::as_bool);
    let (emails, webhooks) = (told(NOTIFY_EMAILS), told(NOTIFY_WEBHOOKS));
    let may_be_null = |(name, value): &(&String, &Value)| {
        value.is_null() && [NOTIFY_EMAILS, NOTIFY_WEBHOOKS].contains(&name.as_str())
    };
    if let Some((name, _)) = body.iter().filter(|member| !may_be_null(member)).find(|(_, value)| is_empty(value)) {
        return Err(ApiError::invalid(format!("{name} is empty: leave it out to keep it as it is")));
    }
    let body: wire::CollectionSettings = read(body)?;
    let timing = body.timing.0.map(wire::NewTiming::read).transpose().map_err(ApiError::invalid)?;
    let settings = CollectionSettings {
        timing,
        printable_name: body.printable_name.0.map(|name| name.0),
        schedule: body.auto_refresh_schedule.0.map(|word| word.0),
        level: body.level.0.map(|word| word.0),
        ports: body.ports.0.map(|ports| ports.0),
        skipped_tasks: body.skipped_tasks.0.map(|tasks| tasks.0),
        never: body.exclusions.0.map(|exclusions| exclusions.0),
        custom_last_refreshes_count: body.config.0.map(|config| config.custom_last_refreshes_count),
        notify_emails_new_entities: emails,
        notify_webhooks_new_entities: webhooks,
        due_days: body.due_days.0.map(|due| due.0),
    };
    let changed = call.store().change_settings(call.caller(), uuid, &settings).await.about(NOUN)?;
    Ok(success("Collection updated!", shown(&changed)))
}

/// Preview what another level or other exclusions would change in what is known. Nothing is changed.
pub(crate) async fn preview(call: CallWith<wire::ScopeRules>) -> Result<Envelope<wire::ScopePreview>> {
    let uuid = CollectionUuid::of(&call)?;
    let body = call.read()?;
    let (level, never) = (body.level.0.map(|word| word.0), body.exclusions.0.map(|exclusions| exclusions.0));
    let said = call.store().preview_scope(call.caller(), uuid, level, never).await.about(NOUN)?;
    let result = wire::ScopePreview {
        leaves: moved(said.leaves),
        enters: moved(said.enters),
        quieter: moved(said.quieter),
        louder: moved(said.louder),
    };
    Ok(success("Scope preview", result))
}

fn moved(of: Moved) -> wire::MovedEntities {
    let first = of.first.into_iter().map(|(uid, kind, name)| wire::MovedEntity { uid, name, kind: kind.type_name() });
    wire::MovedEntities { count: i64::try_from(of.count).unwrap_or(i64::MAX), first: first.collect() }
}

/// A collection as its caller sees it.
fn shown(view: &CollectionView) -> Collection {
    Collection::of(&view.collection, &view.never, view.role)
}

/// Delete a collection for good.
///
/// The body is declared as plain text (docs/contract/asm.md §2.3).
pub(crate) async fn delete(call: Call) -> Result<Plain<Envelope<bool>>> {
    let uuid = CollectionUuid::of(&call)?;
    call.store().delete_collection(call.caller(), uuid).await.about(NOUN)?;
    Ok(Plain(success("Collection permanently deleted", true)))
}

/// Archive a collection.
pub(crate) async fn archive(call: Call) -> Result<Envelope<bool>> {
    let uuid = CollectionUuid::of(&call)?;
    call.store().archive_collection(call.caller(), uuid).await.about(NOUN)?;
    Ok(success("Collection archived", true))
}

/// Make an archived collection active. The answer says `success: false` although it is a success.
pub(crate) async fn unarchive(call: Call) -> Result<Envelope<()>> {
    let uuid = CollectionUuid::of(&call)?;
    call.store().unarchive_collection(call.caller(), uuid).await.about(NOUN)?;
    Ok(envelope::unarchived())
}
