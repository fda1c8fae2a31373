//! Writing the rows of folded entities.

use super::{EntityRow, Folded, Sighted, Stored};
use crate::StoreError;
use crate::db::rows::{Rows, named};
use crate::db::sql::{Tx, Value, to_json, values};
use crate::record::reverted::{Previous, write_reverted};
use crate::record::{Changes, Closed, Stamps, close_versions, free_ids, keep_sightings};
use ambit_model::Uid;
use ambit_model::entity::ip_address;
use ambit_model::feed::{Noun, What};
use std::collections::BTreeMap;

impl Changes {
    /// Writes the rows of folded entities, their closed versions and the collection's counters. Answers with the number
    /// of new ones.
    pub(in crate::record) async fn write_entities(
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
                decision: &fold.decision,
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
        let mut updates = Updates::default();
        let (mut closed, mut seen_again, mut reverted) = (Vec::new(), Vec::new(), BTreeMap::new());
        for fold in folded {
            let row = &self.entities[&fold.uid];
            let stored = row.stored.as_ref().expect("only old ones");
            let same_decision = stored.decision == fold.decision;
            if !fold.text_moved && !fold.changed() && stored.observed == row.observed && same_decision {
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
            let columns = named! {
                uid: fold.uid,
                record: &fold.text,
                opened_at: opened.1,
                opened_revision: opened.0,
                scoped_at,
                version_run,
                turned_run: self.turn(fold).1,
                last_seen: sighted.last_seen,
                seen_from: sighted.seen_from,
                seen_to: sighted.seen_to,
            };
            updates.push(row, stored, fold, (columns.into(), self.place.graph));
            if sighted.seen_revision != stored.sighted.seen_revision && !fold.changed() {
                updates.seen.push(named! { uid: fold.uid, seen_revision: sighted.seen_revision });
            }
        }
        close_versions(tx, &closed, stamps).await?;
        write_reverted(tx, Noun::Entity, &reverted).await?;
        keep_sightings(tx, "entities", &seen_again, run).await?;
        updates.write(tx).await
    }

    /// When a folded entity was seen last: what `touch` writes of those that are only seen, here in the one statement
    /// that writes the record, since a second look at a long row costs as much as the first.
    fn sighted(&self, fold: &Folded, stored: &Stored, stamps: &Stamps) -> Sighted {
        match stamps.get(&fold.uid) {
            Some(stamp) if self.seen.contains(&fold.uid) => stored.sighted.again(self.place.run_number(), *stamp),
            Some((seen_revision, _)) if !fold.changed() => Sighted { seen_revision: *seen_revision, ..stored.sighted },
            _ => stored.sighted,
        }
    }
}

/// Rows of `entities` that are there already, by the columns that move besides the record and its moments: a column
/// that is written is written to each index that has it.
#[derive(Default)]
struct Updates {
    unmoved: Rows,
    /// Of which something is observed now that was not, or nothing any more.
    observed: Rows,
    moved: Rows,
    /// Those without a row of the feed, whose readers learn of them by the revision at which they were seen.
    seen: Rows,
}

impl Updates {
    fn push(
        &mut self,
        row: &EntityRow,
        stored: &Stored,
        fold: &Folded,
        (mut columns, graph): (Vec<(&'static str, Value)>, i64),
    ) {
        let shared = ip_address::shared_by(&fold.record.details).number();
        let same_flags = stored.flags == row.flags() && stored.tags == row.tags && stored.decision == fold.decision;
        let rows = if !same_flags || stored.present != row.present || stored.shared != shared {
            columns.extend(named! {
                seed: row.seed,
                hidden: row.hidden,
                allow_list: row.allow_list,
                deny_list: row.deny_list,
                tags: to_json(&row.tags),
                decision: &fold.decision,
                present: row.present,
                observed: row.observed,
                shared,
                revision: graph,
            });
            &mut self.moved
        } else if stored.observed != row.observed {
            columns.extend(named! { observed: row.observed, revision: graph });
            &mut self.observed
        } else {
            &mut self.unmoved
        };
        rows.push(columns);
    }

    async fn write(self, tx: &mut Tx) -> Result<(), StoreError> {
        for rows in [self.unmoved, self.observed, self.moved, self.seen] {
            tx.update("entities", rows).await?;
        }
        Ok(())
    }
}
