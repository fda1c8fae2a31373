//! Judging again what is stored, outside any run: something else is known against products than before, and nobody
//! asked anything. What is found so is of today, its evidence of the last look.

use super::issues::{Moved, write_issues};
use super::{Engine, IssueWrite, Known, facts};
use crate::db::sql::{Tx, from_json, values, whole};
use crate::db::writer::transaction;
use crate::inventory::collections;
use crate::record::{ChangeContext, Changes, Vulns};
use crate::{Result, StoreError};
use ambit_model::wire::WireChoice;
use ambit_model::{Timestamp, Uid};
use std::collections::BTreeMap;

/// An entity that shows products, with what judges take of it but for its neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct Showing {
    /// The number of its collection.
    pub collection: i64,
    /// The date as of which it is judged: today on the internet, on another wire that of the last results.
    pub date: Timestamp,
    pub known: Known,
}

/// What judging entities of one collection again leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Reassessment {
    /// The number of the collection.
    pub collection: i64,
    pub issues: Vec<IssueWrite>,
    /// Entities against whose products something else is known than before.
    pub vulns: Vec<(Uid, Vulns)>,
    /// The date as of which they were judged.
    pub at: Timestamp,
    /// Wall time.
    pub now: Timestamp,
}

impl Engine {
    /// Returns the name of what was known when everything was judged by it last; empty: never.
    pub async fn judged_by(&self) -> Result<String> {
        self.store.read().await?.read_one("SELECT knowledge FROM judged", Vec::new()).await
    }

    /// Notes that everything was judged by what has this name.
    pub async fn note_judged_by(&self, knowledge: &str) -> Result<()> {
        let knowledge = knowledge.to_owned();
        transaction!(self.store, Engine, async |tx| {
            tx.run("UPDATE judged SET knowledge = $1", values![knowledge]).await.map(|_| ())
        })
    }

    /// Returns the next present entities of all collections that show products, in the order of their uids, and the
    /// last uid that was looked at; `None`: there are no more.
    pub async fn showing_products(
        &self,
        after: Option<Uid>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Option<(Uid, Vec<Showing>)>> {
        let mut tx = self.store.read().await?;
        let after = after.unwrap_or(Uid::from_bytes([0; 32]));
        let sql = "SELECT DISTINCT entity_uid FROM entity_technologies WHERE entity_uid > $1 ORDER BY entity_uid LIMIT \
                   $2";
        let uids: Vec<Uid> = tx.read_all(sql, values![after, whole(limit)]).await?;
        let Some(last) = uids.last().copied() else { return Ok(None) };
        Ok(Some((last, showing(&mut tx, &uids, now).await?)))
    }

    /// Writes what follows for entities of a collection; nothing where it was deleted meanwhile.
    pub async fn reassess(&self, reassessment: Reassessment) -> Result<Moved> {
        let written = transaction!(self.store, Engine, async |tx| {
            let Reassessment { collection, issues, vulns, at, now } = reassessment;
            collections::lock(tx, collection).await?;
            let mut changes = Changes::new(ChangeContext::enter(tx, collection, None, false, now).await?);
            changes.write_vulns(tx, &vulns).await?;
            let moved = write_issues(tx, &mut changes, &issues, at).await?;
            changes.write(tx).await.map(|_| moved)
        });
        match written {
            Err(StoreError::NotFound) => Ok(Moved::default()),
            written => written,
        }
    }
}

/// Entities of all collections with what judges take of them but for their neighbours.
pub(super) async fn showing(tx: &mut Tx, uids: &[Uid], now: Timestamp) -> Result<Vec<Showing>> {
    let head = "SELECT e.uid, c.id, c.wire, c.wire_at FROM entities e JOIN collections c ON c.id = e.collection_id \
                WHERE c.deleted_at IS NULL AND e.uid IN";
    let mut places: BTreeMap<(i64, Timestamp), Vec<Uid>> = BTreeMap::new();
    for (uid, collection, wire, at) in
        tx.read_in::<(Uid, i64, String, Timestamp), _>(head, Vec::new(), uids, "").await?
    {
        let date = match from_json(&wire)? {
            WireChoice::Live => now,
            WireChoice::Simulated { .. } => at,
        };
        places.entry((collection, date)).or_default().push(uid);
    }
    let mut showing = Vec::new();
    for ((collection, date), uids) in places {
        let known = facts::alone(tx, collection, &uids).await?;
        showing.extend(known.into_iter().map(|known| Showing { collection, date, known }));
    }
    Ok(showing)
}
