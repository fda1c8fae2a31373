//! Telling products anew out of what looks left, outside any run: other rules than before say which products a stored
//! answer shows, and nobody asks for another one.

use super::commit::EvidenceList;
use super::{Engine, Showing};
use crate::db::sql::{from_json, to_json, values, whole};
use crate::db::writer::transaction;
use crate::inventory::collections;
use crate::record::{ChangeContext, Changes};
use crate::{Result, StoreError};
use ambit_model::observation::Evidence;
use ambit_model::{Details, TaskName, Timestamp, Uid};
use std::collections::BTreeSet;

/// What an open look of an entity left.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// The number of the entity's collection.
    pub collection: i64,
    pub entity: Uid,
    /// The name of the entity.
    pub name: String,
    pub task: TaskName,
    pub argument: String,
    pub details: Details,
    pub evidence: Vec<Evidence>,
}

/// Details of a look that are others now.
#[derive(Clone, Debug, PartialEq)]
pub struct Telling {
    pub entity: Uid,
    pub task: TaskName,
    pub argument: String,
    /// As they were read: where a run wrote others meanwhile, these stay.
    pub before: Details,
    pub after: Details,
}

/// A look as its row has it, without its evidence.
type LookRow = (Uid, i64, String, (String, String), (String, Option<String>));

impl Engine {
    /// Returns the name of the rules by which products were told last; empty: never.
    pub async fn told_by(&self) -> Result<String> {
        self.store.read().await?.read_one("SELECT rules FROM judged", Vec::new()).await
    }

    /// Notes that products were told by the rules of this name.
    pub async fn note_told_by(&self, rules: &str) -> Result<()> {
        let rules = rules.to_owned();
        transaction!(self.store, Engine, async |tx| {
            tx.run("UPDATE judged SET rules = $1", values![rules]).await.map(|_| ())
        })
    }

    /// Returns what looks of the tasks left of the next entities that anybody looked at, in the order of their uids,
    /// and the last uid; `None`: there are no more.
    pub async fn looks_of(
        &self,
        tasks: &[TaskName],
        after: Option<Uid>,
        limit: usize,
    ) -> Result<Option<(Uid, Vec<Look>)>> {
        let mut tx = self.store.read().await?;
        let after = after.unwrap_or(Uid::from_bytes([0; 32]));
        let sql = "SELECT DISTINCT uid FROM looks WHERE uid > $1 ORDER BY uid LIMIT $2";
        let uids: Vec<Uid> = tx.read_all(sql, values![after, whole(limit)]).await?;
        let Some(last) = uids.last().copied() else { return Ok(None) };
        let head = "SELECT l.uid, e.collection_id, e.name, l.task, l.argument, l.details, l.evidence FROM looks l JOIN \
                    entities e ON e.uid = l.uid JOIN collections c ON c.id = e.collection_id WHERE l.details IS NOT \
                    NULL AND c.deleted_at IS NULL AND l.uid IN";
        let rows: Vec<LookRow> = tx.read_in(head, Vec::new(), &uids, "").await?;
        tx.rollback().await?;
        let mut looks = Vec::new();
        for (entity, collection, name, (task, argument), (details, kept)) in rows {
            let Some(task) = TaskName::from_name(&task).filter(|task| tasks.contains(task)) else { continue };
            let kept: EvidenceList = kept.map_or(Ok(Vec::new()), |text| from_json(&text))?;
            let mut evidence = Vec::new();
            for (label, hash) in kept {
                evidence.extend(self.blob(hash).await?.map(|bytes| Evidence { label, bytes }));
            }
            looks.push(Look { collection, entity, name, task, argument, details: from_json(&details)?, evidence });
        }
        Ok(Some((last, looks)))
    }

    /// Writes what looks at entities of a collection tell now, and returns the entities whose records may be others;
    /// none where the collection was deleted meanwhile. Nothing counts as seen.
    pub async fn tell_anew(&self, collection: i64, tellings: Vec<Telling>, now: Timestamp) -> Result<BTreeSet<Uid>> {
        let written = transaction!(self.store, Engine, async |tx| {
            collections::lock(tx, collection).await?;
            let mut changes = Changes::new(ChangeContext::enter(tx, collection, None, false, now).await?);
            let mut told = BTreeSet::new();
            for Telling { entity, task, argument, before, after } in &tellings {
                let sql = "SELECT details FROM looks WHERE uid = $1 AND task = $2 AND argument = $3";
                let stored: Option<Option<String>> =
                    tx.read_first(sql, values![*entity, task.as_str(), argument]).await?;
                let is_same = match stored.flatten() {
                    Some(stored) => from_json::<Details>(&stored)? == *before,
                    None => false,
                };
                if is_same {
                    let sql = "UPDATE looks SET details = $1 WHERE uid = $2 AND task = $3 AND argument = $4";
                    tx.run(sql, values![to_json(after), *entity, task.as_str(), argument]).await?;
                    told.insert(*entity);
                }
            }
            changes.refold.extend(told.iter().copied());
            changes.write(tx).await.map(|_| told)
        });
        match written {
            Err(StoreError::NotFound) => Ok(BTreeSet::new()),
            written => written,
        }
    }

    /// Returns entities as [`Engine::showing_products`] does, whether they show products or not.
    pub async fn showing(&self, uids: &[Uid], now: Timestamp) -> Result<Vec<Showing>> {
        let mut tx = self.store.read().await?;
        super::reassess::showing(&mut tx, uids, now).await
    }
}
