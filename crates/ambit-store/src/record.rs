//! The one way in which a record changes: fold, compare, close the version, open the next, write the feed row; all in
//! the caller's transaction (docs/architecture.md, invariant 9). The caller changes rows in memory and names what to
//! fold and what was seen; `write` does the rest.

mod entities;
mod issues;
mod observations;
mod reverted;
mod technologies;
mod vulns;

pub(crate) use entities::EntityRow;
pub(crate) use issues::{Closing, IssueRow, closing};
pub use vulns::Vulns;
pub(crate) use vulns::load_vulns;

use crate::StoreError;
use crate::db::rows::{Rows, named};
use crate::db::sql::{Tx, Value, values};
use crate::inventory::feed::{self, Stamp};
use ambit_model::feed::{Noun, What};
use ambit_model::id::RunId;
use ambit_model::{Timestamp, Uid};
use observations::{Fresh, Observations};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Where and when something changes.
#[derive(Clone, Debug)]
pub(crate) struct ChangeContext {
    pub(crate) collection: i64,
    pub(crate) uuid: Uuid,
    pub(crate) project: i64,
    /// `None`: a person changes it, outside any run.
    pub(crate) run: Option<RunPlace>,
    pub(crate) person: bool,
    /// Searches that begin after it wait until they see it, as they do for what a person changes.
    pub(crate) awaited: bool,
    /// Wall time.
    pub(crate) now: Timestamp,
    /// The number of this change of the collection's graph.
    pub(crate) graph: i64,
}

/// The run in which something changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunPlace {
    pub(crate) id: RunId,
    /// Counted in the collection.
    pub(crate) number: i64,
    pub(crate) started_at: Timestamp,
}

impl ChangeContext {
    /// Locks the collection and counts a change of its graph.
    pub(crate) async fn enter(
        tx: &mut Tx,
        collection: i64,
        run: Option<RunPlace>,
        person: bool,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let sql = "UPDATE collections SET graph_revision = graph_revision + 1 WHERE id = $1 AND deleted_at IS NULL \
                   RETURNING graph_revision, uuid, project_id";
        let row = tx.read_first(sql, values![collection]).await?;
        let (graph, uuid, project) = row.ok_or(StoreError::NotFound)?;
        Ok(Self { collection, uuid, project, run, person, awaited: person, now, graph })
    }

    /// The same, for which no search waits: a part of something large.
    pub(crate) fn unawaited(self) -> Self {
        Self { awaited: false, ..self }
    }

    /// Returns the number of the run, 0 outside any.
    fn run_number(&self) -> i64 {
        self.run.map_or(0, |run| run.number)
    }

    /// Returns true where the run in which this changes opened the version itself: it is replaced in place.
    fn opened(&self, version_run: i64) -> bool {
        self.run.is_some_and(|run| run.number == version_run)
    }
}

/// What a transaction changes, gathered in memory.
pub(crate) struct Changes {
    pub(crate) place: ChangeContext,
    /// Loaded or new; their flags, decision and presence may have been changed.
    pub(crate) entities: BTreeMap<Uid, EntityRow>,
    /// Loaded or new, changed in memory.
    pub(crate) issues: BTreeMap<Uid, IssueRow>,
    /// Entities to be folded.
    pub(crate) refold: BTreeSet<Uid>,
    /// Present entities that this run saw again.
    pub(crate) seen: BTreeSet<Uid>,
    /// Issues that were proven again.
    pub(crate) seen_issues: BTreeSet<Uid>,
    /// What was read of the entities to be folded before what is fresh was written, and what that is.
    stored_observations: Option<Observations>,
    fresh: Fresh,
}

/// What became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) new_entities: usize,
}

/// A record whose version changes, or that was only seen.
struct Step {
    noun: Noun,
    uid: Uid,
    what: What,
}

impl Changes {
    pub(crate) fn new(place: ChangeContext) -> Self {
        Self {
            place,
            entities: BTreeMap::new(),
            issues: BTreeMap::new(),
            refold: BTreeSet::new(),
            seen: BTreeSet::new(),
            seen_issues: BTreeSet::new(),
            stored_observations: None,
            fresh: Fresh::new(),
        }
    }

    /// Something is known of these entities now that stands beside their rows, and is read when they are folded.
    fn relate(&mut self, uids: &[Uid]) {
        for uid in uids {
            self.entities.get_mut(uid).into_iter().for_each(EntityRow::relate);
        }
    }

    /// Folds, compares and writes everything that changed.
    pub(crate) async fn write(mut self, tx: &mut Tx) -> Result<Written, StoreError> {
        let folded = self.fold_entities(tx).await?;
        self.load_issues_of_moved_scope(tx, &folded).await?;
        let issues = self.changed_issues(tx, &folded).await?;
        let technologies = technologies::derive(tx, &self, &folded).await?;
        let mut steps: Vec<Step> = Vec::new();
        steps.extend(folded.values().filter_map(|fold| fold.step()));
        let changed: BTreeSet<Uid> = steps.iter().map(|step| step.uid).collect();
        let only_seen: Vec<Uid> = self.seen.difference(&changed).copied().collect();
        steps.extend(only_seen.iter().map(|uid| seen(Noun::Entity, *uid)));
        let issue_steps: Vec<Step> = issues.iter().filter_map(issues::ChangedIssue::step).collect();
        let changed_issues: BTreeSet<Uid> = issue_steps.iter().map(|step| step.uid).collect();
        steps.extend(issue_steps);
        let seen_issues: Vec<Uid> = self.seen_issues.difference(&changed_issues).copied().collect();
        steps.extend(seen_issues.iter().map(|uid| seen(Noun::Issue, *uid)));
        steps.extend(technologies.steps());
        let stamps = self.stamp(tx, &steps).await?;
        let new_entities = self.write_entities(tx, &folded, &stamps).await?;
        touch(tx, "entities", &only_seen, &stamps, self.place.run_number()).await?;
        self.write_issues(tx, &issues, &stamps).await?;
        touch(tx, "issues", &seen_issues, &stamps, self.place.run_number()).await?;
        technologies.write(tx, &self.place, &stamps).await?;
        Ok(Written { new_entities })
    }

