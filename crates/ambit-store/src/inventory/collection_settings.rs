//! What people change of a collection: its name, schedule, level, ports and exclusions, whether it is archived, and
//! the state of its simulated internet.

use crate::db::sql::{Tx, to_json, values};
use crate::db::writer::transaction;
use crate::inventory::collections::{check_never, lock, raise_scope_revision, require};
use crate::inventory::feed;
use crate::inventory::runs::cancel_unstarted;
use crate::people::audit;
use crate::people::names::clean_title;
use crate::{Caller, CollectionView, Principal, Result, Store, StoreError};
use ambit_model::SkippedTasks;
use ambit_model::collection::{Collection, Schedule};
use ambit_model::feed::{Noun, What};
use ambit_model::ports::PortList;
use ambit_model::timing::{Timing, TimingChange};
use ambit_model::user::CollectionRole;
use ambit_model::wire::WireChoice;
use ambit_model::{Clearance, DueDays, Timestamp};
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// What `config.custom_last_refreshes_count` may be: searches know the starts of the last ten runs.
const LAST_REFRESHES: std::ops::RangeInclusive<i64> = 1..=10;

/// Changes of a collection; `None` leaves a member as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectionSettings {
    pub printable_name: Option<String>,
    /// Another schedule counts from the moment of the change: it starts nothing at once.
    pub schedule: Option<Schedule>,
    /// The same holds of another timing; a schedule takes the place of an expression where no other one is given.
    pub timing: Option<TimingChange>,
    /// How loud a run may be.
    pub level: Option<Clearance>,
    /// The ports asked for; `Some(None)`: those of the installation. A choice holds from when a run starts or is
    /// resumed.
    pub ports: Option<Option<PortList>>,
    /// All tasks that are left out, not only new ones; as with ports, from when a run starts or is resumed.
    pub skipped_tasks: Option<SkippedTasks>,
    /// All exclusions, not only new ones.
    pub never: Option<Vec<String>>,
    pub custom_last_refreshes_count: Option<i64>,
    /// Whether those who are told by mail hear of new entities; `Some(None)`: as their rules say.
    pub notify_emails_new_entities: Option<Option<bool>>,
    /// The same of webhooks.
    pub notify_webhooks_new_entities: Option<Option<bool>>,
    /// By when issues are to be closed; `Some(None)`: as the installation says.
    pub due_days: Option<Option<DueDays>>,
}

impl CollectionSettings {
    fn check(&self) -> Result<()> {
        check_never(self.never.as_deref().unwrap_or_default())?;
        if self.custom_last_refreshes_count.is_some_and(|count| !LAST_REFRESHES.contains(&count)) {
            let (least, most) = (LAST_REFRESHES.start(), LAST_REFRESHES.end());
            return Err(StoreError::Invalid(format!("custom_last_refreshes_count is a number from {least} to {most}")));
        }
        Ok(())
    }

    /// What is changed, for the audit log.
    fn details(&self) -> Value {
        let mut details = Map::new();
        let members = [
            ("printable_name", self.printable_name.as_ref().map(|name| json!(name))),
            ("schedule", self.schedule.map(|schedule| json!(schedule.name()))),
            ("timing", self.timing.as_ref().map(|timing| json!(timing))),
            ("level", self.level.map(|level| json!(level.level()))),
            ("ports", self.ports.as_ref().map(|ports| json!(ports.as_ref().map(PortList::to_string)))),
            ("skipped_tasks", self.skipped_tasks.as_ref().map(|tasks| json!(tasks.names().collect::<Vec<_>>()))),
            ("exclusions", self.never.as_ref().map(|never| json!(never))),
            ("custom_last_refreshes_count", self.custom_last_refreshes_count.map(|count| json!(count))),
            ("notify_emails_new_entities", self.notify_emails_new_entities.map(|said| json!(said))),
            ("notify_webhooks_new_entities", self.notify_webhooks_new_entities.map(|said| json!(said))),
            ("due_days", self.due_days.map(|days| json!(days.map(|days| days.to_string())))),
        ];
        for (name, value) in members {
            details.extend(value.map(|value| (name.to_owned(), value)));
        }
        Value::Object(details)
    }
}

