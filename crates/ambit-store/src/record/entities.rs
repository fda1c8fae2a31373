//! Entities: loading their rows, and folding what is open of them; `write` beside this file writes what changed.

mod write;

use super::observations::led_observations;
use super::reverted::{Reverted, previous_versions};
use super::vulns::{Vulns, load_vulns};
use super::{ChangeContext, Changes, Step};
use crate::StoreError;
use crate::db::rows::{columns, list};
use crate::db::sql::{Tx, from_json, to_json, values};
use ambit_model::entity::{EntityRecord, FoldInput, IssueCounts, fold};
use ambit_model::feed::{Noun, What};
use ambit_model::observation::Observation;
use ambit_model::scope::Decision;
use ambit_model::{Kind, Timestamp, Uid};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

columns! {
    /// The row of an entity, as loaded and as changed in memory.
    #[derive(Clone, Debug)]
    pub(crate) struct EntityRow {
        pub(crate) uid: Uid,
        pub(crate) kind: Kind,
        pub(crate) name: String,
        pub(crate) seed: bool,
        pub(crate) hidden: bool,
        pub(crate) allow_list: bool,
        pub(crate) deny_list: bool,
        pub(crate) tags: Vec<String> = (json),
        pub(crate) decision: Decision = { Decision::unreached() },
        pub(crate) present: bool,
        observed: bool,
        /// As stored; `None`: the entity is new.
        stored: Option<Stored> = { None },
    }
}

columns! {
    /// What is stored of it.
    #[derive(Clone, Debug)]
    struct Stored {
        record: String,
        /// As loaded into the row.
        flags: [bool; 4] = { [false; 4] },
        tags: Vec<String> = { Vec::new() },
        present: bool = { false },
        observed: bool = { false },
        decision: String,
        shared: i64,
        opened_at: Timestamp,
        opened_revision: i64,
        scoped_at: Option<Timestamp>,
        /// The run that opened the version; 0: a person.
        version_run: i64,
        /// The run in which it appeared last; negative: that in which it, having been there before, disappeared.
        turned_run: i64,
        sighted: Sighted = Sighted,
        /// There are issues, technologies or vulnerabilities of it; most entities have none.
        related: bool = (sql RELATED.to_owned()),
    }
}

/// Whether rows of other tables are about an entity. (For `EXISTS` PostgreSQL may read a whole table.)
const RELATED: &str = "CASE WHEN (SELECT 1 FROM issues i WHERE i.entity_uid = entities.uid LIMIT 1) IS NULL
    AND (SELECT 1 FROM entity_technologies t WHERE t.entity_uid = entities.uid LIMIT 1) IS NULL
    AND (SELECT 1 FROM entity_vulns n WHERE n.uid = entities.uid LIMIT 1) IS NULL
    THEN CAST(0 AS BIGINT) ELSE CAST(1 AS BIGINT) END";

columns! {
    /// When it was seen last, and in which runs without a gap before that.
    #[derive(Clone, Copy, Debug)]
    struct Sighted {
        last_seen: Timestamp,
        seen_from: i64,
        seen_to: i64,
        seen_revision: i64,
    }
}

impl Sighted {
    /// The same after a run saw it again; a range of runs that ended before is to be kept apart.
    fn again(self, run: i64, (seen_revision, last_seen): (i64, Timestamp)) -> Self {
        let seen_from = if self.seen_to >= run - 1 { self.seen_from } else { run };
        Self { last_seen, seen_from, seen_to: run, seen_revision }
    }
}

impl EntityRow {
    /// Returns a new entity that something present led to, or that a person gave.
    pub(crate) fn new(uid: Uid, kind: Kind, name: String) -> Self {
        Self {
            uid,
            kind,
            name,
            seed: false,
            hidden: false,
            allow_list: false,
            deny_list: false,
            tags: Vec::new(),
            decision: Decision::unreached(),
            present: true,
            observed: false,
            stored: None,
        }
    }

    pub(crate) fn is_new(&self) -> bool {
        self.stored.is_none()
    }

    /// What people decided of it, and whether a seed names it.
    fn flags(&self) -> [bool; 4] {
        [self.seed, self.hidden, self.allow_list, self.deny_list]
    }

    /// Whether issues, technologies or vulnerabilities of it may be stored.
    pub(super) fn is_related(&self) -> bool {
        self.stored.as_ref().is_some_and(|stored| stored.related)
    }

    /// Vulnerabilities of it were written since it was loaded.
    pub(super) fn relate(&mut self) {
        if let Some(stored) = &mut self.stored {
            stored.related = true;
        }
    }

    /// Whether the record as it is shown now is scoped; a new entity's is not.
    pub(crate) fn shown_scoped(&self) -> Result<bool, StoreError> {
        self.stored.as_ref().map_or(Ok(false), Stored::scoped)
    }

