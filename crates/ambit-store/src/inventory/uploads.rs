//! Uploads: large blobs that are written while they come and read while they go, a chunk at a time, so that nobody
//! holds one as a whole. Until its hash is known, an upload stands under a random one; what is given up is removed, and
//! what a crash left is swept like every blob that nothing refers to.

use crate::db::rows::named;
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::inventory::blobs::{self, CHUNK_BYTES, Packed, ZSTD_LEVEL};
use crate::{Result, Store, StoreError};
use ambit_model::id::BlobHash;
use ambit_model::{Timestamp, Uid};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use zstd::bulk::Compressor;

/// Pieces (256 KiB) after which the pages of the earlier ones leave the cache of SQLite's writing connection, so that
/// an upload does not fill it. Other writers meanwhile read their pages from the system's cache.
const PIECES_IN_CACHE_MAX: i64 = 2;

/// An upload that is coming.
pub struct Upload {
    rows: Rows,
    packer: Option<Packer>,
    position: i64,
    size: i64,
}

/// What is needed to hash and pack pieces. It goes from piece to piece: memory for each of them anew would be taken by
/// ever other threads, and each thread keeps what it once had.
struct Packer {
    hasher: Sha256,
    compressor: Compressor<'static>,
    chunk: Vec<u8>,
}

/// Bytes that are ready to be referred to.
pub struct Staged(Content);

enum Content {
    /// Small enough to be written with what refers to them.
    Packed(Packed),
    /// Written already.
    Written { rows: Rows, hash: BlobHash, size: i64 },
}

/// Chunks under a random hash; dropping them removes them, unless a blob has taken them.
struct Rows {
    store: Store,
    key: BlobHash,
    /// False: there are none.
    written: bool,
}

impl Drop for Rows {
    fn drop(&mut self) {
        let (store, key) = (self.store.clone(), self.key);
        if let (true, Ok(runtime)) = (self.written, tokio::runtime::Handle::try_current()) {
            runtime.spawn(async move {
                if let Err(error) = discard(&store, key).await {
                    tracing::warn!(%error, "the pieces of an abandoned upload stay for an hour");
                }
            });
        }
    }
}

/// Empties the cache of SQLite's writing connection of pages that nobody reads again. The allocator gives memory back
/// only while its thread goes on working, and that thread rests when an upload is over.
async fn forget_pages(tx: &mut Tx) -> Result<()> {
    if !tx.is_postgres() {
        tx.run("PRAGMA shrink_memory", Vec::new()).await?;
    }
    Ok(())
}

/// Removes chunks a few at a time, the row that leads to them last: what a crash leaves is swept by it.
async fn discard(store: &Store, key: BlobHash) -> Result<()> {
    loop {
        let removed = transaction!(store, Engine, async |tx| {
            forget_pages(tx).await?;
            let sql = "DELETE FROM blob_chunks WHERE hash = $1 AND position IN
                       (SELECT position FROM blob_chunks WHERE hash = $1 ORDER BY position LIMIT $2)";
            tx.run(sql, values![key, PIECES_IN_CACHE_MAX]).await
        })?;
        if removed == 0 {
            break;
        }
    }
    transaction!(store, Engine, async |tx| tx.run("DELETE FROM blobs WHERE hash = $1", values![key]).await).map(|_| ())
}

impl Upload {
    /// Bytes of a piece: a quarter of the largest chunk, since there are several copies of each on its way into the
    /// database.
    pub const PIECE_BYTES: usize = CHUNK_BYTES / 4;

    /// Begins one; nothing is written yet.
    pub fn begin(store: &Store) -> Self {
        Self {
            rows: Rows { store: store.clone(), key: Uid::from_bytes(rand::random()), written: false },
            packer: None,
            position: 0,
            size: 0,
        }
    }

    /// Writes a piece of exactly [`Self::PIECE_BYTES`]; only the last may be shorter, and that is given to
    /// [`Self::finish`]. Gives its memory back for the next one, emptied.
    pub async fn write(&mut self, mut piece: Vec<u8>, now: Timestamp) -> Result<Vec<u8>> {
        let size = piece.len();
        let packer = self.packer.take();
        let work = tokio::task::spawn_blocking(move || {
            let mut packer = packer.map_or_else(Packer::new, Ok)?;
            packer.pack(&piece)?;
            piece.clear();
            Ok::<_, StoreError>((packer, piece))
        });
        let (mut packer, piece) = work.await.map_err(|_| StoreError::Bug("packing panicked".to_owned()))??;
        let chunk = Arc::new(std::mem::take(&mut packer.chunk));
        let (key, position, written) = (self.rows.key, self.position, Arc::clone(&chunk));
        self.rows.written = true;
        transaction!(self.rows.store, Person, async |tx| {
            if position % PIECES_IN_CACHE_MAX == PIECES_IN_CACHE_MAX - 1 {
                forget_pages(tx).await?;
            }
            let row = named! { hash: key, size: 0, written_at: now };
            tx.put("blobs", "hash", &["written_at"], row).await?;
            tx.insert_one("blob_chunks", named! { hash: key, position, bytes: &written[..] }).await
        })?;
        packer.chunk = Arc::try_unwrap(chunk).unwrap_or_default();
        self.packer = Some(packer);
        self.position += 1;
        self.size += i64::try_from(size).map_err(|_| StoreError::Bug("a piece without end".to_owned()))?;
        Ok(piece)
    }

    /// The last piece, which may be empty.
    pub async fn finish(mut self, last: Vec<u8>, now: Timestamp) -> Result<Staged> {
        if self.position == 0 {
            return Staged::of(&last);
        }
        if !last.is_empty() {
            self.write(last, now).await?;
        }
        let hasher = self.packer.map(|packer| packer.hasher).unwrap_or_default();
        Ok(Staged(Content::Written {
            rows: self.rows,
            hash: Uid::from_bytes(hasher.finalize().into()),
            size: self.size,
        }))
    }
}

