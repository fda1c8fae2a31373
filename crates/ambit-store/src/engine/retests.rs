//! What a run needs that looks at one issue alone, and what came of it.

use super::Engine;
use crate::Result;
use crate::db::sql::{from_json, values};
use crate::db::writer::transaction;
use ambit_model::Uid;
use ambit_model::id::RunId;
use ambit_model::issue::IssueRecord;
use ambit_model::run::RetestVerdict;

impl Engine {
    /// An issue as it is now; `None` where there is none.
    pub async fn issue(&self, uid: Uid) -> Result<Option<IssueRecord>> {
        let record: Option<String> = self
            .read(move |tx| {
                Box::pin(async move { tx.read_first("SELECT record FROM issues WHERE uid = $1", values![uid]).await })
            })
            .await?;
        record.as_deref().map(from_json).transpose()
    }

    /// Records the verdict of a run about the issue that it tested.
    pub async fn note_verdict(&self, run: RunId, verdict: RetestVerdict) -> Result<()> {
        transaction!(self.store, Engine, async |tx| {
            tx.run("UPDATE runs SET verdict = $1 WHERE id = $2", values![verdict.name(), run]).await.map(drop)
        })
    }
}
