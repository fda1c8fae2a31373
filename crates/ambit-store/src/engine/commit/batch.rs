//! A batch of probe results in memory: what each does to the intervals and edges that are open, and then
//! everything written in a few statements.

mod again;
mod leaves;
mod load;

use super::super::Outcome;
use super::super::dirty::mark_dirty;
use super::super::graph::{CLOSE_EDGES, closed_edge};
use super::super::lease::Held;
use super::super::not_done::count_not_done;
use super::{EvidenceList, count_work, raise_wire_date};
use crate::StoreError;
use crate::db::rows::{Rows, columns, named};
use crate::db::sql::{Tx, Value, to_json, values};
use crate::inventory::blobs;
use crate::record::{ChangeContext, Changes, EntityRow};
use crate::wider::specimens;
use again::pair;
use ambit_model::id::BlobHash;
use ambit_model::observation::{BODY, Found, ProbeResult, Sighting, same_answer};
use ambit_model::run::{NotDone, NotDoneReason};
use ambit_model::{Details, EdgeKind, Timestamp, Uid};
pub(in super::super) use leaves::denied;
use load::{
    is_failed_lookup, load_edges, load_hung_on, load_probes, load_said, says_nothing, says_something_new, told,
};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Longest reason that is kept of a failed probe, in characters; it may contain text from a peer.
const REASON_CHARS_MAX: usize = 300;

/// What a probe is about: entity, task, argument.
type Key = (Uid, String, String);

/// An edge of a key: kind and end.
type EdgeKey = (EdgeKind, Uid);

/// The stored outcomes of probes.
pub(in super::super) const FOUND: i64 = 0;
pub(in super::super) const ABSENT: i64 = 1;
pub(in super::super) const UNKNOWN: i64 = 2;

columns! {
    /// The newest probe result of a key, with its open interval.
    #[derive(Default)]
    struct ProbeRow of l {
        outcome: i64,
        at: Timestamp,
        reason: Option<String>,
        searched: Option<i64>,
        open: Option<Open> = { None },
        touched: bool = { false },
        /// There are rows of `evidence`.
        evident: bool = { false },
        evidence_moved: bool = { false },
    }
}

/// An open interval.
struct Open {
    details: Details,
    evidence: EvidenceList,
    opened_at: Timestamp,
    first_run: i64,
    first_at: Timestamp,
    last_run: i64,
    last_at: Timestamp,
}

/// An edge as it was loaded and as it shall be.
struct EdgeRow {
    stored: Option<Details>,
    wanted: Option<Details>,
}

pub(super) struct Batch {
    changes: Changes,
    probes: BTreeMap<Key, ProbeRow>,
    edges: BTreeMap<Key, BTreeMap<EdgeKey, EdgeRow>>,
    /// Names whose look-ups failed and that led to addresses.
    hung_on: BTreeSet<Uid>,
    /// Entities of which a task has an open answer already, asked of those that something new says nothing of itself.
    said: BTreeSet<(Uid, String)>,
    /// Entities that are known, and whether they are present.
    known: BTreeMap<Uid, bool>,
    /// Rows of `intervals`.
    closed: Rows,
    dirty: BTreeSet<Uid>,
    /// Entities whose details changed; the entities that they share details with are dirty, too.
    details_changed: BTreeSet<Uid>,
    /// Rows of `work`.
    second: Rows,
    /// Evidence of answers that were the same but for volatile members: the newest takes its place.
    replaced: BTreeSet<BlobHash>,
    not_done: Vec<NotDone>,
    /// What was done and what is unknown, by footprint and task.
    tasks: BTreeMap<(i64, String), (i64, i64)>,
    latest: Timestamp,
}

/// The columns of a probe that hold its open interval; all null where none is open.
const OPEN: &str = "l.details, l.evidence, l.opened_at, l.first_run, l.first_at, l.last_run, l.last_at";

/// What a new row keeps free for its first update, as many bytes as that adds: SQLite stores the number 1, the first
/// run, in no bytes, and a page that is full would be split for them.
const ROOM: &str = "..";

/// A reason as it is kept.
fn cut(why: &str) -> String {
    why.chars().take(REASON_CHARS_MAX).collect()
}