impl Packer {
    fn new() -> Result<Self> {
        Ok(Self { hasher: Sha256::new(), compressor: Compressor::new(ZSTD_LEVEL)?, chunk: Vec::new() })
    }

    fn pack(&mut self, piece: &[u8]) -> Result<()> {
        self.hasher.update(piece);
        self.chunk.clear();
        self.chunk.reserve(zstd::zstd_safe::compress_bound(piece.len()));
        self.compressor.compress_to_buffer(piece, &mut self.chunk)?;
        Ok(())
    }
}

impl Staged {
    /// Bytes that are there as a whole. Fails with `Invalid` for more than a blob may have.
    pub fn of(bytes: &[u8]) -> Result<Self> {
        Ok(Self(Content::Packed(blobs::pack(bytes)?)))
    }

    /// Their SHA-256.
    pub fn hash(&self) -> BlobHash {
        match &self.0 {
            Content::Packed(packed) => packed.hash(),
            Content::Written { hash, .. } => *hash,
        }
    }

    /// How many they are.
    pub fn size(&self) -> i64 {
        match &self.0 {
            Content::Packed(packed) => packed.size(),
            Content::Written { size, .. } => *size,
        }
    }
}

/// What is to be done in the transaction that refers to staged bytes, and what is to be let go of after it.
pub(crate) struct Adopted {
    rows: Option<Rows>,
}

impl Adopted {
    /// The transaction was committed: the chunks belong to the blob, unless it was there already.
    pub(crate) fn keep(mut self, taken: Taken) {
        if let (Some(rows), Taken::Yes) = (&mut self.rows, taken) {
            rows.written = false;
        }
    }
}

/// Whether a blob has taken the chunks that stood ready for it.
#[derive(Clone, Copy)]
pub(crate) enum Taken {
    Yes,
    /// The blob is there already, with chunks of its own.
    No,
}

/// A step of a transaction.
pub(crate) enum Step {
    Insert(Packed),
    Adopt { key: BlobHash, hash: BlobHash, size: i64 },
}

/// Takes staged bytes apart: the step for the transaction, and the chunks, which are removed if it fails.
pub(crate) fn adopt(staged: Staged) -> (Step, Adopted) {
    match staged.0 {
        Content::Packed(packed) => (Step::Insert(packed), Adopted { rows: None }),
        Content::Written { rows, hash, size } => {
            let key = rows.key;
            (Step::Adopt { key, hash, size }, Adopted { rows: Some(rows) })
        }
    }
}

impl Step {
    /// Makes the bytes a blob; one that is there already only becomes young again.
    pub(crate) async fn run(self, tx: &mut Tx, now: Timestamp) -> Result<Taken> {
        let (key, hash, size) = match self {
            Self::Insert(packed) => return blobs::insert(tx, vec![packed], now).await.map(|()| Taken::Yes),
            Self::Adopt { key, hash, size } => (key, hash, size),
        };
        if tx.run("DELETE FROM blobs WHERE hash = $1", values![key]).await? == 0 {
            return Err(StoreError::Invalid("the upload took too long: send it again".to_owned()));
        }
        forget_pages(tx).await?;
        if tx.insert_new("blobs", "hash", named! { hash, size, written_at: now, stored_as: key }).await? {
            return Ok(Taken::Yes);
        }
        tx.run("UPDATE blobs SET written_at = $1 WHERE hash = $2", values![now, hash]).await?;
        tx.insert_one("blobs", named! { hash: key, size: 0, written_at: now }).await?;
        Ok(Taken::No)
    }
}

/// A blob that is read a chunk at a time.
pub struct BlobReader {
    store: Store,
    hash: BlobHash,
    key: BlobHash,
    hasher: Sha256,
    position: i64,
    left: u64,
}

impl Store {
    /// Reads a blob a chunk at a time; `None`: there is none.
    pub async fn read_blob(&self, hash: BlobHash) -> Result<Option<BlobReader>> {
        let sql = "SELECT size, COALESCE(stored_as, hash) FROM blobs WHERE hash = $1";
        let Some((size, key)) = self.read().await?.read_first::<(i64, BlobHash)>(sql, values![hash]).await? else {
            return Ok(None);
        };
        let left = u64::try_from(size).map_err(|_| StoreError::Bug("a blob of negative size".to_owned()))?;
        Ok(Some(BlobReader { store: self.clone(), hash, key, hasher: Sha256::new(), position: 0, left }))
    }
}

impl BlobReader {
    /// Bytes that are still to come.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// The next chunk; `None` at the end. The last one is given only when all of them together are what the hash says.
    /// Otherwise it fails with `Bug`.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        if self.left == 0 {
            return Ok(None);
        }
        let damaged = || StoreError::Bug(format!("the blob {} is damaged", self.hash));
        let sql = "SELECT bytes FROM blob_chunks WHERE hash = $1 AND position = $2";
        let chunk: Option<Vec<u8>> = self.store.read().await?.read_first(sql, values![self.key, self.position]).await?;
        let bytes = blobs::unpack_chunk(&chunk.ok_or_else(damaged)?)?;
        self.hasher.update(&bytes);
        self.left = self.left.checked_sub(bytes.len() as u64).filter(|_| !bytes.is_empty()).ok_or_else(damaged)?;
        self.position += 1;
        if self.left == 0 && Uid::from_bytes(std::mem::take(&mut self.hasher).finalize().into()) != self.hash {
            return Err(damaged());
        }
        Ok(Some(bytes))
    }
}
