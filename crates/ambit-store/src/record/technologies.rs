//! Technologies: derived from the fingerprints of present entities, counted, and versioned like the others.

use super::entities::Folded;
use super::reverted::{Reverted, previous_versions, write_reverted};
use super::vulns::Vulns;
use super::{ChangeContext, Changes, Closed, EntityRow, Stamps, Step, close_versions, free_ids, touch};
use crate::StoreError;
use crate::db::rows::{Rows, columns, list, named};
use crate::db::sql::{Tx, from_json, to_json};
use ambit_model::feed::{Noun, What};
use ambit_model::technology::TechnologyRecord;
use ambit_model::{Timestamp, Uid};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Technologies that one transaction changes or sees again.
pub(super) struct Technologies {
    /// (entity, technology) pairs to be added and removed.
    added: BTreeSet<(Uid, Uid)>,
    removed: BTreeSet<(Uid, Uid)>,
    changed: BTreeMap<Uid, Changed>,
    seen: Vec<Uid>,
}

struct Changed {
    text: String,
    what: What,
    stored: Option<Stored>,
    reverted: Reverted,
}

columns! {
    struct Stored {
        text: String = "record",
        opened_at: Timestamp,
        opened_revision: i64,
        version_run: i64,
    }
}

/// The technologies that a record's fingerprints show.
fn shown(fold: &Folded, collection: Uuid) -> BTreeMap<Uid, TechnologyRecord> {
    let mut technologies: BTreeMap<Uid, TechnologyRecord> = BTreeMap::new();
    let items = if fold.record.present { fold.record.fingerprint.as_slice() } else { &[] };
    let known = |item: &Value| {
        let cpe = item.get("cpe").and_then(Value::as_str);
        cpe.and_then(|cpe| fold.record.vulnerabilities.get(cpe)).cloned().unwrap_or_default()
    };
    for item in items {
        let text = |member: &str| item.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (vendor, product, version) = (text("vendor"), text("product"), text("version"));
        if product.is_empty() {
            continue;
        }
        let uid = Uid::of_technology(collection, &vendor, &product, &version);
        let list = |member: &str| item.get(member).and_then(Value::as_array).cloned().unwrap_or_default();
        let strings =
            |member: &str| list(member).iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>();
        let record = TechnologyRecord {
            uid,
            collection,
            vendor,
            product,
            version,
            cpe: item.get("cpe").and_then(Value::as_str).map(str::to_owned),
            labels: strings("tags"),
            entity_count: 0,
            vulns: known(item),
        };
        match technologies.get_mut(&uid) {
            Some(known) => merge(known, &record),
            None => {
                technologies.insert(uid, record);
            }
        }
    }
    technologies
}

/// What several fingerprints say of one technology, whatever their order: all labels and vulnerabilities, the lowest
/// CPE.
fn merge(known: &mut TechnologyRecord, other: &TechnologyRecord) {
    let union = |a: &[String], b: &[String]| a.iter().chain(b).cloned().collect::<BTreeSet<_>>().into_iter().collect();
    known.labels = union(&known.labels, &other.labels);
    known.vulns = union(&known.vulns, &other.vulns);
    known.cpe = known.cpe.iter().chain(&other.cpe).min().cloned();
}

/// The vulnerabilities that a record named before and does not any more.
fn no_longer_said(changes: &Changes, fold: &Folded) -> Result<BTreeSet<String>, StoreError> {
    let mut ids = changes.entities[&fold.uid].shown_vulns()?;
    if fold.record.present {
        for id in fold.record.vulnerabilities.values().flatten() {
            ids.remove(id);
        }
    }
    Ok(ids)
}