    /// The ids that are known against its products, as its stored record says them.
    pub(super) fn shown_vulns(&self) -> Result<BTreeSet<String>, StoreError> {
        #[derive(Deserialize)]
        struct Known {
            #[serde(default)]
            vulnerabilities: Vulns,
        }
        // Most records have none, and reading a whole one takes longer than finding that out.
        let Some(stored) = self.stored.as_ref().filter(|stored| stored.record.contains("\"vulnerabilities\"")) else {
            return Ok(BTreeSet::new());
        };
        Ok(from_json::<Known>(&stored.record)?.vulnerabilities.into_values().flatten().collect())
    }
}

impl Stored {
    /// Reads this one member: a whole record costs ten times as much.
    fn scoped(&self) -> Result<bool, StoreError> {
        #[derive(Deserialize)]
        struct Scoped {
            scoped: bool,
        }
        from_json::<Scoped>(&self.record).map(|record| record.scoped)
    }
}

/// Returns whether two records differ only in bookkeeping, which makes no version: the tasks that reported them.
fn say_the_same(mut stored: EntityRecord, record: &EntityRecord) -> bool {
    stored.task_results.clone_from(&record.task_results);
    stored.summary.task_results.clone_from(&record.summary.task_results);
    stored.path.iter_mut().zip(&record.path).for_each(|(step, other)| step.task.clone_from(&other.task));
    stored == *record
}

/// What becomes of an entity by its new record; `None` where that is no other version.
fn what_happened(
    place: &ChangeContext,
    row: &EntityRow,
    record: &EntityRecord,
    text: &str,
) -> Result<Option<What>, StoreError> {
    Ok(match &row.stored {
        None => Some(What::Appeared),
        Some(stored) if stored.present && !row.present => Some(What::Disappeared),
        Some(stored) if !stored.present && row.present => Some(What::Appeared),
        Some(stored) if stored.record == text => None,
        Some(stored) if !place.opened(stored.version_run) && say_the_same(from_json(&stored.record)?, record) => None,
        Some(_) => Some(What::Changed),
    })
}

/// Whether the new record of an entity shows another `scoped` than the stored one. While an entity is there its record
/// shows what its decision says, so that the stored one is seldom read for it.
fn scope_moved(row: &EntityRow, record: &EntityRecord, (text, decision): (&str, &str)) -> Result<bool, StoreError> {
    Ok(match &row.stored {
        Some(stored) if stored.present && row.present && stored.decision == decision => false,
        Some(stored) if stored.record != text => stored.scoped()? != record.scoped,
        _ => false,
    })
}

/// A folded entity.
pub(super) struct Folded {
    pub(super) uid: Uid,
    pub(super) record: EntityRecord,
    text: String,
    decision: String,
    /// Whether `scoped` moved (a new one has nothing hanging on it yet).
    pub(super) scope_moved: bool,
    /// `None`: it is not another version, though bookkeeping may differ.
    what: Option<What>,
    text_moved: bool,
    reverted: Reverted,
    /// It comes or goes against the version of this run that is open.
    turns: bool,
}

impl Folded {
    pub(super) fn changed(&self) -> bool {
        self.what.is_some()
    }

    pub(super) fn step(&self) -> Option<Step> {
        let step = |what| Step { noun: Noun::Entity, uid: self.uid, what };
        // Readers of the feed learn of bookkeeping as of a sighting: without a row of its own.
        self.what.map(|what| step(self.reverted.what(what))).or_else(|| self.text_moved.then(|| step(What::Seen)))
    }
}

impl Changes {
    /// Loads the rows of entities that are not loaded yet. Unknown uids are left out.
    pub(crate) async fn load_entities(
        &mut self,
        tx: &mut Tx,
        uids: impl IntoIterator<Item = Uid>,
    ) -> Result<(), StoreError> {
        let missing: BTreeSet<Uid> = uids.into_iter().filter(|uid| !self.entities.contains_key(uid)).collect();
        let missing: Vec<Uid> = missing.into_iter().collect();
        let (row, stored) = (list::<EntityRow>(), list::<Stored>());
        let head = format!("SELECT {row}, {stored} FROM entities WHERE +collection_id = $1 AND uid IN");
        let rows: Vec<(EntityRow, Stored)> = tx.read_in(&head, values![self.place.collection], &missing, "").await?;
        for (mut entity, mut stored) in rows {
            entity.decision = from_json(&stored.decision)?;
            (stored.flags, stored.tags) = (entity.flags(), entity.tags.clone());
            (stored.present, stored.observed) = (entity.present, entity.observed);
            entity.stored = Some(stored);
            self.entities.insert(entity.uid, entity);
        }
        Ok(())
    }

