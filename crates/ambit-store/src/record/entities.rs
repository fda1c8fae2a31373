//! Entities: loading their rows, folding what is open of them, and writing what changed.

use super::observations::{led_observations, own_observations};
use super::reverted::{Previous, Reverted, previous_versions, write_reverted};
use super::vulns::{Vulns, load_vulns};
use super::{Changes, Closed, Stamps, Step, close_versions, free_ids};
use crate::StoreError;
use crate::db::rows::{Rows, columns, list, named};
use crate::db::sql::{Tx, from_json, to_json, values};
use ambit_model::entity::{EntityRecord, FoldInput, IssueCounts, fold, ip_address};
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
        pub(crate) decision: Decision = (json),
        pub(crate) present: bool,
        observed: bool,
        /// As stored; `None`: the entity is new.
        stored: Option<Stored> = { None },
    }
}

columns! {
    /// The columns that are stored beside the record.
    #[derive(Clone, Debug)]
    struct Stored {
        record: String,
        present: bool,
        observed: bool,
        decision: String,
        opened_at: Timestamp,
        opened_revision: i64,
        scoped_at: Option<Timestamp>,
        /// The run that opened the version; 0: a person.
        version_run: i64,
        /// The run in which it appeared last; negative: that in which it, having been there before, disappeared.
        turned_run: i64,
        sighted: Sighted = Sighted,
    }
}

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
        let Some(stored) = &self.stored else { return Ok(BTreeSet::new()) };
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

