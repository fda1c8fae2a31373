//! Analyses of files: one row each, from the transaction that asked for it. Where no pack is loaded there is nobody to
//! ask and it is finished at once, without a result; else the engine finishes it.

use crate::db::rows::{columns, list, named, select};
use crate::db::sql::{Tx, values, whole};
use crate::db::writer::transaction;
use crate::{Result, Store};
use ambit_model::Timestamp;
use ambit_model::id::BlobHash;
use ambit_model::moment::SECOND_MS;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

columns! {
    /// An analysis.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Analysis {
        pub sha256: BlobHash,
        /// Seconds since 1970: part of its id.
        pub second: i64,
        pub finished: bool = ("finished_at", |at: Option<Timestamp>| at.is_some()),
        /// By engine.
        pub results: Map<String, Value> = (json),
    }
}

/// How many engines found something, of the results of an analysis.
pub(crate) fn positives(results: &Map<String, Value>) -> i64 {
    let found = |one: &&Value| one["category"] == "malicious" || one["category"] == "suspicious";
    whole(results.values().filter(found).count())
}

/// Asks for an analysis; one of the same second is the same.
pub(crate) async fn insert(tx: &mut Tx, sha256: BlobHash, now: Timestamp) -> Result<()> {
    let asked = tx.read_one::<i64>("SELECT COUNT(*) FROM packs WHERE kind <> 'fingerprints'", Vec::new()).await? > 0;
    let finished = (!asked).then_some(now);
    let row = named! { sha256, second: now.0.div_euclid(SECOND_MS), finished_at: finished };
    tx.insert_new("analyses", "sha256, second", row).await?;
    if asked { Ok(()) } else { refresh_facts(tx, sha256).await }
}

/// Takes over what the newest finished analysis of a file says.
pub(crate) async fn refresh_facts(tx: &mut Tx, sha256: BlobHash) -> Result<()> {
    let sql = "SELECT positives, finished_at FROM analyses WHERE sha256 = $1 AND finished_at IS NOT NULL
               ORDER BY second DESC LIMIT 1";
    let Some((positives, at)) = tx.read_first::<(i64, Timestamp)>(sql, values![sha256]).await? else { return Ok(()) };
    let sql = "UPDATE file_facts SET positives = $1, analysed_at = CASE WHEN analysed_at > $2 THEN analysed_at ELSE \
               $2 END WHERE sha256 = $3 AND project_id >= 0";
    tx.run(sql, values![positives, at, sha256]).await.map(|_| ())
}

impl Store {
    /// Asks for another analysis of a file.
    pub async fn analyse_file(&self, sha256: BlobHash, now: Timestamp) -> Result<()> {
        transaction!(self, Person, async |tx| insert(tx, sha256, now).await)
    }

    /// An analysis of a file by its second.
    pub async fn find_analysis(&self, sha256: BlobHash, second: i64) -> Result<Analysis> {
        let mut tx = self.read().await?;
        tx.find(&select::<Analysis>("FROM analyses WHERE sha256 = $1 AND second = $2"), values![sha256, second]).await
    }

    /// The newest finished analyses of some files, by their hash.
    pub async fn last_analyses(&self, files: &[BlobHash]) -> Result<BTreeMap<BlobHash, Analysis>> {
        if files.is_empty() {
            return Ok(BTreeMap::new());
        }
        let select = list::<Analysis>();
        let head = format!("SELECT {select} FROM analyses WHERE finished_at IS NOT NULL AND sha256 IN");
        let analyses: Vec<Analysis> = self.read().await?.read_in(&head, Vec::new(), files, "ORDER BY second").await?;
        // Later ones take the place of earlier ones.
        Ok(analyses.into_iter().map(|one| (one.sha256, one)).collect())
    }

    /// The newest finished analysis of a file.
    pub async fn last_analysis(&self, sha256: BlobHash) -> Result<Option<Analysis>> {
        Ok(self.last_analyses(&[sha256]).await?.remove(&sha256))
    }
}
