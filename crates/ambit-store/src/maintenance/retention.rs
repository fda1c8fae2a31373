//! How long what is over is kept: closed versions of records with what they were folded from, and the bytes of evidence
//! that nobody has seen again. What is shown now always stays.

use crate::db::rows::{Rows, named, or_set};
use crate::db::sql::{SWEPT_ROWS_MAX, Tx, values};
use crate::{Result, Retention, Store, StoreError};
use ambit_model::feed::Noun;
use ambit_model::id::BlobHash;
use ambit_model::{Timestamp, Uid};

/// The moment since which versions are kept, among the positions of readers.
const KEPT_SINCE: &str = "versions kept since";

/// The moment since which every version is kept; `None`: since the beginning.
pub(crate) async fn kept_since(tx: &mut Tx) -> Result<Option<Timestamp>> {
    tx.read_first("SELECT revision FROM positions WHERE reader = $1", values![KEPT_SINCE]).await
}

/// Refuses a moment of which not everything is kept.
pub(crate) async fn require_kept(tx: &mut Tx, moment: Timestamp) -> Result<()> {
    match kept_since(tx).await? {
        Some(since) if moment < since => Err(StoreError::Invalid(format!(
            "what was shown before {since} is not kept any more: ask for that moment or a later one"
        ))),
        _ => Ok(()),
    }
}

impl Store {
    /// The moment since which every version is kept; `None`: since the beginning.
    pub async fn kept_since(&self) -> Result<Option<Timestamp>> {
        kept_since(&mut self.read().await?).await
    }

    /// Refuses a moment of which not everything is kept.
    pub async fn require_kept(&self, moment: Timestamp) -> Result<()> {
        require_kept(&mut self.read().await?, moment).await
    }
}

/// Removes what is over for longer than it is kept; true where there may be more.
pub(super) async fn sweep(tx: &mut Tx, retention: Retention, now: Timestamp) -> Result<bool> {
    let mut more = false;
    if let Some(before) = Retention::before(retention.versions_days, now) {
        for noun in [Noun::Entity, Noun::Issue, Noun::Technology] {
            more |= sweep_versions(tx, noun, before).await?;
        }
        more |= sweep_intervals(tx, before).await?;
    }
    if let Some(before) = Retention::before(retention.evidence_days, now) {
        more |= sweep_evidence(tx, before).await?;
    }
    Ok(more)
}

/// Versions follow one another in the order of their closing, in revisions as in time.
async fn sweep_versions(tx: &mut Tx, noun: Noun, before: Timestamp) -> Result<bool> {
    let sql = format!(
        "SELECT uid, opened_revision, closed_at FROM versions WHERE noun = $1 ORDER BY closed_revision LIMIT \
         {SWEPT_ROWS_MAX}"
    );
    let oldest: Vec<(Uid, i64, Timestamp)> = tx.read_all(&sql, values![noun.name()]).await?;
    let over: Rows = oldest
        .iter()
        .filter(|(.., closed_at)| *closed_at <= before)
        .map(|(uid, revision, _)| named! { noun: noun.name(), uid: *uid, revision: *revision })
        .collect();
    // In the order of their closing the last one that is over was closed last of all.
    let Some((.., since)) = oldest.iter().rev().find(|(.., closed_at)| *closed_at <= before) else {
        return Ok(false);
    };
    // Said first, and in the same transaction: what is asked for then is refused rather than answered in part.
    let position = Rows::from_iter([named! { reader: KEPT_SINCE, revision: *since }]);
    let forward = format!("{} WHERE positions.revision < excluded.revision", or_set("reader", &["revision"]));
    tx.insert("positions", position, &forward).await?;
    let more = over.len() == oldest.len();
    tx.with(over, "DELETE FROM versions WHERE (noun, uid, opened_revision) IN (SELECT * FROM v)").await?;
    Ok(more)
}

async fn sweep_intervals(tx: &mut Tx, before: Timestamp) -> Result<bool> {
    let sql = format!(
        "SELECT uid, task, argument, opened_at FROM intervals WHERE closed_at < $1 ORDER BY closed_at LIMIT \
         {SWEPT_ROWS_MAX}"
    );
    let oldest: Vec<(Uid, String, String, Timestamp)> = tx.read_all(&sql, values![before]).await?;
    let keys: Rows = oldest
        .iter()
        .map(|(uid, task, argument, opened_at)| named! { uid, task, argument, opened_at: *opened_at })
        .collect();
    tx.with(keys, "DELETE FROM intervals WHERE (uid, task, argument, opened_at) IN (SELECT * FROM v)").await?;
    Ok(!oldest.is_empty())
}

/// Lets go of evidence whose bytes were written last before a moment: each look that sees them again writes them again.
/// Whatever else refers to the bytes keeps them.
async fn sweep_evidence(tx: &mut Tx, before: Timestamp) -> Result<bool> {
    let sql = format!(
        "SELECT b.hash FROM blobs b WHERE b.written_at < $1 AND EXISTS (SELECT 1 FROM evidence e WHERE e.hash = b.hash)
         ORDER BY b.written_at LIMIT {SWEPT_ROWS_MAX}"
    );
    let old: Vec<BlobHash> = tx.read_all(&sql, values![before]).await?;
    let head = "SELECT uid, task, argument FROM evidence WHERE hash IN";
    let looks: Vec<(Uid, String, String)> = tx.read_in(head, Vec::new(), &old, "").await?;
    let keys = || -> Rows { looks.iter().map(|(uid, task, argument)| named! { uid, task, argument }).collect() };
    // An answer that stays the same is evidence anew when it comes again.
    let sql =
        "UPDATE looks SET evidence = '[]' WHERE details IS NOT NULL AND (uid, task, argument) IN (SELECT * FROM v)";
    tx.with(keys(), sql).await?;
    tx.with(keys(), "DELETE FROM evidence WHERE (uid, task, argument) IN (SELECT * FROM v)").await?;
    Ok(!old.is_empty())
}