impl Store {
    /// Changes what is given; for the collection's admins. Scope follows another level or other exclusions at once, as
    /// after `set_entity_flags`. Fails with `Invalid` where a value is out of its range, or the timing would leave no
    /// time for a run.
    pub async fn change_settings(
        &self,
        caller: &Caller,
        uuid: Uuid,
        settings: &CollectionSettings,
    ) -> Result<CollectionView> {
        settings.check()?;
        let mut settings = settings.clone();
        settings.printable_name = settings.printable_name.as_deref().map(clean_title).transpose()?;
        let by = caller.clone();
        let before = self.find_collection(caller, uuid).await?;
        let moves_scope = settings.level.is_some_and(|level| level != before.collection.level)
            || settings.never.as_ref().is_some_and(|never| *never != before.never);
        transaction!(self, Person, async |tx| {
            let collection = enter(tx, &by, uuid).await?;
            let then = scheduled(&collection, &settings, by.now)?;
            let sql = "UPDATE collections SET updated_at = $2, printable_name = COALESCE($3, printable_name), \
                       schedule = COALESCE($4, schedule),
                       due_at = $5, level = COALESCE($6, level), never = COALESCE($7, never),
                       custom_last_refreshes_count = COALESCE($8, custom_last_refreshes_count), ports = $9,
                       skipped_tasks = COALESCE($10, skipped_tasks), timing = $11, counts_from = $12,
                       notify_emails_new_entities = $13, notify_webhooks_new_entities = $14, \
                       due_days = $15 WHERE id = $1";
            let name = settings.printable_name.clone();
            let mut values = values![collection.id, by.now, name, then.schedule.name(), then.due_at];
            values.extend(values![settings.level.map(Clearance::number), settings.never.as_ref().map(to_json)]);
            let ports = settings.ports.clone().unwrap_or_else(|| collection.ports.clone());
            values.extend(values![settings.custom_last_refreshes_count, ports.as_ref().map(PortList::to_string)]);
            values.extend(values![settings.skipped_tasks.as_ref().map(SkippedTasks::to_string), to_json(&then.timing)]);
            let emails = settings.notify_emails_new_entities.unwrap_or(collection.notify_emails_new_entities);
            let webhooks = settings.notify_webhooks_new_entities.unwrap_or(collection.notify_webhooks_new_entities);
            values.extend(values![then.counts_from, emails.map(i64::from), webhooks.map(i64::from)]);
            let due_days = settings.due_days.unwrap_or(collection.due_days);
            values.extend(values![due_days.map(|days| days.to_string())]);
            tx.run(sql, values).await?;
            if ports != collection.ports {
                // Somebody said yes to a sweep of other ports.
                tx.run("UPDATE seeds SET confirmed = 0 WHERE collection_id = $1", values![collection.id]).await?;
            }
            if moves_scope {
                raise_scope_revision(tx, collection.id).await?;
            }
            changed(tx, &by, &collection, "collection.settings", settings.details()).await
        })?;
        if moves_scope {
            self.rescope(uuid, &before.never, caller.now).await?;
        }
        self.find_collection(caller, uuid).await
    }

    /// Archives a collection: it stays readable, and no run starts in it. A run that waits for an engine is cancelled,
    /// and one that is under way goes on to its end.
    pub async fn archive_collection(&self, caller: &Caller, uuid: Uuid) -> Result<()> {
        self.set_archived(caller, uuid, true).await
    }

    /// Takes a collection out of the archive; its schedule counts from now.
    pub async fn unarchive_collection(&self, caller: &Caller, uuid: Uuid) -> Result<()> {
        self.set_archived(caller, uuid, false).await
    }

    async fn set_archived(&self, caller: &Caller, uuid: Uuid, archived: bool) -> Result<()> {
        let caller = caller.clone();
        transaction!(self, Person, async |tx| {
            let collection = enter(tx, &caller, uuid).await?;
            let (due, from) = match collection.archived && !archived {
                true => (collection.due_after(caller.now, caller.now), Some(caller.now)),
                false => (collection.due_at, collection.counts_from),
            };
            let sql =
                "UPDATE collections SET updated_at = $2, archived = $3, due_at = $4, counts_from = $5 WHERE id = $1";
            tx.run(sql, values![collection.id, caller.now, archived, due, from]).await?;
            if archived {
                cancel_unstarted(tx, &caller, collection.id).await?;
            }
            let action = if archived { "collection.archive" } else { "collection.unarchive" };
            changed(tx, &caller, &collection, action, json!({})).await
        })
    }

    /// Moves the state of a simulated internet in which later runs look; conflict on a live collection.
    pub async fn set_wire_state(&self, caller: &Caller, uuid: Uuid, state: i64) -> Result<()> {
        let caller = caller.clone();
        transaction!(self, Person, async |tx| {
            let collection = enter(tx, &caller, uuid).await?;
            let WireChoice::Simulated { blob, .. } = collection.wire else {
                return Err(StoreError::Conflict("a collection on the live internet has no states".to_owned()));
            };
            let wire = to_json(&WireChoice::Simulated { blob, state });
            let sql = "UPDATE collections SET updated_at = $2, wire = $3 WHERE id = $1";
            tx.run(sql, values![collection.id, caller.now, wire]).await?;
            changed(tx, &caller, &collection, "collection.wire_state", json!({"state": state})).await
        })
    }
}

/// A collection as it is scheduled once its settings are changed; where nothing else is said of when it runs, it stays
/// due when it was. Fails where its timing would leave no time for a run.
fn scheduled(collection: &Collection, settings: &CollectionSettings, now: Timestamp) -> Result<Collection> {
    let mut then = collection.clone();
    if let Some(schedule) = settings.schedule {
        (then.schedule, then.timing.cron) = (schedule, None);
    }
    if let Some(change) = &settings.timing {
        then.timing = change.of(&then.timing).map_err(StoreError::Invalid)?;
    }
    let is_same = then.schedule == collection.schedule
        && then.timing == Timing { windows: then.timing.windows.clone(), ..collection.timing.clone() };
    if !is_same {
        (then.due_at, then.counts_from) = (then.due_after(now, now), Some(now));
    }
    Ok(then)
}

/// The collection, locked, for one of its admins.
async fn enter(tx: &mut Tx, principal: &Principal, uuid: Uuid) -> Result<Collection> {
    let id = require(tx, principal, uuid, CollectionRole::Admin).await?.collection.id;
    lock(tx, id).await?;
    Ok(require(tx, principal, uuid, CollectionRole::Admin).await?.collection)
}

/// The audit row and the feed row of a change.
async fn changed(
    tx: &mut Tx,
    caller: &Caller,
    collection: &Collection,
    action: &'static str,
    details: Value,
) -> Result<()> {
    let object = collection.uuid.to_string();
    audit::insert(tx, caller, Some(collection.project), action, &object, details).await?;
    let note =
        feed::Note::person(collection.project, Noun::Collection, collection.uuid, What::Changed).of(collection.id);
    feed::note(tx, &note, caller.now).await
}