impl Batch {
    /// Loads the state that the outcomes are compared with.
    pub(super) async fn load<'a>(
        tx: &mut Tx,
        place: ChangeContext,
        outcomes: impl Iterator<Item = &'a Outcome> + Clone,
    ) -> Result<Self, StoreError> {
        let keys: BTreeSet<Key> = outcomes.clone().map(key_of).collect();
        let silent = outcomes.clone().filter(|outcome| says_nothing(outcome)).map(key_of).collect();
        let failed = outcomes.clone().filter(|outcome| is_failed_lookup(outcome)).map(|outcome| outcome.work.uid);
        let failed: Vec<Uid> = failed.collect();
        let mut uids: BTreeSet<Uid> = keys.iter().map(|key| key.0).collect();
        for outcome in outcomes.clone() {
            if let Some(found) = outcome.result.found() {
                uids.extend(
                    found.edges.iter().map(|discovery| Uid::of_entity(place.uuid, discovery.kind, &discovery.name)),
                );
            }
        }
        let probes = load_probes(tx, &keys).await?;
        let mut changes = Changes::new(place);
        let new = outcomes.filter(|outcome| says_something_new(outcome, &probes)).map(|outcome| outcome.work.uid);
        let refolded: Vec<Uid> = new.collect();
        changes.load_entities(tx, refolded).await?;
        let mut known: BTreeMap<Uid, bool> = changes.entities.values().map(|row| (row.uid, row.present)).collect();
        let others: Vec<Uid> = uids.into_iter().filter(|uid| !known.contains_key(uid)).collect();
        let head = "SELECT uid, present FROM entities WHERE uid IN";
        known.extend(tx.read_in::<(Uid, bool), _>(head, Vec::new(), &others, "").await?);
        Ok(Self {
            hung_on: load_hung_on(tx, &failed).await?,
            said: load_said(tx, &silent).await?,
            edges: load_edges(tx, &probes).await?,
            probes,
            changes,
            known,
            closed: Rows::default(),
            dirty: BTreeSet::new(),
            details_changed: BTreeSet::new(),
            second: Rows::default(),
            replaced: BTreeSet::new(),
            not_done: Vec::new(),
            tasks: BTreeMap::new(),
            latest: Timestamp(i64::MIN),
        })
    }

    /// How many second probes the batch plans.
    pub(super) fn second_probes(&self) -> usize {
        self.second.len()
    }

    /// What one outcome changes.
    pub(super) fn apply(&mut self, outcome: &Outcome, evidence: &EvidenceList, lease: &Held) {
        let key = key_of(outcome);
        self.latest = self.latest.max(outcome.at);
        self.dirty.insert(key.0);
        let is_again = self.asks_again(outcome);
        let (done, unknown) = self.tasks.entry((lease.footprint, outcome.work.task.clone())).or_default();
        let not_done = outcome.result.not_done();
        let count = if not_done.is_some() && !is_again { unknown } else { done };
        *count += 1;
        match &outcome.result {
            ProbeResult::Found(found) | ProbeResult::InPart { found, .. } => {
                self.found(&key, found, outcome, evidence);
            }
            ProbeResult::Absent => self.absent(&key, outcome, lease),
            ProbeResult::Unknown { .. } => {}
        }
        for what in outcome.result.found().iter().flat_map(|found| &found.left_out) {
            self.report(outcome, NotDoneReason::LeftOut, what);
        }
        if let Some((reason, why)) = not_done {
            if is_again {
                self.ask(&outcome.work, pair(outcome.work.number) + 2, outcome.at, lease);
            } else {
                self.report(outcome, reason, why);
            }
            self.probes.entry(key).or_default().note(UNKNOWN, outcome, Some(cut(why)));
        }
    }

    /// Tells in the report of the run what an outcome did not bring.
    fn report(&mut self, outcome: &Outcome, reason: NotDoneReason, why: &str) {
        let why = cut(why);
        self.not_done.push(NotDone {
            reason,
            task: outcome.work.task.clone(),
            count: 1,
            example: format!("{} {}: {why}", outcome.work.kind.name(), outcome.work.name),
        });
    }

    fn found(&mut self, key: &Key, found: &Found, outcome: &Outcome, evidence: &EvidenceList) {
        let uuid = self.changes.place.uuid;
        let mut wanted: BTreeMap<EdgeKey, Details> = BTreeMap::new();
        let (sees_entity, sees_ends) = (outcome.sighting == Sighting::Entity, outcome.sighting >= Sighting::Ends);
        if sees_entity {
            self.see(key.0);
        }
        for discovery in &found.edges {
            let uid = Uid::of_entity(uuid, discovery.kind, &discovery.name);
            if let Entry::Vacant(unknown) = self.known.entry(uid) {
                unknown.insert(true);
                self.changes.entities.insert(uid, EntityRow::new(uid, discovery.kind, discovery.name.clone()));
                self.changes.refold.insert(uid);
                self.dirty.insert(uid);
            }
            if sees_ends {
                self.see(uid);
            }
            wanted.entry((discovery.edge, uid)).or_insert_with(|| discovery.details.clone());
        }
        let (run, now) = (self.changes.place.run.map_or(0, |run| run.id), self.changes.place.now);
        let edges = self.edges.entry(key.clone()).or_default();
        stand(&found.standing, edges, &mut wanted);
        let same_edges = same_edges(edges, &wanted, outcome.volatile);
        let probe = self.probes.entry(key.clone()).or_default();
        probe.note(FOUND, outcome, None);
        if let Some(open) = &mut probe.open
            && same_edges
            && same_answer(&open.details, &found.details, outcome.volatile)
        {
            if open.last_run != run {
                // Facts of this run, by which judges may prove.
                let told = edges.iter().filter(|(_, row)| row.wanted.as_ref().is_some_and(|told| !told.is_empty()));
                self.dirty.extend(told.map(|((_, end), _)| *end));
            }
            (open.last_run, open.last_at) = (run, outcome.at);
            if open.evidence != *evidence {
                self.replaced.extend(open.evidence.iter().map(|(_, hash)| *hash));
                open.evidence.clone_from(evidence);
                probe.evidence_moved = true;
            }
            return;
        }
        let before = probe.open.as_ref().map(|open| &open.details);
        let details_same = before.map_or(found.details.is_empty(), |before| *before == found.details);
        // A record lists which tasks succeeded. A result without details therefore changes it only once, for all
        // arguments.
        let told_before = before.is_some() || self.said.contains(&(key.0, key.1.clone()));
        if let Some(open) = probe.open.take() {
            self.closed.push(open.closed_row(key, now));
        }
        probe.open = Some(Open {
            details: found.details.clone(),
            evidence: evidence.clone(),
            opened_at: now,
            first_run: run,
            first_at: outcome.at,
            last_run: run,
            last_at: outcome.at,
        });
        probe.evidence_moved = true;
        if !details_same || !told_before {
            self.changes.refold.insert(key.0);
        }
        self.said.insert((key.0, key.1.clone()));
        if !details_same {
            self.details_changed.insert(key.0);
        }
        self.move_edges(key, &wanted);
    }

    fn absent(&mut self, key: &Key, outcome: &Outcome, lease: &Held) {
        let now = self.changes.place.now;
        let probe = self.probes.entry(key.clone()).or_default();
        probe.note(ABSENT, outcome, None);
        if probe.open.is_none() {
            return;
        }
        if outcome.work.number % 2 == 0 {
            self.ask(&outcome.work, outcome.work.number + 1, outcome.at, lease);
            return;
        }
        if let Some(open) = probe.open.take() {
            self.closed.push(open.closed_row(key, now));
        }
        probe.evidence_moved = true;
        self.changes.refold.insert(key.0);
        self.details_changed.insert(key.0);
        self.move_edges(key, &BTreeMap::new());
    }

    /// Makes the open edges of a key those that are wanted, and marks the ends that this concerns.
    fn move_edges(&mut self, key: &Key, wanted: &BTreeMap<EdgeKey, Details>) {
        let edges = self.edges.entry(key.clone()).or_default();
        for (edge, row) in edges.iter_mut() {
            let new = wanted.get(edge);
            if row.wanted.as_ref() == new {
                continue;
            }
            self.dirty.insert(edge.1);
            if row.wanted.iter().chain(new).any(|details| !details.is_empty()) {
                self.changes.refold.insert(edge.1);
            }
            row.wanted = new.cloned();
        }
        for (edge, details) in wanted {
            if edges.contains_key(edge) {
                continue;
            }
            self.dirty.insert(edge.1);
            if !details.is_empty() {
                self.changes.refold.insert(edge.1);
            }
            let row = EdgeRow { stored: None, wanted: Some(details.clone()) };
            edges.insert(*edge, row);
        }
    }

    /// Present entities are seen; a gone one is again when scope says so.
    fn see(&mut self, uid: Uid) {
        if self.known.get(&uid).copied().unwrap_or(false) {
            self.changes.seen.insert(uid);
        }
    }

    /// Writes everything; answers with the number of new entities.
    pub(super) async fn write(mut self, tx: &mut Tx) -> Result<usize, StoreError> {
        let place = self.changes.place.clone();
        self.changes.read_observations(tx).await?;
        self.write_probes(tx, place.run.map_or(0, |run| run.id)).await?;
        for ((uid, task, argument), probe) in std::mem::take(&mut self.probes) {
            if probe.touched && self.changes.refold.contains(&uid) {
                self.changes.observe(uid, (task, argument), probe.open.map(|open| open.details));
            }
        }
        if let Some(run) = place.run {
            // What this run or anybody else stored meanwhile may be about to be referred to; what is older and
            // nobody's leaves its room to the newest.
            let replaced: Vec<BlobHash> = std::mem::take(&mut self.replaced).into_iter().collect();
            blobs::remove_unreferenced(tx, &replaced, run.started_at, place.now).await?;
            count_not_done(tx, run.id, &self.not_done).await?;
            count_work(tx, run.id, &self.tasks).await?;
        }
        tx.insert("intervals", std::mem::take(&mut self.closed), "").await?;
        self.write_edges(tx).await?;
        tx.insert("work", self.second, "ON CONFLICT DO NOTHING").await?;
        raise_wire_date(tx, &place, self.latest).await?;
        let changed: Vec<Uid> = self.details_changed.into_iter().collect();
        self.dirty.extend(told(tx, &changed).await?);
        mark_dirty(tx, place.collection, self.dirty).await?;
        Ok(self.changes.write(tx).await?.new_entities)
    }

    /// Writes the newest probe of each key, as of a run; of an import the run is 0.
    async fn write_probes(&self, tx: &mut Tx, run: i64) -> Result<(), StoreError> {
        let (mut rows, mut evidence) = (Rows::default(), Rows::default());
        let (mut cleared, mut bodies) = (Vec::new(), Vec::new());
        for ((uid, task, argument), probe) in self.probes.iter().filter(|(_, probe)| probe.touched) {
            let open = probe.open.as_ref();
            rows.push(named! {
                uid,
                task,
                argument,
                outcome: probe.outcome,
                at: probe.at,
                run_id: run,
                reason: probe.reason.clone(),
                searched: probe.searched,
                details: open.map(|open| to_json(&open.details)),
                evidence: open.map(|open| to_json(&open.evidence)),
                opened_at: open.map(|open| open.opened_at),
                first_run: open.map(|open| open.first_run),
                first_at: open.map(|open| open.first_at),
                last_run: open.map(|open| open.last_run),
                last_at: open.map(|open| open.last_at),
                room: ROOM,
            });
            if probe.evidence_moved {
                if probe.evident {
                    cleared.extend(values![uid, task, argument]);
                }
                for (label, hash) in open.iter().flat_map(|open| &open.evidence) {
                    evidence.push(named! { uid, task, argument, hash: *hash });
                    if label == BODY {
                        bodies.push((*hash, *uid));
                    }
                }
            }
        }
        let tail = "ON CONFLICT (uid, task, argument) DO UPDATE SET outcome = excluded.outcome, at = excluded.at, \
                    run_id = excluded.run_id,
                    reason = excluded.reason, searched = excluded.searched, details = excluded.details, evidence = \
                    excluded.evidence,
                    opened_at = excluded.opened_at, first_run = excluded.first_run, first_at = excluded.first_at, \
                    last_run = excluded.last_run,
                    last_at = excluded.last_at, room = NULL";
        tx.insert("looks", rows, tail).await?;
        tx.many("DELETE FROM evidence WHERE (uid, task, argument) IN (", 3, cleared, ")").await?;
        tx.insert("evidence", evidence, "ON CONFLICT DO NOTHING").await?;
        specimens::insert(tx, self.changes.place.collection, bodies, self.changes.place.now).await
    }

    async fn write_edges(&self, tx: &mut Tx) -> Result<(), StoreError> {
        let (mut closed, mut opened) = (Rows::default(), Rows::default());
        let place = &self.changes.place;
        for ((from, task, argument), edges) in &self.edges {
            for ((kind, to), row) in edges.iter().filter(|(_, row)| row.stored != row.wanted) {
                if row.stored.is_some() {
                    closed.push(closed_edge(place, (from, task, argument), *kind, to));
                }
                if let Some(details) = &row.wanted {
                    opened.push(named! {
                        collection_id: place.collection,
                        from_uid: from,
                        task,
                        argument,
                        kind: kind.name(),
                        to_uid: to,
                        details: to_json(details),
                        opened_at: place.now,
                        revision: place.graph,
                    });
                }
            }
        }
        tx.with(closed, CLOSE_EDGES).await?;
        tx.insert("edges", opened, "").await
    }
}

