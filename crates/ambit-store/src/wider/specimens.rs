//! Specimens: bytes that rules look at. Files that people upload are everybody's or belong to a project, bodies of
//! pages belong to their collection. Each is a row from the transaction that stored the bytes, marked once the live
//! rules have examined it. What was not marked before a crash is examined again.

use crate::db::rows::{Rows, named};
use crate::db::sql::{SWEPT_ROWS_MAX, Tx, from_json, values};
use crate::wider::objects::{self, EVERYBODYS, of_project};
use crate::wider::visibility::Visibility;
use crate::{Principal, Result, Store, StoreError};
use ambit_model::id::BlobHash;
use ambit_model::observation::BODY;
use ambit_model::task::TaskName;
use ambit_model::{Timestamp, Uid};

/// Bytes that a run discovered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoveredFile {
    pub sha256: BlobHash,
    /// The other hashes, once the body was read for them: in hexadecimal.
    pub others: Option<(String, String)>,
    pub size: i64,
    /// Where, by the names of entities.
    pub names: Vec<String>,
    pub first_at: Timestamp,
}

/// The columns that identify a specimen.
const KEY: &str = "sha256, collection_id";
/// The task that keeps the body of a site's first page.
const PAGE_TASK: TaskName = TaskName::HttpEnrich;
/// A body of that many bytes may have been cut: evidence is kept up to there (docs/architecture.md §1.6).
const CUT_BYTES: i64 = 1_024 * 1_024;
/// Bodies of one MD5 or SHA-1 that are looked at.
const SAME_HASH_MAX: usize = 10;

/// Notes an uploaded file. In the place of a collection stands nothing, or its project.
pub(crate) async fn insert_upload(tx: &mut Tx, sha256: BlobHash, visibility: Visibility, now: Timestamp) -> Result<()> {
    let belongs = match visibility {
        Visibility::Installation => EVERYBODYS,
        Visibility::Project(id) => of_project(id),
    };
    let row = named! { sha256, collection_id: belongs, uid: None::<Uid>, at: now };
    tx.insert_new("specimens", KEY, row).await.map(|_| ())
}

/// Removes the specimens of a project; those of its collections go with them.
pub(crate) async fn forget_project(tx: &mut Tx, project: i64) -> Result<()> {
    tx.run("DELETE FROM specimens WHERE collection_id = $1", values![of_project(project)]).await.map(|_| ())
}

/// Notes bodies with the entities that sent them. Those that the collection has already stay as they are.
pub(crate) async fn insert(tx: &mut Tx, collection: i64, bodies: Vec<(BlobHash, Uid)>, now: Timestamp) -> Result<()> {
    let row = |(sha256, uid)| named! { sha256, collection_id: collection, uid, at: now };
    let rows = Rows::from_iter(bodies.into_iter().map(row));
    tx.insert("specimens", rows, &format!("ON CONFLICT ({KEY}) DO NOTHING")).await
}

/// Removes the facts about deleted bodies; true if there may be more.
async fn sweep_described(tx: &mut Tx) -> Result<bool> {
    let sql = format!(
        "DELETE FROM file_facts WHERE project_id < 0 AND (sha256, project_id) IN (SELECT x.sha256, x.project_id FROM \
         file_facts x WHERE x.project_id < 0
         AND NOT EXISTS (SELECT 1 FROM specimens s WHERE s.sha256 = x.sha256 AND s.collection_id = -x.project_id)
         LIMIT {SWEPT_ROWS_MAX})"
    );
    let facts = tx.run(&sql, Vec::new()).await?;
    let sql = format!(
        "DELETE FROM bodies WHERE sha256 IN (SELECT b.sha256 FROM bodies b WHERE NOT EXISTS (SELECT 1 FROM specimens s \
         WHERE s.sha256 = b.sha256) LIMIT {SWEPT_ROWS_MAX})"
    );
    Ok(facts + tx.run(&sql, Vec::new()).await? > 0)
}

/// Removes rows whose bytes are gone or whose collection was deleted; true when there may be more.
pub(crate) async fn sweep(tx: &mut Tx) -> Result<bool> {
    let sql = format!(
        "DELETE FROM specimens WHERE number IN (SELECT s.number FROM specimens s WHERE NOT EXISTS (SELECT 1 FROM blobs \
         b WHERE b.hash = s.sha256)
         OR s.collection_id IN (SELECT c.id FROM collections c WHERE c.deleted_at IS NOT NULL) LIMIT {SWEPT_ROWS_MAX})"
    );
    let swept = tx.run(&sql, Vec::new()).await? > 0;
    Ok(sweep_described(tx).await? || swept)
}

/// The SHA-256 of bodies with a hash in hexadecimal; several may have one that is not SHA-256.
async fn with_hash(tx: &mut Tx, hash: &str) -> Result<Vec<BlobHash>> {
    let hash = hash.to_ascii_lowercase();
    let column = match hash.len() {
        64 => return Ok(hash.parse().into_iter().collect()),
        40 => "sha1",
        32 => "md5",
        _ => return Ok(Vec::new()),
    };
    let sql = format!("SELECT sha256 FROM bodies WHERE {column} = $1 ORDER BY sha256 LIMIT {SAME_HASH_MAX}");
    tx.read_all(&sql, values![hash]).await
}

impl Store {
    /// The body of the newest answer of a site, by hash and size, where it was kept whole.
    pub async fn page_body(&self, site: Uid) -> Result<Option<(BlobHash, i64)>> {
        let mut tx = self.read().await?;
        let sql = "SELECT evidence FROM looks WHERE uid = $1 AND task = $2 AND evidence IS NOT NULL
                   ORDER BY argument LIMIT 1";
        let Some(kept) = tx.read_first::<String>(sql, values![site, PAGE_TASK.as_str()]).await? else {
            return Ok(None);
        };
        let kept: Vec<(String, BlobHash)> = from_json(&kept)?;
        let Some((_, hash)) = kept.into_iter().find(|(label, _)| label == BODY) else { return Ok(None) };
        let sql = "SELECT hash, size FROM blobs WHERE hash = $1 AND size < $2";
        tx.read_first(sql, values![hash, CUT_BYTES]).await
    }

    /// A body of the caller's collections, by its SHA-256, SHA-1 or MD5 in hexadecimal.
    pub async fn discovered_file(&self, principal: &Principal, hash: &str) -> Result<DiscoveredFile> {
        let mut tx = self.read().await?;
        let seen = objects::owners_seen(&mut tx, principal).await?;
        let sql = "SELECT s.collection_id, b.size, s.at, e.name FROM specimens s JOIN blobs b ON b.hash = s.sha256
                   LEFT JOIN entities e ON e.uid = s.uid WHERE s.sha256 = $1 ORDER BY s.number";
        let mut found: Option<DiscoveredFile> = None;
        for sha256 in with_hash(&mut tx, hash).await? {
            let rows: Vec<(i64, i64, Timestamp, Option<String>)> = tx.read_all(sql, values![sha256]).await?;
            for (collection, size, first_at, name) in rows {
                if seen.contains(&collection) {
                    let first = DiscoveredFile { sha256, others: None, size, names: Vec::new(), first_at };
                    found.get_or_insert(first).names.extend(name);
                }
            }
            if found.is_some() {
                break;
            }
        }
        let mut found = found.ok_or(StoreError::NotFound)?;
        let sql = "SELECT sha1, md5 FROM bodies WHERE sha256 = $1";
        found.others = tx.read_first(sql, values![found.sha256]).await?;
        Ok(found)
    }
}