/// A folded entity.
pub(super) struct Folded {
    pub(super) uid: Uid,
    pub(super) record: EntityRecord,
    text: String,
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
        for (mut entity, stored) in rows {
            entity.stored = Some(stored);
            self.entities.insert(entity.uid, entity);
        }
        Ok(())
    }

    /// Folds the pending entities, and returns what changed.
    pub(super) async fn fold_entities(&mut self, tx: &mut Tx) -> Result<BTreeMap<Uid, Folded>, StoreError> {
        self.load_entities(tx, self.refold.clone()).await?;
        let uids: Vec<Uid> = self.refold.iter().copied().filter(|uid| self.entities.contains_key(uid)).collect();
        let mut own = own_observations(tx, &uids).await?;
        let unwritten = |uid: &Uid| self.entities.get(uid).map(|row| row.name.clone());
        let mut led = led_observations(tx, &uids, unwritten).await?;
        let mut counts = self.issue_counts(tx, &uids).await?;
        let mut vulns = load_vulns(tx, &uids).await?;
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
            let text = to_json(&record);
            let scope_moved = match &row.stored {
                Some(stored) if stored.record != text => stored.scoped()? != record.scoped,
                _ => false,
            };
            let what = match &row.stored {
                None => Some(What::Appeared),
                Some(stored) if stored.present && !row.present => Some(What::Disappeared),
                Some(stored) if !stored.present && row.present => Some(What::Appeared),
                Some(stored) if stored.record == text => None,
                Some(stored)
                    if !self.place.opened(stored.version_run) && say_the_same(from_json(&stored.record)?, &record) =>
                {
                    None
                }
                Some(_) => Some(What::Changed),
            };
            let text_moved = row.stored.as_ref().is_none_or(|stored| stored.record != text);
            if what == Some(What::Appeared) && self.place.run.is_some() {
                self.seen.insert(uid);
            }
            let reverted = Reverted::default();
            folded.insert(uid, Folded { uid, record, text, scope_moved, what, text_moved, reverted, turns: false });
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

    /// Writes the rows of folded entities, their closed versions and the collection's counters. Answers with the number
    /// of new ones.
    pub(super) async fn write_entities(
        &self,
        tx: &mut Tx,
        folded: &BTreeMap<Uid, Folded>,
        stamps: &Stamps,
    ) -> Result<usize, StoreError> {
        let rows = |uid: &Uid| &self.entities[uid];
        let new: Vec<Uid> = folded.keys().copied().filter(|uid| rows(uid).stored.is_none()).collect();
        self.insert_entities(tx, &new, folded, stamps).await?;
        let old: Vec<&Folded> = folded.values().filter(|fold| rows(&fold.uid).stored.is_some()).collect();
        self.update_entities(tx, &old, stamps).await?;
        let present = |uid: &Uid| {
            let row = rows(uid);
            i64::from(row.present) - i64::from(row.stored.as_ref().is_some_and(|stored| stored.present))
        };
        let delta: i64 = folded.keys().map(present).sum();
        let total = i64::try_from(new.len()).expect("far fewer");
        if delta != 0 || total != 0 {
            let sql = "UPDATE collections SET entity_count = entity_count + $1, total_entity_count = \
                       total_entity_count + $2 WHERE id = $3";
            tx.run(sql, values![delta, total, self.place.collection]).await?;
        }
        if let Some(run) = self.place.run {
            let appeared: i64 = folded.values().map(|fold| self.turn(fold).0).sum();
            if appeared != 0 {
                let sql = "UPDATE runs SET new_entities = new_entities + $1 WHERE id = $2";
                tx.run(sql, values![appeared, run.id]).await?;
            }
        }
        Ok(new.len())
    }

    /// What an entity adds to those that are new in the run, and its `turned_run`: 1 where it appears, for the first
    /// time or again; -1 where it disappears in the run in which it appeared; 0 where it was there before, disappeared
    /// in this run and is there again.
    fn turn(&self, fold: &Folded) -> (i64, i64) {
        let run = self.place.run_number();
        let turned = self.entities[&fold.uid].stored.as_ref().map_or(0, |stored| stored.turned_run);
        match fold.what {
            Some(What::Appeared) if run != 0 && turned == -run => (0, 0),
            Some(What::Appeared) => (1, run),
            Some(What::Disappeared) if run != 0 && turned == run => (-1, run),
            Some(What::Disappeared) => (0, -run),
            Some(What::Changed | What::Seen) | None => (0, turned),
        }
    }

    async fn insert_entities(
        &self,
        tx: &mut Tx,
        new: &[Uid],
        folded: &BTreeMap<Uid, Folded>,
        stamps: &Stamps,
    ) -> Result<(), StoreError> {
        let ids = free_ids(tx, "entities", new).await?;
        let run = self.place.run_number();
        let mut rows = Rows::default();
        for uid in new {
            let (row, fold, (revision, at)) = (&self.entities[uid], &folded[uid], stamps[uid]);
            rows.push(named! {
                uid,
                id: ids[uid],
                collection_id: self.place.collection,
                kind: row.kind.name(),
                name: &row.name,
                seed: row.seed,
                hidden: row.hidden,
                allow_list: row.allow_list,
                deny_list: row.deny_list,
                tags: to_json(&row.tags),
                decision: to_json(&row.decision),
                present: row.present,
                observed: row.observed,
                shared: ip_address::shared_by(&fold.record.details).number(),
                record: &fold.text,
                opened_at: at,
                opened_revision: revision,
                first_seen: at,
                last_seen: at,
                scoped_at: fold.record.scoped.then_some(at),
                first_run: run,
                seen_from: run,
                seen_to: run,
                revision: self.place.graph,
                version_run: run,
                turned_run: run,
            });
        }
        tx.insert("entities", rows, "").await
    }

    async fn update_entities(&self, tx: &mut Tx, folded: &[&Folded], stamps: &Stamps) -> Result<(), StoreError> {
        let run = self.place.run_number();
        let mut rows = Rows::default();
        let (mut closed, mut seen_again, mut reverted) = (Vec::new(), Vec::new(), BTreeMap::new());
        for fold in folded {
            let row = &self.entities[&fold.uid];
            let stored = row.stored.as_ref().expect("only old ones");
            let decision = to_json(&row.decision);
            if !fold.text_moved && !fold.changed() && stored.observed == row.observed && stored.decision == decision {
                continue;
            }
            let replaces = fold.changed() && (fold.turns || !self.place.opened(stored.version_run));
            let (opened, version_run) = match (&fold.reverted.version, stamps.get(&fold.uid).filter(|_| replaces)) {
                (Some(Previous { opened_revision, opened_at, .. }), _) => ((*opened_revision, *opened_at), 0),
                (None, Some(stamp)) => (*stamp, run),
                (None, None) => ((stored.opened_revision, stored.opened_at), stored.version_run),
            };
            reverted.insert(fold.uid, (stored.opened_revision, fold.reverted.clone()));
            if replaces {
                closed.push(Closed {
                    noun: Noun::Entity,
                    uid: fold.uid,
                    opened_at: stored.opened_at,
                    opened_revision: stored.opened_revision,
                    record: &stored.record,
                });
            }
            let sighted = self.sighted(fold, stored, stamps);
            if sighted.seen_from != stored.sighted.seen_from {
                seen_again.push(fold.uid);
            }
            let moved_at = stamps.get(&fold.uid).map(|(_, at)| *at);
            let scoped_at = if fold.scope_moved { moved_at } else { stored.scoped_at };
            rows.push(named! {
                uid: fold.uid,
                seed: row.seed,
                hidden: row.hidden,
                allow_list: row.allow_list,
                deny_list: row.deny_list,
                tags: to_json(&row.tags),
                decision,
                present: row.present,
                observed: row.observed,
                shared: ip_address::shared_by(&fold.record.details).number(),
                record: &fold.text,
                opened_at: opened.1,
                opened_revision: opened.0,
                scoped_at,
                revision: self.place.graph,
                version_run,
                turned_run: self.turn(fold).1,
                last_seen: sighted.last_seen,
                seen_from: sighted.seen_from,
                seen_to: sighted.seen_to,
                seen_revision: sighted.seen_revision,
            });
        }
        close_versions(tx, &closed, stamps).await?;
        write_reverted(tx, Noun::Entity, &reverted).await?;
        super::keep_sightings(tx, "entities", &seen_again, run).await?;
        tx.update("entities", rows).await
    }

    /// When a folded entity was seen last: what [`super::touch`] writes of those that are only seen, here in the one
    /// statement that writes the record, since a second look at a long row costs as much as the first.
    fn sighted(&self, fold: &Folded, stored: &Stored, stamps: &Stamps) -> Sighted {
        match stamps.get(&fold.uid) {
            Some(stamp) if self.seen.contains(&fold.uid) => stored.sighted.again(self.place.run_number(), *stamp),
            Some((seen_revision, _)) if !fold.changed() => Sighted { seen_revision: *seen_revision, ..stored.sighted },
            _ => stored.sighted,
        }
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