    /// Folds the pending entities, and returns what changed.
    pub(super) async fn fold_entities(&mut self, tx: &mut Tx) -> Result<BTreeMap<Uid, Folded>, StoreError> {
        self.load_entities(tx, self.refold.clone()).await?;
        let uids: Vec<Uid> = self.refold.iter().copied().filter(|uid| self.entities.contains_key(uid)).collect();
        let mut own = self.observations(tx).await?;
        let unwritten = |uid: &Uid| self.entities.get(uid).map(|row| row.name.clone());
        let mut led = led_observations(tx, &uids, unwritten).await?;
        let related: Vec<Uid> = uids.iter().copied().filter(|uid| self.entities[uid].is_related()).collect();
        let mut counts = self.issue_counts(tx, &uids, &related).await?;
        let mut vulns = load_vulns(tx, &related).await?;
        let going: Vec<Uid> = uids
            .iter()
            .copied()
            .filter(|uid| {
                self.entities
                    .get(uid)
                    .is_some_and(|row| !row.present && row.stored.as_ref().is_some_and(|stored| stored.present))
            })
            .collect();
        let mut before = self.before_run(tx, &going).await?;
        let mut folded = BTreeMap::new();
        for uid in uids {
            let row = self.entities.get_mut(&uid).expect("filtered above");
            let own = own.remove(&uid).unwrap_or_default();
            row.observed = !own.is_empty();
            let counts = counts.remove(&uid).unwrap_or_default();
            let record = match row.stored.as_ref().filter(|_| !row.present) {
                Some(stored) => {
                    let was = before.remove(&uid).map_or_else(|| from_json(&stored.record), Ok)?;
                    gone_record(row, was, counts)
                }
                None => {
                    let observations = own.into_iter().chain(led.remove(&uid).unwrap_or_default()).collect();
                    let vulns = vulns.remove(&uid).unwrap_or_default();
                    fold(fold_input(row, self.place.uuid, observations, counts, vulns))
                }
            };
            let (text, decision) = (to_json(&record), to_json(&row.decision));
            let scope_moved = scope_moved(row, &record, (&text, &decision))?;
            let what = what_happened(&self.place, row, &record, &text)?;
            let text_moved = row.stored.as_ref().is_none_or(|stored| stored.record != text);
            if what == Some(What::Appeared) && self.place.run.is_some() {
                self.seen.insert(uid);
            }
            let reverted = Reverted::default();
            let turns = false;
            folded.insert(uid, Folded { uid, record, text, decision, scope_moved, what, text_moved, reverted, turns });
        }
        self.find_reverted(tx, &mut folded).await?;
        Ok(folded)
    }

    /// Compares what changes of this run's own versions with the versions before them.
    async fn find_reverted(&self, tx: &mut Tx, folded: &mut BTreeMap<Uid, Folded>) -> Result<(), StoreError> {
        let opened = folded.values().filter(|fold| fold.changed()).filter_map(|fold| {
            let stored = self.entities[&fold.uid].stored.as_ref()?;
            self.place.opened(stored.version_run).then_some((fold.uid, stored.opened_revision))
        });
        for (uid, previous) in previous_versions(tx, &self.place, Noun::Entity, &opened.collect()).await? {
            let fold = folded.get_mut(&uid).expect("it was asked for");
            let Some(what) = fold.what else { continue };
            let was: EntityRecord = from_json(&previous.record)?;
            let turned = was.present != fold.record.present;
            let stored = self.entities[&uid].stored.as_ref();
            fold.turns = turned && stored.is_some_and(|stored| stored.present != fold.record.present);
            fold.reverted = Reverted::of(previous, say_the_same(was, &fold.record), turned, what);
        }
        Ok(())
    }

    /// The record that each entity had when this run began. An entity that disappears keeps showing it, because the run
    /// removes its observations one by one.
    async fn before_run(&self, tx: &mut Tx, uids: &[Uid]) -> Result<BTreeMap<Uid, EntityRecord>, StoreError> {
        let mut records = BTreeMap::new();
        let Some(run) = self.place.run else { return Ok(records) };
        let opened_in_run = |uid: &&Uid| {
            let stored = self.entities.get(*uid).and_then(|row| row.stored.as_ref());
            stored.is_some_and(|stored| stored.opened_at > run.started_at)
        };
        let uids: Vec<Uid> = uids.iter().filter(opened_in_run).copied().collect();
        let head = "SELECT uid, record FROM versions WHERE noun = 'entity' AND opened_at <= $1 AND uid IN";
        let versions: Vec<(Uid, String)> =
            tx.read_in(head, values![run.started_at], &uids, "ORDER BY opened_revision").await?;
        for (uid, record) in versions {
            records.insert(uid, from_json(&record)?);
        }
        Ok(records)
    }
}

fn fold_input(
    row: &EntityRow,
    collection: uuid::Uuid,
    observations: Vec<Observation>,
    issues: IssueCounts,
    vulnerabilities: Vulns,
) -> FoldInput {
    FoldInput {
        uid: row.uid,
        collection,
        kind: row.kind,
        name: row.name.clone(),
        seed: row.seed,
        hidden: row.hidden,
        allow_list: row.allow_list,
        deny_list: row.deny_list,
        present: row.present,
        tags: row.tags.clone(),
        decision: row.decision.clone(),
        observations,
        issues,
        vulnerabilities,
    }
}

/// What a gone entity shows: what it was, no longer present, with the flags and counts of today.
fn gone_record(row: &EntityRow, was: EntityRecord, issues: IssueCounts) -> EntityRecord {
    let mut tags = row.tags.clone();
    tags.sort();
    tags.dedup();
    let mut record = EntityRecord {
        present: false,
        seed: row.seed,
        hidden: row.hidden,
        allow_list: row.allow_list,
        deny_list: row.deny_list,
        tags,
        ..was
    };
    record.summary.issues = issues;
    record
}
