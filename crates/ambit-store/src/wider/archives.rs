//! Archives of files that somebody asked for (docs/contract/wider.md §5.2): made in the background, kept for an hour,
//! then removed with their bytes.

use crate::db::rows::{columns, named, select};
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::inventory::blobs;
use crate::inventory::uploads::BlobReader;
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::id::BlobHash;
use ambit_model::object::ArchiveStatus;
use uuid::Uuid;

/// How long an archive is kept, in milliseconds.
const KEPT_MS: i64 = 3_600_000;
/// Archives of one user that are kept at once: with the limit of their size this bounds the disk.
const ARCHIVES_OF_USER_MAX: i64 = 10;

columns! {
    /// An archive.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Archive {
        pub id: String,
        pub created_at: Timestamp,
        pub status: ArchiveStatus,
        /// Files that were asked for.
        pub files: i64,
        /// Files that are packed.
        pub packed: i64,
        /// Files that are not known.
        pub missing: i64,
        /// Its bytes, once it is finished.
        pub blob: Option<BlobHash>,
    }
}

/// An archive of a user.
async fn find(tx: &mut Tx, user: i64, id: &str) -> Result<Archive> {
    tx.find(&select::<Archive>("FROM archives WHERE id = $1 AND user_id = $2"), values![id, user]).await
}

impl Store {
    /// Begins an archive of so many files. `Conflict`: the caller has too many already.
    pub async fn begin_archive(&self, caller: &Caller, files: i64) -> Result<Archive> {
        let (user, now) = (caller.user_id(), caller.now);
        let id = Uuid::new_v4().simple().to_string();
        transaction!(self, Person, async |tx| {
            while sweep(tx, now).await? {}
            let count: i64 = tx.read_one("SELECT COUNT(*) FROM archives WHERE user_id = $1", values![user]).await?;
            if count >= ARCHIVES_OF_USER_MAX {
                let message = format!(
                    "at most {ARCHIVES_OF_USER_MAX} archives are kept of one user; each is removed after an hour"
                );
                return Err(StoreError::Conflict(message));
            }
            let status = ArchiveStatus::Starting.name();
            let row = named! { id: &id, user_id: user, created_at: now, status, files, packed: 0, missing: 0 };
            tx.insert_one("archives", row).await?;
            find(tx, user, &id).await
        })
    }

    /// Notes how far an archive is; one that was removed meanwhile stays away.
    pub async fn note_archive(&self, id: &str, status: ArchiveStatus, packed: i64, missing: i64) -> Result<()> {
        let id = id.to_owned();
        transaction!(self, Engine, async |tx| {
            let sql = "UPDATE archives SET status = $1, packed = $2, missing = $3 WHERE id = $4";
            tx.run(sql, values![status.name(), packed, missing, id]).await.map(|_| ())
        })
    }

    /// Stores the bytes of an archive and finishes it. Fails with `Invalid` for more bytes than a blob may have.
    pub async fn finish_archive(&self, id: &str, bytes: &[u8], now: Timestamp) -> Result<()> {
        let packed = blobs::pack(bytes)?;
        let (id, hash) = (id.to_owned(), packed.hash());
        transaction!(self, Engine, async |tx| {
            blobs::insert(tx, vec![packed], now).await?;
            let sql = "UPDATE archives SET status = $1, blob = $2 WHERE id = $3";
            tx.run(sql, values![ArchiveStatus::Finished.name(), hash, id]).await.map(|_| ())
        })
    }

    /// An archive that the caller asked for.
    pub async fn archive(&self, principal: &Principal, id: &str) -> Result<Archive> {
        find(&mut self.read().await?, principal.user_id(), id).await
    }

    /// The bytes of an archive that is still kept. Fails with `NotFound` where its hour is over or it is not finished.
    pub async fn archive_bytes(&self, id: &str) -> Result<BlobReader> {
        let mut tx = self.read().await?;
        let hash: Option<BlobHash> = tx.find("SELECT blob FROM archives WHERE id = $1", values![id]).await?;
        drop(tx);
        self.read_blob(hash.ok_or(StoreError::NotFound)?).await?.ok_or(StoreError::NotFound)
    }
}

/// Removes archives whose time is over; true when there may be more. Their bytes go with the unreferenced blobs.
pub(crate) async fn sweep(tx: &mut Tx, now: Timestamp) -> Result<bool> {
    Ok(tx.run("DELETE FROM archives WHERE created_at < $1", values![now.0 - KEPT_MS]).await? > 0)
}