/// Compares what changed records show now with the stored pairs.
pub(super) async fn derive(
    tx: &mut Tx,
    changes: &Changes,
    folded: &BTreeMap<Uid, Folded>,
) -> Result<Technologies, StoreError> {
    let mut technologies =
        Technologies { added: BTreeSet::new(), removed: BTreeSet::new(), changed: BTreeMap::new(), seen: Vec::new() };
    let moved: Vec<Uid> = folded.values().filter(|fold| fold.changed()).map(|fold| fold.uid).collect();
    let mut pairs: BTreeMap<Uid, BTreeSet<Uid>> = BTreeMap::new();
    let related: Vec<Uid> = moved.iter().copied().filter(|uid| changes.entities[uid].is_related()).collect();
    let head = "SELECT entity_uid, technology_uid FROM entity_technologies WHERE entity_uid IN";
    for (entity, technology) in tx.read_in::<(Uid, Uid), _>(head, Vec::new(), &related, "").await? {
        pairs.entry(entity).or_default().insert(technology);
    }
    let mut said: BTreeMap<Uid, TechnologyRecord> = BTreeMap::new();
    let mut deltas: BTreeMap<Uid, i64> = BTreeMap::new();
    let mut unsaid: BTreeMap<Uid, BTreeSet<String>> = BTreeMap::new();
    for uid in &moved {
        let now = shown(&folded[uid], changes.place.uuid);
        let before = pairs.remove(uid).unwrap_or_default();
        let gone = no_longer_said(changes, &folded[uid])?;
        for technology in before.iter().filter(|_| !gone.is_empty()) {
            unsaid.entry(*technology).or_default().extend(gone.iter().cloned());
        }
        for technology in before.iter().filter(|technology| !now.contains_key(technology)) {
            technologies.removed.insert((*uid, *technology));
            *deltas.entry(*technology).or_default() -= 1;
        }
        for (technology, record) in now {
            let delta = deltas.entry(technology).or_default();
            if !before.contains(&technology) {
                technologies.added.insert((*uid, technology));
                *delta += 1;
            }
            said.entry(technology).and_modify(|known| merge(known, &record)).or_insert(record);
        }
    }
    let unsaid = Unsaid::new(tx, unsaid, &technologies.removed).await?;
    technologies.compare(tx, &deltas, said, &unsaid).await?;
    technologies.find_reverted(tx, &changes.place).await?;
    technologies.find_seen(tx, changes).await?;
    Ok(technologies)
}

/// Vulnerabilities that an entity no longer names, which its technologies may have of it alone.
struct Unsaid {
    /// By technology.
    ids: BTreeMap<Uid, BTreeSet<String>>,
    /// What entities that show the technology still name, by technology and CPE.
    still: BTreeMap<(Uid, String), BTreeSet<String>>,
}

impl Unsaid {
    /// Reads what the others name, only where something is named no longer. `removed` are the pairs of entity and
    /// technology that are about to go.
    async fn new(
        tx: &mut Tx,
        ids: BTreeMap<Uid, BTreeSet<String>>,
        removed: &BTreeSet<(Uid, Uid)>,
    ) -> Result<Self, StoreError> {
        let uids: Vec<Uid> = ids.keys().copied().collect();
        let head = "SELECT t.technology_uid, t.entity_uid, v.vulns FROM entity_technologies t JOIN entity_vulns v ON \
                    v.uid = t.entity_uid WHERE t.technology_uid IN";
        let mut still: BTreeMap<(Uid, String), BTreeSet<String>> = BTreeMap::new();
        for (technology, entity, vulns) in tx.read_in::<(Uid, Uid, String), _>(head, Vec::new(), &uids, "").await? {
            if removed.contains(&(entity, technology)) {
                continue;
            }
            for (cpe, named) in from_json::<Vulns>(&vulns)? {
                still.entry((technology, cpe)).or_default().extend(named);
            }
        }
        Ok(Self { ids, still })
    }

    /// Takes from a technology what no entity names any more.
    fn take_from(&self, record: &mut TechnologyRecord) {
        let Some(ids) = self.ids.get(&record.uid) else { return };
        let still = record.cpe.as_ref().and_then(|cpe| self.still.get(&(record.uid, cpe.clone())));
        record.vulns.retain(|id| !ids.contains(id) || still.is_some_and(|still| still.contains(id)));
    }
}

impl Technologies {
    async fn compare(
        &mut self,
        tx: &mut Tx,
        deltas: &BTreeMap<Uid, i64>,
        mut said: BTreeMap<Uid, TechnologyRecord>,
        unsaid: &Unsaid,
    ) -> Result<(), StoreError> {
        let uids: Vec<Uid> = deltas.keys().copied().collect();
        let head = format!("SELECT uid, {} FROM technologies WHERE uid IN", list::<Stored>());
        for (uid, stored) in tx.read_in::<(Uid, Stored), _>(&head, Vec::new(), &uids, "").await? {
            let mut record: TechnologyRecord = from_json(&stored.text)?;
            let before = record.entity_count;
            unsaid.take_from(&mut record);
            if let Some(said) = said.remove(&uid) {
                merge(&mut record, &said);
            }
            record.entity_count += deltas[&uid];
            let new = to_json(&record);
            if new != stored.text {
                let what = match (before, record.entity_count) {
                    (_, 0) if before > 0 => What::Disappeared,
                    (0, _) => What::Appeared,
                    _ => What::Changed,
                };
                let stored = Some(stored);
                self.changed.insert(uid, Changed { text: new, what, stored, reverted: Reverted::default() });
            }
        }
        for (uid, mut record) in said {
            record.entity_count = deltas[&uid];
            let same = record.clone();
            merge(&mut record, &same);
            let (text, what) = (to_json(&record), What::Appeared);
            self.changed.insert(uid, Changed { text, what, stored: None, reverted: Reverted::default() });
        }
        Ok(())
    }