    /// An issue that is seen has the stamp as its `last_seen`.
    fn wanted_stamp(&self, step: &Step) -> Stamp {
        let is_new = self.issues.get(&step.uid).is_some_and(IssueRow::is_new);
        let seen = step.noun == Noun::Issue && (is_new || self.seen_issues.contains(&step.uid));
        if seen { Stamp::Alone } else { Stamp::Shared }
    }

    /// Allots revisions and stamps, and writes the feed rows. What was only seen has none: its row says at which
    /// revision (`touch`), so that a run over what did not change leaves nothing behind.
    async fn stamp(&self, tx: &mut Tx, steps: &[Step]) -> Result<Stamps, StoreError> {
        let mut stamps = BTreeMap::new();
        if steps.is_empty() {
            return Ok(stamps);
        }
        let place = &self.place;
        let wanted: Vec<Stamp> = steps.iter().map(|step| self.wanted_stamp(step)).collect();
        let allotted = feed::allot(tx, &wanted, place.now).await?;
        let mut rows = Rows::default();
        for (n, step) in steps.iter().enumerate() {
            let (revision, at) = allotted.nth(n);
            stamps.insert(step.uid, (revision, at));
            if step.what == What::Seen {
                continue;
            }
            rows.push(named! {
                revision,
                project_id: place.project,
                collection_id: place.collection,
                noun: step.noun.name(),
                uid: step.uid,
                what: step.what.name(),
                at,
                person: place.person,
            });
        }
        tx.insert("feed", rows, "").await?;
        if place.awaited {
            feed::raise_person_revision(tx, place.project, allotted.nth(steps.len() - 1).0).await?;
        }
        Ok(stamps)
    }
}

/// Revision and stamp of each record of a transaction. Uids of different nouns never meet: they are hashes of different
/// texts.
pub(crate) type Stamps = BTreeMap<Uid, (i64, Timestamp)>;

fn seen(noun: Noun, uid: Uid) -> Step {
    Step { noun, uid, what: What::Seen }
}

/// Moves `last_seen`, its revision and the newest range of runs of records that were seen. `table` is a literal of this
/// crate.
async fn touch(tx: &mut Tx, table: &str, uids: &[Uid], stamps: &Stamps, run: i64) -> Result<(), StoreError> {
    keep_sightings(tx, table, uids, run).await?;
    let mut rows = Rows::default();
    for uid in uids {
        let (revision, at) = stamps[uid];
        rows.push(named! { uid, last_seen: at, run, revision });
    }
    let statement = format!(
        "UPDATE {table} SET last_seen = v.last_seen, seen_to = v.run, seen_revision = v.revision,
         seen_from = CASE WHEN {table}.seen_to >= v.run - 1 THEN {table}.seen_from ELSE v.run END FROM v WHERE \
         {table}.uid = v.uid"
    );
    tx.with(rows, &statement).await
}

/// Keeps the range of runs that ended before this run as a row of its own.
async fn keep_sightings(tx: &mut Tx, table: &str, uids: &[Uid], run: i64) -> Result<(), StoreError> {
    if uids.is_empty() {
        return Ok(());
    }
    let head = format!(
        "INSERT INTO sightings (uid, from_run, to_run) SELECT uid, seen_from, seen_to FROM {table} WHERE seen_to < $1 \
         - 1 AND uid IN"
    );
    tx.run_in(&head, values![run], uids, "ON CONFLICT (uid, from_run) DO NOTHING").await?;
    Ok(())
}

/// A version that ends.
struct Closed<'a> {
    noun: Noun,
    uid: Uid,
    opened_at: Timestamp,
    opened_revision: i64,
    record: &'a str,
}

/// Closed versions are only added, but for those that a run takes back ([`reverted`]).
async fn close_versions(tx: &mut Tx, closed: &[Closed<'_>], stamps: &Stamps) -> Result<(), StoreError> {
    let mut rows = Rows::default();
    for version in closed {
        let (revision, at) = stamps[&version.uid];
        rows.push(named! {
            noun: version.noun.name(),
            uid: version.uid,
            opened_revision: version.opened_revision,
            closed_revision: revision,
            opened_at: version.opened_at,
            closed_at: at,
            record: version.record,
        });
    }
    tx.insert("versions", rows, "").await
}

/// Integer ids for new records of a table: the uid's own where it is free, else the next free one.
async fn free_ids(tx: &mut Tx, table: &str, uids: &[Uid]) -> Result<BTreeMap<Uid, i64>, StoreError> {
    let mut ids = BTreeMap::new();
    let mut used = BTreeSet::new();
    let head = format!("SELECT id FROM {table} WHERE id IN");
    let wanted: Vec<i64> = uids.iter().map(Uid::integer).collect();
    used.extend(tx.read_in::<i64, _>(&head, Vec::new(), &wanted, "").await?);
    for uid in uids {
        let mut id = uid.integer();
        while used.contains(&id) {
            id += 1;
            let taken = tx.row(&format!("SELECT id FROM {table} WHERE id = $1"), vec![Value::from(id)]).await?;
            if taken.is_some() {
                used.insert(id);
            }
        }
        used.insert(id);
        ids.insert(*uid, id);
    }
    Ok(ids)
}
