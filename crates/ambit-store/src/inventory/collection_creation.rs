//! How a collection is made, with its seeds.

use crate::db::rows::named;
use crate::db::sql::{Tx, to_json, values};
use crate::db::writer::transaction;
use crate::inventory::collections::{check_never, require};
use crate::inventory::{feed, seeds};
use crate::people::audit;
use crate::people::names::clean_title;
use crate::{Caller, CollectionView, Result, Store, StoreError};
use ambit_model::SkippedTasks;
use ambit_model::collection::Schedule;
use ambit_model::feed::{Noun, What};
use ambit_model::ports::PortList;
use ambit_model::timing::Timing;
use ambit_model::user::{CollectionRole, ProjectRole};
use ambit_model::wire::WireChoice;
use ambit_model::{Clearance, Kind, Timestamp, workflow};
use serde_json::json;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// `config.custom_last_refreshes_count` of a new collection (docs/contract/asm.md §3.2).
const LAST_REFRESHES_DEFAULT: i64 = 3;
/// Characters of a name's slug; `_` and seven more follow.
const SLUG_CHARS_MAX: usize = 40;
/// Random-looking characters at the end of a name.
const SUFFIX_CHARS: usize = 7;

/// What is asked of a new collection.
#[derive(Clone, Debug, PartialEq)]
pub struct NewCollection {
    /// `None`, or one that is taken: random.
    pub uuid: Option<Uuid>,
    pub printable_name: String,
    pub workflow: String,
    pub schedule: Schedule,
    /// An expression in the place of the schedule, and the rest of when it runs.
    pub timing: Timing,
    pub wire: WireChoice,
    pub level: Clearance,
    /// `None`: those of the installation.
    pub ports: Option<PortList>,
    /// Tasks that its runs leave out.
    pub skipped_tasks: SkippedTasks,
    /// `--exclude` and hard stops.
    pub never: Vec<String>,
    /// Canonical names.
    pub seeds: Vec<(Kind, String)>,
}

impl NewCollection {
    /// Returns a collection with these seeds that is otherwise as most are: of the default workflow, run on demand on
    /// the live wire, up to the level `normal`.
    pub fn usual(printable_name: &str, seeds: Vec<(Kind, String)>) -> Self {
        Self {
            uuid: None,
            printable_name: printable_name.to_owned(),
            workflow: workflow::DEFAULT.to_owned(),
            schedule: Schedule::OnDemand,
            timing: Timing::default(),
            wire: WireChoice::Live,
            level: Clearance::L3,
            ports: None,
            skipped_tasks: SkippedTasks::default(),
            never: Vec::new(),
            seeds,
        }
    }
}

impl Store {
    /// Makes a collection with its seeds; for owners of the project. It starts nothing: the schedule counts from now.
    /// Fails with `Invalid` for an unknown workflow, for a name or a seed that cannot be one, for too many exclusions,
    /// and where the seeds name more addresses than are allowed; with `Conflict` for too many seeds.
    pub async fn create_collection(
        &self,
        caller: &Caller,
        project: i64,
        new: &NewCollection,
    ) -> Result<CollectionView> {
        caller.require_project(project, ProjectRole::Owner)?;
        if workflow::find(&new.workflow).is_none() {
            return Err(StoreError::Invalid(format!("unknown workflow: {:?}", new.workflow)));
        }
        check_never(&new.never)?;
        let printable = clean_title(&new.printable_name)?;
        let (caller, new, limits) = (caller.clone(), new.clone(), self.limits());
        transaction!(self, Person, async |tx| {
            let uuid = insert(tx, project, &printable, &new, caller.now).await?;
            let view = require(tx, &caller, uuid, CollectionRole::Admin).await?;
            let id = view.collection.id;
            seeds::insert(tx, (id, uuid), &new.seeds, caller.user_id(), caller.now).await?;
            limits.check_seeds(tx, &caller, project, &new.seeds).await?;
            let details = json!({"name": printable, "workflow": new.workflow, "seeds": new.seeds.len()});
            audit::insert(tx, &caller, Some(project), "collection.create", uuid, details).await?;
            feed::note(tx, &feed::Note::person(project, Noun::Collection, uuid, What::Appeared).of(id), caller.now)
                .await?;
            Ok(view)
        })
    }
}

async fn insert(tx: &mut Tx, project: i64, printable: &str, new: &NewCollection, now: Timestamp) -> Result<Uuid> {
    let taken = "SELECT id FROM collections WHERE uuid = $1";
    let uuid = match new.uuid {
        Some(wanted) if !tx.exists(taken, values![wanted]).await? => wanted,
        _ => Uuid::new_v4(),
    };
    let wire_blob = match &new.wire {
        WireChoice::Live => None,
        WireChoice::Simulated { blob, .. } => Some(*blob),
    };
    let row = named! {
        uuid,
        project_id: project,
        name: internal_name(printable, uuid),
        printable_name: printable,
        workflow: &new.workflow,
        schedule: new.schedule.name(),
        wire: to_json(&new.wire),
        wire_blob,
        level: new.level.number(),
        never: to_json(&new.never),
        created_at: now,
        updated_at: now,
        custom_last_refreshes_count: LAST_REFRESHES_DEFAULT,
        due_at: new.timing.due_after(new.schedule.due_after(now, now), uuid, now),
        ports: new.ports.as_ref().map(PortList::to_string),
        skipped_tasks: new.skipped_tasks.to_string(),
        timing: to_json(&new.timing),
        counts_from: now,
    };
    tx.insert_one("collections", row).await?;
    Ok(uuid)
}

/// The internal name: slug, `_` and seven characters that follow from the uuid, so that equal collections have equal
/// names everywhere.
fn internal_name(printable: &str, uuid: Uuid) -> String {
    const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let mut slug = String::new();
    for c in printable.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' | '-' => slug.push(c),
            _ if slug.ends_with('_') || slug.is_empty() => {}
            _ => slug.push('_'),
        }
    }
    slug.truncate(SLUG_CHARS_MAX);
    let slug = Some(slug.trim_end_matches('_')).filter(|slug| !slug.is_empty()).unwrap_or("collection");
    let digest = Sha256::digest(uuid.as_bytes());
    let suffix: String = digest
        .iter()
        .take(SUFFIX_CHARS)
        .map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()]))
        .collect();
    format!("{slug}_{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internal_names_are_slug_and_seven_characters() {
        let uuid = Uuid::from_u128(7);
        for (printable, slug) in [("Acme  External!", "acme_external"), ("!!!", "collection"), ("Ünï-9", "n_-9")] {
            let name = internal_name(printable, uuid);
            let (start, suffix) = name.rsplit_once('_').unwrap();
            assert_eq!((start, suffix.len()), (slug, SUFFIX_CHARS), "{name}");
            assert!(suffix.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()));
        }
    }
}