    /// Compares what changes of this run's own versions with the versions before them.
    async fn find_reverted(&mut self, tx: &mut Tx, place: &ChangeContext) -> Result<(), StoreError> {
        let opened = self.changed.iter().filter_map(|(uid, changed)| {
            let stored = changed.stored.as_ref()?;
            place.opened(stored.version_run).then_some((*uid, stored.opened_revision))
        });
        for (uid, previous) in previous_versions(tx, place, Noun::Technology, &opened.collect()).await? {
            let changed = self.changed.get_mut(&uid).expect("it was asked for");
            let there = |text: &str| from_json::<TechnologyRecord>(text).map(|record| record.entity_count > 0);
            let turned = there(&previous.record)? != there(&changed.text)?;
            let same = previous.record == changed.text;
            changed.reverted = Reverted::of(previous, same, turned, changed.what);
        }
        Ok(())
    }

    /// A technology is seen when an entity that shows it is.
    async fn find_seen(&mut self, tx: &mut Tx, changes: &Changes) -> Result<(), StoreError> {
        if changes.place.run.is_none() {
            return Ok(());
        }
        let may_show = |uid: &Uid| changes.entities.get(uid).is_none_or(EntityRow::is_related);
        let entities: Vec<Uid> = changes.seen.iter().copied().filter(may_show).collect();
        let mut seen: BTreeSet<Uid> = self.added.iter().map(|(_, technology)| *technology).collect();
        let head = "SELECT DISTINCT technology_uid FROM entity_technologies WHERE entity_uid IN";
        seen.extend(tx.read_in::<Uid, _>(head, Vec::new(), &entities, "").await?);
        self.seen = seen.into_iter().collect();
        Ok(())
    }

    pub(super) fn steps(&self) -> impl Iterator<Item = Step> {
        let step = |uid: &Uid, what| Step { noun: Noun::Technology, uid: *uid, what };
        let changed = self.changed.iter().map(move |(uid, changed)| step(uid, changed.reverted.what(changed.what)));
        let seen = self.seen.iter().filter(|uid| !self.changed.contains_key(uid));
        changed.chain(seen.map(move |uid| step(uid, What::Seen)))
    }

    pub(super) async fn write(self, tx: &mut Tx, place: &ChangeContext, stamps: &Stamps) -> Result<(), StoreError> {
        let pairs = |pairs: &BTreeSet<(Uid, Uid)>| -> Rows {
            pairs.iter().map(|(entity_uid, technology_uid)| named! { entity_uid, technology_uid }).collect()
        };
        let removal = "DELETE FROM entity_technologies WHERE (entity_uid, technology_uid) IN (SELECT * FROM v)";
        tx.with(pairs(&self.removed), removal).await?;
        tx.insert("entity_technologies", pairs(&self.added), "ON CONFLICT DO NOTHING").await?;
        let run = place.run_number();
        let new: Vec<Uid> =
            self.changed.iter().filter(|(_, changed)| changed.stored.is_none()).map(|(uid, _)| *uid).collect();
        let ids = free_ids(tx, "technologies", &new).await?;
        let (mut inserts, mut updates, mut replaced) = (Rows::default(), Rows::default(), Rows::default());
        let (mut closed, mut reverted) = (Vec::new(), BTreeMap::new());
        for (uid, changed) in &self.changed {
            let (revision, at) = stamps[uid];
            let Some(stored) = &changed.stored else {
                inserts.push(named! {
                    uid,
                    id: ids[uid],
                    collection_id: place.collection,
                    record: &changed.text,
                    opened_at: at,
                    opened_revision: revision,
                    first_seen: at,
                    last_seen: at,
                    first_run: run,
                    seen_from: run,
                    seen_to: run,
                    version_run: run,
                });
                continue;
            };
            reverted.insert(*uid, (stored.opened_revision, changed.reverted.clone()));
            let ((opened_revision, opened_at), version_run) = match &changed.reverted.version {
                Some(previous) => ((previous.opened_revision, previous.opened_at), 0),
                None => ((revision, at), run),
            };
            let replaces = !place.opened(stored.version_run);
            if !replaces && changed.reverted.version.is_none() {
                replaced.push(named! { uid, record: &changed.text });
                continue;
            }
            updates.push(named! { uid, record: &changed.text, opened_at, opened_revision, version_run });
            if !replaces {
                continue;
            }
            closed.push(Closed {
                noun: Noun::Technology,
                uid: *uid,
                opened_at: stored.opened_at,
                opened_revision: stored.opened_revision,
                record: &stored.text,
            });
        }
        tx.insert("technologies", inserts, "").await?;
        close_versions(tx, &closed, stamps).await?;
        write_reverted(tx, Noun::Technology, &reverted).await?;
        tx.update("technologies", updates).await?;
        tx.update("technologies", replaced).await?;
        let seen: Vec<Uid> = self.seen.iter().copied().filter(|uid| !new.contains(uid)).collect();
        touch(tx, "technologies", &seen, stamps, run).await
    }
}
