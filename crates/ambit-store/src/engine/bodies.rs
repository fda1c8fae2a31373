//! What is found out of bodies of pages beside their SHA-256, so that they are found like files that people upload:
//! their other hashes and their type. A body is read for it once, after the run has stored it.

use super::Engine;
use super::hunt::{Specimen, specimens};
use crate::Result;
use crate::db::rows::named;
use crate::db::sql::{Tx, values};
use crate::db::writer::transaction;
use crate::wider::file_type::FileType;
use crate::wider::files::folded;
use md5::{Digest, Md5};
use sha1::Sha1;

/// Bodies of one transaction, and bytes of theirs that are read for one.
const BATCH_MAX: i64 = 100;
const BATCH_BYTES_MAX: i64 = 32 * 1024 * 1024;

/// What is found out of a body.
struct Body {
    sha1: String,
    md5: String,
    type_tag: Option<&'static str>,
}

impl Body {
    fn of(bytes: &[u8]) -> Self {
        Self {
            sha1: hex::encode(Sha1::digest(bytes)),
            md5: hex::encode(Md5::digest(bytes)),
            type_tag: FileType::tag_of(bytes),
        }
    }
}

impl Engine {
    /// Reads some bodies that nobody has read yet and writes what they are; false: there was none.
    pub async fn describe_bodies(&self) -> Result<bool> {
        let mut tx = self.store.read().await?;
        let sql = format!("{} s.described = 0 AND s.collection_id > 0 ORDER BY s.number LIMIT $1", specimens());
        let waiting: Vec<Specimen> = tx.read_all(&sql, values![BATCH_MAX]).await?;
        tx.rollback().await?;
        let (mut described, mut read) = (Vec::new(), 0);
        for specimen in waiting {
            if read > 0 && read + specimen.size > BATCH_BYTES_MAX {
                break;
            }
            read += specimen.size;
            // Bytes that were swept meanwhile have nothing to say.
            let body = self.blob(specimen.sha256).await?.map(|bytes| Body::of(&bytes));
            described.push((specimen, body));
        }
        if described.is_empty() {
            return Ok(false);
        }
        transaction!(self.store, Engine, async |tx| {
            for (specimen, body) in &described {
                describe(tx, specimen, body.as_ref()).await?;
            }
            Ok(())
        })?;
        Ok(true)
    }
}

async fn describe(tx: &mut Tx, specimen: &Specimen, body: Option<&Body>) -> Result<()> {
    let sql = "UPDATE specimens SET described = 1 WHERE number = $1 AND described = 0";
    let (Some(body), true) = (body, tx.run(sql, values![specimen.number]).await? == 1) else { return Ok(()) };
    let row = named! { sha256: specimen.sha256, sha1: &body.sha1, md5: &body.md5, type_tag: body.type_tag };
    tx.insert_new("bodies", "sha256", row).await?;
    let sql = "SELECT e.name FROM specimens s JOIN entities e ON e.uid = s.uid WHERE s.number = $1";
    let name: String = tx.read_first(sql, values![specimen.number]).await?.unwrap_or_default();
    let names = if name.is_empty() { String::new() } else { folded(std::slice::from_ref(&name)) };
    let row = named! {
        sha256: specimen.sha256,
        name,
        names,
        type_tag: body.type_tag.unwrap_or_default(),
        size: specimen.size,
        first_at: specimen.at,
        last_at: specimen.at,
        submissions: 0,
        positives: 0,
        analysed_at: 0,
        first_submission: 0,
        last_submission: 0,
        project_id: -specimen.collection,
    };
    tx.insert_new("file_facts", "sha256, project_id", row).await.map(|_| ())
}
