//! Blobs: bodies, certificates, screenshots, uploads. Content-addressed, in compressed chunks, written in the
//! transaction that refers to them or ahead of it, swept when nothing refers to them for an hour.

use crate::db::rows::{Rows, named, or_set};
use crate::db::sql::{SWEPT_ROWS_MAX, Tx, values};
use crate::db::writer::transaction;
use crate::{Result, Store, StoreError};
use ambit_model::Timestamp;
use ambit_model::id::{BlobHash, blob_hash};
use ambit_model::moment::DAY_MS;
use std::collections::BTreeMap;

/// Bytes of a chunk before compression.
pub(crate) const CHUNK_BYTES: usize = 1 << 20;
/// Bytes of a blob at most: uploads are refused above by their own limits.
const BLOB_BYTES_MAX: usize = 1 << 30;
/// Compression level: the fastest that still halves HTML.
pub(crate) const ZSTD_LEVEL: i32 = 3;
/// An unreferenced blob younger than this is on its way to be referred to, in milliseconds.
const UNREFERENCED_MS: i64 = 3_600_000;
/// A body that live rules have not looked at waits for them this long, in milliseconds: where no engine hunts, nothing
/// is kept for it for ever.
const WAITING_MS: i64 = DAY_MS;

/// A blob ready to be written.
pub(crate) struct Packed {
    hash: BlobHash,
    size: i64,
    chunks: Vec<Vec<u8>>,
}

impl Packed {
    pub(crate) fn hash(&self) -> BlobHash {
        self.hash
    }

    pub(crate) fn size(&self) -> i64 {
        self.size
    }
}

/// Compresses a chunk.
pub(crate) fn pack_chunk(chunk: &[u8]) -> Result<Vec<u8>> {
    Ok(zstd::bulk::compress(chunk, ZSTD_LEVEL)?)
}

/// The bytes of a chunk as it is stored.
pub(crate) fn unpack_chunk(stored: &[u8]) -> Result<Vec<u8>> {
    Ok(zstd::bulk::decompress(stored, CHUNK_BYTES)?)
}

/// Compresses; done before the transaction.
pub(crate) fn pack(bytes: &[u8]) -> Result<Packed> {
    if bytes.len() > BLOB_BYTES_MAX {
        return Err(StoreError::Invalid(format!("more than {BLOB_BYTES_MAX} bytes in one blob")));
    }
    let chunks = bytes.chunks(CHUNK_BYTES).map(pack_chunk);
    Ok(Packed {
        hash: blob_hash(bytes),
        size: i64::try_from(bytes.len()).expect("checked above"),
        chunks: chunks.collect::<Result<_, _>>()?,
    })
}

/// Writes blobs; those that are there only become young again, so that no sweep takes them before they are referred to.
pub(crate) async fn insert(tx: &mut Tx, blobs: Vec<Packed>, now: Timestamp) -> Result<()> {
    let blobs: BTreeMap<BlobHash, Packed> = blobs.into_iter().map(|blob| (blob.hash, blob)).collect();
    let rows = blobs.values().map(|blob| named! { hash: blob.hash, size: blob.size, written_at: now }).collect();
    tx.insert("blobs", rows, &or_set("hash", &["written_at"])).await?;
    let mut rows = Rows::default();
    for blob in blobs.into_values() {
        for (position, bytes) in blob.chunks.into_iter().enumerate() {
            rows.push(named! { hash: blob.hash, position: i64::try_from(position).expect("few chunks"), bytes });
        }
    }
    tx.insert("blob_chunks", rows, "ON CONFLICT (hash, position) DO NOTHING").await
}

impl Store {
    /// Stores bytes under their hash. They stay while something refers to them, and for an hour. Fails with `Invalid`
    /// for more than a blob may have.
    pub async fn put_blob(&self, bytes: &[u8], now: Timestamp) -> Result<BlobHash> {
        let packed = pack(bytes)?;
        let hash = packed.hash;
        transaction!(self, Person, async |tx| insert(tx, vec![packed], now).await)?;
        Ok(hash)
    }

    /// The bytes of a hash. Fails with `Bug` where what is stored is not what the hash says.
    pub async fn blob(&self, hash: BlobHash) -> Result<Option<Vec<u8>>> {
        let Some(mut reader) = self.read_blob(hash).await? else {
            return Ok(None);
        };
        let size = usize::try_from(reader.left()).map_err(|_| StoreError::Bug("a blob without end".to_owned()))?;
        let mut bytes = Vec::with_capacity(size);
        while let Some(chunk) = reader.next().await? {
            bytes.extend_from_slice(&chunk);
        }
        Ok(Some(bytes))
    }
}

/// What makes a blob one that nothing refers to, and that was written before $1; a body that live rules still have to
/// look at is kept since $2.
const UNREFERENCED: &str = "b.written_at < $1 AND NOT EXISTS (SELECT 1 FROM evidence e WHERE e.hash = b.hash)
    AND NOT EXISTS (SELECT 1 FROM files f WHERE f.sha256 = b.hash)
    AND NOT EXISTS (SELECT 1 FROM archives a WHERE a.blob = b.hash)
    AND NOT EXISTS (SELECT 1 FROM specimens s WHERE s.sha256 = b.hash AND s.at > $2
        AND (s.hunted_at IS NULL OR EXISTS (SELECT 1 FROM hunts_deferred d WHERE d.specimen = s.number)))
    AND NOT EXISTS (SELECT 1 FROM hunting_notifications n WHERE n.sha256 = b.hash)
    AND NOT EXISTS (SELECT 1 FROM collections c WHERE c.wire_blob = b.hash AND c.deleted_at IS NULL)";

/// Unreferenced blobs that are no longer young; true when there may be more.
pub(crate) async fn sweep(tx: &mut Tx, now: Timestamp) -> Result<bool> {
    let select = format!("SELECT b.hash FROM blobs b WHERE {UNREFERENCED} LIMIT {SWEPT_ROWS_MAX}");
    let keys: Vec<BlobHash> = tx.read_all(&select, values![now.0 - UNREFERENCED_MS, now.0 - WAITING_MS]).await?;
    remove_unreferenced(tx, &keys, Timestamp(now.0 - UNREFERENCED_MS), now).await
}

/// Removes those of the blobs that nothing refers to and that were written before a moment; true where there was one.
/// The condition stands in the deletion itself, so that a blob which is put again meanwhile stays.
pub(crate) async fn remove_unreferenced(
    tx: &mut Tx,
    hashes: &[BlobHash],
    before: Timestamp,
    now: Timestamp,
) -> Result<bool> {
    let head = format!("DELETE FROM blobs AS b WHERE {UNREFERENCED} AND b.hash IN");
    let tail = "RETURNING COALESCE(stored_as, hash)";
    let gone: Vec<BlobHash> = tx.read_in(&head, values![before, now.0 - WAITING_MS], hashes, tail).await?;
    tx.run_in("DELETE FROM blob_chunks WHERE hash IN", Vec::new(), &gone, "").await?;
    Ok(!gone.is_empty())
}
