//! Packs that the operator loads: rules and lists of hashes to judge files by, each an engine in the results of
//! analyses, rules that tell products and secrets, and lists of platforms.

use crate::db::rows::{columns, named, select};
use crate::db::sql::{from_json, to_json, values, whole};
use crate::db::writer::transaction;
use crate::{Caller, Principal, Result, Store, StoreError};
use ambit_model::Timestamp;

/// Packs of one installation: each looks at every file.
const PACKS_MAX: i64 = 100;
/// Hashes of one list: a day's worth of everything that is known publicly is below it.
const HASHES_MAX: usize = 5_000_000;
/// Rows written at once.
const HASHES_AT_ONCE: usize = 5_000;

/// What a pack holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackContent {
    /// Name and text of each source; they were compiled before.
    Rules { sources: Vec<(String, String)>, rules: i64 },
    /// Name and text of each file of rules that tell products; they were read before.
    Fingerprints { sources: Vec<(String, String)>, rules: i64 },
    /// Name and text of each file of rules that tell secrets; they were read before.
    Secrets { sources: Vec<(String, String)>, rules: i64 },
    /// Name and text of each list of platforms; they were read before.
    Platforms { sources: Vec<(String, String)>, entries: i64 },
    /// Hash (SHA-256, SHA-1 or MD5, hexadecimal, in lower case) and what is known of it.
    Hashes(Vec<(String, String)>),
}

columns! {
    /// A pack.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Pack {
        pub name: String,
        /// `rules`, `hashes`, `fingerprints`, `secrets` or `platforms`.
        pub kind: String,
        /// Rules, hashes, or ranges and names.
        pub entries: i64,
        /// The beginning of a hash of its content.
        pub version: String,
        pub loaded_at: Timestamp,
    }
}

impl Store {
    /// Loads a pack, in place of one of the same name; for administrators. Fails with `Invalid` where as many packs are
    /// loaded as there may be, and for a list with too many hashes.
    pub async fn load_pack(&self, caller: &Caller, name: &str, version: &str, content: PackContent) -> Result<()> {
        caller.require_administrator()?;
        let (name, version, now) = (name.to_owned(), version.to_owned(), caller.now);
        if matches!(&content, PackContent::Hashes(hashes) if hashes.len() > HASHES_MAX) {
            return Err(StoreError::Invalid(format!("a list has at most {HASHES_MAX} hashes")));
        }
        transaction!(self, Person, async |tx| {
            let sql = "SELECT COUNT(*) FROM packs WHERE name <> $1";
            if tx.read_one::<i64>(sql, values![&name]).await? >= PACKS_MAX {
                return Err(StoreError::Invalid(format!("at most {PACKS_MAX} packs are loaded")));
            }
            tx.run("DELETE FROM packs WHERE name = $1", values![&name]).await?;
            tx.run("DELETE FROM pack_hashes WHERE pack = $1", values![&name]).await?;
            let (kind, sources, entries) = match &content {
                PackContent::Rules { sources, rules } => ("rules", to_json(sources), *rules),
                PackContent::Fingerprints { sources, rules } => ("fingerprints", to_json(sources), *rules),
                PackContent::Secrets { sources, rules } => ("secrets", to_json(sources), *rules),
                PackContent::Platforms { sources, entries } => ("platforms", to_json(sources), *entries),
                PackContent::Hashes(hashes) => ("hashes", String::new(), whole(hashes.len())),
            };
            let row = named! { name: &name, kind, sources, entries, version, loaded_at: now };
            tx.insert_one("packs", row).await?;
            if let PackContent::Hashes(hashes) = content {
                for chunk in hashes.chunks(HASHES_AT_ONCE) {
                    let rows = chunk.iter().map(|(hash, label)| named! { hash, pack: &name, label }).collect();
                    tx.insert("pack_hashes", rows, "ON CONFLICT (hash, pack) DO NOTHING").await?;
                }
            }
            Ok(())
        })
    }

    /// Every pack, by name.
    pub async fn list_packs(&self) -> Result<Vec<Pack>> {
        self.read().await?.read_all(&select::<Pack>("FROM packs ORDER BY name"), Vec::new()).await
    }

    /// Removes a pack; for administrators. The results of its rules stay. Fails with `NotFound` where there is none of
    /// that name.
    pub async fn remove_pack(&self, principal: &Principal, name: &str) -> Result<()> {
        principal.require_administrator()?;
        let name = name.to_owned();
        transaction!(self, Person, async |tx| {
            tx.run("DELETE FROM pack_hashes WHERE pack = $1", values![&name]).await?;
            tx.change("DELETE FROM packs WHERE name = $1", values![&name]).await
        })
    }

    /// Name and text of the sources of a pack of rules or of lists of platforms. Fails with `NotFound` where
    /// there is none of that name, or it is a list of hashes.
    pub async fn pack_sources(&self, name: &str) -> Result<Vec<(String, String)>> {
        let sql = "SELECT sources FROM packs WHERE name = $1 AND kind <> 'hashes'";
        from_json(&self.read().await?.find::<String>(sql, values![name]).await?)
    }

    /// What lists know of a file by its hashes: pack and label, by pack.
    pub async fn hash_labels(&self, hashes: &[String]) -> Result<Vec<(String, String)>> {
        let mut tx = self.read().await?;
        let head = "SELECT pack, label FROM pack_hashes WHERE hash IN";
        let mut out: Vec<(String, String)> = tx.read_in(head, Vec::new(), hashes, "ORDER BY pack, hash").await?;
        out.dedup_by(|one, other| one.0 == other.0);
        Ok(out)
    }
}