impl ProbeRow {
    fn note(&mut self, ended: i64, outcome: &Outcome, reason: Option<String>) {
        (self.outcome, self.at, self.searched) = (ended, outcome.at, outcome.searched);
        (self.reason, self.touched) = (reason, true);
    }
}

impl Open {
    /// A row of `intervals`.
    fn closed_row(&self, (uid, task, argument): &Key, now: Timestamp) -> [(&'static str, Value); 10] {
        named! {
            uid,
            task,
            argument,
            details: to_json(&self.details),
            opened_at: self.opened_at,
            closed_at: now,
            first_run: self.first_run,
            first_at: self.first_at,
            last_run: self.last_run,
            last_at: self.last_at,
        }
    }
}

fn key_of(outcome: &Outcome) -> Key {
    (outcome.work.uid, outcome.work.task.clone(), outcome.work.argument.clone())
}

/// Adds edges that stand to the wanted ones, as they are open. An edge that is not open cannot stand.
fn stand(standing: &BTreeSet<EdgeKey>, open: &BTreeMap<EdgeKey, EdgeRow>, wanted: &mut BTreeMap<EdgeKey, Details>) {
    for edge in standing {
        if let Some(details) = open.get(edge).and_then(|row| row.wanted.as_ref()) {
            wanted.entry(*edge).or_insert_with(|| details.clone());
        }
    }
}

/// True when the same edges are open, each saying the same of its end, apart from volatile members.
fn same_edges(edges: &BTreeMap<EdgeKey, EdgeRow>, wanted: &BTreeMap<EdgeKey, Details>, volatile: &[&str]) -> bool {
    let open = edges.values().filter(|row| row.wanted.is_some()).count();
    open == wanted.len()
        && wanted.iter().all(|(edge, details)| {
            let known = edges.get(edge).and_then(|row| row.wanted.as_ref());
            known.is_some_and(|known| same_answer(known, details, volatile))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Work;
    use ambit_model::Kind;
    use ambit_model::observation::Discovery;
    use serde_json::json;
    use uuid::Uuid;

    fn domain() -> Uid {
        Uid::from_bytes([1; 32])
    }

    fn batch() -> Batch {
        let place = ChangeContext {
            collection: 1,
            uuid: Uuid::nil(),
            project: 1,
            run: None,
            person: true,
            awaited: true,
            now: Timestamp(0),
            graph: 1,
        };
        Batch {
            changes: Changes::new(place),
            probes: BTreeMap::new(),
            edges: BTreeMap::new(),
            hung_on: BTreeSet::new(),
            said: BTreeSet::new(),
            known: BTreeMap::from([(domain(), true)]),
            closed: Rows::default(),
            dirty: BTreeSet::new(),
            details_changed: BTreeSet::new(),
            second: Rows::default(),
            replaced: BTreeSet::new(),
            not_done: Vec::new(),
            tasks: BTreeMap::new(),
            latest: Timestamp(0),
        }
    }

    /// An answer about the domain that leads to a name.
    fn leads(name: &str, details: serde_json::Value) -> Outcome {
        let lead = Discovery {
            edge: EdgeKind::Subdomain,
            kind: Kind::DnsRecord,
            name: name.to_owned(),
            details: Details::new(),
        };
        let details = details.as_object().cloned().unwrap_or_default();
        let found = Found { details, edges: vec![lead], ..Found::default() };
        let work = Work {
            id: 0,
            run: 0,
            task: "import".to_owned(),
            uid: domain(),
            kind: Kind::Domain,
            name: "acme.test".to_owned(),
            argument: name.to_owned(),
            number: 0,
            attempts: 0,
            fence: 0,
        };
        let at = Timestamp(0);
        Outcome {
            work,
            result: ProbeResult::Found(found),
            volatile: &[],
            sighting: Sighting::Nothing,
            at,
            searched: None,
        }
    }

    fn folds(batch: &mut Batch, outcome: &Outcome) -> bool {
        let lease = Held { wave: 0, footprint: 0, priority: 0, partition: 0 };
        batch.changes.refold.clear();
        batch.apply(outcome, &EvidenceList::new(), &lease);
        batch.changes.refold.contains(&domain())
    }

    #[test]
    fn a_domain_to_which_a_name_is_added_is_folded_once_and_not_for_each() {
        let mut batch = batch();
        assert!(folds(&mut batch, &leads("a.acme.test", json!({}))), "its record shows the task from now on");
        assert!(!folds(&mut batch, &leads("b.acme.test", json!({}))), "it would be read with all its names");
        assert!(!folds(&mut batch, &leads("b.acme.test", json!({}))));
        assert!(folds(&mut batch, &leads("c.acme.test", json!({"title": "x"}))), "something is said of it");
        assert!(folds(&mut batch, &leads("c.acme.test", json!({}))), "and no longer said");
        assert_eq!(batch.details_changed, BTreeSet::from([domain()]));
    }
}
