//! Analyses of uploaded files as the engine sees them: which wait for their results, and what these are.

use super::Engine;
use crate::Result;
use crate::db::rows::{columns, select};
use crate::db::sql::{to_json, values};
use crate::db::writer::transaction;
use crate::wider::analyses;
use ambit_model::Timestamp;
use ambit_model::id::BlobHash;
use serde_json::{Map, Value};

columns! {
    /// An analysis that waits for its results.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct WaitingAnalysis of f {
        pub number: i64 = "a.number",
        pub sha256: BlobHash,
        pub sha1: String,
        pub md5: String,
    }
}

impl Engine {
    /// Analyses that wait, oldest first.
    pub async fn waiting_analyses(&self, limit: i64) -> Result<Vec<WaitingAnalysis>> {
        let sql = select::<WaitingAnalysis>(
            "FROM analyses a JOIN files f ON f.sha256 = a.sha256 WHERE a.finished_at IS NULL
             AND f.project_id = (SELECT MIN(o.project_id) FROM files o WHERE o.sha256 = a.sha256)
             ORDER BY a.number LIMIT $1",
        );
        self.store.read().await?.read_all(&sql, values![limit]).await
    }

    /// Finishes an analysis; one that another engine finished stays.
    pub async fn record_analysis(&self, number: i64, results: &Map<String, Value>, now: Timestamp) -> Result<()> {
        let (positives, results) = (analyses::positives(results), to_json(results));
        transaction!(self.store, Engine, async |tx| {
            let sql = "UPDATE analyses SET finished_at = $1, results = $2, positives = $3 WHERE number = $4 AND \
                       finished_at IS NULL RETURNING sha256";
            let finished: Option<BlobHash> = tx.read_first(sql, values![now, results, positives, number]).await?;
            match finished {
                Some(sha256) => analyses::refresh_facts(tx, sha256).await,
                None => Ok(()),
            }
        })
    }
}
